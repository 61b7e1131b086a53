-- rill.ray compared with Embree on one thread and on all threads: incoherent rays against meshes of 5 thousand to a
-- million triangles, and building the structures.
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

local function timed(query)
    return function()
        return support.timed(function()
            for _, s in ipairs {query()} do s:close() end
        end, 1)
    end
end

local function traced(embree, m)
    local o, d = points(1), points(2)
    for name, s in pairs {positions = m.positions, triangles = m.triangles, origins = o, directions = d} do
        embree:give(name, s)
    end
    local scene <close> = rill.ray.scene(m)
    local grid <close> = rill.ray.scene(m, {structure = "grid"})
    local build, their_build = support.race(3, function()
        return support.timed(function() rill.ray.scene(m):close() end, 1)
    end, embree:contender "build")
    local distance = scene:closest(o, d)
    local differ = text.other(distance, embree:result "rays"):sum()
    assert(differ <= rays // 10000, ("%d of %d rays differ"):format(differ, rays)) -- rays that graze an edge
    local first, all, cells, any, one, both = support.race(rounds, timed(function() return scene:closest(o, d) end),
        timed(function() return scene:closest(o, d) end), timed(function() return grid:closest(o, d) end),
        timed(function() return scene:any(o, d) end), embree:contender "rays_one", embree:contender "rays")
    local title, per = ("%d rays, %d triangles"):format(rays, m.faces), math.min(first, all) / rays
    return per, {
        support.faster(title .. ", closest", math.min(first, all), embree.what .. ", one thread", one),
        support.faster(title .. ", closest", math.min(first, all), embree.what .. ", all threads", both),
        support.note(title .. ", grid", support.duration(cells / rays) .. " per ray"),
        support.note(title .. ", any", support.duration(any / rays) .. " per ray"),
        support.faster(("a hierarchy of %d triangles"):format(m.faces), build, embree.what, their_build),
    }
end

return function()
    local embree <close>, missing = pipe.program("peer_embree", "libembree-dev")
    if not embree then return {support.note("rays beside Embree", missing)} end
    local rows, lines = {}, {{"triangles", "log2", "ns per ray", "ns per ray and level"}}
    for _, level in ipairs(LEVELS) do
        local m <close> = ball(level)
        local per, more = traced(embree, m)
        table.move(more, 1, #more, #rows + 1, rows)
        lines[#lines + 1] = {m.faces, math.log(m.faces, 2), 1e9 * per, 1e9 * per / math.log(m.faces, 2)}
    end
    rows[#rows + 1] = support.table("time per ray and the logarithm of the triangles", lines, "%.1f")
    return rows
end
