-- Checks the gradients of a program for the case scripts of fuzz/case/gradients.lua: rill.grad, value_and_grad, vjp,
-- jvp and hvp against central differences in double along random directions, where two steps agree.
local rill = require "rill"
local check = require "spec.support.check"
local tape = require "rill.grad.tape"

local gradients = {}

local STEPS <const> = {1e-3, 1e-4, 1e-5} -- each is compared with its half
local AGREE <const> = 1e-5 -- the largest relative distance of the differences of two steps
local BOUND <const> = 1e-6 -- of the errors of gradients, relative to the largest derivative
local LEAST <const> = 1e-7 -- of the absolute errors, which are those of the functions of doubles

-- The kernels that the programs launch.
gradients.kernels = rill.program [[
kernel void square(double x<>, double a, out double r<>) { r = a * x * x; }
kernel void both(double x<>, double y<>, out double s<>, out double p<>) { s = 0.5 * (x + y); p = 0.5 * x * y; }
kernel void grow(inout double x<>, double f<>) { x = 0.5 * x * f + 0.25 * f; }
kernel void shrink(inout double x<>) { x = sin(x); }
kernel void swap(inout double x<>, inout double y<>) { double t = x; x = 0.5 * y; y = 0.5 * t; }
kernel void smooth(neighbor double u<>, double k<>, out double r<>) {
    r = 0.5 * u + 0.125 * k * (u[-1] - 2.0 * u + u[1]);
}
kernel void plate(neighbor double u<>, out double r<>) {
    r = 0.25 * (u[0][1] + u[-1][0] * u[0][-1] * 0.5) + 0.25 * sin(u[2][0]);
}
kernel void pick(double a[], int i<>, double f<>, out double r<>) { r = 0.25 * a[i] * f + 0.5 * a[0]; }
kernel void grid(double a[][], double f<>, out double r<>) { r = a[1][int(indexof(f).x)] * 0.5 + f * 0.25; }
kernel void positive(double x<>, double y<>, vout double v<>) { if (x > 0.0) push(v, x * y); }
kernel double curve(double x<>, double c) {
    double s = c;
    for (int k = 0; k < 20; k++) {
        s = 0.5 * s * x + 0.25 * x;
        if (s > 0.7) break;
    }
    return s;
}
kernel void side(double x<>, double y<>, out double r<>) { if (x < y) { r = sin(x) * y; return; } r = y - 0.5 * x; }
kernel void rows(double x<>, out dvec2 r<>) { r = dvec2(0.5 * x * x, cos(x)); }
kernel void length2(dvec2 v<>, inout double r<>) { r += 0.25 * dot(v, v); }
reduce void total(double x<>, reduce double r<>) { r += x; }
reduce void product(double x<>, reduce double r<>) { r *= x; }
]]

local known <const> = {} -- streams of indices by their text

--- gradients.indices(list) returns a stream of ints, the same for each call with the same numbers: kernels keep the
-- orders of streams of indices.
function gradients.indices(list)
    local text <const> = table.concat(list, " ")
    known[text] = known[text] or rill.from(list, "int")
    return known[text]
end

-- ---- values without a gradient: differences use those of the gradient

local held, next_held, holding = {}, 0, nil

local function hold(f, x)
    local value
    next_held = next_held + 1
    if holding ~= "use" then
        value = f(x)
    else
        value = held[next_held]
    end
    if holding == "keep" then
        held[next_held] = value
    end
    return rill.type(value) == "stream" and holding and value:copy() or value -- the program may overwrite it
end

--- gradients.constant(x) is rill.constant(x).
function gradients.constant(x)
    return hold(rill.constant, x)
end

--- gradients.value(x) is rill.value(x).
function gradients.value(x)
    return hold(rill.value, x)
end

-- ---- evaluation

-- A case: {f, make = {functions that return a stream for an argument}, values = {lists}, mode, wrt, reset = a function
-- that restores streams outside of f, views = for some arguments a function of the first: the view of it that gradients
-- get, while differences use copies}.

