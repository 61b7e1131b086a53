-- Names the types of values, for messages and for decisions.
local core = require "rill.core"

local typename = {}

local WORDS <const> = {
    ["mpi.stream"] = "a distributed stream",
    neighbors = "a neighbor search: its streams are n.indices, n.distances and n.starts",
    big = "a big stream: b:map computes, b:domain reads elements into a stream",
}

--- typename.of(value) returns "stream", "kernel", "expression" ..., or Lua's type name.
function typename.of(value)
    return core.type(value) or type(value)
end

--- typename.element(value) returns the element type of an open stream or an expression; nil for other values.
function typename.element(value)
    if core.type(value) == "expression" or core._is_open(value) then
        return value.type
    end
end

--- typename.told(value) returns the description of a value that is not a stream, for messages. For containers and
-- expressions of containers it says how to get a stream.
function typename.told(value)
    local what = typename.of(value)
    if what == "expression" and value._sparse then
        return "an expression of containers: its elements as one are e:stream()"
    elseif what == "mesh" and tostring(value):find "^closed" then
        return "closed mesh"
    elseif what ~= "container" then
        return WORDS[what] or what
    end
    local closed = tostring(value):find "^closed"
    return closed and "closed container" or "a container: its elements as one are c:stream()"
end

--- typename.not_open(value) returns the description of a value that is not an open stream, for messages.
function typename.not_open(value)
    local what = typename.of(value)
    return what == "stream" and "closed stream" or what == "table" and "a table: rill.from makes a stream of one" or
        typename.told(value)
end

return typename
