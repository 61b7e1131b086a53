-- rill.image.sobel: the gradient of an image.
local kernels <const> = require "rill.glsl.template".sections "sobel"
local picture = require "rill.image.arguments"

local edges = {}

--- rill.image.sobel(s) returns three images: the length of the gradient, and its components along the rows and down the
-- columns, by Sobel's weights 1, 2, 1 times -1, 0, 1. They are eight times the change from a pixel to the next.
edges.sobel = picture.filter("sobel", function(s, type)
    return kernels.sobel:kernel {T = type}(s)
end)

return edges
