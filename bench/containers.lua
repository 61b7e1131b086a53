-- Address translators against kernels written by hand for one shape, with constant sizes: addresses of random points.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local T <const> = rill.translator
local count <const>, rounds <const> = 1 << 21, 7
local side <const>, page <const>, pages <const> = 256, 8, 32 -- of the cube of points, of its pages, and pages in its side

local text = [[
    const int side = SIDE, page = PAGE, pages = SIDE / PAGE, nowhere = -2147483647 - 1;
    bool inside(ivec3 v) { return uint(v.x) < uint(side) && uint(v.y) < uint(side) && uint(v.z) < uint(side); }

    kernel ivec2 fold(int v<>) { return uint(v) < uint(side * side) ? ivec2(v % side, v / side) : ivec2(nowhere); }

    kernel int one_level(ivec3 v<>, int frames[]) {
        ivec3 g = v / page, o = v % page;
        int w = frames[inside(v) ? (g.z * pages + g.y) * pages + g.x : 0];
        return inside(v) && w != 0 ? (w - 1) * page * page * page + (o.z * page + o.y) * page + o.x : nowhere;
    }

    kernel int two_levels(ivec3 v<>, int root[], int frames[]) {
        ivec3 g = v / page, o = v % page, r = g / 8, i = g % 8;
        int node = root[inside(v) ? (r.z * (pages / 8) + r.y) * (pages / 8) + r.x : 0];
        int w = node == 0 ? 0 : frames[(node - 1) * 512 + (i.z * 8 + i.y) * 8 + i.x];
        return inside(v) && w != 0 ? (w - 1) * page * page * page + (o.z * page + o.y) * page + o.x : nowhere;
    }

    // Random points from a hash of n.
    kernel void points(int n<>, out ivec3 p<>) {
        uint h = uint(n) * 2654435761u;
        h = h ^ h >> 15;
        p = ivec3(h & 255u, h >> 8 & 255u, h >> 16 & 255u);
    }
    kernel int frame_of_two(int n<>) { // entry n of the lower nodes: its frame among pages in row-major order, and 1
        int node = n / 512, i = n % 512;
        ivec3 r = ivec3(node % (pages / 8), node / (pages / 8) % (pages / 8), node / (pages / 8 * (pages / 8)));
        ivec3 g = r * 8 + ivec3(i % 8, i / 8 % 8, i / 64);
        return (g.z * pages + g.y) * pages + g.x + 1;
    }
]]

-- Returns the seconds of the translator and of the hand-written kernel, after checking that both give the same addresses.
local function race(t, points, by_hand)
    local mine <close> = t:translate(points)
    local other <close> = by_hand()
    assert(mine:bytes() == other:bytes(), t.name .. ": other addresses")
    return support.race(rounds, function()
        return support.timed(function() t:translate(points):close() end, 1)
    end, function()
        return support.timed(function() by_hand():close() end, 1)
    end)
end

local cube <const> = {128, 128, 128}

local function each_pair(f)
    local twice = rill.kernel "kernel void twice(float x<>, out float r<>) { r = 2.0 * x; }"
    local both = rill.kernel "kernel void both(float x<>, inout float r<>) { r = 0.5 * r + x; }"
    f("r = 2 x", twice)
    f("r = r / 2 + x", both)
end

