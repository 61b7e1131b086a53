-- What a value is, for messages and choices.
local core = require "rill.core"

local typename = {}

--- "stream", "kernel", "expression" ... or Lua's name of its type.
function typename.of(value)
    return core.type(value) or type(value)
end

--- The type of a stream's elements; nil of a closed one, and of anything else.
function typename.element(value)
    if core.type(value) == "expression" or core._is_open(value) then
        return value.type
    end
end

--- What came instead of a stream, for messages: of a container, and of an expression of some, with what to do.
function typename.told(value)
    local what = typename.of(value)
    if what == "expression" and value._sparse then
        return "an expression of containers: its elements as one are e:stream()"
    elseif what == "mesh" and tostring(value):find "^closed" then
        return "closed mesh"
    elseif what ~= "container" then
        return what
    end
    local closed = tostring(value):find "^closed"
    return closed and "closed container" or "a container: its elements as one are c:stream()"
end

--- What came instead of an open stream.
function typename.not_open(value)
    local what = typename.of(value)
    return what == "stream" and "closed stream" or what == "table" and "a table: rill.from makes a stream of one" or
        typename.told(value)
end

return typename
