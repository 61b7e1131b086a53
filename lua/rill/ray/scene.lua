-- Scenes of rays: the triangles of meshes in an acceleration structure, and the queries of rays against them.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local class = require "rill.core.class"
local option = require "rill.core.options"
local held = require "rill.core.scope"
local vector = require "rill.core.vector"
local vectors = require "rill.geometry.vectors"
local kernels <const> = require "rill.glsl.template".sections "traversal"
local fail <const> = errors.fail

local scene = {}

local WHERE <const> = "rill.ray.scene"
local CHUNK <const> = 16384 -- triangles that one launch of the brute-force kernel tests
-- A processor: most rays of an invocation, and rays for each of them.
local MOST <const>, SHARE <const> = {bvh = 64, grid = 16}, 1024
local ONCE <const>, TWICE <const> = {1}, {1, 2} -- how often a part of a kernel is repeated
local STACK <const>, FACES <const> = 24, 1 << 25

local OPTIONS <const> = {structure = option.words({"bvh", "grid", "none"}, "bvh")}

local Scene <const> = class.define {
    type = "rill.scene", letter = "S", one = "a scene", closed = "closed scene", lenient = true,
    state = function(self)
        local s = rawget(self, "own")
        return not s.closed and s
    end,
    release = function(s)
        for _, name in ipairs {"corner", "cells", "entries", "tally"} do
            if s[name] then s[name]:close() end
        end
        s.closed = true
    end,
    describe = function(s) return ("%s of %d triangles"):format(s.structure, s.faces) end,
}
scene.methods = Scene.methods

--- S.structure: "bvh", "grid" or "none". S.faces: number of triangles. S.bases: the index of the first triangle of each
-- mesh.
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

--- scene.new(m, options) returns a scene.
function scene.new(m, options)
    local taken <const> = option.take(WHERE, options, OPTIONS)
    local meshes <const> = meshes_of(m)
    local made <const> = build(taken.structure, meshes)
    local s = {structure = taken.structure, faces = made.faces, bases = made.bases, count = made.count, closed = false,
        low = made.low or {0, 0, 0}, high = made.high or {0, 0, 0}, meshes = meshes, scale = made.scale or 1,
        tally = rill.stream("int", 1)}
    s.middle = vector.map(function(x) return s.scale * x end, vector.middle(s.low, s.high))
    s.reach = s.scale * vector.diagonal(s.low, s.high)
    s.corner = stream_of("uvec4", made.corners or "", 16)
    s.parts = #(made.corners or "") // 48 -- triangles, and nodes of a hierarchy
    s.steps = s.parts
    if made.cells then
        s.cells, s.entries = stream_of("uvec2", made.cells, 8), stream_of("int", made.entries, 4)
        s.grid = {size = vec3_of(made.size), low = vec3_of(made.from), cell = vec3_of(made.cell)}
        s.steps = #made.entries // 4 + made.size[1] + made.size[2] + made.size[3]
    end
    return setmetatable({own = s}, Scene.metatable)
end

--- scene.take(where, value) returns the state of an open scene; raises for other values.
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

-- The result of a ray in a query: the index of a triangle in `corner` or -1 ("closest"), or the number of crossings.
-- UNFINISHED: none yet.
local UNFINISHED <const> = -2