-- Returns a hand-written kernel that reads as many tables as a page table of these levels. `sizes`: entries of each table along a dimension, the root first.
local function chain(sizes)
    local tables, steps, below = {}, {}, pages
    for level, size in ipairs(sizes) do
        below = below // size -- sizes are powers of two
        tables[level] = ("int table%d[], "):format(level)
        steps[level] = (([[
            at = g >> BELOW & SIZE - 1;
            w = w > 0 ? tableLEVEL[(w - 1) * SIZE * SIZE * SIZE + (at.z * SIZE + at.y) * SIZE + at.x] : 0;
        ]]):gsub("%u+", {BELOW = math.log(below, 2) // 1 | 0, SIZE = size, LEVEL = level}))
    end
    return rill.kernel((([[
        kernel void chain(ivec3 p<>, TABLES float m[], out float r<>) {
            ivec3 g = p >> SHIFT, o = p & PAGE - 1, at;
            int w = 1;
            STEPS
            r = w > 0 ? m[(w - 1) * PAGE * PAGE * PAGE + (o.z * PAGE + o.y) * PAGE + o.x] : 0.0;
        }]]):gsub("%u%u+", {TABLES = table.concat(tables), STEPS = table.concat(steps), PAGE = page,
            SHIFT = math.log(page, 2) // 1 | 0})))
end

-- Returns its tables, the root first; the last ones have the frames of pages that are stored in row-major order.
local function chain_tables(sizes)
    local tables, nodes = {}, 1
    for level, size in ipairs(sizes) do
        local entries = nodes * size ^ 3 // 1 | 0
        tables[level] = level < #sizes and (rill.iota(entries) + 1):eval()
        nodes = entries
    end
    local lines, below = {"ivec3 g = ivec3(0);", "int rest = n;"}, 1
    for level = #sizes, 1, -1 do
        lines[#lines + 1] = ("g += %d * ivec3(rest %% %d, rest / %d %% %d, rest / %d); "):format(below, sizes[level],
            sizes[level], sizes[level], sizes[level] ^ 2 // 1 | 0):gsub("rest / (%d+)%)", function(square)
            return ("rest / %s %% %d)"):format(square, sizes[level])
        end)
        lines[#lines + 1] = ("rest /= %d;"):format(sizes[level] ^ 3 // 1 | 0)
        below = below * sizes[level]
    end
    local frames = rill.kernel(("kernel int frame(int n<>) { %s return (g.z * %d + g.y) * %d + g.x + 1; }"):format(
        table.concat(lines, "\n"), pages, pages))
    tables[#sizes] = frames(rill.iota(nodes))
    return tables
end

-- Random elements, through page tables and by kernels with constant sizes that read as many tables.
local function add_lookups(rows, points)
    local look = rill.kernel "kernel void look(ivec3 p<>, float c[][][], out float r<>) { r = c[p.z][p.y][p.x]; }"
    local memory <close> = rill.random(side * side * side)
    for levels, sizes in ipairs {{32}, {4, 8}, {2, 4, 4}} do
        local t <close> = T.pages {shape = {side, side, side}, page = {page, page, page}, levels = levels}
        local c <close> = rill.virtual(t:map({0, 0, 0}, {side - 1, side - 1, side - 1}, 0), memory)
        local by_hand, arguments = chain(sizes), {points}
        for level, entries in ipairs(chain_tables(sizes)) do arguments[level + 1] = entries end
        arguments[levels + 2] = memory
        local function mine() return look(points, c) end
        local function other() return by_hand(table.unpack(arguments)) end
        local a <close> = mine()
        local b <close> = other()
        assert(a:bytes() == b:bytes(), "other elements")
        local looked, chained = support.race(rounds, function()
            return support.timed(function() mine():close() end, 1)
        end, function()
            return support.timed(function() other():close() end, 1)
        end)
        local case = ("random lookup, %d level%s, 2^21"):format(levels, levels > 1 and "s" or "")
        rows[#rows + 1] = support.faster(case, looked, "a chain for one shape", chained, 0.9)
    end
end

-- Samples of trees with a fine part, compared with samples of a stream of all nodes.
local function add_adaptive(rows)
    for _, case in ipairs {{rill.quadtree, 1024, 16, 2}, {rill.octree, 128, 8, 3}} do
        local make, size, cells, rank = table.unpack(case)
        local vector = "vec" .. rank
        local place = rill.kernel(([[
            kernel void place(float x<>, float y<>, float z<>, float side, out %s p<>) { p = %s(vec3(x, y, z)) * side; }
        ]]):format(vector, vector))
        local function somewhere(n, seed, part)
            return place(rill.random(n, {seed = seed}), rill.random(n, {seed = seed + 1}),
                rill.random(n, {seed = seed + 2}), size * part)
        end
        local q = make("float", {size = size, page = cells, depth = 1})
        q:refine(somewhere(200, 1, 0.7), 0):refine(somewhere(200, 4, 1), 2)
        rill.kernel [[kernel void wave(out float r<>) {
            ivec4 p = indexof(r); r = sin(float(p.x) * 0.1) + cos(float(p.y + p.z) * 0.07); }]] {r = q}
        local dense <close> = q:stream()
        local p <close> = somewhere(count, 7, 1)
        local out <close> = rill.stream("float", count)
        local function kernel(access)
            return rill.kernel(("kernel void k(%s p<>, float c%s, out float r<>) { r = %s; }"):format(vector,
                ("[]"):rep(rank), access))
        end
        local sample, element = kernel "sample(c, p)", kernel(("c[i%s(p + 0.5)]"):format(vector))
        local function add(name, filter, k, by, goal)
            q:filter_mode(filter)
            local mine, other = support.race(rounds, function()
                return support.timed(function() k {p = p, c = q, r = out} end, 1)
            end, function()
                return support.timed(function() by {p = p, c = dense, r = out} end, 1)
            end)
            local title = ("%s, %s, %d pages"):format(name, rank == 2 and "quadtree" or "octree", q.pages.mapped)
            rows[#rows + 1] = support.faster(title, mine, "of a stream", other, goal)
        end
        add("linear sample", "linear", sample, sample, 0.5)
        add("nearest sample", "nearest", sample, element, 0.5)
        add("gather", "linear", element, element) -- which interpolates: it loads 2^N elements where a stream's is one
        q:close()
    end
end

-- Primitives of containers, for which the mapped elements are copied to a stream, compared with primitives of a stream.
local function add_primitives(rows, c, s)
    for _, name in ipairs {"sum", "scan", "sort"} do
        local function run(x)
            return support.timed(function()
                local result = x[name](x)
                if name ~= "sum" then result:close() end
            end, 1)
        end
        local flat <close> = s:reshape(s.size)
        local mine, other = support.race(rounds, function() return run(c) end, function() return run(flat) end)
        rows[#rows + 1] = support.note(name .. ", pages of 8^3", ("%.2f x that of a stream"):format(mine / other))
    end
end

-- Neighborhood kernels in the same pages, with halos and without: as they are, and with all elements written before each launch, which invalidates
-- all halos.
local function add_overlap(rows, c, d, from, to, size)
    local o <close> = rill.sparse("float", cube, {page = {size, size, size}, overlap = 1})
    o:allocate({1, 1, 1}, cube):write(from)
    local kernels <const> = {
        ["6"] = rill.kernel [[kernel void around(neighbor float x<>, out float r<>) {
            r = x[-1][0][0] + x[1][0][0] + x[0][-1][0] + x[0][1][0] + x[0][0][-1] + x[0][0][1] - 6.0 * x;
        }]],
        ["27"] = rill.kernel [[kernel void all(neighbor float x<>, out float r<>) {
            r = 0.0;
            for (int k = -1; k <= 1; k++) for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) r += x[k][j][i];
        }]],
    }
    local write <const> = rill.kernel "kernel void write(inout float x<>) { x *= 1.0001; }"
    local range <close> = c:active()
    for _, name in ipairs {"6", "27"} do
        local k <const> = kernels[name]
        local function over(x, first)
            return function()
                return support.timed(function()
                    if first then write {x = x} end
                    k {x = x, r = d, over = range}
                end, 3)
            end
        end
        local t = support.least(rounds, function() return support.timed(function() k {x = from, r = to} end, 3) end,
            over(c), over(o), over(c, true), over(o, true))
        for overlap = 0, 1 do
            local case = ("%s neighbors, pages of %d^3, overlap %d"):format(name, size, overlap)
            rows[#rows + 1] = support.costs(case, t[2 + overlap], "streams of 128^3", t[1], 1.25)
        end
        rows[#rows + 1] = support.note("the same, all written before: overlap 1 over 0",
            ("%.2f x its cost"):format(t[5] / t[4]))
    end
end

-- By hand, with known page indices: r = 2 x over pages of 4^3 in the order of a list, which is the same for both. An invocation processes a page, or a fourth
-- of one (16 elements). In memory order, and shuffled as in the containers below, it shows which part of the dense program's speed is possible.
local by_hand <const> = [=[
    layout(local_size_x = 8) in;
    layout(std430, binding = 0) writeonly buffer R { uvec4 r[]; };
    layout(binding = 0) uniform usamplerBuffer x;
    layout(binding = 1) uniform usamplerBuffer places;
    void main() {
        int n = int(gl_WorkGroupID.x) * 64 * STEPS + int(gl_LocalInvocationID.x);
        for (int k = 0; k < 8 * STEPS; k++, n += 8) {
            int at = PLACE;
            for (int step = 0; step < 4 / STEPS; step++, at += 4) {
                uvec4 a = texelFetch(x, at), b = texelFetch(x, at + 1), c = texelFetch(x, at + 2), d = texelFetch(x, at + 3);
                r[at] = floatBitsToUint(2.0 * uintBitsToFloat(a));
                r[at + 1] = floatBitsToUint(2.0 * uintBitsToFloat(b));
                r[at + 2] = floatBitsToUint(2.0 * uintBitsToFloat(c));
                r[at + 3] = floatBitsToUint(2.0 * uintBitsToFloat(d));
            }
        }
    }]=]

local function add_pages_by_hand(rows)
    local x <close> = rill.random(cube, {seed = 1})
    local n <const> = x.size // 64
    local order <close> = rill.iota(n):cast "int"
    local shuffled <close> = rill.permutation(n, {seed = 1})
    local ways <const> = {
        {"dense", "n * 4", 4, order},
        {"a page of 4^3 an invocation, in order", "int(texelFetch(places, n).x) * 16", 1, order},
        {"a fourth of a page, in order", "int(texelFetch(places, n >> 2).x) * 16 + (n & 3) * 4", 4, order},
        {"a page of 4^3 an invocation, shuffled", "int(texelFetch(places, n).x) * 16", 1, shuffled},
        {"a fourth of a page, shuffled", "int(texelFetch(places, n >> 2).x) * 16 + (n & 3) * 4", 4, shuffled},
    }
    local shaders, contenders, expected = {}, {}, nil
    for i, way in ipairs(ways) do
        local program = by_hand:gsub("STEPS", tostring(way[3])):gsub("PLACE", way[2])
        shaders[i] = peer.shader(program, n // 64, x.nbytes, x:bytes(), way[4]:bytes())
        peer.shader_run(shaders[i])
        expected = expected or peer.shader_read(shaders[i])
        assert(peer.shader_read(shaders[i]) == expected, way[1] .. ": other elements")
        contenders[i] = function() return peer.shader_run(shaders[i], 5) end
    end
    local times = {support.race(rounds, table.unpack(contenders))}
    for i = 2, #ways do
        rows[#rows + 1] = support.faster("by hand, " .. ways[i][1], times[i], "by hand, dense", times[1])
    end
    for _, number in ipairs(shaders) do peer.shader_close(number) end
end

-- Launches over all pages of sparse containers, whose pages are stored in shuffled order, and over arrays, compared with launches over streams. If pages are in
-- the same order in both containers, they are read sequentially. In different orders one of them is accessed at random. The programs above access both at
-- random, and show the cost of that.
local function add_launches(rows)
    local from <close> = rill.random(cube)
    local to <close> = rill.stream("float", cube)
    local function add(case, k, x, r, range, goal)
        k {x = x, r = r, over = range}
        local mine, other = support.race(rounds, function()
            return support.timed(function() k {x = x, r = r, over = range} end, 5)
        end, function()
            return support.timed(function() k {x = from, r = to} end, 5)
        end)
        rows[#rows + 1] = goal and support.costs(case, mine, "streams of 128^3", other, goal) or
            support.note(case, ("%.2f x the cost of streams of 128^3"):format(mine / other))
    end
    local function make(size, seed)
        local c = rill.sparse("float", cube, {page = {size, size, size}})
        local n <const> = 128 // size
        local order <close> = rill.permutation(n * n * n, {seed = seed})
        for _, p in ipairs(order:values()) do
            c:allocate {p // (n * n) * size + 1, p // n % n * size + 1, p % n * size + 1}
        end
        return c
    end
    for _, size in ipairs {4, 8, 16, 32} do
        local c = make(size, 1)
        local d <close> = c:copy()
        local other <close> = make(size, 2)
        each_pair(function(name, k)
            add(("%s, pages of %d^3"):format(name, size), k, c, d, c:active(), 1.25)
            add(("%s, pages of %d^3 in two orders"):format(name, size), k, c, other, c:active())
        end)
        local around <const> = rill.kernel [[kernel void around(neighbor float x<>, out float r<>) {
            r = x[-1][0][0] + x[1][0][0] + x[0][-1][0] + x[0][1][0] + x[0][0][-1] + x[0][0][1] - 6.0 * x;
        }]]
        add(("six neighbors, pages of %d^3"):format(size), around, c, d, c:active(), 1.25)
        if size == 8 then add_primitives(rows, c:write(from), from) end
        if size <= 8 then add_overlap(rows, c, d, from, to, size) end
        c:close()
    end
    local a <close> = rill.array("float", cube)
    local b <close> = rill.array("float", cube)
    each_pair(function(name, k) add(name .. ", arrays", k, a, b, nil, 1.1) end)
end

-- The cost of an operation on one page over the number of mapped pages, in boxes of pages of 2^3 elements, and in larger domains. It should not grow. Growth of
-- memory is excluded. Iteration touches all pages. Seconds of each operation, by its column.
local costs <const> = {"allocate", "release", "snapshot", "write shared", "diff", "undo", "iterate"}

local function page_cost(side_pages, box)
    local runs <const>, double = 200, rill.kernel "kernel void double_all(inout float x<>) { x *= 2.0; }"
    local c <close> = rill.sparse("float", {2 * side_pages, 2 * side_pages, 2 * side_pages}, {page = {2, 2, 2}})
    c:allocate({1, 1, 1}, {2 * box[1], 2 * box[2], 2 * box[3]})
    local line, at, taken = {mapped = c.pages.mapped}, 0, {}
    local function add(name, f, times)
        at = 0
        line[name] = support.timed(function()
            at = at + 1
            f()
        end, times)
    end
    local last = 2 * side_pages
    local function far() return {last, last, 2 * at} end
    c:allocate({last, last, 1}, {last, last, 2 * runs}):release({last, last, 1}, {last, last, 2 * runs})
    add("allocate", function() c:allocate(far()) end, runs)
    add("release", function() c:release(far()) end, runs)
    add("snapshot", function() taken[at] = c:snapshot() end, runs)
    for _, s in ipairs(taken) do s:close() end
    local s <close> = c:snapshot()
    add("write shared", function() c:set(1, 1, 1 + (at - 1) // 10 * 2, 2 * ((at - 1) % 10) + 1) end, 100)
    add("diff", function() c:diff(s):close() end, 10)
    add("undo", function() c:undo(s) end, 1)
    s:close()
    double {x = c, over = c:active()}
    add("iterate", function()
        local range <close> = c:active()
        double {x = c, over = range}
    end, 5)
    return line
end

-- The cost of pages that points on the device request, in any order, and of pages that are already mapped: the least of three.
local point_costs <const> = {"allocate", "again", "release"}

local function point_cost(wanted, beside)
    local at <const> = rill.kernel "kernel void at(int i<>, out ivec2 r<>) { r = 8 * ivec2(i % 2048, i / 2048); }"
    local line, c <close> = {}, rill.sparse("float", {16384, 16384}, {page = {8, 8}})
    local order <close> = rill.permutation(2048 * 2048, {seed = 1})
    local points <close> = at(order:domain(1, wanted))
    local others <close> = at(order:domain(wanted + 1, wanted + math.max(beside, 1)))
    c:allocate(points):release(points):allocate(beside > 0 and others or {1, 1})
    for _ = 1, 3 do
        for i, f in ipairs {c.allocate, c.allocate, c.release} do
            local name = point_costs[i]
            line[name] = math.min(line[name] or math.huge, support.timed(function() f(c, points) end, 1))
        end
    end
    return line
end

local function add_point_costs(rows)
    local lines, by_pages = {{"pages", table.unpack(point_costs)}}, {}
    for _, wanted in ipairs {100, 1000, 10000, 100000} do
        local found, line = point_cost(wanted, 0), {("%d"):format(wanted)}
        by_pages[wanted] = found
        for _, name in ipairs(point_costs) do line[#line + 1] = support.duration(found[name]) end
        lines[#lines + 1] = line
    end
    local many <const> = point_cost(10000, 1000000)
    for _, name in ipairs(point_costs) do
        rows[#rows + 1] = support.costs(name .. " 10^4 pages of points beside 10^6", many[name], "beside one",
            by_pages[10000][name], 2)
    end
    rows[#rows + 1] = support.table("Cost of pages that points on the device request", lines)
end

-- Beyond the caches, elements of a stream cost more too.
local function stream_cost(elements)
    local s <close> = rill.stream("float", elements):fill(1)
    local double = rill.kernel "kernel void double_all(inout float x<>) { x *= 2.0; }"
    local least = math.huge
    for _ = 1, 4 do
        least = math.min(least, support.timed(function() double(s) end, 5))
    end
    return least
end

-- The least of three.
local function least_cost(side_pages, box)
    local line = page_cost(side_pages, box)
    for _ = 1, 2 do
        for name, seconds in pairs(page_cost(side_pages, box)) do line[name] = math.min(line[name], seconds) end
    end
    return line
end

local function add_page_costs(rows)
    local boxes <const> = {{1, 10, 10}, {1, 32, 32}, {1, 100, 100}, {1, 256, 256}, {16, 256, 245}}
    local lines, by_side = {{"domain", "mapped pages", table.unpack(costs)}}, {}
    for _, side_pages in ipairs {256, 1024, 4096} do
        by_side[side_pages] = {}
        for i, box in ipairs(boxes) do
            local found = least_cost(side_pages, box)
            by_side[side_pages][i] = found
            local line = {("%d^3"):format(2 * side_pages), ("%d"):format(found.mapped)}
            for _, name in ipairs(costs) do line[#line + 1] = support.duration(found[name]) end
            lines[#lines + 1] = line
        end
    end
    local few, many, far = by_side[256][1], by_side[256][#boxes], by_side[4096][#boxes]
    for _, name in ipairs(costs) do
        if name ~= "iterate" then
            rows[#rows + 1] = support.costs(name .. " a page among 10^6", many[name], "among 10^2", few[name], 2)
        end
        rows[#rows + 1] = support.costs(name .. ", domain of 8192^3", far[name], "of 512^3", many[name], 2)
    end
    local some = by_side[256][3]
    local mine, other = many.iterate / some.iterate, stream_cost(8 * many.mapped) / stream_cost(8 * some.mapped)
    local result = ("%.0f x 10^4 pages; a stream of as many elements %.0f x"):format(mine, other)
    rows[#rows + 1] = support.note("iterate, 10^6 pages", result, ("<= %.0f x"):format(math.max(other,
        many.mapped / some.mapped)))
    rows[#rows + 1] = support.table("Cost of an operation on one page (diff and undo: 100 pages)", lines)
end

-- Linear interpolation by the texture unit, compared with interpolation in a stream: 2^21 random positions.
local function add_samples(rows)
    for _, shape in ipairs {{1024, 1024}, cube} do
        local rank = #shape
        local vector = rank == 2 and "vec2" or "vec3"
        local stream <close> = rill.random(shape, {seed = 1})
        local out <close> = rill.stream("float", count)
        local texture <close> = rill.array("float", shape, {storage = "texture"})
        texture:write(stream)
        local place = rill.kernel(([[
            kernel void place(float x<>, float y<>, float z<>, float side, out %s p<>) { p = %s(vec3(x, y, z)) * side; }
        ]]):format(vector, vector))
        local p <close> = place(rill.random(count, {seed = 2}), rill.random(count, {seed = 3}),
            rill.random(count, {seed = 4}), shape[1] - 1)
        local k = rill.kernel(("kernel void k(%s p<>, float c%s, out float r<>) { r = sample(c, p); }"):format(
            vector, ("[]"):rep(rank)))
        local function run(c)
            return function() return support.timed(function() k {p = p, c = c, r = out} end, 2) end
        end
        local mine, other = support.race(rounds, run(texture), run(stream))
        local case = ("sample, %d-D texture, 2^21 positions"):format(rank)
        rows[#rows + 1] = support.costs(case, mine, "of a stream", other, 1.1)
    end
end

return function()
    local hand = rill.program((text:gsub("SIDE", side):gsub("PAGE", page)))
    local line <close> = rill.random(count, {type = "int", low = 0, high = side * side - 1, seed = 1})
    local points <close> = hand.points(rill.iota(count))
    local last, entries = {side - 1, side - 1, side - 1}, rill.iota(pages * pages * pages)
    local one, two = (entries + 1):eval(), hand.frame_of_two(entries)
    local root = (rill.iota(pages * pages * pages // 512) + 1):eval()
    local shape, sizes = {side, side, side}, {page, page, page}
    local function mapped(levels)
        return T.pages {shape = shape, page = sizes, levels = levels}:map({0, 0, 0}, last, 0)
    end
    local cases = {
        {"1-D to 2-D", T.fold {shape = side * side, to = {side, side}}, line, function() return hand.fold(line) end},
        {"page table, 1 level", mapped(1), points, function() return hand.one_level(points, one) end},
        {"page table, 2 levels", mapped(2), points, function() return hand.two_levels(points, root, two) end},
    }
    local rows = {}
    for i, case in ipairs(cases) do
        local mine, other = race(case[2], case[3], case[4])
        rows[i] = support.costs(case[1] .. ", 2^21 addresses", mine, "a kernel of one shape", other, 1.1)
    end
    local hash = T.hash {page = sizes}:map({0, 0, 0}, last, 0)
    local mine, other = race(hash, points, function() return hand.one_level(points, one) end)
    rows[#rows + 1] = support.note("spatial hash, 2^21 addresses", ("%.2f x that of 1 level"):format(mine / other))
    add_lookups(rows, points)
    add_adaptive(rows)
    add_pages_by_hand(rows)
    add_launches(rows)
    add_samples(rows)
    add_page_costs(rows)
    add_point_costs(rows)
    return rows
end
