-- One pass of a function that is differentiated: its arguments, the recording, and the adjoints of the arguments.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local places = require "rill.grad.places"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
require "rill.grad.launch"
require "rill.grad.rules"
local fail <const> = errors.fail

local pass = {}

-- ---- arguments

--- pass.is_stream(value) returns whether a value is a stream or an expression.
local function is_stream(value)
    local kind <const> = rill.type(value)
    return kind == "stream" or kind == "expression"
end
pass.is_stream = is_stream

-- Returns the name of parameter i of a function of Lua, for messages.
local function parameter(f, i)
    local info <const> = debug.getinfo(f, "u")
    return i <= info.nparams and debug.getlocal(f, i) or "argument #" .. i
end

--- pass.check(where, f) raises unless f can be called.
function pass.check(where, f)
    local meta = getmetatable(f)
    if type(f) ~= "function" and rill.type(f) ~= "kernel" and not (type(meta) == "table" and meta.__call) then
        fail("%s: argument #1 'f': expected a function, got %s", where, errors.told(f))
    end
end

--- pass.chosen(where, arguments [, wrt]) returns the positions of the arguments that have a gradient.
function pass.chosen(where, arguments, wrt)
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
    return own, found, serials, table.concat(names, ", "), streams
end

-- ---- recording and pulling

--- pass.forward(where, f, arguments [, wrt]) calls f with a packed list of arguments, and records it with respect to
-- those at the positions `wrt`; default: all streams of floats and doubles. Returns the recording, the first result of
-- f (a stream if it is an expression), the places of the arguments, and the streams that f got for them.
function pass.forward(where, f, arguments, wrt)
    local own, found, serials, names, streams = prepared(where, f, arguments, pass.chosen(where, arguments, wrt))
    local function body(...)
        local y = f(...)
        return is_stream(y) and places.stream(y) or y
    end
    local recording, y = tape.run(names, serials, body, table.unpack(own, 1, arguments.n))
    recording.result = is_stream(y) and core._serial(y) and places.of(y) or nil
    return recording, y, found, streams
end

--- pass.results(store, found [, seed]) returns the adjoints of places as new streams, also if the adjoint is `seed`.
function pass.results(store, found, seed)
    local list, given = {}, {[core._serial(seed) or 0] = true}
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

--- pass.pulled(recording, g, found, once) returns the adjoints of the arguments for the adjoint g of the result.
-- `once`: the recording is not used again.
function pass.pulled(recording, g, found, once)
    local store = {}
    if recording.result then
        places.add(store, recording.result, g)
    end
    tape.reverse(recording, store, once)
    return pass.results(store, found, g)
end

--- pass.check_loss(where, y) raises unless the result y of a function is a number or a stream of one element.
function pass.check_loss(where, y)
    if type(y) == "number" then
        return
    elseif not is_stream(y) then
        fail("%s: the function must return a number or a stream of one element, got %s", where, errors.told(y))
    elseif #y ~= 1 or not types.scalar(y.type) then
        fail("%s: the function must return a number or a stream of one element, got %s of shape %s: use s:sum() or " ..
            "s:mean(), or rill.vjp", where, y.type, y.shape)
    end
end

return pass
