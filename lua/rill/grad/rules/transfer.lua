-- Gradients of copies and writes: s:copy, cast, write, fill, set.
local rill = require "rill.core.public"
local places = require "rill.grad.places"
local tape = require "rill.grad.tape"
local rule <const> = tape.rule

rule("s:copy", function(call, s, ...)
    local result = call:run(s, ...)
    call:record({s}, {result}, {}, function(_, g) return g end)
    return result
end)

rule("s:cast", function(call, s, ...)
    local result = call:run(s, ...)
    call:record({s}, {result}, {}, function(_, g) return g end)
    return result
end)

-- Returns the view of the elements that s:write writes.
local function target(s, data, first, last)
    if first == nil and last == nil then
        return s
    elseif last == nil and rill.type(data) then
        local from, to = type(first) == "table" and first or {first}, {}
        for d, size in ipairs(data.shape) do
            local at <const> = from[d] < 0 and from[d] + s.shape[d] + 1 or from[d]
            to[d] = math.min(at + size - 1, s.shape[d])
        end
        return s:domain(first, #to == 1 and to[1] or to)
    end
    return s:domain(first == nil and 1 or first, last)
end

rule("s:write", function(call, s, data, ...)
    local view <const> = target(s, data, ...)
    local entry <const> = call:begin({data}, {})
    call:writes(view)
    call:run(s, data, ...)
    tape.complete(entry, {view}, function(_, g) return g end)
    return s
end, true)

-- Returns whether a value is a stream or an expression of one element, which numbers are while a function is recorded.
local function is_number(value)
    local kind <const> = rill.type(value)
    return (kind == "stream" or kind == "expression") and #value == 1
end

rule("s:fill", function(call, s, value, ...)
    if is_number(value) and select("#", ...) == 0 then
        return s:write(places.expanded(places.stream(value):reshape(1), value.type, s.shape))
    end
    local entry <const> = call:begin({}, {})
    call:writes(s)
    call:run(s, value, ...)
    tape.complete(entry, {s}, function() end)
    return s
end, true)

rule("s:set", function(call, s, value, ...)
    local index <const> = {...}
    local view <const> = s:domain(index, index)
    if is_number(value) then
        view:write(places.stream(value):reshape(view.shape))
        return s
    end
    local entry <const> = call:begin({}, {})
    call:writes(view)
    call:run(s, value, ...)
    tape.complete(entry, {view}, function() end)
    return s
end, true)