-- Returns new streams for the arguments.
local function arguments_of(case, values)
    local list = {}
    for k, make in ipairs(case.make) do
        local view = values == case.values and case.views[k]
        list[k] = view and view(list[1]) or make()
        if not view then
            list[k]:write(values[k])
        end
    end
    return list
end

-- Calls g with new arguments. Returns its results.
local function call(case, g, values)
    next_held = 0
    if case.reset then
        case.reset()
    end
    return g(table.unpack(arguments_of(case, values)))
end

local function list_of(y)
    return type(y) == "number" and {y} or y:values()
end

local function dot(a, b)
    local sum = 0.0
    for i, x in ipairs(a) do
        sum = sum + x * b[i]
    end
    return sum
end

-- Returns numbers between -1 and 1, not small.
local function direction(n, seed)
    local list = {}
    for i = 1, n do
        local x = math.sin(17.3 * i + 5.1 * seed)
        list[i] = x + (x < 0 and -0.25 or 0.25)
    end
    return list
end

local function moved(case, wrt, directions, step)
    local values = table.move(case.values, 1, #case.values, 1, {})
    for n, k in ipairs(wrt) do
        values[k] = {}
        for i, x in ipairs(case.values[k]) do
            values[k][i] = x + step * directions[n][i]
        end
    end
    return values
end

-- Returns the derivative of number(values) in a direction, or nil where the steps do not agree.
local function difference(case, wrt, directions, number)
    local function slope(step)
        return (number(moved(case, wrt, directions, step)) - number(moved(case, wrt, directions, -step))) / (2 * step)
    end
    for _, step in ipairs(STEPS) do
        local a, b = slope(step), slope(step / 2)
        local close = math.abs(a - b) <= AGREE * math.max(math.abs(a), 1e-3)
        if close then
            return (4 * b - a) / 3
        end
    end
end

local modes = {}

-- Each mode: returns a function that computes the result, and the list of adjoints; and a function that returns for
-- directions of the arguments the number that the difference of number(values) must be.

local function first_number(case)
    return function(values)
        return list_of((call(case, case.f, values)))[1]
    end
end

local function options_of(case)
    return {wrt = case.wrt}
end

local function lists(streams)
    local list = {}
    for k, s in ipairs(streams) do
        assert(s.type == "double")
        list[k] = s:values()
    end
    return list
end

local function pairing(found)
    return function(directions)
        local sum = 0.0
        for n, list in ipairs(found) do
            assert(#list == #directions[n], "the shape of an adjoint")
            sum = sum + dot(list, directions[n])
        end
        return sum
    end
end

function modes.grad(case, all)
    local g = rill.grad(case.f, options_of(case))
    local found = lists {call(case, g, case.values)}
    assert(#found == #all)
    return found, pairing(found), first_number(case)
end

function modes.value_and_grad(case)
    local results = {call(case, rill.value_and_grad(case.f, options_of(case)), case.values)}
    local found = lists {table.unpack(results, 2)}
    table.insert(found, {results[1]})
    return found, pairing {table.unpack(found, 1, #found - 1)}, first_number(case), results[1]
end

local function weighted_number(case, weights)
    return function(values)
        return dot(list_of((call(case, case.f, values))), weights)
    end
end

function modes.vjp(case)
    local y, pull = call(case, function(...) return rill.vjp(case.f, ...) end, case.values)
    local shape = type(y) ~= "number" and y.shape or {1}
    local weights = direction(#list_of(y), 3)
    local y_bar = rill.stream("double", shape, weights)
    local found = lists {pull(y_bar)}
    local again = lists {pull(y_bar)}
    for k, list in ipairs(found) do
        check.equal(list, again[k])
    end
    return found, pairing(found), weighted_number(case, weights)
end

-- The tangent in one direction, which the differences use, too.
function modes.jvp(case)
    local tangents, list = {}, {}
    for k, values in ipairs(case.values) do
        list[k] = direction(#values, k)
    end
    local y, y_dot = call(case, function(...)
        local streams = {...}
        for k, s in ipairs(streams) do
            tangents[k] = rill.stream("double", s.shape, list[k])
        end
        return rill.jvp(case.f, streams, tangents)
    end, case.values)
    local found = y_dot:values()
    local weights = direction(#found, 3)
    assert(y.size == #found)
    return {found}, function() return dot(found, weights) end, weighted_number(case, weights), nil, list
end

-- The product of the Hessian and a direction, compared with differences of rill.grad.
function modes.hvp(case)
    local list = {}
    for k, values in ipairs(case.values) do
        list[k] = direction(#values, k + 7)
    end
    local found = lists {call(case, function(...)
        local streams, v = {...}, {}
        for k, s in ipairs(streams) do
            v[k] = rill.stream("double", s.shape, list[k])
        end
        return rill.hvp(case.f, streams, v)
    end, case.values)}
    return found, pairing(found), function(values)
        return pairing(lists {call(case, rill.grad(case.f), values)})(list)
    end
end

local function snapshot()
    check.collect()
    check.collect()
    local memory = rill.memory()
    local active, tracked, needed = tape.count()
    return {memory.bytes, memory.streams, active, tracked, needed}
end

--- gradients.streams() returns the number of streams.
function gradients.streams()
    return snapshot()[2]
end

--- gradients.examine(case) returns nil if the gradients are right, "refused: MESSAGE", or "corner" if no steps agree.
-- Raises if they are not right, or leave anything behind.
function gradients.examine(case)
    local wrt = case.wrt
    if not wrt then
        wrt = {}
        for k in ipairs(case.values) do
            wrt[k] = k
        end
    end
    local compute = modes[case.mode]
    for k in pairs(case.views) do
        case.values[k] = arguments_of(case, case.values)[k]:values()
    end
    held, holding = {}, "keep"
    local plain = list_of((call(case, case.f, {table.unpack(case.values)})))
    for _, x in ipairs(plain) do
        assert(x == x and math.abs(x) < 1e6, "the program is not valid: its value is " .. x)
    end
    held, holding = {}, "keep"
    local done, found, expected, number, value, own = pcall(compute, case, wrt)
    if not done then
        local message = tostring(found):gsub("^[^ ]*:%d+: ", "")
        assert(message:find "gradient" or message:find "derivative" or message:find "^rill.steps: ", message)
        local active, tracked = tape.count()
        check.equal({0, 0}, {active, tracked})
        return "refused: " .. message
    end
    if value then
        assert(math.abs(value - plain[1]) <= 1e-12 * math.max(1, math.abs(plain[1])), "the value of the function")
    end
    holding = nil
    local after = snapshot()
    for run = 1, 20 do -- the second use of kernels keeps the orders of indices
        local before = after
        check.equal({0, 0, 0}, {table.unpack(before, 3)}) -- nothing is recorded or needed
        local again = compute(case, wrt)
        for k, list in ipairs(found) do
            check.equal(list, again[k])
        end
        after = snapshot()
        if before[1] >= after[1] then
            break
        end
        assert(run < 20, "the memory grows")
    end
    holding = "use"
    local verdict
    for seed = 1, own and 1 or 3 do
        local directions, size = own or {}, 0.0
        for n, k in ipairs(own and {} or wrt) do
            directions[n] = direction(#case.values[k], seed + 10 * n)
        end
        local got, wanted = expected(directions), difference(case, wrt, directions, number)
        for _, list in ipairs(case.mode == "jvp" and {} or found) do
            for _, x in ipairs(list) do
                size = math.max(size, math.abs(x))
            end
        end
        if not wanted then
            verdict = "corner"
        elseif got ~= got or math.abs(got - wanted) > BOUND * math.max(math.abs(wanted), 0.01 * size) + LEAST then
            error(("%s: direction %d: the derivative is %.12g, the difference %.12g"):format(case.mode, seed, got,
                wanted))
        end
    end
    held, holding = {}, nil
    return verdict
end

return gradients
