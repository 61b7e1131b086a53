-- The mesh itself: its streams, what is asked of them one by one, and its words. Triangles are numbers of vertices from 0, anticlockwise seen from outside.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local class = require "rill.core.class"
local lazy = require "rill.core.lazy"
local fail <const> = errors.fail

local object = {}

local Mesh = {__name = "rill.mesh"}
local methods, fields = {}, {}
class.put(Mesh, "a mesh has", "M", methods, fields)

local NONE <const> = 0x7fffffff -- no vertex and no triangle is bad

-- Sums over faces are of doubles. What is normalised is first scaled by the mesh's size, so that squares neither overflow nor vanish.
local TEXT <const> = [=[
    kernel void bad_place(vec3 p<>, out int bad<>) {
        uvec3 high = floatBitsToUint(p) & 0x7f800000u;
        bad = any(equal(high, uvec3(0x7f800000u))) ? indexof(bad).x : 0x7fffffff;
    }
    kernel void bad_pair(vec2 p<>, out int bad<>) {
        uvec2 high = floatBitsToUint(p) & 0x7f800000u;
        bad = any(equal(high, uvec2(0x7f800000u))) ? indexof(bad).x : 0x7fffffff;
    }
    kernel void bad_triangle(ivec3 t<>, int n, out int bad<>) {
        bad = any(lessThan(t, ivec3(0))) || any(greaterThanEqual(t, ivec3(n))) ? indexof(bad).x : 0x7fffffff;
    }
    vec3 across(vec3 a, vec3 b, vec3 c) { return cross(b - a, c - a); }
    kernel void corners(vec3 p[], ivec3 t[], float scale, out int vertex<>, out vec3 n<>) {
        ivec2 at = indexof(vertex).xy;
        ivec3 v = t[at.y];
        vertex = v[at.x];
        vec3 a = p[v.x];
        n = across(vec3(0.0), scale * (p[v.y] - a), scale * (p[v.z] - a));
    }
    kernel void unit(vec3 sum<>, out vec3 n<>) {
        float most = max(max(abs(sum.x), abs(sum.y)), abs(sum.z));
        vec3 s = most > 0.0 ? sum / most : vec3(0.0);
        n = most > 0.0 ? s / length(s) : vec3(0.0);
    }
    kernel void place(vec3 p<>, mat4 m, out vec3 q<>) { q = (m * vec4(p, 1.0)).xyz; }
    kernel void turn(vec3 n<>, vec3 x, vec3 y, vec3 z, out vec3 r<>) { r = vec3(dot(x, n), dot(y, n), dot(z, n)); }
    kernel void area(vec3 p[], ivec3 t<>, out double s<>) {
        dvec3 a = dvec3(p[t.x]);
        dvec3 n = cross(dvec3(p[t.y]) - a, dvec3(p[t.z]) - a);
        s = 0.5 * sqrt(dot(n, n));
    }
    kernel void volume(vec3 p[], ivec3 t<>, vec3 middle, out double s<>) {
        dvec3 m = dvec3(middle);
        s = dot(dvec3(p[t.x]) - m, cross(dvec3(p[t.y]) - m, dvec3(p[t.z]) - m)) / 6.0;
    }
]=]

local kernels <const> = lazy.once(function() return rill.program(TEXT) end)

-- ---- what is given

-- A stream of a type for an option that is a stream of it or a table; its own.
local function stream_of(where, name, value, kind)
    if type(value) == "table" and not rill.type(value) then
        if #value == 0 then return rill.stream(kind, 0) end
        local done, made = pcall(rill.from, value, kind)
        if not done then
            fail("%s: option '%s': %s", where, name, (tostring(made):gsub("^.-rill%.from: ", "")))
        end
        return made
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

