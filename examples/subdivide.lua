-- Loop subdivision, adaptive by curvature and uniform: the mesh before, after, and as a wireframe.
--
--     lua5.4 examples/subdivide.lua [file [levels [directory]]]        (spot, or a box) 6 out
--
-- A level of Loop's subdivision divides each triangle into four, and moves vertices to weighted means of their neighbors. Section 36.3 of Horn's chapter in
-- "GPU Gems 2" divides only marked edges. Here edges at a fold of more than some degrees between two triangles are marked, until there are none or `levels`
-- levels are done. Red-green patches close the cracks between triangles of different levels. For comparison, the mesh is subdivided uniformly until no edge
-- is folded by more. The script checks that a closed mesh stays closed, that the Euler characteristic does not change, that no edge is folded by more if the
-- report has `met`, and that, for the default mesh, the adaptive result has at most half as many triangles as the uniform one.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local surfaces = dofile(here .. "support/surfaces.lua")

local DEGREES <const> = 14
local MOST <const> = 2000000 -- triangles of a uniform mesh

local path, levels, directory = ...
path = path ~= "-" and path or nil
levels = assert(math.tointeger(tonumber(levels or 6)), "levels: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

-- Computes the angle in degrees between the two triangles of an edge, for one of its two sides; 0 for the other side.
local bends = rill.kernel [[
    vec3 normal(ivec3 t, vec3 a, vec3 b, vec3 c) { return cross(b - a, c - a); }
    kernel void bends(int twin<>, ivec3 t[], vec3 p[], out float angle<>) {
        int side = indexof(twin).x;
        ivec3 u = t[side / 3], v = t[max(twin, 0) / 3];
        vec3 m = normal(u, p[u.x], p[u.y], p[u.z]), n = normal(v, p[v.x], p[v.y], p[v.z]);
        angle = twin > side ? degrees(atan(length(cross(m, n)), dot(m, n))) : 0.0;
    }
]]
local function count_folded(m)
    local angle <close> = bends(m:adjacency().twin:reshape(3 * m.faces), m.triangles, m.positions)
    return angle:gt(DEGREES):count()
end

-- Returns the mesh that is used without a file and without the test data: a box, subdivided with sharp edges to 768 triangles.
local function box()
    local coarse <close> = rill.mesh.box {size = {1, 1.4, 0.8}}
    return (rill.subdivide.loop(coarse, {levels = 3, creases = coarse:adjacency().edges})), "a box"
end
local m, name = surfaces.surface(path, "spot.obj", box)

local clock = rill.clock()
local adaptive, some = rill.subdivide.loop(m, {levels = levels, adaptive = {curvature = DEGREES}})
rill.sync()
local seconds, left = rill.clock() - clock, count_folded(adaptive)
print(("  %s, edges folded by more than %d degrees: %d"):format(name, DEGREES, count_folded(m)))
print(("  adaptive: %s triangles, %d edges left, in %.1f ms"):format(table.concat(some.faces, ", "), left,
    seconds * 1e3))

local uniform, all, still
repeat
    uniform, all = rill.subdivide.loop(m, {levels = all and all.levels + 1 or 0})
    still = count_folded(uniform)
until still == 0 or all.levels >= levels or 4 * uniform.faces > MOST
print(("  uniform: %s triangles, %d edges left"):format(table.concat(all.faces, ", "), still))

assert(adaptive:is_closed() == m:is_closed() and uniform:is_closed() == m:is_closed(), "a closed mesh has gaps")
assert(adaptive:euler() == m:euler() and uniform:euler() == m:euler(), "the Euler characteristic has changed")
assert(not some.met or left == 0, "edges are folded by more")
assert(path or levels < 4 or still == 0 and 2 * adaptive.faces <= uniform.faces,
    "the adaptive mesh has more than half as many triangles")

-- The view of all three: from the front, slightly from above.
local low, high = m:bounds()
local middle, square = {}, 0
for d = 1, 3 do
    middle[d], square = (low[d] + high[d]) / 2, square + (high[d] - low[d]) ^ 2
end
local far = 0.8 * square ^ 0.5
local camera = {eye = {middle[1] - 1.1 * far, middle[2] + 0.8 * far, middle[3] - 1.7 * far}, target = middle, fov = 27}
local function drawn(surface, shading, edges)
    return rill.render(surface, {
        size = {400, 320}, camera = camera, shading = shading, edges = edges, color = "clay", thickness = 0.7,
    })
end
rill.image.save(rill.concat({
    drawn(m, "flat"), drawn(adaptive, "flat"), drawn(adaptive, "wireframe"),
}, 2), directory .. "/subdivide.png")
print(("  %s/subdivide.png: before, after, and its edges"):format(directory))
