-- Vertex reuse: how often a vertex kernel runs for each vertex of a mesh, with different strategies and triangle orders.
--
--     lua5.4 examples/reuse.lua [file [directory]]        (the Stanford bunny, or a ring) out
--
-- Prints the average shading rate (invocations per triangle) in file order, at random, and in the orders of Forsyth and Hoppe, as Fig. 7 of M. Kenzel et al.,
-- "On-the-fly vertex reuse" (2018), and the rows of its Table 1 for the mesh and for an icosphere of 81,920 triangles. Draws the shading rate of each vertex as
-- its Fig. 6: green vertices are computed once, red ones six times or more. Checks that all strategies return the same elements.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local surfaces = dofile(here .. "support/surfaces.lua")

local path, directory = ...
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local BATCHES <const> = {warp = {batch = 96, warp = 32}, hash = {batch = 1023, block = 256}}

local transform = rill.kernel [=[
    kernel void transform(int i, vec3 x[], out vec4 r<>) { r = vec4(2.0 * x[i], float(i)); }
]=]
local shade = rill.kernel [[
    kernel void shade(int count<>, out vec3 c<>) {
      float t = clamp(float(count - 1) / 5.0, 0.0, 1.0);
      vec3 warm = mix(vec3(0.95, 0.8, 0.1), vec3(0.8, 0.05, 0.05), clamp(2.0 * t - 1.0, 0.0, 1.0));
      c = mix(vec3(0.1, 0.65, 0.15), warm, clamp(2.0 * t, 0.0, 1.0));
    }
]]

-- Returns the average shading rate of a strategy, and how often each vertex was computed.
local function measure(m, triangles, strategy)
    local options = {rate = rill.stream("int", m.vertices)}
    for key, value in pairs(BATCHES[strategy] or {}) do options[key] = value end
    local out, report = rill.reuse.run(strategy, triangles, transform, {m.positions}, options)
    return report.asr, options.rate, out
end

local m, name = surfaces.surface(path ~= "-" and path or nil, "stanford-bunny.obj", surfaces.ring_mesh, 128, 64)

-- ---- orders

local orders = {{"file", m.triangles}}
for _, method in ipairs {"random", "forsyth", "hoppe"} do
    orders[#orders + 1] = {method, (rill.reuse.order(m.triangles, method))}
end
print(("  %s, %d triangles, %d vertices; invocations per triangle:"):format(name, m.faces, m.vertices))
print "  order      warp 96/32   dynamic 1023/256   FIFO cache of 16"
local pictures = {}
local expected
for _, order in ipairs(orders) do
    local static, static_rate = measure(m, order[2], "warp")
    local dynamic, dynamic_rate, out = measure(m, order[2], "hash")
    if order[1] == "file" then expected = out end
    print(("  %-8s %12.4f %18.4f %18.4f"):format(order[1], static, dynamic, rill.reuse.acmr(order[2])))
    if order[1] == "file" or order[1] == "forsyth" then
        pictures[#pictures + 1], pictures[#pictures + 2] = static_rate, dynamic_rate
    end
end
for _, strategy in ipairs(rill.reuse.strategies()) do
    local _, _, out = measure(m, m.triangles, strategy)
    assert(out:bytes() == expected:bytes(), strategy .. " returns other elements")
end

-- ---- Table 1

print "  mesh                 vertices  triangles   ideal   cache 1024   2048   4096   warp   dynamic"
for _, row in ipairs {{name, m}, {"icosphere", rill.mesh.icosphere(6)}} do
    local one = row[2]
    local triangles = rill.reuse.order(one.triangles, "forsyth")
    local _, ideal = rill.reuse.cache(triangles)
    local cells = {}
    for i, entries in ipairs {1024, 2048, 4096} do
        cells[i] = ("%.3f"):format(rill.reuse.cache(triangles, {entries = entries, parallel = 1024}))
    end
    print(("  %-20s %8d %10d %7.3f %12s %6s %6s %6.3f %9.3f"):format(row[1], one.vertices, one.faces, ideal, cells[1],
        cells[2], cells[3], (measure(one, triangles, "warp")), (measure(one, triangles, "hash"))))
end

-- ---- the picture: file order above, Forsyth's below; warp voting on the left, dynamic batches on the right

local low, high = m:bounds()
local middle, side = {}, 0
for d = 1, 3 do middle[d], side = (low[d] + high[d]) / 2, math.max(side, high[d] - low[d]) end
local SIZE <const> = 360
local picture = rill.stream("vec3", {2 * SIZE, 2 * SIZE})
for k, rate in ipairs(pictures) do
    local drawn <close> = rill.render({{m, color = shade(rate)}}, {
        size = {SIZE, SIZE}, camera = {eye = {middle[1] + 0.3 * side, middle[2] + 0.3 * side, middle[3] + 2 * side},
            target = middle, fov = 34},
    })
    local row, column = (k - 1) // 2 * SIZE, (k - 1) % 2 * SIZE
    picture:domain({row + 1, column + 1}, {row + SIZE, column + SIZE}):write(drawn)
end
rill.image.save(picture, directory .. "/reuse.png")
print(("  %s/reuse.png: shading rates; above file order, below Forsyth's; left warp voting, right dynamic"):format(
    directory))