--- object.check_positions(what, positions): raises where a coordinate is not finite; `what` begins the message.
function object.check_positions(what, positions)
    local bad = positions.size > 0 and first_bad(kernels().bad_place, positions) or NONE
    if bad < NONE then
        local p = positions:get(bad + 1)
        fail("%s: vertex %d is {%s, %s, %s}: expected finite numbers", what, bad,
            errors.number(p[1]), errors.number(p[2]), errors.number(p[3]))
    end
end

-- Raises where a stream of vec2 or vec3 has NaN or infinity.
local function check_numbers(where, name, s)
    local kernel = s.type == "vec2" and kernels().bad_pair or kernels().bad_place
    local bad = s.size > 0 and first_bad(kernel, s:reshape(s.size)) or NONE
    if bad < NONE then
        fail("%s: option '%s': element %d is not finite", where, name, bad)
    end
end

local function check_triangles(where, triangles, vertices)
    local bad = triangles.size > 0 and first_bad(kernels().bad_triangle, triangles, vertices) or NONE
    if bad < NONE then
        fail("%s: option 'triangles': triangle %d is {%s}: expected numbers of vertices from 0, of which there are %d",
            where, bad, table.concat(triangles:get(bad + 1), ", "), vertices)
    end
end

-- What vertices, faces or corners have: {vertices}, {faces} or {faces, 3} elements.
local function check_attribute(where, name, s, m)
    local shape = s.shape
    local of = #shape == 1 and (shape[1] == m._positions.size or shape[1] == m._triangles.size) or
        #shape == 2 and shape[1] == m._triangles.size and shape[2] == 3
    if not of then
        fail("%s: option '%s': expected one element per vertex {%d}, face {%d} or corner {%d, 3}, got shape %s", where,
            name, m._positions.size, m._triangles.size, m._triangles.size, table.concat(shape, "x"))
    end
    return s
end

local function is_list(v) return type(v) == "table" or not errors.not_open(v) end
local OPTIONS <const> = {
    positions = {is_list, "a stream of vec3 or a table", nil, true},
    triangles = {is_list, "a stream of ivec3 or a table", nil, true},
    normals = {is_list, "a stream of vec3 or a table"}, uv = {is_list, "a stream of vec2 or a table"},
    attributes = {function(v) return type(v) == "table" and not rill.type(v) end, "a table of streams by name"},
}

-- ---- making

--- object.own(parts): a mesh of streams that it takes over, as they are: positions, triangles, and where there are any normals, uv and attributes.
function object.own(parts)
    return setmetatable({
        _positions = parts.positions, _triangles = parts.triangles, _normals = parts.normals or false,
        _uv = parts.uv or false, _attributes = parts.attributes or {},
    }, Mesh)
end

--- object.new(where, given): a mesh of what a user gave, copied and checked.
function object.new(where, given)
    local taken = option.take(where, given, OPTIONS)
    local m = object.own {
        positions = stream_of(where, "positions", taken.positions, "vec3"),
        triangles = stream_of(where, "triangles", taken.triangles, "ivec3"),
    }
    check_kind(where, "positions", m._positions, "vec3")
    check_kind(where, "triangles", m._triangles, "ivec3")
    object.check_positions(where .. ": option 'positions'", m._positions)
    check_triangles(where, m._triangles, m._positions.size)
    for name, kind in pairs {normals = "vec3", uv = "vec2"} do
        local s = taken[name] and check_attribute(where, name, stream_of(where, name, taken[name], kind), m)
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
        m._attributes[name] = check_attribute(where, name, stream_of(where, name, value), m)
    end
    return m
end

--- object.is(value): whether it is a mesh.
function object.is(value)
    return getmetatable(value) == Mesh
end

--- object.take(where, value): raises unless it is a mesh that is open, the first argument of a function.
function object.take(where, value)
    if not object.is(value) or not value._positions then
        fail("%s: argument #1 'm': expected a mesh, got %s", where,
            object.is(value) and "one that was closed" or errors.told(value))
    end
    return value
end

