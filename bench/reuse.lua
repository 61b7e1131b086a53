-- Vertex reuse: the tables and figures of M. Kenzel et al., "On-the-fly vertex reuse" (2018), with its sizes of batches and blocks: orders of triangles compared with
-- libmeshoptimizer (bench/peer/peer_meshopt.c), shading rates (Table 1), rendering (Table 2 and Fig. 8), Loop's subdivision (Fig. 9), envelopes (Table 3), and a random walk
-- (section 5.3). Figs. 8 and 9 are means over the meshes, relative to the naive strategy, for both algorithm families: for the other family this file runs itself again as a
-- script. Meshes are in Forsyth's order. Of the paper's meshes only the bunny and a sphere are at hand.
local folder = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = folder .. "/../?.lua;" .. package.path

local rill = require "rill"
local support = require "bench.support"

local as_script <const> = arg[1] == "--figures"
local rounds <const> = as_script and 1 or 3
local LOADS <const> = {0, 256, 512, 1024}
local DATA <const> = (os.getenv "RILL_DATA" or "../shared/data") .. "/meshes/"
local strategies <const> = rill.reuse.strategies()

local function loaded(list, name, file)
    local there <close> = io.open(DATA .. file)
    if there then table.insert(list, 1, {name, rill.mesh.load(DATA .. file)}) end
    return list
end

local function meshes()
    return loaded({{"sphere", rill.mesh.icosphere(6)}}, "bunny", "stanford-bunny.obj")
end

-- Races contenders. Returns their seconds, and the seconds relative to the first of them.
local function raced(racers, most)
    local times, relative = support.least(most or rounds, table.unpack(racers)), {}
    for i, time in ipairs(times) do relative[i] = time / times[1] end
    return times, relative
end

-- Returns a line of a table: a title and formatted numbers.
local function line(title, list, format, scale)
    local cells = {title}
    for i, x in ipairs(list) do cells[i + 1] = (format or "%.2f"):format(x * (scale or 1)) end
    return cells
end

-- Returns the index of the fastest strategy except naive, without multi if `batched`.
local function best_of(relative, batched)
    local best = 2
    for i = 3, #relative do
        if relative[i] < relative[best] and not (batched and strategies[i] == "multi") then best = i end
    end
    return best
end

local function best_row(case, relative, batched, goal)
    local best = best_of(relative, batched)
    return support.note(case, ("%.2f x naive (%s)"):format(1 / relative[best], strategies[best]), goal)
end

-- Returns the means over the meshes of their relative times.
local function mean(lists)
    local sums = {}
    for _, list in ipairs(lists) do
        for i, x in ipairs(list) do sums[i] = (sums[i] or 0) + x / #lists end
    end
    return sums
end

-- ---- orders, and Table 1

-- Entries, indices in a warp, triangles in a group; permitted percent.
local MODELS <const> = {{16, 0, 0, 4}, {32, 32, 32, 2}}

