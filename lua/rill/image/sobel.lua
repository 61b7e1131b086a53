-- Edges: rill.image.sobel.
local kernels <const> = require "rill.glsl.template".sections "sobel"
local picture = require "rill.image.arguments"

local edges = {}

--- rill.image.sobel(s): how fast s changes, eight times a pixel's step: three new pictures, the length of the gradient, and its parts along the rows and down
-- the columns (Sobel's weights 1, 2, 1 times -1, 0, 1).
edges.sobel = picture.filter("sobel", function(s, type)
    return kernels.sobel:kernel {T = type}(s)
end)

return edges
