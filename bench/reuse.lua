-- Vertex reuse, as Table 2 and Fig. 8 of M. Kenzel et al., "On-the-fly vertex reuse" (2018): times of the strategies for vertex kernels of different cost, relative
-- to the naive strategy. Loads are "simple" (a matrix product) and 256, 512 and 1024 fused multiply-adds that depend on each other. Sizes are those of the paper: batches
-- of 96 indices and warps of 32; batches of 1,023 indices with 256 distinct ones. Of its meshes only the bunny and a sphere are at hand; tree, buddha, dragon and the
-- scenes of games are left out. Triangles are in Forsyth's order. Also the time of the orders compared with libmeshoptimizer, in bench/peer/peer_meshopt.c.
local rill = require "rill"
local support = require "bench.support"

local rounds <const> = 5
local LOADS <const> = {0, 256, 512, 1024}
local data <const> = (os.getenv "RILL_DATA" or "../shared/data") .. "/meshes/stanford-bunny.obj"

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

local function meshes()
    local list = {{"sphere", rill.mesh.icosphere(6)}}
    local file <close> = io.open(data)
    if file then table.insert(list, 1, {"bunny", rill.mesh.load(data)}) end
    return list
end

local function seconds(m, triangles, kernel, strategy)
    local arguments = {m.positions, {1, 0, 0, 0.5}, {0, 1, 0, 0.5}, {0, 0, 1, 0.5}, 0.75}
    return support.timed(function()
        local r, d = rill.reuse.run(strategy, triangles, kernel, arguments)
        r:close()
        d:close()
    end, 1)
end

local function table_of(name, m)
    local triangles = rill.reuse.order(m.triangles, "forsyth")
    local strategies = rill.reuse.strategies()
    local lines = {{name .. ", ms", table.unpack(strategies)}}
    for _, load in ipairs(LOADS) do
        local kernel, racers = kernel_of(load), {}
        for i, strategy in ipairs(strategies) do
            racers[i] = function() return seconds(m, triangles, kernel, strategy) end
        end
        local times = {support.race(rounds, table.unpack(racers))}
        local absolute, relative = {load == 0 and "simple" or load .. " FMA"}, {"  relative to naive"}
        for i, time in ipairs(times) do
            absolute[i + 1], relative[i + 1] = ("%.2f"):format(time * 1e3), ("%.2f"):format(time / times[1])
        end
        lines[#lines + 1], lines[#lines + 2] = absolute, relative
    end
    return support.table(("Table 2, %s: %d triangles"):format(name, m.faces), lines)
end

-- ---- applications

-- Races contenders. Returns a line with their times, and one relative to the first of them.
local function lines_of(racers)
    local times = {support.race(rounds, table.unpack(racers))}
    local absolute, relative = {"ms"}, {"  relative to naive"}
    for i, time in ipairs(times) do
        absolute[i + 1], relative[i + 1] = ("%.2f"):format(time * 1e3), ("%.2f"):format(time / times[1])
    end
    return absolute, relative
end

-- Table 3: the vertex kernel of envelopes, with the sizes of section 5.2. The bound is the ratio of invocations.
local function envelope_table(name, m)
    local strategies, bound, racers = rill.reuse.strategies(), {"  invocations"}, {}
    for i, strategy in ipairs(strategies) do
        racers[i] = function()
            local inner, outer, report = rill.mesh.envelope(m, {reuse = strategy})
            inner:close()
            outer:close()
            bound[i + 1] = ("%.2f"):format(report.invocations / (3 * m.faces))
            return report.seconds
        end
    end
    local absolute, relative = lines_of(racers)
    return support.table(("Table 3, envelopes, %s: %d triangles"):format(name, m.faces),
        {{"vertex kernel", table.unpack(strategies)}, absolute, relative, bound})
end

-- Fig. 9: one step of Loop's subdivision from the viewpoint of the output triangles. The vertex kernel computes vertex i of the output from the input: an old
-- vertex, or the new one of edge i - n. Sizes are those of section 5.1.
local LOOP_SIZES <const> = {
    warp = {batch = 96}, hash = {batch = 192, block = 64}, parallel_hash = {batch = 192, block = 64},
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

local function loop_table(name, m)
    local expected <close> = rill.subdivide.loop(m, {levels = 1})
    local around, halves = m:adjacency(), 3 * m.faces
    local edges, own = around.edges.size, rill.stream("int", around.edges.size)
    local twin = around.twin:reshape(halves)
    loop.owners(twin, around.edge:reshape(halves), own)
    local vertex, edge = loop.ends {e = around.edges, edges = edges, shape = 2 * edges}
    local sorted, ring = rill.sort_by_key(vertex, edge)
    local start = rill.searchsorted(sorted, rill.iota(m.vertices + 1))
    local arguments = {m.vertices, m.positions, m.triangles, around.edges, own, twin, start, ring}
    local corners, strategies, racers = expected.triangles, rill.reuse.strategies(), {}
    local bound = {"  invocations"}
    local positions = rill.gather(expected.positions, rill.from(corners:values(), "int")):values()
    for i, strategy in ipairs(strategies) do
        local out, report = rill.reuse.run(strategy, corners, loop.vertex, arguments, LOOP_SIZES[strategy])
        bound[i + 1] = ("%.2f"):format(report.invocations / (3 * corners.size))
        for k, x in ipairs(out:values()) do
            assert(math.abs(x - positions[k]) < 1e-6, strategy .. ": the result differs from rill.subdivide.loop")
        end
        out:close()
        racers[i] = function()
            return support.timed(function()
                rill.reuse.run(strategy, corners, loop.vertex, arguments, LOOP_SIZES[strategy]):close()
            end, 1)
        end
    end
    local absolute, relative = lines_of(racers)
    return support.table(("Fig. 9, Loop's subdivision, %s: %d triangles"):format(name, m.faces),
        {{"one step", table.unpack(strategies)}, absolute, relative, bound})
end

return function()
    local rows = {}
    for _, one in ipairs(meshes()) do
        rows[#rows + 1] = table_of(one[1], one[2])
        rows[#rows + 1] = loop_table(one[1], one[2])
        one[2]:close()
    end
    local spot <const> = data:gsub("stanford%-bunny", "spot")
    local list = {{"sphere", rill.mesh.icosphere(5)}, {"torus", rill.mesh.torus {segments = {96, 48}}}}
    local file <close> = io.open(spot)
    if file then table.insert(list, 1, {"spot", rill.mesh.load(spot)}) end
    for _, one in ipairs(list) do
        rows[#rows + 1] = envelope_table(one[1], one[2])
        one[2]:close()
    end
    return rows
end
