-- rill.grad, value_and_grad, vjp, jvp, hvp, grad_check, constant and value: gradients of functions.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local places = require "rill.grad.places"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
require "rill.grad.launch"
require "rill.grad.rules"
local fail <const> = errors.fail

local functions = {}

-- ---- arguments

local function is_stream(value)
    local kind <const> = rill.type(value)
    return kind == "stream" or kind == "expression"
end

-- Returns the name of parameter i of a function of Lua, for messages.
local function parameter(f, i)
    local info <const> = debug.getinfo(f, "u")
    return i <= info.nparams and debug.getlocal(f, i) or "argument #" .. i
end

local function check_function(where, f)
    local meta = getmetatable(f)
    if type(f) ~= "function" and not (type(meta) == "table" and meta.__call) then
        fail("%s: argument #1 'f': expected a function, got %s", where, errors.told(f))
    end
end

-- Returns the indices of the arguments that have a gradient.
local function chosen(where, arguments, wrt)
    local list = {}
    if wrt == nil then
        for i = 1, arguments.n do
            local value <const> = arguments[i]
            if is_stream(value) and not errors.not_open(value) and types.is_real(value.type) then
                list[#list + 1] = i
            end
        end
        if #list == 0 then
            fail("%s: no argument is a stream of floats or doubles", where)
        end
        return list
    end
    for _, i in ipairs(wrt) do
        local value <const> = arguments[i]
        if not is_stream(value) then
            fail("%s: option 'wrt': argument #%d: expected a stream, got %s", where, i, errors.told(value))
        end
        list[#list + 1] = i
    end
    return list
end

-- Returns a stream that the function gets for an argument: the argument, or a copy if it has no memory, or memory of an
-- argument before it.
local function own_memory(value, before)
    local s = places.stream(value)
    local shared = not core._serial(s)
    for _, other in ipairs(before) do
        shared = shared or core._overlap(s, other)
    end
    return shared and s:copy() or s
end

-- Returns the arguments for f, and the places and the serials of those that have a gradient.
local function prepared(where, f, arguments, wrt)
    local own, found, serials, names = table.move(arguments, 1, arguments.n, 1, {}), {}, {}, {}
    local streams = {}
    for k, i in ipairs(wrt) do
        local name <const> = type(f) == "function" and parameter(f, i) or "argument #" .. i
        local value <const> = arguments[i]
        if errors.not_open(value) then
            fail("%s: argument '%s': expected an open stream, got %s", where, name, errors.not_open(value))
        elseif not types.is_real(value.type) then
            fail("%s: argument '%s': expected a stream of floats or doubles, got %s: only these have a gradient", where,
                name, value.type)
        end
        own[i] = own_memory(value, streams)
        streams[k], found[k], serials[k], names[k] = own[i], places.of(own[i]), core._serial(own[i]), "'" .. name .. "'"
    end
    return own, found, serials, table.concat(names, ", ")
end

-- ---- recording and pulling

-- Calls f, and records it with respect to arguments.
local function forward(where, f, arguments, wrt)
    local own, found, serials, names = prepared(where, f, arguments, chosen(where, arguments, wrt))
    local function body(...)
        local y = f(...)
        return is_stream(y) and places.stream(y) or y
    end
    local recording, y = tape.run(names, serials, body, table.unpack(own, 1, arguments.n))
    return recording, y, found
end

-- Returns the adjoints of places as new streams.
local function results_of(store, found)
    local list, given = {}, {}
    for k, place in ipairs(found) do
        local g = places.take(store, place)
        g = g == nil and rill.stream(place.type, place.shape) or g
        if rill.type(g) == "stream" and (not core._serial(g) or given[core._serial(g)]) then
            g = g:copy()
        end
        g = places.stream(g)
        given[core._serial(g)] = true
        list[k] = g
    end
    return list
end

-- Returns the adjoints of the arguments for the adjoint of the result. `shared`: memory that the caller has.
local function pulled(recording, y, g, found, once)
    local store = {}
    if is_stream(y) and core._serial(y) then
        places.add(store, places.of(y), g)
    end
    tape.reverse(recording, store, once)
    return results_of(store, found)
end

-- Checks the result of a loss function. Returns 1 as the adjoint of a stream of one element.
local function check_loss(where, y)
    if type(y) == "number" then
        return 1
    elseif not is_stream(y) then
        fail("%s: the function must return a number or a stream of one element, got %s", where, errors.told(y))
    elseif #y ~= 1 or not types.scalar(y.type) then
        fail("%s: the function must return a number or a stream of one element, got %s of shape %s: use s:sum() or " ..
            "s:mean(), or rill.vjp", where, y.type, y.shape)
    end
    return 1
end

local WRT <const> = {
    wrt = {function(v) return option.is_list(v) and #v > 0 end, "a table of the positions of arguments, like {1}"},
    explain = option.flag,
}

local function value_and_grad(where, f, options, ...)
    local recording, y, found = forward(where, f, table.pack(...), options.wrt)
    check_loss(where, y)
    local list = pulled(recording, y, 1, found, true)
    return y, list
end

--- rill.value(x) returns the number of a stream or an expression of one element, and a table of its components for
-- vectors; of other streams a table of the elements, as s:read(). In a function that is differentiated it has no
-- gradient. Numbers are returned unchanged.
function functions.value(x, ...)
    errors.none("rill.value", 2, 1, (...))
    if type(x) == "number" then
        return x
    end
    local s = errors.open("rill.value: argument #1 'x'", x)
    return tape.suspended(function()
        return #s == 1 and s:values()[1] or s:read()
    end)
end

--- rill.constant(x) returns a new stream with the elements of a stream or an expression. In a function that is
-- differentiated it has no gradient.
function functions.constant(x, ...)
    errors.none("rill.constant", 2, 1, (...))
    if type(x) == "number" then
        return x
    end
    local other <const> = errors.not_open(x)
    if other then
        fail("rill.constant: argument #1 'x': expected an open stream, got %s", other)
    end
    return tape.suspended(function()
        return rill.type(x) == "expression" and x:eval() or x:copy()
    end)
end

--- rill.grad(f [, {wrt =}]) returns a function with the arguments of f that returns the gradients of f: for each
-- argument that is a stream of floats or doubles a new stream of its shape. f returns a number: a full reduction
-- (s:sum(), s:mean() ...), or another stream of one element; further results are ignored. `wrt`: a table of the
-- positions of the arguments that have a gradient. Default: all streams of floats and doubles.
function functions.grad(f, options, ...)
    errors.none("rill.grad", 3, 2, (...))
    check_function("rill.grad", f)
    local o <const> = option.take("rill.grad", options, WRT)
    return errors.guard(function(...)
        local _, list = value_and_grad("rill.grad", f, o, ...)
        return table.unpack(list)
    end)
end

--- rill.value_and_grad(f [, {wrt =}]) returns a function that returns the result of f, a number, and the gradients of
-- rill.grad. In a function that is differentiated the result is a stream of one element.
function functions.value_and_grad(f, options, ...)
    errors.none("rill.value_and_grad", 3, 2, (...))
    check_function("rill.value_and_grad", f)
    local o <const> = option.take("rill.value_and_grad", options, WRT)
    return errors.guard(function(...)
        local y, list = value_and_grad("rill.value_and_grad", f, o, ...)
        if is_stream(y) and tape.touches(y) == 0 then
            y = functions.value(y)
        end
        return y, table.unpack(list)
    end)
end

--- rill.vjp(f, ...) calls f(...) and returns its result, a stream, and a function pull: pull(y_bar) returns for each
-- argument of f that is a stream of floats or doubles the product of y_bar, of the shape of the result, and the
-- derivative of f. It can be called several times. If streams that the gradient reads were written meanwhile, it raises
-- an error.
function functions.vjp(f, ...)
    check_function("rill.vjp", f)
    local recording, y, found = forward("rill.vjp", f, table.pack(...))
    if not is_stream(y) and type(y) ~= "number" then
        fail("rill.vjp: the function must return a stream, got %s", errors.told(y))
    end
    return y, errors.guard(function(y_bar, ...)
        errors.none("pull", 2, 1, (...))
        if type(y_bar) ~= "number" then
            local other <const> = errors.not_open(y_bar)
            if other or is_stream(y) and y_bar.shape ~= y.shape then
                fail("rill.vjp: argument #1 'y_bar' of pull: expected a stream of shape %s, got %s",
                    is_stream(y) and y.shape or "1", other or y_bar.shape)
            end
        end
        return table.unpack(pulled(recording, y, y_bar, found, false))
    end)
end

for _, name in ipairs {"grad", "value_and_grad", "vjp", "value", "constant"} do
    functions[name] = errors.guard(functions[name], "rill." .. name)
end

return functions
