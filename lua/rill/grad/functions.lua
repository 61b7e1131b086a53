-- rill.grad, value_and_grad, vjp, jvp, hvp, constant and value: gradients of functions.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local explain = require "rill.grad.explain"
local option = require "rill.core.options"
local pass = require "rill.grad.pass"
local places = require "rill.grad.places"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
local fail <const> = errors.fail
local is_stream <const> = pass.is_stream

local functions = {}

-- Returns whether a value is a list of different positions.
local function is_positions(v)
    local seen = {}
    for _, i in ipairs(option.is_list(v) and v or {}) do
        if math.type(i) ~= "integer" or i < 1 or seen[i] then
            return false
        end
        seen[i] = true
    end
    return next(seen) ~= nil
end

local WRT <const> = {wrt = {is_positions, "a table of the positions of arguments, like {1}"}}
local GRAD <const> = {wrt = WRT.wrt, explain = option.flag}

local function value_and_grad(where, f, options, ...)
    local recording, y, found = pass.forward(where, f, table.pack(...), options.wrt)
    pass.check_loss(where, y)
    local list = pass.pulled(recording, 1, found, true)
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
    tape.reads(s)
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
    tape.reads(x)
    return tape.suspended(function()
        return rill.type(x) == "expression" and x:eval() or x:copy()
    end)
end

--- rill.grad(f [, {wrt =, explain =}]) returns a function with the arguments of f that returns the gradients of f: for
-- each argument that is a stream of floats or doubles a new stream of its shape. f returns a number: a full reduction
-- (s:sum(), s:mean() ...), or another stream of one element; further results are ignored. `wrt`: a table of the
-- positions of the arguments that have a gradient. Default: all streams of floats and doubles. `explain`: the function
-- returns a text instead: the operations that are recorded, the bytes that they keep, and the bytes that are computed
-- again. Default: false.
function functions.grad(f, options, ...)
    errors.none("rill.grad", 3, 2, (...))
    pass.check("rill.grad", f)
    local o <const> = option.take("rill.grad", options, GRAD)
    return errors.guard(function(...)
        if o.explain then
            local recording, y, found = pass.forward("rill.grad", f, table.pack(...), o.wrt)
            pass.check_loss("rill.grad", y)
            return explain(recording, found)
        end
        local _, list = value_and_grad("rill.grad", f, o, ...)
        return table.unpack(list)
    end)
end

--- rill.value_and_grad(f [, {wrt =}]) returns a function that returns the result of f, a number, and the gradients of
-- rill.grad. In a function that is differentiated the result is a stream of one element.
function functions.value_and_grad(f, options, ...)
    errors.none("rill.value_and_grad", 3, 2, (...))
    pass.check("rill.value_and_grad", f)
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
    pass.check("rill.vjp", f)
    local recording, y, found = pass.forward("rill.vjp", f, table.pack(...))
    if not is_stream(y) and type(y) ~= "number" then
        fail("rill.vjp: the function must return a stream, got %s", errors.told(y))
    end
    local shape <const> = is_stream(y) and y.shape
    return y, errors.guard(function(y_bar, ...)
        errors.none("pull", 2, 1, (...))
        if type(y_bar) ~= "number" then
            local other <const> = errors.not_open(y_bar)
            if other or shape and y_bar.shape ~= shape then
                fail("rill.vjp: argument #1 'y_bar' of pull: expected a stream of shape %s, got %s",
                    shape or "1", other or y_bar.shape)
            end
        end
        return table.unpack(pass.pulled(recording, y_bar, found, false))
    end)
end

-- Returns the streams of a list, or of one stream, for jvp and hvp.
local function list_of(where, name, value)
    local list <const> = is_stream(value) and {value} or value
    if not option.is_list(list) or #list == 0 then
        fail("%s: argument '%s': expected a stream or a table of streams, got %s", where, name, errors.told(value))
    end
    return list
end

-- Raises unless the tangents have the shapes of the arguments.
local function check_tangents(where, name, arguments, tangents)
    for k, s in ipairs(arguments) do
        local other <const> = errors.not_open(tangents[k])
        if other or #tangents ~= #arguments or tangents[k].shape ~= s.shape then
            fail("%s: argument '%s': expected one stream of shape %s for argument #%d of the function, got %s", where,
                name, s.shape, k, other or tostring(tangents[k].shape))
        end
    end
end

-- Returns the list 1 .. n.
local function positions(n)
    local list = {}
    for k = 1, n do
        list[k] = k
    end
    return list
end

--- rill.jvp(f, arguments, tangents) returns the result of f(arguments ...), a stream, and its derivative in the
-- direction of the tangents: forward mode. `arguments` is a table of streams of floats or doubles, and `tangents` a
-- table of one stream of the same shape for each.
function functions.jvp(f, arguments, tangents, ...)
    errors.none("rill.jvp", 4, 3, (...))
    pass.check("rill.jvp", f)
    local list <const> = list_of("rill.jvp", "arguments", arguments)
    local directions <const> = list_of("rill.jvp", "tangents", tangents)
    check_tangents("rill.jvp", "tangents", list, directions)
    local packed <const> = table.move(list, 1, #list, 1, {n = #list})
    local recording, y, found = pass.forward("rill.jvp", f, packed, positions(#list))
    if not is_stream(y) then
        fail("rill.jvp: the function must return a stream, got %s", errors.told(y))
    end
    -- The derivative of the adjoints, which are linear in the adjoint u of the result: J v from J^T u.
    local u = rill.stream(types.list[y.type].seen, y.shape)
    local function pull()
        return pass.pulled(recording, u, found, false)
    end
    local place <const> = places.of(u)
    local second, adjoints = tape.run("the tangent", {place.serial}, pull)
    local store = {}
    for k, s in ipairs(adjoints) do
        places.add(store, places.of(s), directions[k])
    end
    tape.reverse(second, store, true)
    return y, pass.results(store, {place})[1]
end

--- rill.hvp(f, x, v) returns the product of the second derivatives of f, the Hessian matrix, and v, of the shape of x.
-- f returns a number, as for rill.grad. x and v can be tables of streams, one for each argument of f; then the
-- products are several results.
function functions.hvp(f, x, v, ...)
    errors.none("rill.hvp", 4, 3, (...))
    pass.check("rill.hvp", f)
    local list <const>, directions <const> = list_of("rill.hvp", "x", x), list_of("rill.hvp", "v", v)
    check_tangents("rill.hvp", "v", list, directions)
    local packed <const> = table.move(list, 1, #list, 1, {n = #list})
    local all <const> = positions(#list)
    local gradients
    local recording, _, found = pass.forward("rill.hvp", function(...)
        gradients = select(2, value_and_grad("rill.hvp", f, {wrt = all}, ...))
    end, packed, all)
    local store = {}
    for k, s in ipairs(gradients) do
        places.add(store, places.of(s), directions[k])
    end
    tape.reverse(recording, store, true)
    return table.unpack(pass.results(store, found))
end

for _, name in ipairs {"grad", "value_and_grad", "vjp", "jvp", "hvp", "value", "constant"} do
    functions[name] = errors.guard(functions[name], "rill." .. name)
end

return functions
