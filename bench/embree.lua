-- Ray queries against meshes of 5 thousand to a million triangles, compared with Embree on all cores: incoherent random rays, and building the trees.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local rounds <const>, rays <const> = 5, 200000
local LEVELS <const> = {4, 6, 8} -- 5,120, 81,920 and 1,310,720 triangles

local text = rill.program [=[
    kernel void bumps(vec3 p<>, out vec3 q<>) { q = p * (1.0 + 0.1 * sin(9.0 * p.x) * sin(7.0 * p.y) * sin(8.0 * p.z)); }
    kernel void other(float a<>, float b<>, out int r<>) {
        r = isinf(a) && isinf(b) ? 0 : (abs(a - b) < 1e-3 * abs(b) ? 0 : 1);
    }
]=]

local function ball(level)
    local m = rill.mesh.icosphere(level)
    m.positions:write(text.bumps(m.positions))
    return m
end

local function points(seed) return rill.random(rays, {type = "vec3", low = -1.5, high = 1.5, seed = seed}) end

local function traced(embree, m)
    local o, d = points(1), points(2)
    for name, s in pairs {positions = m.positions, triangles = m.triangles, origins = o, directions = d} do
        embree:give(name, s)
    end
    local built, theirs_built = support.race(rounds, function()
        return support.timed(function() rill.collide.bvh(m):close() end, 1)
    end, embree:contender "build")
    local tree <close> = rill.collide.bvh(m)
    local distance, triangle = tree:ray(o, d)
    local other = text.other(distance, embree:result "rays"):sum()
    assert(other <= rays // 10000, ("%d of %d rays differ"):format(other, rays)) -- what grazes an edge
    triangle:close()
    local ours, theirs = support.race(rounds, function()
        return support.timed(function()
            for _, s in ipairs {tree:ray(o, d)} do s:close() end
        end, 1)
    end, embree:contender "rays")
    local title = ("%d rays, %d triangles"):format(rays, m.faces)
    return support.faster(title, ours, embree.what, theirs),
        support.note(title, ("%.2f million rays/s"):format(rays / ours / 1e6)),
        support.faster(("a tree of %d triangles"):format(m.faces), built, embree.what, theirs_built)
end

return function()
    local embree <close>, missing = pipe.program("peer_embree", "libembree-dev")
    if not embree then return {support.note("rays against Embree", missing)} end
    local rows = {}
    for _, level in ipairs(LEVELS) do
        local m <close> = ball(level)
        table.move({traced(embree, m)}, 1, 3, #rows + 1, rows)
    end
    return rows
end
