-- Distances and containment of 512,000 points and a mesh of 81,920 triangles, compared with Embree's point queries: the points of a grid, and random points.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"
local cores <const> = require "bench.support.contest".cores

local rounds <const>, side <const>, LEVEL <const> = 2, 80, 6

local text = rill.program [=[
    kernel void bumps(vec3 p<>, out vec3 q<>) { q = p * (1.0 + 0.1 * sin(9.0 * p.x) * sin(7.0 * p.y) * sin(8.0 * p.z)); }
    kernel void grid(int side, out vec3 p<>) {
        int i = indexof(p).x;
        p = (vec3(i % side, i / side % side, i / (side * side)) / float(side - 1) * 2.0 - 1.0) * 1.2;
    }
    kernel void other(float a<>, float b<>, out int r<>) { r = abs(a - b) < 1e-5 + 1e-4 * abs(b) ? 0 : 1; }
]=]

-- The time on all cores that corresponds to the processor time of a query. Other load changes it less than the time that passes.
local function processor(query)
    return function()
        rill.sync()
        local start = os.clock()
        for _, s in ipairs {query()} do s:close() end
        rill.sync()
        return (os.clock() - start) / cores
    end
end

local function measured(embree, tree, title, p)
    local rows = {}
    local function distance() return tree:distance(p) end
    local function contains() return tree:contains(p) end
    if embree then
        embree:give("origins", p)
        local other = text.other((distance()), embree:result "points"):sum()
        assert(other == 0, ("%d distances differ"):format(other))
        local one = embree:contender "points_one"
        local least = support.least(rounds, processor(distance), function() return one() / cores end)
        rows[1] = support.faster(title .. ", distances", least[1], embree.what, least[2])
    end
    local least = support.least(rounds, processor(distance), processor(contains))
    local told = ("distances %.2f s, containment %.3f s on %d cores"):format(least[1], least[2], cores)
    rows[#rows + 1] = support.note(title, told)
    return rows
end

return function()
    local embree <close>, missing = pipe.program("peer_embree", "libembree-dev")
    local m <close> = rill.mesh.icosphere(LEVEL)
    m.positions:write(text.bumps(m.positions))
    if embree then
        embree:give("positions", m.positions)
        embree:give("triangles", m.triangles)
        embree:contender "build"()
    end
    local tree <close> = rill.collide.bvh(m)
    local rows = embree and {} or {support.note("distances against Embree", missing)}
    local random = rill.random(side^3 // 1 | 0, {type = "vec3", low = -1.2, high = 1.2, seed = 1})
    for title, p in pairs {["512,000 points of a grid"] = text.grid {side = side, shape = side^3 // 1 | 0},
        ["512,000 random points"] = random} do
        table.move(measured(embree, tree, title, p), 1, 2, #rows + 1, rows)
    end
    return rows
end