--- object.check(self, name): raises unless it is a mesh that is open, before the colon of a method.
function object.check(self, name)
    if not object.is(self) then
        fail("M:%s: expected a mesh before the colon, got %s", name, rill.type(self) or type(self))
    elseif not self._positions then
        fail("M:%s: the mesh was closed", name)
    end
    return self
end
local check <const> = object.check

-- ---- fields

--- M.positions: where the vertices are, the mesh's own stream of vec3, which may be written.
function fields.positions(self) return check(self, "positions")._positions end
--- M.triangles: numbers of vertices from 0, the mesh's own stream of ivec3.
function fields.triangles(self) return check(self, "triangles")._triangles end
--- M.vertices: how many there are.
function fields.vertices(self) return check(self, "vertices")._positions.size end
--- M.faces: how many triangles there are.
function fields.faces(self) return check(self, "faces")._triangles.size end
--- M.uv: texture coordinates, vec2 per vertex or {faces, 3}; nil where there are none.
function fields.uv(self) return check(self, "uv")._uv or nil end
--- M.attributes: streams by name.
function fields.attributes(self) return check(self, "attributes")._attributes end

-- ---- methods

local function copied(s) return s and s:copy() end

-- A mesh with the same attributes, and other streams where they are given.
local function changed(m, parts)
    local attributes = {}
    for name, s in pairs(m._attributes) do attributes[name] = s:copy() end
    return object.own {
        positions = parts.positions or m._positions:copy(), triangles = parts.triangles or m._triangles:copy(),
        normals = parts.normals or copied(m._normals), uv = copied(m._uv), attributes = attributes,
    }
end

--- M:copy(): a mesh of its own with the same content.
function methods:copy()
    return changed(check(self, "copy"), {})
end

-- A table of coordinates that prints as {x, y, z}.
local Point <const> = {__name = "rill.point"}
function Point.__tostring(p)
    local texts = {}
    for i, v in ipairs(p) do texts[i] = ("%.7g"):format(v) end
    return "{" .. table.concat(texts, ", ") .. "}"
end
local function point(v) return setmetatable(v, Point) end

--- M:bounds(): the least and the largest x, y and z of the vertices, two tables of three; nothing without vertices. Read back.
function methods:bounds()
    local p = check(self, "bounds")._positions
    if p.size > 0 then
        return point(p:min()), point(p:max())
    end
end

-- One over the longest side of the bounds, if that is a float; 1 of a point.
local function scale_of(m)
    local low, high = m:bounds()
    local side = math.max(high[1] - low[1], high[2] - low[2], high[3] - low[3])
    return side > 0 and 1 / side < 3e38 and 1 / side or 1
end

--- M:normals(): those that are stored, the mesh's own stream, else a new stream of one per vertex: the sum of the normals of the triangles around it,
-- each as long as its area, made 1 long; zero where there is none.
function methods:normals()
    local m = check(self, "normals")
    if m._normals then
        return m._normals
    end
    local sum <close> = rill.stream("vec3", m.vertices)
    if m.faces == 0 or m.vertices == 0 then
        return sum:copy()
    end
    local vertex, n = kernels().corners {p = m._positions, t = m._triangles, scale = scale_of(m),
        shape = {m.faces, 3}}
    rill.scatter(sum, vertex:reshape(3 * m.faces), n:reshape(3 * m.faces), "add")
    vertex:close()
    n:close()
    return kernels().unit(sum)
end

local function is_matrix(rows)
    local good = type(rows) == "table" and not rill.type(rows) and #rows == 4
    for i = 1, good and 4 or 0 do
        local row = rows[i]
        good = good and option.is_vector(row, 4)
        for d = 1, good and 4 or 0 do good = good and math.abs(row[d]) < 3.5e38 end -- kernels' floats
    end
    return good
end

