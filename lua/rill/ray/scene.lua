-- Scenes of rays: the triangles of meshes in an acceleration structure, and the queries of rays against them.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local class = require "rill.core.class"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local kernels <const> = require "rill.glsl.template".file "traversal"
local fail <const> = errors.fail

local scene = {}

local WHERE <const> = "rill.ray.scene"
local BUDGET <const> = 8000 -- nodes and triangles that one ray visits in a launch, if the device limits loops: 8 rays share a limit of 65535
local CHUNK <const> = 16384 -- triangles that one launch of the brute-force kernel tests
local STACK <const>, FACES <const> = 64, 1 << 25

local OPTIONS <const> = {structure = option.words({"bvh", "grid", "none"}, "bvh")}

local Scene <const> = class.define {
    type = "rill.scene", letter = "S", one = "a scene", closed = "closed scene", lenient = true,
    state = function(self)
        local s = rawget(self, "own")
        return not s.closed and s
    end,
    read = function(field, self)
        local s = rawget(self, "own")
        if type(field) == "function" then return field(s) end
        return s[field]
    end,
    release = function(s)
        for _, name in ipairs {"corner", "node", "cells", "entries", "tally"} do
            if s[name] then s[name]:close() end
        end
        s.closed = true
    end,
    describe = function(s) return ("%s of %d triangles"):format(s.structure, s.faces) end,
}
scene.methods = Scene.methods

--- S.structure: "bvh", "grid" or "none". S.faces: number of triangles. S.bases: the index of the first triangle of each mesh.
for _, name in ipairs {"structure", "faces", "bases"} do Scene.fields[name] = name end
--- S.invalid: number of rays so far that had a direction of length 0, NaN or infinite components. Read back.
function Scene.fields.invalid(s) return s.tally:get(1) end

-- ---- building

-- Returns the list of meshes of the first argument.
local function meshes_of(value)
    local list = rill.type(value) == "mesh" and {value} or value
    if type(list) ~= "table" or rill.type(list) or #list == 0 then
        fail("%s: argument #1 'm': expected a mesh or a list of meshes, got %s", WHERE, errors.told(value))
    end
    for i, m in ipairs(list) do
        if rill.type(m) ~= "mesh" then
            fail("%s: argument #1 'm': expected a mesh at index %d, got %s", WHERE, i, errors.told(m))
        end
    end
    return list
end

local function stream_of(kind, bytes, width)
    local n = #bytes // width
    return n > 0 and rill.stream(kind, n, bytes) or rill.stream(kind, 1)
end

local function build(structure, meshes)
    local positions, triangles, vertices, faces, bases, total = {}, {}, {}, {}, {}, 0
    for i, m in ipairs(meshes) do
        positions[i], triangles[i] = m.positions:bytes(), m.triangles:bytes()
        vertices[i], faces[i], bases[i], total = m.vertices, m.faces, total, total + m.faces
    end
    if total > FACES then
        fail("%s: argument #1 'm': expected at most %d triangles, got %d", WHERE, FACES, total)
    end
    local done, made = pcall(core._ray_build, structure, table.concat(positions), table.concat(triangles),
        vertices, faces)
    if not done then fail("%s: argument #1 'm': %s", WHERE, (tostring(made):gsub("^[^:]+:%d+: ", ""))) end
    made.faces, made.bases = total, bases
    return made
end

local function vec3_of(t) return {t[1], t[2], t[3]} end

--- scene.new(m, options): returns a scene.
function scene.new(m, options)
    local taken <const> = option.take(WHERE, options, OPTIONS)
    local meshes <const> = meshes_of(m)
    local made <const> = build(taken.structure, meshes)
    local s = {structure = taken.structure, faces = made.faces, bases = made.bases, count = made.count, closed = false,
        low = made.low or {0, 0, 0}, high = made.high or {0, 0, 0}, meshes = meshes, tally = rill.stream("int", 2)}
    s.middle, s.reach = vector.middle(s.low, s.high), math.max(vector.diagonal(s.low, s.high), 1e-37)
    s.corner = stream_of("vec4", made.corners or "", 16)
    if made.nodes then
        s.node, s.steps = stream_of("uvec4", made.nodes, 16), #made.nodes // 48 + made.count
    elseif made.cells then
        s.cells, s.entries = stream_of("uvec2", made.cells, 8), stream_of("int", made.entries, 4)
        s.grid = {size = vec3_of(made.size), low = vec3_of(made.from), cell = vec3_of(made.cell)}
        s.steps = #made.entries // 4 + made.size[1] + made.size[2] + made.size[3]
    end
    return setmetatable({own = s}, Scene.metatable)
end

--- scene.take(where, value): returns the state of an open scene; raises for other values.
function scene.take(where, value)
    if not Scene.is(value) then
        local remedy <const> = rill.type(value) == "mesh" and "; rill.ray.scene(m) makes one of a mesh" or ""
        fail("%s: expected a scene of rill.ray, got %s%s", where, errors.told(value), remedy)
    end
    local s <const> = rawget(value, "own")
    if s.closed then fail("%s: the scene was closed", where) end
    return s
end

-- ---- queries

local function program(structure, mode)
    local limited <const> = rill.device().traits.loop_limit > 0
    local name <const> = structure == "none" and "krnIntersectTriangle" or structure .. "_" .. mode
    return kernels:kernel {structure = structure, mode = mode, name = name, stack = STACK,
        budget = limited and BUDGET or 1 << 30, mark = structure == "none" and "inout" or "out"}, limited
end

