-- Collision detection between two meshes: the intersecting triangles are drawn in red.
--
--     lua5.4 examples/collide.lua [file [poses [directory]]] [--movie]        (a bunny, or a ring) 24 out
--
-- Each mesh has a tree of bounding boxes. A list of pairs of boxes begins with the two roots. Disjoint pairs are removed, other pairs are replaced by pairs of
-- their children, and the list is compacted after each level (section 36.2 of Horn's chapter in "GPU Gems 2"). The script prints the length of the list at each
-- level. Then the second mesh moves around the first, and one call tests all poses. The script checks that trees of axis-aligned and of oriented boxes find the
-- same pairs, also with the meshes exchanged, and none if the meshes are far apart. --movie also writes collide-movie.png.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local surfaces = dofile(here .. "support/surfaces.lua")

local GRAY <const>, BLUE <const>, RED <const> = {0.75, 0.75, 0.72}, {0.55, 0.65, 0.8}, {0.85, 0.1, 0.05}

-- Returns the matrix of a rotation about the vertical axis through `middle`, followed by a translation.
local function motion(degrees, middle, move)
    local c, s = math.cos(math.rad(degrees)), math.sin(math.rad(degrees))
    local x, z = middle[1], middle[3]
    return {
        {c, 0, s, x - c * x - s * z + move[1]}, {0, 1, 0, move[2]}, {-s, 0, c, z + s * x - c * z + move[3]},
        {0, 0, 0, 1},
    }
end

-- Returns the triangles of a mesh that are in a list of pairs, at the vertex positions of `moved`, as edges to draw.
local function in_pairs(m, moved, pairs, which)
    return {{positions = moved.positions, triangles = rill.gather(m.triangles, pairs[which])}, shading = "wireframe",
        color = RED}
end

-- Draws both meshes, the second one moved, and over them the intersecting triangles in red, also where they are hidden.
local laid = rill.kernel [[
    kernel void laid(vec3 below<>, vec3 above<>, vec3 red, out vec3 r<>) { r = mix(below, red, min(above.x / red.x, 1.0)); }
]]
local function drawn(m, pairs, pose, camera)
    local moved <close> = m:transform(pose)
    local options = {size = {300, 400}, camera = camera, thickness = 3, background = {0, 0, 0}}
    local red <close> = rill.render({in_pairs(m, m, pairs, "x"), in_pairs(m, moved, pairs, "y")}, options)
    options.background = nil
    local both <close> = rill.render({{m, color = GRAY}, {moved, color = BLUE}}, options)
    return laid(both, red, RED)
end

-- Returns whether two lists have the same pairs; `turned`: with the two meshes exchanged in q.
local function same(p, q, turned)
    if p.size ~= q.size then return false end
    local seen = {}
    for _, pair in ipairs(p:read()) do seen[pair[1] .. " " .. pair[2]] = true end
    for _, pair in ipairs(q:read()) do
        if not seen[turned and pair[2] .. " " .. pair[1] or pair[1] .. " " .. pair[2]] then return false end
    end
    return true
end

if ... == "module" then
    return {motion = motion, same = same}
end

local words, movie = {}, nil
for _, word in ipairs {...} do
    if word == "--movie" then movie = true else words[#words + 1] = word end
end
local poses = assert(math.tointeger(tonumber(words[2] or 24)), "poses: expected a whole number")
assert(poses >= 1, "poses: expected 1 at least")
local directory = words[3] or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local m, name = surfaces.surface(words[1] ~= "-" and words[1] or nil, "stanford-bunny.obj", surfaces.ring_mesh, 128, 64)
local low, high = m:bounds()
local middle, side = {}, 0
for d = 1, 3 do
    middle[d], side = (low[d] + high[d]) / 2, math.max(side, high[d] - low[d])
end

-- ---- one pose, by both trees

local aabbs, obbs = rill.collide.bvh(m), rill.collide.obbtree(m)
local near_pose = motion(25, middle, {0.45 * side, 0.05 * side, 0.02 * side})
local far = rill.collide.pairs(aabbs, aabbs, {b = motion(0, middle, {3 * side, 0, 0}), stop = "any"})
assert(not far, "meshes that are far apart intersect")
rill.collide.pairs(aabbs, aabbs, {b = near_pose}):close() -- compiles the kernels
local clock = rill.clock()
local pairs, report = rill.collide.pairs(aabbs, aabbs, {b = near_pose})
rill.sync()
clock = rill.clock() - clock
print(("  %s, %d triangles: %d pairs intersect, found in %.1f ms, %d levels"):format(name, m.faces, pairs.size,
    clock * 1e3, report.levels))
print("  lists: " .. table.concat(report.lists, " "))
local oriented, obb_report = rill.collide.pairs(obbs, obbs, {b = near_pose})
print(("  tested pairs of boxes: %d axis-aligned, %d oriented"):format(report.tests, obb_report.tests))
local back = rill.collide.pairs(aabbs, aabbs, {a = near_pose})
assert(same(pairs, oriented), "the two types of trees find different pairs")
assert(same(pairs, back, true), "with the meshes exchanged there are different pairs")

local eye = {middle[1] + 0.25 * side, middle[2] + 0.5 * side, middle[3] + 2.2 * side}
local camera = {eye = eye, target = {middle[1] + 0.22 * side, middle[2], middle[3]}, fov = 40}
rill.image.save(drawn(m, pairs, near_pose, camera), directory .. "/collide.png")

-- ---- many poses in one call

local list = {}
for i = 1, poses do
    local angle = 2 * math.pi * i / poses
    list[i] = motion(360 * i / poses, middle, {0.9 * side * math.cos(angle), 0, 0.9 * side * math.sin(angle)})
end
local met = rill.collide.pairs(aabbs, aabbs, {b = list, stop = "any"}):values()
local count = 0
for i = 1, poses do count = count + (met[i] and 1 or 0) end
if movie then
    local frames <close> = rill.animate(directory .. "/collide-movie.png", 12)
    local progress <close> = rill.progress(poses, "poses")
    camera.eye[2] = camera.eye[2] + 1.6 * side
    for i = 1, poses do
        frames:frame(drawn(m, rill.collide.pairs(aabbs, aabbs, {b = list[i]}), list[i], camera))
        progress:step()
    end
end
print(("  %s/collide.png: the pairs in red; of %d poses, %d intersect"):format(directory, poses, count))
