-- Generalized winding numbers (A. Jacobson et al., Robust inside-outside segmentation using generalized winding
-- numbers, 2013): the sum of the solid angles of all triangles, in double precision.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local kernels <const> = require "rill.glsl.template".file "winding"
local fail <const> = errors.fail

local winding = {}

local WHERE <const> = "M:winding"
local SLICE <const> = 1024 -- triangles that an invocation adds up; fewer than the iterations that devices permit
local MOST <const> = 1 << 22 -- sums of slices in memory at once

-- Returns a stream of vec3: a stream, an expression, or a table of {x, y, z}.
local function points_of(points)
    if type(points) == "table" and not rill.type(points) then
        local done, made = pcall(rill.from, points, "vec3")
        if done and #made.shape == 1 then return made end
    elseif not errors.not_open(points) then
        local s = rill.type(points) == "expression" and points:eval() or points
        if s.type == "vec3" then return s end
        fail("%s: argument #1 'points': expected a stream of vec3 or a list of {x, y, z}, got a stream of %s", WHERE,
            s.type)
    end
    fail("%s: argument #1 'points': expected a stream of vec3 or a list of {x, y, z}, got %s", WHERE,
        errors.told(points))
end

--- winding.winding(m, points) implements M:winding. Each invocation adds up a slice of the triangles for one point.
function winding.winding(m, points)
    local s, k = points_of(points), kernels:program()
    local w = rill.stream("float", s.shape)
    if s.size == 0 or m.faces == 0 then return w end
    local done, flat = pcall(s.reshape, s, s.size)
    flat = done and flat or s:copy():reshape(s.size)
    local corner <close> = k.corners {t = m.triangles, p = m.positions, shape = 3 * m.faces}
    local slices <const> = -(-m.faces // SLICE)
    local all, per <const> = w:reshape(s.size), math.max(1, MOST // slices)
    for from = 0, s.size - 1, per do
        local count <const> = math.min(per, s.size - from)
        local parts <close> = k.solid {point = flat, first = from, corner = corner, faces = m.faces, per = SLICE,
            shape = {slices, count}}
        local sum <close> = parts:sum(1)
        k.narrow(sum, all:domain({from + 1}, {from + count}))
    end
    return w
end

return winding