local function orders(rows, name, m)
    local peer = require "peer"
    local packed, ordered, theirs = m.triangles:bytes(), nil, nil
    if not peer.meshopt_order(packed, m.vertices) then
        rows[#rows + 1] = support.note("order of " .. name, "libmeshoptimizer is not installed")
        return
    end
    local least = support.least(15, function()
        return support.timed(function() ordered = rill.reuse.order(m.triangles, "forsyth") end, 1)
    end, function()
        local seconds
        seconds, theirs = peer.meshopt_order(packed, m.vertices)
        return seconds
    end)
    rows[#rows + 1] = support.faster("Forsyth's order, " .. name, least[1], "libmeshoptimizer", least[2], 1)
    for _, model in ipairs(MODELS) do
        local entries, warp, group, percent = table.unpack(model)
        local mine = peer.meshopt_acmr(ordered:bytes(), m.vertices, entries, warp, group)
        local reference = peer.meshopt_acmr(theirs, m.vertices, entries, warp, group)
        rows[#rows + 1] = support.note(("  misses, cache (%d,%d,%d)"):format(entries, warp, group),
            ("%.4f, %.4f: %.3f x"):format(mine, reference, mine / reference),
            ("<= %.2f x"):format(1 + percent / 100))
    end
end

local identity = rill.kernel "kernel int identity(int i) { return i; }"

local function rates(list)
    local lines = {{"misses or invocations per triangle", "vertices", "triangles", "ideal", "blocks 1024", "2048",
        "4096", "sliding 1024", "2048", "4096", "driver", "warp", "dynamic"}}
    for _, one in ipairs(list) do
        local triangles <close> = rill.reuse.order(one[2].triangles, "forsyth")
        local _, ideal = rill.reuse.cache(triangles)
        local cells = {one[1], one[2].vertices, one[2].faces, ideal}
        for _, window in ipairs {"blocks", "sliding"} do
            for _, entries in ipairs {1024, 2048, 4096} do
                cells[#cells + 1] = (rill.reuse.cache(triangles, {entries = entries, parallel = 1024, window = window}))
            end
        end
        cells[#cells + 1] = select(2, rill.reuse.driver(triangles))
        for _, run in ipairs {{"warp", {batch = 96, warp = 32}}, {"hash", {batch = 1023, block = 256}}} do
            local _ <close>, report = rill.reuse.run(run[1], triangles, identity, {}, run[2])
            cells[#cells + 1] = report.asr
        end
        lines[#lines + 1] = cells
    end
    return support.table("Table 1, shading rates; tree, buddha, dragon and the scenes of games are left out", lines)
end

-- ---- Table 2: rendering

-- Returns a vertex kernel with five output components and a load of `count` dependent multiply-adds, eight in each iteration of a loop.
local function kernel_of(count)
    local step = ("a = fma(a, s, 0.25); "):rep(8)
    return rill.kernel(([=[
        kernel void load(int i, vec3 x[], vec4 m0, vec4 m1, vec4 m2, float s, out vec4 r<>, out float d<>) {
          vec4 p = vec4(x[i], 1.0);
          float a = p.x;
          for (int k = 0; k < %d; k++) { %s }
          r = vec4(dot(m0, p), dot(m1, p), dot(m2, p), 1.0);
          d = a;
        }
    ]=]):format(count // 8, step))
end

local RENDER_SIZES <const> = {
    warp = {batch = 96, warp = 32}, hash = {batch = 1023, block = 256}, parallel_hash = {batch = 1023, block = 256},
    sort = {batch = 1023, block = 256},
}

-- Returns the seconds and the relative times of the strategies for a load.
local function rendered(m, triangles, load)
    local kernel, racers = kernel_of(load), {}
    local arguments = {m.positions, {1, 0, 0, 0.5}, {0, 1, 0, 0.5}, {0, 0, 1, 0.5}, 0.75}
    for i, strategy in ipairs(strategies) do
        racers[i] = function()
            return support.timed(function()
                local r, d = rill.reuse.run(strategy, triangles, kernel, arguments, RENDER_SIZES[strategy])
                r:close()
                d:close()
            end, 1)
        end
    end
    return raced(racers, as_script and 1 or 15) -- a few milliseconds each
end

local function load_name(load) return load == 0 and "simple" or load .. " FMA" end

-- Adds a table of a mesh to rows, and its relative times to figure[load].
local function rendering(rows, figure, name, m)
    local triangles <close> = rill.reuse.order(m.triangles, "forsyth")
    local lines, goals, from = {{"ms", table.unpack(strategies)}}, {}, nil
    for _, load in ipairs(LOADS) do
        local times, relative = rendered(m, triangles, load)
        table.insert(figure[load], relative)
        lines[#lines + 1] = line(load_name(load), times, nil, 1e3)
        lines[#lines + 1] = line("  relative to naive", relative)
        local faster = relative[best_of(relative, true)] < 1
        from = from or faster and load
        if load >= 512 then
            goals[#goals + 1] = best_row(("%s, %s, best batch strategy"):format(name, load_name(load)), relative, true,
                ">= 2.00 x")
        end
    end
    rows[#rows + 1] = support.table(("Table 2, rendering, %s: %d triangles"):format(name, m.faces), lines)
    table.move(goals, 1, #goals, #rows + 1, rows)
    rows[#rows + 1] = support.note(name .. ", a batch strategy beats naive",
        from and "from " .. load_name(from) or "never")
end

-- ---- Fig. 9: Loop's subdivision

-- The vertex kernel computes vertex i of the output from the input: an old vertex, or the new one of edge i - n.
local LOOP_SIZES <const> = {
    warp = {batch = 96, warp = 32}, hash = {batch = 192, block = 64}, parallel_hash = {batch = 192, block = 64},
    sort = {batch = 768, block = 256},
}
local loop = rill.program [=[
    kernel void ends(ivec2 e[], int edges, out int vertex<>, out int edge<>) {
        int i = indexof(vertex).x;
        edge = i < edges ? i : i - edges;
        ivec2 v = e[edge];
        vertex = i < edges ? v.x : v.y;
    }
    kernel void owners(int twin<>, int edge<>, inout int own[]) {
        int h = indexof(twin).x;
        if (twin < h) own[edge] = h;
    }
    kernel void vertex(int i, int n, vec3 p[], ivec3 t[], ivec2 e[], int own[], int twin[], int start[], int ring[],
            out vec3 r<>) {
        if (i >= n) {
            ivec2 v = e[i - n];
            int h = own[i - n], other = twin[h];
            vec3 s = 0.5 * (p[v.x] + p[v.y]);
            if (other >= 0) {
                ivec3 here = t[h / 3], there = t[other / 3];
                s = 0.75 * s + 0.125 * (p[here[(h + 2) % 3]] + p[there[(other + 2) % 3]]);
            }
            r = s;
        } else {
            int from = start[i], to = start[i + 1], border = 0;
            vec3 sum = vec3(0.0), curve = vec3(0.0);
            for (int k = from; k < to; k++) {
                ivec2 v = e[ring[k]];
                vec3 x = p[v.x == i ? v.y : v.x];
                sum += x;
                if (twin[own[ring[k]]] < 0) { border++; curve += x; }
            }
            float count = float(to - from), c = 0.375 + 0.25 * cos(6.2831853 / count);
            float beta = to - from == 3 ? 0.1875 : (0.625 - c * c) / count;
            r = border == 2 ? 0.75 * p[i] + 0.125 * curve : border > 2 ? p[i] : p[i] + beta * (sum - count * p[i]);
        }
    }
]=]

-- Adds a table of a mesh to rows, and its relative times to the figure.
local function subdivision(rows, figure, name, m)
    local expected <close> = rill.subdivide.loop(m, {levels = 1})
    local around, halves = m:adjacency(), 3 * m.faces
    local edges, own = around.edges.size, rill.stream("int", around.edges.size)
    local twin = around.twin:reshape(halves)
    loop.owners(twin, around.edge:reshape(halves), own)
    local vertex, edge = loop.ends {e = around.edges, edges = edges, shape = 2 * edges}
    local sorted, ring = rill.sort_by_key(vertex, edge)
    local start = rill.searchsorted(sorted, rill.iota(m.vertices + 1))
    local arguments = {m.vertices, m.positions, m.triangles, around.edges, own, twin, start, ring}
    local corners, racers, share = expected.triangles, {}, {}
    local positions = rill.gather(expected.positions, rill.from(corners:values(), "int")):values()
    for i, strategy in ipairs(strategies) do
        local out <close>, report = rill.reuse.run(strategy, corners, loop.vertex, arguments, LOOP_SIZES[strategy])
        share[i] = report.invocations / (3 * corners.size)
        for k, x in ipairs(out:values()) do
            assert(math.abs(x - positions[k]) < 1e-6, strategy .. ": the result differs from rill.subdivide.loop")
        end
        racers[i] = function()
            return support.timed(function()
                rill.reuse.run(strategy, corners, loop.vertex, arguments, LOOP_SIZES[strategy]):close()
            end, 1)
        end
    end
    local times, relative = raced(racers)
    figure[#figure + 1] = relative
    rows[#rows + 1] = support.table(("Fig. 9, Loop's subdivision, %s: %d triangles; buddha is left out"):format(name,
        m.faces), {{"one step", table.unpack(strategies)}, line("ms", times, nil, 1e3),
        line("  relative to naive", relative), line("  invocations", share)})
    rows[#rows + 1] = best_row("Loop, " .. name .. ", best strategy", relative, false, ">= 1.00 x")
end

-- ---- Table 3: envelopes

-- The vertex kernel of envelopes, whose sizes are in rill.mesh.envelope. The bound is the ratio of invocations.
local function envelopes(rows, name, m)
    local share, racers = {}, {}
    for i, strategy in ipairs(strategies) do
        racers[i] = function()
            local inner, outer, report = rill.mesh.envelope(m, {reuse = strategy})
            inner:close()
            outer:close()
            share[i] = report.invocations / (3 * m.faces)
            return report.seconds
        end
    end
    local times, relative = raced(racers)
    rows[#rows + 1] = support.table(("Table 3, envelopes, %s: %d triangles; buddha, and the open bunny, are left out")
        :format(name, m.faces), {{"vertex kernel", table.unpack(strategies)}, line("ms", times, nil, 1e3),
        line("  relative to naive", relative), line("  invocations", share)})
    local best = best_of(relative, true)
    rows[#rows + 1] = best_row(("envelopes, %s, at most %.2f x"):format(name, 1 / share[best]), relative, true,
        ">= 1.00 x")
end

-- ---- random walk

local AGENTS <const> = 300000

local function walk(rows)
    local agents = dofile(support.folder .. "/../examples/support/agents.lua")
    local activity, keys = agents.field(agents.SIDE), agents.scatter(AGENTS, agents.SIDE, 1)
    local kinds = table.move(strategies, 1, #strategies - 1, 1, {}) -- "multi" computes all indices up to the greatest
    for _, sorted in ipairs {true, false} do
        local share, racers = {}, {}
        for i, strategy in ipairs(kinds) do
            racers[i] = function()
                local report
                local seconds = support.timed(function()
                    local to
                    to, report = agents.step(keys, activity, agents.SIDE, strategy, 7, sorted)
                    to:close()
                end, 1)
                share[i] = report.invocations / AGENTS
                return seconds
            end
        end
        local times, relative = raced(racers)
        local order = sorted and "sorted by cell in each step" or "in random order"
        rows[#rows + 1] = support.table(("Random walk, %d agents %s"):format(AGENTS, order), {
            {"one step", table.unpack(kinds)}, line("ms", times, nil, 1e3), line("  relative to naive", relative),
            line("  invocations", share, "%.3f")})
        rows[#rows + 1] = best_row("walk, " .. (sorted and "sorted" or "random order") .. ", best strategy", relative,
            true, sorted and ">= 2.00 x" or nil)
    end
end

-- ---- both families

-- Returns rows with Table 2 and Fig. 9 of the meshes, and the lines of Figs. 8 and 9.
local function figures()
    local rows, eight, nine, lines = {}, {}, {}, {}
    for _, load in ipairs(LOADS) do eight[load] = {} end
    for _, one in ipairs(meshes()) do
        rendering(rows, eight, one[1], one[2])
        subdivision(rows, nine, one[1], one[2])
        one[2]:close()
    end
    for _, load in ipairs(LOADS) do
        lines[#lines + 1] = line(("Fig. 8, %s, %s"):format(rill.device().family, load_name(load)), mean(eight[load]))
    end
    lines[#lines + 1] = line(("Fig. 9, %s"):format(rill.device().family), mean(nine))
    return rows, lines
end

if as_script then
    local _, lines = figures()
    for _, cells in ipairs(lines) do print(table.concat(cells, "\t")) end
    return
end

return function()
    local rows = {}
    local list = meshes()
    for _, one in ipairs(list) do orders(rows, one[1], one[2]) end
    rows[#rows + 1] = rates(list)
    local more, lines = figures()
    table.move(more, 1, #more, #rows + 1, rows)
    table.insert(lines, 1, {"mean over the meshes, relative to naive", table.unpack(strategies)})
    local other = rill.device().family == "cpu" and "gpu" or "cpu"
    local pipe <close> = io.popen(support.command("RILL_FAMILY=" .. other, support.folder .. "/reuse.lua", "--figures"))
    for text in pipe:lines() do
        local cells = {}
        for cell in text:gmatch "[^\t]+" do cells[#cells + 1] = cell end
        lines[#lines + 1] = cells
    end
    rows[#rows + 1] = support.table("Figs. 8 and 9, both algorithm families", lines)
    local closed = {{"sphere", rill.mesh.icosphere(5)}, {"torus", rill.mesh.torus {segments = {96, 48}}}}
    for _, one in ipairs(loaded(closed, "spot", "spot.obj")) do envelopes(rows, one[1], one[2]) end
    walk(rows)
    return rows
end
