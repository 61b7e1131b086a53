-- Streams and losses for specs of gradients.
local rill = require "rill"

local gradients = {}

--- gradients.doubles(seed, shape, ...) returns random streams of doubles between -1 and 1, one for each shape.
function gradients.doubles(seed, ...)
    local list = {}
    for k, shape in ipairs {...} do
        list[k] = rill.random(shape, {seed = 100 * seed + k, low = -1, type = "double"})
    end
    return list
end

--- gradients.loss(s) returns a number that depends on all elements of a stream, or of a stream of vectors of two
-- components, in a way that is not linear.
function gradients.loss(s)
    if type(s) == "number" then
        return s * s * s + s
    elseif s.type:find "vec" then
        s = s.x * s.x * s.y + s.x - 2 * s.y
    end
    return (s * s * s + s):sum()
end

return gradients
