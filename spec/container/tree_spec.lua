local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local trees = require "spec.support.trees"

local raises <const> = check.raises
local close <const>, index <const> = trees.close, trees.index
local gathers <const>, steps <const> = trees.gathers, trees.steps
local pair <const>, compare <const>, compare_nodes <const> = trees.pair, trees.compare, trees.compare_nodes

local sizes <const> = {
    {size = {32, 16}, page = {4, 2}, long = true}, {size = {24, 24}, page = {3, 3}, long = true},
    {size = {8, 8}, page = {1, 1}, long = true}, {size = {8, 16, 8}, page = {2, 4, 2}},
    {size = {4, 4, 4}, page = {1, 1, 1}, long = true},
}

local names <const> = {"points", "mask", "coarsen", "write", "set", "launch", "mipmap", "copy"}

describe("an adaptive container", function()
    leaks.watch(setup, teardown)

    for number, case in ipairs(sizes) do
        local name <const> = "of %d dimensions and pages of %d is what its model is (%d)"
        it(name:format(#case.size, case.page[1], number) .. (case.long and " #long" or ""), function()
            local random = order.generator(number)
            local q, m = pair(case, ({nil, nil, "repeat"})[number])
            for step = 1, 16 do
                local action = names[1 + random(#names)]
                q = steps[action](q, m, random) or q
                steps.mipmap(q, m) -- pages that are not leaves may be out of date otherwise
                local done, message = pcall(compare, q, m, random)
                if done and step % 8 == 0 then done, message = pcall(compare_nodes, q, m) end
                assert(done, ("step %d, %s: %s"):format(step, action, message))
            end
            for _ = 1, 8 do
                q:coarsen(rill.kernel "kernel void all(float x<>, out bool r<>) { r = true; }")
            end
            assert.equal(1, q.pages.mapped)
        end)
    end

    local function compare_borders(case)
        for number, edge in ipairs {"dirichlet", "neumann"} do
            local random = order.generator(number)
            local q, m = pair(case, edge)
            for _, name in ipairs {"points", "launch", "write", "points", "launch", "coarsen", "set"} do
                steps[name](q, m, random)
                compare_nodes(q, m)
            end
        end
    end

    it("has nodes on its border that keep a value, or follow those inside", function()
        compare_borders(sizes[3])
        local q = rill.quadtree("float", {size = 8, page = 2}):boundary("dirichlet", 3)
        q:fill(1)
        assert.same({3.0, 1.0, 3.0, 3.0}, {q:get(1, 5), q:get(5, 5), q:get(9, 9), q:boundary("clamp"):get(9, 3)})
    end)

    it("has them in larger pages, and in three dimensions #long", function()
        compare_borders(sizes[1])
        compare_borders(sizes[5])
    end)

    it("is sampled at the nearest node, between nodes and between levels", function()
        local random = order.generator(6)
        local q, m = pair(sizes[1])
        for _, name in ipairs {"points", "launch", "points", "launch"} do steps[name](q, m, random) end
        steps.mipmap(q, m)
        local points, levels = {}, {}
        for i = 1, 60 do
            points[i] = {random(32 * 8) / 8 + 1 / 32, random(16 * 8) / 8 + 1 / 32}
            levels[i] = random(4 * 8) / 8 + 1 / 32
        end
        local k, stream = rill.kernel(gathers[2]), rill.from(points, "vec2")
        local nearest = k(stream, rill.from(levels, "float"), q:filter_mode "nearest"):values()
        local linear = k(stream, rill.from(levels, "float"), q:filter_mode "linear"):values()
        local trilinear = k(stream, rill.from(levels, "float"), q:filter_mode "trilinear"):values()
        for i, p in ipairs(points) do
            local level = math.floor(levels[i] + 0.5)
            local page, node = m:find({p[1] // 1 | 0, p[2] // 1 | 0}, math.min(level, m.top)), {}
            for d = 1, 2 do node[d] = (p[d] / (1 << page.level) + 0.5) // 1 * (1 << page.level) end
            close(m:inside(page, node), nearest[i], "nearest")
            close(m:sample(p, level), linear[i], "linear")
            local low = math.floor(levels[i])
            local part = levels[i] - low
            close((1 - part) * m:sample(p, low) + part * m:sample(p, low + 1), trilinear[i], "trilinear")
        end
        local plain = rill.from({{1, 2}, {3, 4}}, "float")
        assert.same({2.5, 1.0}, k(rill.from({{0.5, 0.5}, {0, 0}}, "vec2"), rill.from({0, 5}, "float"), plain):values())
    end)

    local function compare_weights(number, case)
        local random = order.generator(number)
        local q, m = pair(case)
        local lower = rill.kernel "kernel void lower(inout float x<>) { x = x - 8.0; }"
        for _, name in ipairs {"points", "launch", "points", "write"} do steps[name](q, m, random) end
        local range <close> = q:active()
        lower {x = q, over = range}
        local nodes = {}
        m:visit(function(x, value) nodes[#nodes + 1] = {x, value - 8} end)
        for _, node in ipairs(nodes) do m:put(node[1], node[2]) end
        m:sync()
        q:mipmap "x"
        m:mipmap(true)
        compare(q, m, random)
    end

    it("has coarser levels in which elements weigh by a component", function()
        local paint = rill.octree("vec4", {size = 4, page = 2, depth = 1, default = {9, 9, 9, 0}})
        paint:set({1, 2, 3, 4}, 2, 2, 2):set({5, 5, 5, 1}, 1, 1, 2):mipmap "w"
        local look = rill.kernel "kernel vec4 look(vec3 p<>, vec4 q[][][]) { return sample(q, p, 1.0); }"
        local at = look(rill.from({{0, 0, 0}, {4, 4, 4}}, "vec3"), paint)
        assert.same({3, 3.5, 4, 2.5}, at:get(1)) -- a share of 4 / 8 and one of 1 / 2: w over the coarse nodes that share it
        assert.same({9, 9, 9, 0}, at:get(2))
    end)

    it("has them as its model has them #long", function()
        compare_weights(1, sizes[1])
        compare_weights(2, sizes[2])
        compare_weights(3, sizes[4])
    end)

    it("keeps the nodes' values in coarser levels with 'nearest'", function()
        local q = rill.quadtree("float", {size = 256, page = 4})
        q:refine(rill.from({{10, 10}, {200, 90}, {131, 250}}, "vec2"), rill.from({0, 1, 2}, "int"))
        local k = rill.program [=[
            kernel void hills(out float r<>) { ivec4 p = indexof(r); r = float(p.x * 7 % 31 + p.y * 5 % 17); }
            kernel void look(int level, float q[][], vec2 p<>, out float coarse<>, out float own<>) {
                vec2 node = float(1 << level) * floor(p / float(1 << level));
                coarse = sample(q, node, float(level));
                own = sample(q, node);
            }]=]
        k.hills {r = q}
        q:mipmap "nearest"
        local points = (rill.random(2000, {type = "vec2", seed = 12}) * 256):eval()
        for level = 0, 6 do
            local coarse, own = k.look(level, q, points)
            assert.is_true(coarse:bytes() == own:bytes(), level)
        end
    end)

    local function find_pages(cases)
        local random = order.generator(7)
        local ramp = rill.kernel [[kernel void f(out double r<>) {
            ivec4 p = indexof(r);
            r = double(p.x + 2 * p.y + 3 * p.z); }]]
        for _, case in ipairs(cases) do
            local rank, size = case[1], case[2]
            local q = rill[rank == 2 and "quadtree" or "octree"]("double", {size = size, page = case[3]})
            local points, exact = {}, {}
            for i = 1, 12 do
                points[i], exact[i] = {}, 0
                for d = 1, rank do
                    local x = random(size)
                    points[i][d], exact[i] = x, exact[i] + d * x
                end
            end
            q:refine(rill.from(points, rank == 2 and "ivec2" or "ivec3"), rill.iota(12) % 5)
            ramp {r = q}
            local gather = rill.kernel((gathers[rank]:gsub("float ([qr])", "double %1")))
            local stream, zero = rill.from(points, rank == 2 and "vec2" or "vec3"), rill.stream("float", {12}):fill(0)
            for _, filter in ipairs {"linear", "trilinear"} do
                local found = gather(stream, zero, q:filter_mode(filter)):values()
                for i = 1, 12 do close(exact[i], found[i], filter) end
            end
            local nearest, levels = gather(stream, zero, q:filter_mode "nearest"):values(), q:level(stream):values()
            for i = 1, 12 do
                local value, half = 0, 1 << levels[i] >> 1
                for d = 1, rank do value = value + d * ((points[i][d] + half) >> levels[i] << levels[i]) end
                close(value, nearest[i], "nearest")
            end
            q:close()
        end
    end

    it("finds pages of all levels by tables of several nodes, at each filter", function()
        find_pages {{2, 49152, 3}}
    end)

    it("finds them by tables of one node and of more #long", function()
        find_pages {{2, 64, 1}, {2, 131072, 16}, {3, 16, 1}, {3, 512, 4}, {3, 1536, 3}}
    end)

    it("is read by a kernel as streams and other containers are", function()
        local k = rill.kernel [[kernel void f(ivec2 at<>, float a[][], out float r<>) {
            r = a[at.y][at.x] + 2.0 * sample(a, vec2(at) + 0.5) + float(sizeof_stream(a).x); }]]
        local near = rill.kernel "kernel void n(neighbor float x<>, out float r<>) { r = x[-1][0] + x[0][1] - x; }"
        local data = rill.iota(17 * 17):reshape {17, 17} % 7
        local s = rill.sparse("float", {17, 17}, {page = {4, 4}}):write(data, {1, 1})
        local q = rill.quadtree("float", {size = 16, page = 4}):write(data, {1, 1})
        local points = rill.from({{1, 2}, {16, 16}, {-3, 40}, {7, 7}}, "ivec2")
        assert.same(k(points, data):values(), k(points, q):values())
        assert.same(k(points, s):values(), k(points, q):values())
        local out = rill.stream("float", {17, 17})
        near(q, out)
        assert.same(near(data):values(), out:values())
        local r = rill.quadtree("float", {size = 16, page = 4})
        near {x = q, r = r, over = q:active()}
        assert.same(out:values(), r:values())
        assert.equal(q.pages.mapped, r.pages.mapped)
        assert.equal(data:copy():sum(), q:stream():sum())
    end)

    it("gives launches its leaves, and outputs like itself", function()
        local q = rill.quadtree("float", {size = 32, page = 4, default = 1})
        q:refine(rill.from({{3, 3}}, "ivec2"), 0)
        local k = rill.kernel "kernel void k(float x<>, out int r<>) { r = indexof(x).x + 100 * indexof(x).y; }"
        local r, seen, sum = k(q), {}, 0
        assert.same({"container", "int", q.pages.mapped}, {rill.type(r), r.type, r.pages.mapped})
        for y, x, value in r:each() do
            assert.equal(x - 1 + 100 * (y - 1), value)
            assert.is_nil(seen[value])
            seen[value], sum = true, sum + 1
        end
        assert.equal(q:active().size, sum)
        local places = q:active():addresses()
        assert.equal(sum, places.size)
        local at = {}
        for i, p in ipairs(places:read()) do at[i] = p[1] + 100 * p[2] end
        for _, number in ipairs(at) do assert.is_true(seen[number]) end
        local twice = rill.kernel "kernel void twice(float x<>, out float r<>) { r = 2.0 * x; }"
        local sum_of = q + twice {x = q, r = q:copy()}
        assert.same({3.0, q.pages.mapped}, {sum_of:get(20, 7), sum_of.pages.mapped})
        local other = rill.quadtree("float", {size = 32, page = 4})
        raises("the elements of an adaptive container cannot be joined with other elements", twice, q, other)
        twice {x = q, r = other, over = q:active()}
        assert.same({q.pages.mapped, 2.0}, {other.pages.mapped, other:get(30, 1)})
        twice {x = q + 1, r = other, over = q:range({1, 1}, {3, 33})}
        assert.same({4.0, 4.0, 2.0}, {other:get(3, 33), other:get(1, 1), other:get(5, 5)})
        local anywhere = rill.kernel "kernel void a(int i<>, inout float c[][]) { c[i][i] = c[i][i] + 9.0; }"
        anywhere(rill.iota(3), q)
        assert.same({10.0, 10.0, 1.0}, {q:get(1, 1), q:get(3, 3), q:get(4, 4)})
        raises("it can't run over active elements only", rill.kernel [[
            kernel(64) void g(float x<>, out float r<>) { r = x; }]], {x = q, r = q, over = q:active()})
    end)

    it("visits no node of a T-junction, on either side of the finer leaves", function()
        local function cells(rank, n, f, at)
            at = at or {}
            if #at == rank then return f(at) end
            for i = 0, n - 1 do
                at[#at + 1] = i
                cells(rank, n, f, at)
                at[#at] = nil
            end
        end
        local random = order.generator(38)
        local make <const> = {[2] = rill.quadtree, [3] = rill.octree}
        for round = 1, os.getenv "RILL_SUITE_LONG" and 12 or 5 do
            local rank = round < 3 and 2 or 2 + round % 2
            local page, depth = 1 + random(rank == 2 and 4 or 2), rank == 2 and 2 or 1
            page, depth = round < 3 and 1 or page, round < 3 and 2 or depth
            local size = page << depth
            local points, mirrored, levels = {}, {}, {}
            for i = 1, round < 3 and 1 or 1 + random(3) do
                points[i], mirrored[i], levels[i] = {}, {}, 0
                for d = 1, rank do
                    points[i][d] = round < 3 and 0.5 or random(size) + 0.5
                    mirrored[i][d] = size - points[i][d]
                end
            end
            local sums = {}
            for _, list in ipairs {points, mirrored} do
                local q = make[rank]("float", {size = size, page = page, default = 1})
                q:refine(rill.from(list, "vec" .. rank), rill.from(levels, "int"))
                local level = rill.stream("int", rank == 2 and {size, size} or {size, size, size})
                local centers = {}
                cells(rank, size, function(at)
                    centers[#centers + 1] = {}
                    for d = 1, rank do centers[#centers][d] = at[rank + 1 - d] + 0.5 end
                end)
                level:write(q:level(rill.from(centers, "vec" .. rank)):values())
                local nodes = {} -- those of the coarsest leaf around them
                local leaf = level:values()
                cells(rank, size + 1, function(at)
                    local coarse, bits = 0, 0
                    for corner = 0, (1 << rank) - 1 do
                        local inside, number = true, 0
                        for d = 1, rank do
                            local x = at[d] - (corner >> d - 1 & 1)
                            inside, number = inside and x >= 0 and x < size, number * size + x
                        end
                        coarse = inside and math.max(coarse, leaf[number + 1]) or coarse
                    end
                    for d = 1, rank do bits = bits | at[d] end
                    if bits & (1 << coarse) - 1 == 0 then nodes[#nodes + 1] = table.concat(at, " ") end
                end)
                local seen = {}
                for i, j, k in q:each() do
                    seen[#seen + 1] = rank == 2 and ("%d %d"):format(i - 1, j - 1)
                        or ("%d %d %d"):format(i - 1, j - 1, k - 1)
                end
                table.sort(nodes)
                table.sort(seen)
                assert.same(nodes, seen)
                assert.same({#nodes, #nodes, #nodes}, {q:active().size, q:filter("x > 0").size, q:sum() | 0})
                q:update(function() return 2 end)
                rill.kernel "kernel void add(inout float x<>) { x += 1.0; }"(q)
                sums[#sums + 1] = q:sum()
            end
            assert.equal(sums[1], sums[2])
            assert.equal(round < 3 and 36 or sums[1], sums[1]) -- 12 nodes
        end
    end)

    it("is written and read by kernels that compute arguments, also with a page table of two levels", function()
        local k = rill.program [[
            float twice(float x) { return 2.0 * x; }
            kernel void fill(out float r<>) { r = twice(float(indexof(r).x) + 1.0); }
            kernel void look(vec2 p<>, float a[][], float b[][], out float r<>) {
                r = twice(sample(a, p) + 1.0) - b[p.yx * 2.0];
            }]]
        local at = rill.from({{8, 4}, {512, 256}}, "vec2")
        for _, size in ipairs {64, 1024} do
            local a = rill.quadtree("float", {size = size, page = 4})
            local b = rill.quadtree("float", {size = size, page = 4})
            k.fill {r = a}
            k.fill {r = b}
            assert.same({2 * 19 - 18, 2 * (2 * math.min(512, size) + 3) - 2 * (math.min(512, size) + 1)},
                k.look(at, a, b):values())
        end
    end)

    it("is taken by primitives, each element once", function()
        local q = rill.octree("float", {size = 16, page = 2, depth = 1})
        q:refine(rill.from({{3, 3, 15}}, "ivec3"), 0)
        local k = rill.kernel [[kernel void k(out float r<>) {
            ivec4 p = indexof(r); r = float(p.x * 7 % 11 + p.y + p.z); }]]
        k {r = q}
        local values, sum, low = {}, 0, 0
        for _, _, _, value in q:each() do
            values[#values + 1], sum, low = value, sum + value, low + (value <= 9 and 1 or 0)
        end
        assert.equal(q:active().size, #values)
        assert.equal(sum, q:sum())
        local scanned = q:scan "add"
        assert.same({q.pages.mapped, values[1], sum}, {scanned.pages.mapped, scanned:get(1, 1, 1),
            scanned:get(17, 17, 17)})
        assert.equal(low, q:filter("x <= 9.0").size)
        local best <const> = q:find("x == " .. q:max() .. "0"):get(1)
        assert.equal(q:max(), q:get(best[3] + 1, best[2] + 1, best[1] + 1))
        table.sort(values)
        assert.same(values, q:sort():values())
    end)

    it("holds vectors, doubles and ints, of which there is nothing between", function()
        local v = rill.octree("vec4", {size = 4, page = 2, default = {1, 2, 3, 4}}):set({5, 5, 5, 5}, 1, 1, 1)
        assert.same({3.0, 3.5, 4.0, 4.5}, rill.kernel [[kernel void s(float x<>, vec4 q[][][], out vec4 r<>) {
            r = sample(q, vec3(x, 0.0, 0.0)); }]](rill.from({0.5}, "float"), v):get(1))
        local d = rill.quadtree("double", {size = 8, page = 2})
        d:refine(rill.from({{0, 0}}, "ivec2"), 1):write(rill.from({{1e-3, 1e9}}, "double"), {1, 1})
        assert.same({1e-3, 1e9}, {d:get(1, 1), d:get(1, 2)})
        for _, type in ipairs {"float", "double"} do
            local far = rill.quadtree(type, {size = 8, page = 2, depth = 2}):fill(math.huge):set(1, 3, 3)
            assert.same({math.huge, 1.0, math.huge}, far:values({3, 2}, {3, 4}))
        end
        local n = rill.quadtree("int", {size = 8, page = 1, default = 7})
        local count = rill.kernel "kernel void c(out int x<>) { x = indexof(x).x; }"
        count {x = n, over = n:active()}
        assert.same({0, 0, 0, 0, 8, 8, 8, 8, 8}, n:values({3, 1}, {3, 9}))
        n:refine(rill.from({{7, 7}}, "ivec2"), 2):mipmap()
        assert.same({0, 8}, {n:get(9, 1), n:get(9, 9)})
    end)

    local function take_memory(make, size, page, rank)
        local q = make("float", {size = size, page = page})
        assert.is_true(q.nbytes < 2 ^ 19)
        local points, vector = {}, rank == 2 and "ivec2" or "ivec3"
        for i = 1, 20 do points[i] = {i * size // 21, i * i * size // 421, rank == 3 and 5 or nil} end
        local at = rill.from(points, vector)
        q:refine(at, 0)
        local before = rill.memory()
        local k = rill.kernel "kernel void f(inout float x<>) { x = x + 1.0; }"
        k {x = q, over = q:active()}
        local text = "kernel void g(VECTOR p<>, float q[][]BEHIND, out float r<>) { r = sample(q, vecRANK(p)); }"
        text = text:gsub("VECTOR", vector):gsub("BEHIND", rank == 3 and "[]" or ""):gsub("RANK", rank)
        assert.equal(20.0, rill.kernel(text)(at, q):sum())
        local r = make("float", {size = size, page = page})
        r:refine(at, 0)
        local near = rank == 2 and "x[ivec2(1, -1)]" or "x[ivec3(1, -1, 0)]"
        rill.kernel("kernel void n(neighbor float x<>, out float r<>) { r = " .. near .. "; }") {x = q, r = r,
            over = q:active()}
        assert.equal(q.pages.mapped, r.pages.mapped)
        assert.is_true(rill.memory().peak - before.bytes <= 1.2 * (r.nbytes + 2 ^ 18))
        assert.equal(1.0, r:get(table.unpack(index(points[3]))))
    end

    it("takes little memory in two dimensions #long", function() take_memory(rill.quadtree, 131072, 16, 2) end)

    it("takes memory for its pages only, however large it is #long", function()
        take_memory(rill.octree, 2048, 8, 3)
    end)

    it("splits all requested pages, or nothing", function()
        local q = rill.quadtree("float", {size = 64, page = 4, capacity = 20, default = 3})
        raises("c:refine: it takes 28 pages more, of which 19 are free: 'capacity' is 20", q.refine, q,
            rill.from({{0, 0}, {63, 63}}, "ivec2"), 0)
        assert.same({mapped = 1, capacity = 20, free = 19}, q.pages)
        raises("c:write: it takes 256 pages and more: 'capacity' is 20", q.write, q, rill.stream("float", {65, 65}))
        raises("c:set: it takes 12 pages more, of which 3 are free", function() q:set(1, 3, 3):set(1, 64, 3) end)
        assert.equal(1.0, q:get(3, 3))
        assert.same({3.0, 17}, {q:get(64, 3), q.pages.mapped})
    end)

    it("splits nothing if memory is exhausted, also for the range of new leaves", function()
        local points, failed, worked = rill.from({{0, 0}, {63, 63}}, "ivec2"), 0, 0
        for more = 0, 6000, 96 do
            local q <close> = rill.quadtree("float", {size = 64, page = 4, default = 3})
            rill.memory_limit(rill.memory().bytes + more)
            local good = pcall(q.refine, q, points, 0)
            rill.memory_limit(0)
            assert.same({good and 29 or 1, 3.0}, {q.pages.mapped, q:get(64, 3)})
            failed, worked = failed + (good and 0 or 1), worked + (good and 1 or 0)
        end
        assert.is_true(failed > 8 and worked > 8)
    end)

    it("gives back the frames of pages that were joined", function()
        local q = rill.octree("float", {size = 64, page = 2})
        local all, bytes = rill.kernel "kernel void all(float x<>, out bool r<>) { r = true; }", nil
        for i = 1, 12 do
            q:refine(rill.from({{5 * i, 63 - 5 * i, i}}, "ivec3"), 0)
            for _ = 1, 5 do q:coarsen(all) end
            assert.equal(1, q.pages.mapped)
            bytes = i == 2 and q.nbytes or bytes
            assert.is_true(i < 3 or q.nbytes == bytes)
        end
        local c = q:copy():refine(rill.from({{0, 0, 0}}, "ivec3"), 0):set(4, 1, 1, 1)
        assert.same({1, 0.0, 4.0}, {q.pages.mapped, q:get(1, 1, 1), c:get(1, 1, 1)})
    end)

    it("names wrong arguments", function()
        raises("rill.quadtree: argument #2 'options': expected a table like", rill.quadtree, "float", 8)
        raises("rill.octree: 'size' is 24x24x24 and 'page' is 8x8x8: expected 'size' to be", rill.octree,
            "float", {size = 24, page = 8})
        raises("rill.quadtree: option 'page': expected a number or 2 sizes, got 3", rill.quadtree, "float",
            {size = 8, page = {2, 2, 2}})
        raises("rill.quadtree: option 'depth': expected 0 .. 31, got %-1", rill.quadtree, "float",
            {size = 8, page = 2, depth = -1})
        raises("rill.octree: the finest level has 2^30 pages, more than an int can count", rill.octree, "float",
            {size = 2048, page = 2})
        local q = rill.quadtree("float", {size = 8, page = 2, depth = 1})
        assert.equal(5, q.pages.mapped)
        raises("c:refine: argument #1 'points': expected points of 2 coordinates, a stream of vec2 or ivec2", q.refine,
            q, rill.iota(3), 0)
        raises("c:refine: argument #2 'levels': expected a number, or a stream of int", q.refine, q,
            rill.from({{1, 1}}, "ivec2"), rill.iota(3))
        raises("c:level: argument #1 'points': expected points of 2 coordinates", q.level, q, rill.iota(3))
        raises("c:coarsen: kernel 'k': expected one with the container as its only argument", q.coarsen, q,
            rill.kernel "kernel void k(float x<>, float y, out bool r<>) { r = true; }")
        raises("c:refine: kernel 'k': argument 'x' has type vec2, the container's elements", q.refine, q,
            rill.kernel "kernel void k(vec2 x<>, out bool r<>) { r = x.y > 0.0; }")
        raises("c:refine: argument #1 'mask': expected a kernel, or a mask of one component", q.refine, q,
            rill.stream("vec2", {9, 9}))
        raises("c:filter_mode: argument #1 'name'", q.filter_mode, q, "cubic")
        raises("c:boundary: argument #1 'name'", q.boundary, q, "clamp", 2)
        raises("c:allocate: pages of an adaptive container are mapped by c:refine", q.allocate, q, {1, 1})
        raises("c:mipmap: the container has no coarser levels", q.mipmap,
            rill.array("float", 4))
        raises("c:mipmap: argument #1 'how': expected \"nearest\", or the name of a component", q.mipmap, q, "y")
        raises("c:mipmap: argument #1 'how': only the elements of adaptive containers, of float types", q.mipmap,
            rill.array("float", 4), "x")
    end)
end)
