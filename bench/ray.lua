-- rill.ray compared with Embree: incoherent rays against meshes of 5 thousand to a million triangles, and building the
-- structures. The goal is Embree on one thread. The time per ray is compared with the logarithm of the triangles.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"
local cores <const> = require "bench.support.contest".cores

local rounds <const>, rays <const>, few <const> = 9, 200000, 200
local LEVELS <const> = {4, 6, 8} -- 5,120, 81,920 and 1,310,720 triangles

local text = rill.program [=[
    kernel void bumps(vec3 p<>, out vec3 q<>) { q = p * (1.0 + 0.1 * sin(9.0 * p.x) * sin(7.0 * p.y) * sin(8.0 * p.z)); }
    kernel void other(float a<>, float b<>, out int r<>) {
        r = isinf(a) && isinf(b) ? 0 : (abs(a - b) < 1e-3 * abs(b) ? 0 : 1);
    }
    kernel void repeated(vec3 p[], int count, out vec3 q<>) { q = p[indexof(q).x % count]; }
]=]

local function ball(level)
    local m = rill.mesh.icosphere(level)
    m.positions:write(text.bumps(m.positions))
    return m
end

local function points(seed) return rill.random(rays, {type = "vec3", low = -1.5, high = 1.5, seed = seed}) end

local function close(list)
    for _, s in ipairs(list) do s:close() end
end

local function timed(query)
    return function()
        return support.timed(function() close {query()} end, 1)
    end
end

-- The time on all cores that corresponds to the processor time of a query. Other load changes it less than the time that passes.
local function processor(query)
    return function()
        rill.sync()
        local start = os.clock()
        close {query()}
        rill.sync()
        return (os.clock() - start) / cores
    end
end

-- The first rays, each of them many times: their nodes and triangles stay in the caches.
local function repeated(s)
    return text.repeated {p = s, count = few, shape = rays}
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
    local p, q = repeated(o), repeated(d)
    local function closest() return scene:closest(o, d) end
    local least = support.least(rounds, timed(closest), processor(closest), embree:contender "rays_one",
        embree:contender "rays", processor(function() return scene:closest(p, q) end),
        processor(function() return scene:any(o, d) end), processor(function() return grid:closest(o, d) end))
    local title = ("%d rays, %d triangles"):format(rays, m.faces)
    local one <const> = embree.what .. ", one thread"
    return {least[2] / rays, least[5] / rays, least[3] / rays}, {
        support.faster(title .. ", closest", least[1], one, least[3], 1),
        support.faster(title .. ", closest, processor time", least[2], one, least[3], 1),
        support.faster(title .. ", closest", least[1], embree.what .. ", all threads", least[4]),
        support.note(title .. ", any", support.duration(least[6] / rays) .. " per ray"),
        support.note(title .. ", grid", support.duration(least[7] / rays) .. " per ray"),
        support.faster(("a hierarchy of %d triangles"):format(m.faces), build, embree.what, their_build),
    }
end

-- Adds a line for one mesh: times per ray, and their ratios to the times of the mesh before.
local function add_line(lines, faces, times, before)
    local function growth(a, b) return b and ("%.2f"):format(a / b) or "" end
    lines[#lines + 1] = {faces, growth(math.log(faces), before and math.log(before.faces))}
    for k, seconds in ipairs(times) do
        table.move({1e9 * seconds, growth(seconds, before and before[k])}, 1, 2, #lines[#lines] + 1, lines[#lines])
    end
end

return function()
    local embree <close>, missing = pipe.program("peer_embree", "libembree-dev")
    if not embree then return {support.note("rays beside Embree", missing)} end
    local rows, lines, before = {}, {{"triangles", "log", "closest, ns per ray", "growth",
        ("closest, %d rays repeated"):format(few), "growth", "Embree", "growth"}}, nil
    for _, level in ipairs(LEVELS) do
        local m <close> = ball(level)
        local times, more = traced(embree, m)
        table.move(more, 1, #more, #rows + 1, rows)
        add_line(lines, m.faces, times, before)
        before, times.faces = times, m.faces
    end
    rows[#rows + 1] = support.table("processor time per ray and the logarithm of the triangles", lines, "%.0f")
    return rows
end
