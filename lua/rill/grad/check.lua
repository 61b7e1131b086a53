-- rill.grad_check: compares gradients with central differences.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local pass = require "rill.grad.pass"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
local fail <const> = errors.fail

local check = {}

local OPTIONS <const> = {
    elements = {function(v) return math.type(v) == "integer" and v > 0 end, "a whole number from 1", 32},
    tolerance = {option.is_positive, "a number above 0"},
}
-- Steps and permitted errors, relative to the size of the values.
local STEP <const> = {float = 4e-3, double = 4e-6}
local TOLERANCE <const> = {float = 2e-2, double = 1e-6}
local EPSILON <const> = {float = 0x1p-23, double = 0x1p-52}

-- Returns the number that f returns.
local function number(f, arguments)
    local y = f(table.unpack(arguments, 1, arguments.n))
    if type(y) ~= "number" then
        y = errors.open("rill.grad_check: the result of the function", y):values()[1]
    end
    return y
end

-- Returns the scalars of a stream as a view of one dimension of a copy, and the copy.
local function scalars_of(s)
    local copy <const> = s:copy()
    local info <const> = types.list[s.type]
    local view = copy
    if info.components > 1 then
        view = copy:as(info.scalar)
    end
    return view:reshape(view.size), copy
end

-- Returns the indices of the scalars that are compared: all, or some at equal distances.
local function chosen(count, most)
    local list = {}
    local n <const> = math.min(count, most)
    for k = 0, n - 1 do
        list[#list + 1] = n == count and k + 1 or k * count // n + 1
    end
    return list
end

-- Returns how messages name scalar k of a stream: "[2, 3]", "[4].y".
local function position(s, k)
    local n <const> = types.list[s.type].components
    local flat, index = (k - 1) // n, {}
    for d = #s.shape, 1, -1 do
        table.insert(index, 1, flat % s.shape[d] + 1)
        flat = flat // s.shape[d]
    end
    return ("[%s]%s"):format(table.concat(index, ", "), n > 1 and "." .. ("xyzw"):sub((k - 1) % n + 1, (k - 1) % n + 1)
        or "")
end

-- Returns the derivative of f by a scalar of an argument, as a central difference, and its error by rounding.
local function difference(f, arguments, i, view, copy, k, scalar)
    local own = table.move(arguments, 1, arguments.n, 1, {n = arguments.n})
    own[i] = copy
    local x <const> = view:get(k)
    local step <const> = STEP[scalar] * math.max(1, math.abs(x))
    view:set(x + step, k)
    local right <const> = view:get(k)
    local above <const> = number(f, own)
    view:set(x - step, k)
    local width <const> = right - view:get(k)
    local below <const> = number(f, own)
    view:set(x, k)
    return (above - below) / width, EPSILON[scalar] * 16 * math.max(math.abs(above), math.abs(below)) / width
end

-- Returns the gradients of f. Raises if its result, or that of an operation in it, is NaN.
local function gradients(f, arguments, wrt)
    local culprit
    tape.watch = function(name, outputs)
        for _, s in ipairs(culprit == nil and outputs or {}) do
            if types.is_real(s.type) and tape.suspended(function() return rill.isnan(s):any() end) then
                culprit = name
            end
        end
    end
    local done, recording, y, found = pcall(pass.forward, "rill.grad_check", f, arguments, wrt)
    tape.watch = nil
    if not done then
        error(recording, 0)
    elseif culprit then
        fail("rill.grad_check: the result of '%s' is NaN", culprit)
    end
    pass.check_loss("rill.grad_check", y)
    return pass.pulled(recording, 1, found, true)
end

--- rill.grad_check(f, ... [, {elements =, tolerance =}]) compares the gradients of f, a function for rill.grad, with
-- central differences of f(...), computed with the types of the streams: doubles are compared more exactly than floats.
-- Returns the largest error, relative to the largest derivative of an argument. Raises an error that names the worst
-- element if an error is larger than `tolerance` (default: 1e-6, with floats 2e-2), or if a value of the function is
-- NaN. `elements`: the largest number of elements of each argument that are compared. Default: 32.
function check.grad_check(f, ...)
    pass.check("rill.grad_check", f)
    local arguments, options = table.pack(...), nil
    local last <const> = arguments[arguments.n]
    if type(last) == "table" and not rill.type(last) and (last.elements ~= nil or last.tolerance ~= nil) then
        options, arguments.n = last, arguments.n - 1
    end
    local o <const> = option.take("rill.grad_check", options, OPTIONS)
    for i = 1, arguments.n do
        arguments[i] = rill.type(arguments[i]) == "expression" and arguments[i]:eval() or arguments[i]
    end
    local wrt <const> = pass.chosen("rill.grad_check", arguments)
    local list <const> = gradients(f, arguments, wrt)
    local worst = {error = 0}
    for n, i in ipairs(wrt) do
        local view, copy = scalars_of(arguments[i])
        local scalar <const> = types.seen_scalar(arguments[i].type)
        local own <const> = (scalars_of(list[n]))
        local largest, rows = 1e-30, {}
        for _, k in ipairs(chosen(view.size, o.elements)) do
            local expected, noise = difference(f, arguments, i, view, copy, k, scalar)
            local got <const> = own:get(k)
            largest = math.max(largest, math.abs(expected), math.abs(got))
            rows[#rows + 1] = {k = k, got = got, expected = expected, noise = noise}
        end
        for _, row in ipairs(rows) do
            local off <const> = math.max(math.abs(row.got - row.expected) - row.noise, 0) / largest
            if off ~= off or off / TOLERANCE[scalar] > worst.error then
                worst = {error = off / TOLERANCE[scalar], off = off, row = row, argument = i, scalar = scalar}
            end
        end
    end
    local off <const> = worst.off or 0
    if off ~= off or off > (o.tolerance or TOLERANCE[worst.scalar or "float"]) then
        fail("rill.grad_check: argument #%d: the derivative by element %s is %.9g, the difference of the function %.9g",
            worst.argument, position(arguments[worst.argument], worst.row.k), worst.row.got, worst.row.expected)
    end
    return off
end

check.grad_check = errors.guard(check.grad_check, "rill.grad_check")

return check