-- Returns the kernel of a structure and a mode, and the largest number of turns of its loop, or nil.
local function program(structure, mode)
    local device <const> = rill.device()
    local limit <const>, loops <const> = device.traits.loop_limit, device.family == "gpu" or structure == "grid"
    local budget <const> = limit > 0 and (loops and limit // 16 or limit // 2) or 1 << 30
    return kernels.trace:kernel {structure = structure, mode = mode, name = structure .. "_" .. mode, stack = STACK,
        budget = budget, loops = loops, rounds = loops and ONCE or TWICE, filter = device.family == "gpu"},
        limit > 0 and budget
end

-- Runs the brute-force kernel over all triangles, for the rays of `where` or all.
local function test_all(s, mode, given, mask)
    local kernel <const> = program("none", mode)
    local near <close> = mode == "closest" and rill.stream("float", given.result.shape) or nil
    local all <const> = {o = given.o, d = given.d, far = given.far, middle = s.middle, reach = s.reach, scale = s.scale,
        corner = s.corner, tally = s.tally, where = mask and rill.active(mask) or nil, result = given.result,
        near = near}
    for first = 0, math.max(s.parts - 1, 0), CHUNK do
        all.first, all.count = first, math.min(CHUNK, s.parts - first)
        kernel(all)
    end
end

-- Returns the number of rays for each invocation: several if there are enough of them for all threads of a processor.
local function rays_each(structure, count)
    return rill.device().family == "gpu" and 1 or math.max(1, math.min(MOST[structure], count // SHARE))
end

-- Traces the rays through the structure. Some devices end long loops: rays that were not finished are traced again, one
-- for each invocation, and then tested against all triangles.
local function trace(s, mode, given)
    local kernel <const>, budget = program(s.structure, mode)
    local count <const>, lanes <const> = given.result.size, rill.device().traits.subgroup_size
    local all <const> = {total = count, lanes = lanes, middle = s.middle, reach = s.reach, scale = s.scale,
        corner = s.corner, cells = s.cells, entries = s.entries, tally = s.tally}
    for key, value in pairs(s.grid or {}) do all[key] = value end
    local own <close> = held {}
    all.result = vectors.list(own, given.result)
    for _, name in ipairs {"o", "d", "far"} do
        all[name], all["stride" .. name] = vectors.list(own, given[name]), given[name].size > 1 and 1 or 0
    end
    local most = rays_each(s.structure, count)
    while true do
        all.most, all.shape = most, (count + lanes * most - 1) // (lanes * most) * lanes
        local left <close> = kernel(all)
        if not budget or 2 * most * (s.steps + 1) <= budget or left:max() == 0 then return end
        if most == 1 then break end
        own.tally = rill.stream("int", 1) -- invalid rays were counted
        most, all.tally = 1, own.tally
        all.result:fill(UNFINISHED)
    end
    local mask <close> = given.result:map(("x == %d ? 1 : 0"):format(UNFINISHED))
    test_all(s, mode, given, mask)
end

-- Returns a stream of results for rays with a shape.
local function intersect(s, mode, o, d, far, shape)
    local given <const> = {o = o, d = d, far = far, result = rill.stream("int", shape, UNFINISHED)}
    if s.structure == "none" or s.count == 0 then
        test_all(s, mode, given)
    elseif given.result.size > 0 then
        trace(s, mode, given)
    end
    return given.result
end

--- scene.query(s, mode, o, d, far, shape) returns the results of a query of rays with a shape: the distances, triangles
-- and barycentric coordinates
--- ("closest"), or the numbers of crossings ("any", "count").
function scene.query(s, mode, o, d, far, shape)
    local found = intersect(s, mode, o, d, far, shape)
    if mode ~= "closest" then return found end
    local distance, triangle, weight = kernels.finish:kernel {filter = false} {o = o, d = d, middle = s.middle,
        reach = s.reach, scale = s.scale, corner = s.corner, at = found}
    found:close()
    return distance, triangle, weight
end

-- ---- arguments of the methods

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
    local o, d = vectors.take(where, 1, "origins", origins), vectors.take(where, 2, "directions", directions)
    local shape <const> = vectors.shape(where, o, d)
    local limit <const> = far_of(where, far, shape)
    local function fit(v) return v.shape == shape and v or v:reshape(1) end
    local results = table.pack(scene.query(s, mode, fit(o), fit(d), limit, shape))
    for given, v in pairs {[origins] = o, [directions] = d} do
        if given ~= v then v:close() end
    end
    if limit ~= far then limit:close() end
    return table.unpack(results, 1, results.n)
end

--- S:closest(origins, directions) returns the distance, the triangle and the barycentric coordinates of the first
-- crossing of each ray.
function Scene.methods:closest(origins, directions)
    return run(self, "closest", origins, directions)
end

--- S:any(origins, directions [, far]) returns whether each ray meets a triangle up to a distance: a stream of bool.
function Scene.methods:any(origins, directions, far)
    local crossings <close> = run(self, "any", origins, directions, far)
    return crossings:cast "bool"
end

--- S:count(origins, directions [, far]) returns the number of triangles that each ray crosses.
function Scene.methods:count(origins, directions, far)
    return (run(self, "count", origins, directions, far))
end

class.guard(Scene.methods, "S")

return scene
