-- A surface made smooth only where it is bent: Loop's subdivision, uniform and adaptive, before, after and as a wireframe.
--
--     lua5.4 examples/subdivide.lua [file [levels [directory]]]        (spot, or a ring) 2 out
--
-- A level of Loop's subdivision makes four triangles of each, and moves vertices to weighted means of their neighbours. Section 36.3 of Horn's chapter in "GPU
-- Gems 2" parts only the edges that ask for it. Here an edge asks where the triangles on its two sides are turned against each other by more than some degrees.
-- Where triangles of different levels meet, an edge with a vertex on it would gape: red-green patches close it. Checked: what was closed stays closed,
-- the Euler characteristic stays, and the adaptive mesh has fewer triangles than the uniform one, of the mesh it comes with at most half.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local surfaces = dofile(here .. "support/surfaces.lua")

local DEGREES <const> = 14

local path, levels, directory = ...
levels = assert(math.tointeger(tonumber(levels or 2)), "levels: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local m, name = surfaces.surface(path ~= "-" and path or nil, "spot.obj", 24, 10)
local clock = rill.clock()
local uniform, all = rill.subdivide.loop(m, {levels = levels})
rill.sync()
local took = rill.clock() - clock
clock = rill.clock()
local adaptive, some = rill.subdivide.loop(m, {levels = levels, adaptive = {curvature = DEGREES}})
rill.sync()
print(("  %s: %s triangles at each level in %.1f ms"):format(name, table.concat(all.faces, ", "), took * 1e3))
print(("  where it is bent by more than %d degrees: %s in %.1f ms%s"):format(DEGREES, table.concat(some.faces, ", "),
    (rill.clock() - clock) * 1e3, some.met and "" or "; some edges still ask"))

assert(adaptive:is_closed() == m:is_closed() and uniform:is_closed() == m:is_closed(), "a closed mesh has gaps")
assert(adaptive:euler() == m:euler() and uniform:euler() == m:euler(), "another Euler characteristic")
assert(adaptive.faces <= uniform.faces, "the adaptive mesh has more triangles")
assert(path or levels == 0 or 2 * adaptive.faces <= uniform.faces, "it has more than half as many")

-- The same view of all: from the front, a bit from above.
local low, high = m:bounds()
local middle, side = {}, 0
for d = 1, 3 do
    middle[d], side = (low[d] + high[d]) / 2, math.max(side, high[d] - low[d])
end
local camera = {
    eye = {middle[1] - 1.1 * side, middle[2] + 0.8 * side, middle[3] - 1.7 * side}, target = middle, fov = 27,
}
local function drawn(surface, shading, edges)
    return rill.render(surface, {
        size = {400, 320}, camera = camera, shading = shading, edges = edges, color = "clay", thickness = 0.7,
    })
end
rill.image.save(rill.concat({
    drawn(m, "flat"), drawn(adaptive, "flat"), drawn(adaptive, "wireframe"),
}, 2), directory .. "/subdivide.png")
print(("  %s/subdivide.png: before, after, and its edges"):format(directory))