local RESULTS <const> = {
    closest = {{"distance", "float"}, {"triangle", "int"}, {"weight", "vec2"}},
    any = {{"crossings", "int"}}, count = {{"crossings", "int"}},
}

-- Runs the brute-force kernel over all triangles, for the rays of `where` or all.
local function test_all(s, mode, arguments, shape, mask)
    local kernel <const> = program("none", mode)
    local all <const> = {o = arguments.o, d = arguments.d, far = arguments.far, middle = s.middle, reach = s.reach,
        corner = s.corner, tally = arguments.tally, where = mask and rill.active(mask) or nil}
    for _, row in ipairs(RESULTS[mode]) do all[row[1]] = arguments[row[1]] end
    local near <close> = mode == "closest" and rill.stream("double", shape) or nil
    all.near = near
    for first = 0, math.max(s.count - 1, 0), CHUNK do
        all.first, all.count = first, math.min(CHUNK, s.count - first)
        kernel(all)
    end
end

-- Traces the rays through the structure. Some devices end long loops: their rays that were not finished are tested against all triangles.
local function trace(s, mode, arguments)
    local kernel <const>, limited = program(s.structure, mode)
    local all <const> = {middle = s.middle, reach = s.reach, corner = s.corner, node = s.node, cells = s.cells,
        entries = s.entries}
    for key, value in pairs(arguments) do all[key] = value end
    for key, value in pairs(s.grid or {}) do all[key] = value end
    kernel(all)
    if limited and s.steps > BUDGET and s.tally:get(2) > 0 then
        local state <const> = arguments.triangle or arguments.crossings
        local mask <close> = state:map "x == -2 ? 1 : 0"
        s.tally:set(0, 2)
        test_all(s, mode, arguments, state.shape, mask)
    end
end

--- scene.query(s, mode, o, d, far, shape): returns the results of a query of rays with a shape, streams of RESULTS.
function scene.query(s, mode, o, d, far, shape)
    local arguments, list = {o = o, d = d, far = far, tally = s.tally}, {}
    for i, row in ipairs(RESULTS[mode]) do
        list[i] = rill.stream(row[2], shape)
        arguments[row[1]] = list[i]
    end
    if list[1].size > 0 then
        if s.structure == "none" or s.count == 0 then
            test_all(s, mode, arguments, shape)
        else
            trace(s, mode, arguments)
        end
    end
    return table.unpack(list)
end

-- ---- arguments of the methods

local function vectors(where, i, name, value)
    if type(value) == "table" and not rill.type(value) then
        local done, made = pcall(rill.from, value, "vec3")
        if not done or #made.shape ~= 1 then
            fail("%s: argument #%d '%s': expected a list of {x, y, z}, got %s", where, i, name, errors.told(value))
        end
        return made
    end
    local s = not errors.not_open(value) and (rill.type(value) == "expression" and value:eval() or value)
    if not s or s.type ~= "vec3" then
        fail("%s: argument #%d '%s': expected a stream of vec3 or a list of {x, y, z}, got %s", where, i, name,
            s and "a stream of " .. s.type or errors.told(value))
    end
    return s
end

-- The largest distances: a number, a table or a stream of floats of the shape of the rays.
local function far_of(where, value, shape)
    if value == nil then value = math.huge end
    if type(value) == "number" then
        if value ~= value then fail("%s: argument #3 'far': expected a number or a stream of float, got nan", where) end
        return rill.stream("float", 1, value)
    end
    local s = type(value) == "table" and not rill.type(value) and rill.from(value, "float") or value
    s = not errors.not_open(s) and (rill.type(s) == "expression" and s:eval() or s) or nil
    if not s or s.type ~= "float" or s.size ~= 1 and s.shape ~= shape then
        if s and s ~= value then s:close() end
        fail("%s: argument #3 'far': expected a number, or a stream of float of shape {%s}, got %s", where,
            table.concat(shape, ", "), errors.told(value))
    end
    return s.size == 1 and s:reshape(1) or s
end

local function run(self, mode, origins, directions, far)
    local where <const> = "S:" .. mode
    local s <const> = scene.take(where .. ": the scene before the colon", self)
    local o, d = vectors(where, 1, "origins", origins), vectors(where, 2, "directions", directions)
    if o.shape ~= d.shape and o.size ~= 1 and d.size ~= 1 then
        fail("%s: argument #2 'directions': expected the shape of the origins {%s}, or a single origin or direction, "
            .. "got shape {%s}", where, table.concat(o.shape, ", "), table.concat(d.shape, ", "))
    end
    local shape <const> = o.size == 1 and d.shape or o.shape
    local limit <const> = far_of(where, far, shape)
    local function fit(v) return v.shape == shape and v or v:reshape(1) end
    local results = table.pack(scene.query(s, mode, fit(o), fit(d), limit, shape))
    for given, v in pairs {[origins] = o, [directions] = d} do
        if given ~= v then v:close() end
    end
    if limit ~= far then limit:close() end
    return table.unpack(results, 1, results.n)
end

--- S:closest(origins, directions): returns the distance, the triangle and the barycentric coordinates of the first crossing of each ray.
function Scene.methods:closest(origins, directions)
    return run(self, "closest", origins, directions)
end

--- S:any(origins, directions [, far]): returns whether each ray meets a triangle up to a distance: a stream of bool.
function Scene.methods:any(origins, directions, far)
    local crossings <close> = run(self, "any", origins, directions, far)
    return crossings:cast "bool"
end

--- S:count(origins, directions [, far]): returns the number of triangles that each ray crosses.
function Scene.methods:count(origins, directions, far)
    return (run(self, "count", origins, directions, far))
end

class.guard(Scene.methods, "S")

return scene
