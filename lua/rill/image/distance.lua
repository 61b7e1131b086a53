-- rill.image.distance: the exact distance to the nearest false element of a mask. Scans give f(j), the squared distance
-- along row j. The squared distance of a pixel in row y is the minimum of (y - j)^2 + f(j) over the rows j of its
-- column. The row of the minimum never falls as y grows (A. Aggarwal and others, Geometric applications of a
-- matrix-searching algorithm, 1987). So it lies between the rows found for two neighboring y, and each pass finds every
-- second row from the rows of the pass before.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local take <const> = require "rill.image.mask".take
local kernels <const> = require "rill.glsl.template".file "distance"

local distance = {}

-- T: the type of squared distances. far: the value for rows without a false element, larger than any square, even with
-- another square added.
local BY_UINT <const>, BY_DOUBLE <const> = {T = "uint", far = "3000000000u"}, {T = "double", far = "1e30lf"}
local MOST_BY_UINT <const> = 32767
local MOST_ROWS <const> = 40000 -- the most iterations of an invocation's loop; images with more rows are transposed

-- Returns the squared distances along rows.
local function along_rows(p, mask)
    local left, right = p.mark(mask)
    local last <close> = left:scan("max", {axis = 2})
    local next <close> = right:scan("min", {axis = 2, reverse = true})
    left:close()
    right:close()
    return p.square(last, next)
end

local function across_rows(p, f)
    local rows <const>, columns <const> = table.unpack(f.shape)
    local step, above, all = 1, rill.stream("int", {1, columns}), true
    while step < rows do step = 2 * step end
    while step > 1 do
        local shape <const> = {(rows + step - 1) // step, columns}
        local best = p.halve {f = f, above = above, step = step, all = all, shape = shape}
        above:close()
        above, all, step = best, false, step // 2
    end
    local r = p.finish {f = f, above = above, all = all, shape = f.shape}
    above:close()
    return r
end

--- rill.image.distance(mask) returns a stream of float, the distance of each pixel to the nearest false pixel, in
-- pixels, from center to center. It is 0 where the mask is false, and infinite if no pixel is false. Each is the float
-- nearest to the root of an integer.
distance.distance = errors.guard(function(mask)
    mask = take("rill.image.distance", mask)
    local rows <const>, columns <const> = table.unpack(mask.shape)
    if mask.size == 0 then
        return rill.stream("float", mask.shape)
    end
    local p = kernels:program(math.max(rows, columns) <= MOST_BY_UINT and BY_UINT or BY_DOUBLE)
    local turned <const> = rows > MOST_ROWS and rows > columns
    local f <close> = along_rows(p, turned and mask:transpose() or mask)
    local r = across_rows(p, f)
    return turned and r:transpose():copy() or r
end, "rill.image.distance")

return distance
