-- rill.rotation, translation and scaling: transforms as tables of four rows of four numbers, which M:transform,
-- rill.collide and other functions take. A point is a column: x' = M x, so that A * B transforms by B first.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local fail <const> = errors.fail

local transform = {}

local meta <const> = {}

-- Returns the transform with the given first three rows.
local function create(a, b, c)
    return setmetatable({a, b, c, {0, 0, 0, 1}}, meta)
end

--- M * N returns the product of two transforms, of which one can be a plain table of rows. M * {x, y, z} returns the
-- transformed point, a table.
meta.__mul = errors.guard(function(M, N)
    local good, moves = option.is_matrix(M, math.huge)
    local point <const> = option.is_vector(N, 3)
    local second, second_moves = option.is_matrix(N, math.huge)
    if not (good and moves and (point or second and second_moves)) then
        fail("M * N: expected two transforms, or a transform and a point {x, y, z}, got %s and %s", errors.told(M),
            errors.told(N))
    end
    local rows = {}
    for i = 1, 3 do
        local m = M[i]
        if point then
            rows[i] = m[1] * N[1] + m[2] * N[2] + m[3] * N[3] + m[4]
        else
            rows[i] = {}
            for j = 1, 4 do
                rows[i][j] = m[1] * N[1][j] + m[2] * N[2][j] + m[3] * N[3][j] + (j == 4 and m[4] or 0)
            end
        end
    end
    return point and rows or create(table.unpack(rows))
end)

local AXES <const> = {x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}}

--- rill.rotation(axis, angle) returns the rotation about an axis through the origin, counterclockwise as seen from the
-- end of the axis. axis: "x", "y", "z" or {x, y, z} of any length above 0. angle: in radians.
function transform.rotation(axis, angle, ...)
    errors.none("rill.rotation", 3, 2, (...))
    local unit = AXES[axis] or option.is_vector(axis, 3) and vector.unit(axis)
    if not unit then
        fail("rill.rotation: argument #1 'axis': expected \"x\", \"y\", \"z\", or {x, y, z} other than 0, got %s",
            errors.told(axis))
    elseif not option.is_finite(angle) then
        fail("rill.rotation: argument #2 'angle': expected a finite number of radians, got %s", errors.told(angle))
    end
    local x, y, z = table.unpack(unit)
    local c, s <const> = math.cos(angle), math.sin(angle)
    local k <const> = 2 * math.sin(angle / 2) ^ 2 -- 1 - cos(angle), also for small angles
    return create({c + x * x * k, x * y * k - z * s, x * z * k + y * s, 0},
        {x * y * k + z * s, c + y * y * k, y * z * k - x * s, 0},
        {x * z * k - y * s, y * z * k + x * s, c + z * z * k, 0})
end

--- rill.translation(v) returns the translation by a vector {x, y, z}.
function transform.translation(v, ...)
    errors.none("rill.translation", 2, 1, (...))
    if not option.is_vector(v, 3) then
        fail("rill.translation: argument #1 'v': expected a table of 3 finite numbers, got %s", errors.told(v))
    end
    return create({1, 0, 0, v[1]}, {0, 1, 0, v[2]}, {0, 0, 1, v[3]})
end

--- rill.scaling(v) returns the scaling from the origin by a factor, or by one factor per axis, {x, y, z}.
function transform.scaling(v, ...)
    errors.none("rill.scaling", 2, 1, (...))
    if not option.is_finite(v) and not option.is_vector(v, 3) then
        fail("rill.scaling: argument #1 'v': expected a finite number, or a table of 3, got %s", errors.told(v))
    end
    local x, y, z = v, v, v
    if type(v) == "table" then
        x, y, z = table.unpack(v)
    end
    return create({x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0})
end

for name, f in pairs(transform) do
    transform[name] = errors.guard(f, "rill." .. name)
end

-- Eliminates column k of the rows of a matrix and of the right sides after its columns, with the largest pivot (Gauss
-- and Jordan). Returns false if it is 0 or NaN.
local function eliminate(rows, k)
    local best = k
    for i = k + 1, 3 do best = math.abs(rows[i][k]) > math.abs(rows[best][k]) and i or best end
    rows[k], rows[best] = rows[best], rows[k]
    local pivot <const> = rows[k]
    if pivot[k] == 0 or pivot[k] ~= pivot[k] then return false end
    for j = #pivot, k, -1 do pivot[j] = pivot[j] / pivot[k] end
    for i = 1, 3 do
        local f <const> = rows[i][k]
        for j = k, i ~= k and #pivot or 0 do rows[i][j] = rows[i][j] - f * pivot[j] end
    end
    return true
end

--- rill.points.inverse(transform) returns the inverse of a transform: four rows of four numbers, the last one
-- 0, 0, 0, 1.
transform.inverse = errors.guard(function(M, ...)
    local where <const> = "rill.points.inverse"
    errors.none(where, 2, 1, (...))
    local good, moves = option.is_matrix(M, math.huge)
    if not (good and moves) then
        fail("%s: argument #1 'transform': expected four rows of four numbers, the last one {0, 0, 0, 1}, got %s",
            where, errors.told(M))
    end
    local rows = {}
    for i = 1, 3 do
        rows[i] = {M[i][1], M[i][2], M[i][3], i == 1 and 1.0 or 0.0, i == 2 and 1.0 or 0.0, i == 3 and 1.0 or 0.0,
            -M[i][4]}
    end
    for k = 1, 3 do
        if not eliminate(rows, k) then
            fail("%s: argument #1 'transform': the transform has no inverse: it moves all points into a plane", where)
        end
    end
    local inverse = {}
    for i = 1, 3 do inverse[i] = table.move(rows[i], 4, 7, 1, {}) end
    if not option.is_vector(inverse[1]) or not option.is_vector(inverse[2]) or not option.is_vector(inverse[3]) then
        fail("%s: argument #1 'transform': its inverse is not in the range of doubles", where)
    end
    return create(table.unpack(inverse))
end, "rill.points.inverse")

return transform
