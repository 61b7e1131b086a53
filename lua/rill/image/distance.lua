-- Distance to the nearest false of a mask, exact. Along rows by scans. Then, for each pixel, the least of (y - j)^2 + f(j) over the rows j of its column, f
-- being the squared distance along row j: as y grows the row of the least never falls (A. Aggarwal and others, Geometric applications of a matrix-searching
-- algorithm, 1987), so it lies between those of two rows that are known, and half of the rows are found from the other half.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local take <const> = require "rill.image.mask".take
local kernels <const> = require "rill.glsl.template".file "distance"

local distance = {}

-- T: what squares are counted in, and what stands where a row has no false: more than any square, even with one added.
local BY_UINT <const>, BY_DOUBLE <const> = {T = "uint", far = "3000000000u"}, {T = "double", far = "1e30lf"}
local MOST_BY_UINT <const> = 32767
local MOST_ROWS <const> = 40000 -- that an invocation's loop goes through; with more, rows and columns are exchanged

-- The squared distances along rows.
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

--- rill.image.distance(mask): how far each pixel is from the nearest false, in pixels, from centre to centre: a stream of float, 0 where the mask is
-- false, infinite where it is false nowhere; the nearest float to the root of a whole number.
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
