-- Edges: rill.image.sobel.
local errors = require "rill.core.error"
local picture = require "rill.image.arguments"

local edges = {}

local SOBEL <const> = [=[
    kernel void sobel(neighbor T s<>, out T size<>, out T across<>, out T down<>) {
        T a = s[-1][-1], b = s[-1][1], c = s[1][-1], d = s[1][1];
        across = (b - a) + 2.0 * (s[0][1] - s[0][-1]) + (d - c);
        down = (c - a) + 2.0 * (s[1][0] - s[-1][0]) + (d - b);
        size = sqrt(across * across + down * down);
    }
]=]

--- rill.image.sobel(s): how fast s changes, eight times a pixel's step: three new pictures, the length of the gradient, and its parts along the rows and down
-- the columns (Sobel's weights 1, 2, 1 times -1, 0, 1).
edges.sobel = errors.guard(function(s)
    local type
    s, type = picture.take("rill.image.sobel", s)
    return picture.kernel(SOBEL, type)(s)
end, "rill.image.sobel")

return edges
