-- Simplification of meshes, by libmeshoptimizer: it collapses edges, in the order of the errors that quadrics estimate
-- (M. Garland and P. S. Heckbert, Surface simplification using quadric error metrics, 1997).
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local held = require "rill.core.scope"
local object = require "rill.geometry.mesh.object"
local tree = require "rill.geometry.collide.aabb_tree"
require "rill.geometry.collide.queries"
local kernels <const> = require "rill.glsl.template".file "simplify"
local fail <const> = errors.fail

local simplify = {}

local WHERE <const> = "M:simplify"

local OPTIONS <const> = {
    ratio = {function(v) return option.is_finite(v) and v >= 0 and v <= 1 end, "a number from 0 to 1"},
    faces = {function(v) return math.type(v) == "integer" and v >= 0 end, "a number of triangles, 0 or more"},
    error = {function(v) return type(v) == "number" and v >= 0 end, "a length of 0 or more"},
    lock_borders = {function(v) return type(v) == "boolean" end, "true or false", false},
}

-- Returns the number of triangles to reach.
local function target(m, taken)
    if taken.ratio and taken.faces then
        fail("%s: options 'ratio' and 'faces' are the same: give one of them", WHERE)
    elseif not (taken.ratio or taken.faces or taken.error) then
        fail("%s: expected one of the options 'ratio', 'faces' and 'error', got none", WHERE)
    end
    return math.min(taken.faces or (taken.ratio or 0) * m.faces // 1 | 0, m.faces)
end

-- Returns, for each triangle, the triangle of m that is nearest to its center.
local function nearest(m, positions, triangles)
    local center <close> = kernels:program().centers {p = positions, t = triangles, shape = triangles.size}
    local bvh <close> = tree.new(WHERE, "bvh", m)
    local distance, triangle, point = bvh:distance(center)
    distance:close()
    point:close()
    return triangle
end

--- simplify.simplify(m, options) implements M:simplify.
function simplify.simplify(m, options)
    local taken = option.take(WHERE, options, OPTIONS)
    local count = target(m, taken)
    object.check_positions(WHERE, m._positions)
    object.check_triangles(WHERE, m._triangles, m.vertices)
    if m.faces == 0 then
        return m:copy(), 0.0
    end
    local all, per_corner = {}, {}
    for name, s in pairs(m._attributes) do all[name] = object.check_attribute(WHERE, name, s, m) end
    all[0], all[1] = m._normals or nil, m._uv or nil
    for _, s in pairs(all) do
        if #s.shape == 2 then per_corner[#per_corner + 1] = s end
    end
    local vertex, triangles, corner, reached = core._mesh_simplify(m._positions, m._triangles, count,
        taken.error or math.huge, taken.lock_borders, table.unpack(per_corner))
    local from <close> = held {vertex = vertex, corner = corner}
    local positions = rill.gather(m._positions, vertex)
    local function kept(s)
        if #s.shape == 2 then
            return rill.gather(s:reshape(s.size), corner):reshape {triangles.size, 3}
        elseif s.size == m.vertices then
            return rill.gather(s, vertex)
        end
        from.face = from.face or nearest(m, positions, triangles)
        return rill.gather(s, from.face)
    end
    for name, s in pairs(all) do all[name] = kept(s) end
    local normals, uv = all[0], all[1]
    all[0], all[1] = nil, nil
    return object.own {positions = positions, triangles = triangles, normals = normals, uv = uv, attributes = all},
        reached
end

return simplify