-- The cofactors of the upper left 3 x 3 numbers: what normals are turned by, as the cross product of what is moved.
local function cofactors(m)
    local rows = {}
    for i = 1, 3 do
        local a, b = m[i % 3 + 1], m[(i + 1) % 3 + 1]
        rows[i] = {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
    end
    return rows
end

--- M:transform(matrix): a mesh whose vertices are M x; matrix: four rows of four numbers, the last {0, 0, 0, 1}. Stored normals turn along. A mirror
-- leaves the order of corners as it is, so that outside becomes inside.
function methods:transform(matrix)
    local m = check(self, "transform")
    if not is_matrix(matrix) then
        fail("M:transform: argument #1 'matrix': expected 4 rows of 4 finite numbers, got %s", errors.told(matrix))
    end
    local last = matrix[4]
    if last[1] ~= 0 or last[2] ~= 0 or last[3] ~= 0 or last[4] ~= 1 then
        fail("M:transform: argument #1 'matrix': its last row must be 0, 0, 0, 1, as that of a motion is")
    end
    local parts = {positions = m.vertices > 0 and kernels().place(m._positions, matrix) or nil}
    if m._normals and m._normals.size > 0 then
        local rows = cofactors(matrix)
        local turned <close> = kernels().turn(m._normals, rows[1], rows[2], rows[3])
        parts.normals = kernels().unit(turned)
    end
    return changed(m, parts)
end

--- M:area(): of all triangles, in doubles; read back.
function methods:area()
    local m = check(self, "area")
    if m.faces == 0 then return 0.0 end
    local s <close> = kernels().area(m._positions, m._triangles)
    return s:sum()
end

--- M:volume(): what a closed, oriented mesh encloses, in doubles, negative where it is inside out; of any other the sum of the signed tetrahedra from its
-- triangles to the middle of its bounds. Read back.
function methods:volume()
    local m = check(self, "volume")
    if m.faces == 0 then return 0.0 end
    local low, high = m:bounds()
    local middle = {}
    for d = 1, 3 do middle[d] = low[d] / 2 + high[d] / 2 end
    local s <close> = kernels().volume(m._positions, m._triangles, middle)
    return s:sum()
end

--- M:close(): frees its memory at once.
function methods:close()
    local m = check(self, "close")
    for _, s in pairs(m._attributes) do s:close() end
    for _, name in ipairs {"_positions", "_triangles", "_normals", "_uv"} do
        local s = m[name]
        if s then s:close() end
        rawset(m, name, false)
    end
end
Mesh.__close = function(self)
    if self._positions then self:close() end
end

for _, name in ipairs {"adjacency", "euler", "components", "is_closed", "is_manifold", "is_oriented", "boundary"} do
    local f = lazy.call("rill.geometry.mesh.topology", name)
    methods[name] = function(self, ...) return f(check(self, name), ...) end
end

local save = lazy.call("rill.geometry.mesh.save", "save")
--- M:save(path [, {encoding =}]): writes it as the name's extension says: .obj, .ply, .off or .stl. encoding: "ascii", or "little" or "big" endian numbers.
function methods:save(path, options)
    return save(check(self, "save"), path, options)
end

local weld = lazy.call("rill.geometry.mesh.weld", "weld")
--- M:weld([epsilon]): a mesh where vertices at the same place are one, and, with an epsilon, those that are joined by steps of at most epsilon.
function methods:weld(epsilon)
    return weld(check(self, "weld"), epsilon)
end

function Mesh.__tostring(self)
    if not self._positions then
        return "closed mesh"
    end
    local with = {}
    for name in pairs(self._attributes) do with[#with + 1] = name end
    table.sort(with)
    if self._uv then table.insert(with, 1, "uv") end
    if self._normals then table.insert(with, 1, "normals") end
    return ("mesh of %d vertices, %d triangles%s"):format(self.vertices, self.faces,
        #with > 0 and ", with " .. table.concat(with, ", ") or "")
end

class.guard(methods, "M")

return object
