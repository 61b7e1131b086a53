-- Mesh objects: their class, and how they are created from users' arguments. Their methods are in
-- lua/rill/geometry/mesh/mesh.lua.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local kernels <const> = require "rill.glsl.template".file "object"
local class = require "rill.core.class"
local fail <const> = errors.fail

local Mesh <const> = class.define {
    type = "rill.mesh", letter = "M", one = "a mesh", closed = "closed mesh",
    state = function(m) return m._positions and m end,
    release = function(m)
        for _, s in pairs(m._attributes) do s:close() end
        for _, name in ipairs {"_positions", "_triangles", "_normals", "_uv"} do
            local s = m[name]
            if s then s:close() end
            rawset(m, name, false)
        end
    end,
    describe = function(m)
        local with = {}
        for name in pairs(m._attributes) do with[#with + 1] = name end
        table.sort(with)
        if m._uv then table.insert(with, 1, "uv") end
        if m._normals then table.insert(with, 1, "normals") end
        return ("mesh of %d vertices, %d triangles%s"):format(m.vertices, m.faces,
            #with > 0 and ", with " .. table.concat(with, ", ") or "")
    end,
}

--- object.methods, object.fields: the methods and fields of meshes, see class.define. object.is(value): returns
-- whether a value is a mesh. object.check(m, name): raises an error unless m is an open mesh, for the method `name`.
local object = {methods = Mesh.methods, fields = Mesh.fields, is = Mesh.is, check = Mesh.check}

local NONE <const> = 0x7fffffff -- no vertex or triangle is invalid

-- ---- arguments

-- Returns a new stream of a type for an option that is a stream, an expression or a table.
local function stream_of(where, name, value, kind)
    if type(value) == "table" and not rill.type(value) then
        if #value == 0 then return rill.stream(kind, 0) end
        return errors.call(core._from, where, name, 0, value, kind)
    elseif errors.not_open(value) then
        fail("%s: option '%s': expected a stream of %s or a table, got %s", where, name, kind, errors.told(value))
    end
    return rill.type(value) == "expression" and value:eval() or value:copy()
end

local function check_kind(where, name, s, kind)
    if s.type ~= kind or #s.shape ~= 1 then
        fail("%s: option '%s': expected %s in one dimension, got %s of shape %s", where, name, kind, s.type,
            table.concat(s.shape, "x"))
    end
end

local function first_bad(kernel, ...)
    local bad <close> = kernel(...)
    return bad:min() or NONE
end

--- object.check_positions(what, positions) raises an error if a coordinate is not finite. `what` begins the message.
function object.check_positions(what, positions)
    local bad = positions.size > 0 and first_bad(kernels:program().bad_place, positions) or NONE
    if bad < NONE then
        local p = positions:get(bad + 1)
        fail("%s: vertex %d is {%s, %s, %s}: expected finite numbers", what, bad,
            errors.number(p[1]), errors.number(p[2]), errors.number(p[3]))
    end
end

-- Raises an error if a stream of vec2 or vec3 contains NaN or infinity.
local function check_numbers(where, name, s)
    local kernel = s.type == "vec2" and kernels:program().bad_pair or kernels:program().bad_place
    local bad = s.size > 0 and first_bad(kernel, s:reshape(s.size)) or NONE
    if bad < NONE then
        fail("%s: option '%s': element %d is not finite", where, name, bad)
    end
end

--- object.check_triangles(what, triangles, vertices) raises an error if an index is not one of a vertex. `what` begins
-- the message.
function object.check_triangles(what, triangles, vertices)
    local bad = triangles.size > 0 and first_bad(kernels:program().bad_triangle, triangles, vertices) or NONE
    if bad < NONE then
        fail("%s: triangle %d is {%s}: expected vertex indices (0-based) below %d", what, bad,
            table.concat(triangles:get(bad + 1), ", "), vertices)
    end
end

--- object.check_attribute(where, name, s, m) returns the stream s. Raises an error unless it has one element per vertex
-- {vertices}, face {faces} or corner {faces, 3}.
function object.check_attribute(where, name, s, m)
    local shape = s.shape
    local of = #shape == 1 and (shape[1] == m._positions.size or shape[1] == m._triangles.size) or
        #shape == 2 and shape[1] == m._triangles.size and shape[2] == 3
    if not of then
        fail("%s: option '%s': expected one element per vertex {%d}, face {%d} or corner {%d, 3}, got shape %s", where,
            name, m._positions.size, m._triangles.size, m._triangles.size, table.concat(shape, "x"))
    end
    return s
end

local OPTIONS <const> = {
    positions = {option.is_data, "a stream of vec3 or a table", nil, true},
    triangles = {option.is_data, "a stream of ivec3 or a table", nil, true},
    normals = {option.is_data, "a stream of vec3 or a table"}, uv = {option.is_data, "a stream of vec2 or a table"},
    attributes = {function(v) return type(v) == "table" and not rill.type(v) end, "a table of streams by name"},
}

-- ---- constructors

--- object.own(parts) returns a mesh that takes ownership of the streams positions and triangles, and of normals, uv
-- and attributes if given.
function object.own(parts)
    return setmetatable({
        _positions = parts.positions, _triangles = parts.triangles, _normals = parts.normals or false,
        _uv = parts.uv or false, _attributes = parts.attributes or {},
    }, Mesh.metatable)
end

--- object.new(where, given) returns a mesh of the user's options, which are copied and checked.
function object.new(where, given)
    local taken = option.take(where, given, OPTIONS)
    local m = object.own {
        positions = stream_of(where, "positions", taken.positions, "vec3"),
        triangles = stream_of(where, "triangles", taken.triangles, "ivec3"),
    }
    check_kind(where, "positions", m._positions, "vec3")
    check_kind(where, "triangles", m._triangles, "ivec3")
    object.check_positions(where .. ": option 'positions'", m._positions)
    object.check_triangles(where .. ": option 'triangles'", m._triangles, m._positions.size)
    for name, kind in pairs {normals = "vec3", uv = "vec2"} do
        local s = taken[name] and object.check_attribute(where, name, stream_of(where, name, taken[name], kind), m)
        if s and s.type ~= kind then
            fail("%s: option '%s': expected %s, got %s", where, name, kind, s.type)
        end
        if s then check_numbers(where, name, s) end
        rawset(m, "_" .. name, s or false)
    end
    for name, value in pairs(taken.attributes or {}) do
        if type(name) ~= "string" or errors.not_open(value) then
            fail("%s: option 'attributes': expected open streams by name, got %s for '%s'", where, errors.told(value),
                tostring(name))
        end
        m._attributes[name] = object.check_attribute(where, name, stream_of(where, name, value), m)
    end
    return m
end

--- object.take(where, value) returns the first argument of a function. Raises an error unless it is an open mesh.
function object.take(where, value)
    if not object.is(value) or not value._positions then
        fail("%s: argument #1 'm': expected a mesh, got %s", where,
            object.is(value) and "a closed mesh" or errors.told(value))
    end
    return value
end

return object
