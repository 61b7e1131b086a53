local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"
local shortened = require "spec.support.shortened"

local T <const> = rill.translator

describe("a baked container", function()
    leaks.watch(setup, teardown)

    local function made()
        local fold = rill.virtual(T.fold {shape = {6, 7}, to = {7, 9}}, rill.physical("int", {7, 9}))
        local paged = T.pages {shape = {6, 7}, page = {2, 4}, levels = 2}
        local both = rill.virtual(T.compose(T.fold {shape = 96, to = {8, 12}}, paged), rill.physical("int", {8, 12}))
        paged:map({0, 0}, {6, 5}, 0)
        local sparse = rill.sparse("int", {6, 7}, {page = {4, 3}, default = 5})
        sparse:allocate({1, 1}, {6, 7})
        local hash = rill.hashgrid("int", {page = {4, 3}, default = 5})
        hash:allocate({1, 1}, {6, 7})
        return {fold = fold, both = both, sparse = sparse, hash = hash, array = rill.array("int", {6, 7})}
    end

    local blur <const> = [[kernel void blur(neighbor int x<>, int g[][], out int r<>) {
        r = x + 10 * x[ivec2(1, -1)] + 100 * g[indexof(x).xy + ivec2(-1, 2)];
    }]]

    it("keeps the kernels of a quadtree that is refined", function()
        local q = rill.quadtree("float", {size = 1024, page = 4}):bake()
        local look = rill.kernel "kernel void look(vec2 p<>, float q[][], out float r<>) { r = sample(q, p); }"
        local ramp = rill.kernel "kernel void ramp(out float r<>) { r = float(indexof(r).x); }"
        local points = rill.from({{5, 5}, {100.5, 200}, {400.25, 900}}, "vec2")
        q:refine(points, 3)
        look(points, q)
        local text = look:source()
        for level = 2, 0, -1 do
            q:refine(points, level)
            ramp {r = q}
            assert.same({5.0, 100.5, 400.25}, look(points, q):values())
            assert.equal(text, look:source())
        end
    end)

    local function compare_kinds(names)
        local all = made()
        for _, name in ipairs(names) do
            local c, k = all[name], rill.kernel(blur)
            local values = {}
            for i = 1, 42 do values[i] = math.random(100) end
            c:write(rill.from(values, "int"):reshape {6, 7}, {1, 1}, {6, 7})
            local function run()
                local r = name == "hash" and rill.hashgrid("int", {page = {4, 3}}) or rill.array("int", {6, 7})
                k {x = c, g = c, r = r, over = name == "hash" and c:active() or nil}
                return r:values({1, 1}, {6, 7})
            end
            local before = run()
            assert.equal(c, c:bake())
            assert.same(before, run())
            c:bake():set(7, 3, 3)
            local other = run()
            c:bake(false)
            assert.same(other, run())
        end
    end

    it("gives the same results, and again without it", function() compare_kinds {"both", "hash"} end)

    it("does so with a page table, and without pages #long", function() compare_kinds {"sparse", "fold", "array"} end)

    it("has its sizes in the program", function()
        local c = rill.sparse("int", {6, 7}, {page = {2, 3}})
        local k = rill.kernel "kernel void f(int c[][], ivec2 p<>, out int r<>) { r = c[p.y][p.x]; }"
        local p = rill.from({{1, 2}}, "ivec2")
        k(c, p)
        local uniform = k:source()
        assert.matches("container, word loads", k:explain(c, p))
        c:bake()
        k(c, p)
        assert.not_matches("const ivec4 k_", uniform)
        assert.matches("const ivec4 k_", k:source())
        assert.matches("container of constant sizes, word loads", k:explain(c, p))
        k(c:bake(false), p)
        assert.equal(uniform, k:source())
    end)

    it("is compiled again where its sizes change", function()
        local c = rill.hashgrid("int", {page = {1}, default = -1}):bake()
        local k = rill.kernel "kernel void f(int i<>, int c[], out int r<>) { r = c[i]; }"
        for n = 1, 300 do c:set(n, 3 * n) if n % 100 == 1 then k(rill.iota(4), c) end end
        local expected = {}
        for i = 0, 999 do expected[i + 1] = (i + 1) % 3 == 0 and (i + 1) // 3 <= 300 and (i + 1) // 3 or -1 end
        assert.same(expected, k(rill.iota(1000), c):values())
        local s = rill.sparse("int", 1000, {page = 4}):bake()
        for i = 1, 1000, 7 do s:set(i, i) end
        assert.equal(s:stream():sum(), k(rill.iota(1000), s):sum())
    end)

    local function compare_ends(page, modes)
        local k = rill.kernel "kernel void f(ivec2 p<>, int a[][], int b[][], out ivec2 r<>) { r = ivec2(a[p], b[p]); }"
        local points = {}
        for y = -3, 9 do for x = -3, 10 do points[#points + 1] = {x, y} end end
        points = rill.from(points, "ivec2")
        local whole = rill.iota(64):cast "int":copy()
        for _, memory in ipairs {whole, whole:domain(9, 40):copy(), whole:domain(9, 40)} do
            local t = T.pages {shape = {6, 7}, page = page}
            local a = rill.virtual(t, memory, {default = -1})
            local b = rill.virtual(t, (memory + 100):eval(), {default = -2})
            t:map({0, 0}, {6, 1}, 0)
            t:map({0, 4}, nil, 5)
            for _, mode in ipairs(modes) do
                local c, d = a:boundary(mode), b:boundary(mode)
                local expected = k(points, c, d):values()
                a:bake()
                assert.same(expected, k(points, c, d):values())
                b:bake()
                assert.same(expected, k(points, c, d):values())
                a:bake(false)
                b:bake(false)
                if mode == "clamp" then
                    for i, p in ipairs(points:read()) do
                        local y, x = math.max(1, math.min(6, p[2] + 1)), math.max(1, math.min(7, p[1] + 1))
                        assert.same({a:get(y, x), b:get(y, x)}, {expected[2 * i - 1], expected[2 * i]})
                    end
                end
            end
        end
    end

    it("is gathered from as before, wherever its memory begins and ends, and outside of its domain", function()
        compare_ends({2, 4}, {"clamp"})
    end)

    it("is so with other boundaries and pages #long", function()
        compare_ends({2, 4}, {"wrap", "mirror"})
        compare_ends({3, 2}, {"clamp", "wrap", "mirror"})
    end)

    -- Runs a kernel that also gathers from `count` streams, before and after.
    local AMONG <const> = [=[
        local rill, count, parts, sum, args = require "rill", COUNT, {}, {}, {}
        for i = 1, count do
            parts[i], sum[i] = ("float g%d[]"):format(i), ("g%d[i]"):format(i)
            args[i] = rill.from {i, i + 1, i + 2, i + 3}
        end
        local text = "kernel void f(%s, float c[], float d[], float e[], int i<>, " ..
            "out vec4 r<>) { r = vec4(%s, c[i], d[i], e[i]); }"
        local k = rill.kernel(text:format(table.concat(parts, ", "), table.concat(sum, " + ")))
        local t <close> = rill.translator.pages {shape = 4, page = 2}
        local c = rill.virtual(t, rill.physical("float", 4))
        local d, e = rill.virtual(t, rill.physical("float", 4)), rill.array("float", 4)
        t:map({0}, {3}, 0)
        c:write(rill.from {1, 2, 3, 4})
        d:write(rill.from {5, 6, 7, 8})
        e:write(rill.from {9, 10, 11, 12})
        args[count + 1], args[count + 2], args[count + 3], args[count + 4] = c, d, e, rill.from({0, 1, 2, 3}, "int")
        print(table.concat(k(table.unpack(args)):values(), " "))
        c:bake()
        d:bake()
        e:bake()
        print(table.concat(k(table.unpack(args)):values(), " "))
    ]=]

    shortened(it, "is found among more streams than there are bindings", function(whole)
        local count, expected = whole and 50 or 9, {}
        for i = 1, 4 do
            expected[i] = ("%.1f %.1f %.1f %.1f"):format(count * (count + 1) // 2 + count * (i - 1), i, i + 4, i + 8)
        end
        local line = table.concat(expected, " ") .. "\n"
        assert.equal(line .. line, process.output(AMONG:gsub("COUNT", count),
            whole and {} or {RILL_MAX_TEXTURES = "4", RILL_MAX_BLOCKS = "6"}))
    end)

    local function compare_tree(rank, make)
        local q = make("float", {size = 16, page = 2}):filter_mode(rank == 2 and "trilinear" or "linear")
        local vector = rank == 2 and "vec2" or "vec3"
        local k = rill.kernel((([[kernel void f(VEC p<>, float q[][]MORE, float x<>, out float r<>) {
            r = sample(q, p, 0.75) + 64.0 * q[iVEC(p)] + x; }]]):gsub("VEC", vector):gsub(
            "MORE", rank == 3 and "[]" or "")))
        local ramp = rill.kernel [[kernel void ramp(inout float x<>) {
            ivec4 p = indexof(x); x += float(p.x * 3 + p.y * 5 % 7 + p.z); }]]
        local list, x = {}, rill.iota(40)
        for i = 1, 40 do list[i] = {i * 7 % 16 + 0.25, i * 5 % 17 - 0.5, rank == 3 and i % 13 or nil} end
        local points = rill.from(list, vector)
        for level = 2, 0, -2 do
            q:refine(points:domain(1, 12), level)
            ramp {x = q}
            q:mipmap()
            local before = k(points, q, x):values()
            assert.equal(q, q:bake())
            check.equal(before, k(points, q, x):values())
            assert.matches("const ivec4 k_", k:source())
            q:bake(false)
            check.equal(before, k(points, q, x):values())
            assert.not_matches("const ivec4 k_", k:source())
        end
    end

    it("is a tree, also when it has more pages", function() compare_tree(3, rill.octree) end)

    it("is one in two dimensions #long", function() compare_tree(2, rill.quadtree) end)

    it("is a grid of lists", function()
        local counts = rill.from({2, 0, 5, 1, 3, 0}, "int"):reshape {2, 3}
        local l = rill.lists("int", {counts = counts, values = rill.from({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}, "int")})
        local k = rill.kernel [[kernel void sum(int l[][][], out int r<>) {
            ivec2 i = indexof(r).xy; r = 0;
            for (int j = 0; j < sizeof_list(l, i.y, i.x); j++) r += l[i.y][i.x][j] * (j + 1); }]]
        local write = rill.kernel [[kernel void write(int j<>, inout int l[][][]) { l[0][2][j] = 10 * j; }]]
        local function run() return k {l = l, shape = {2, 3}}:values() end
        local expected = {5, 0, 67, 6, 26, 0}
        assert.same(expected, run())
        assert.same(expected, (function() l:bake() return run() end)())
        write(rill.from({1, 3}, "int"), l)
        expected[3] = 4 + 2 * 10 + 3 * 5 + 4 * 30 + 5 * 2
        assert.same(expected, run())
        l:bake(false)
        assert.same(expected, run())
    end)

    local function compare_written(names)
        local k = rill.kernel [[kernel void k(int x<>, out int r<>, inout int s<>) {
            r = 2 * x + indexof(r).x; s += x - indexof(s).y; }]]
        local w = rill.kernel "kernel void w(ivec2 p<>, inout int c[][]) { c[p.y][p.x] = 3 * p.x + p.y; }"
        local points = rill.from({{0, 1}, {6, 5}, {3, 3}, {2, 0}}, "ivec2")
        local function write(on)
            local results = {}
            local inputs, first, second = made(), made(), made()
            inputs.tree = rill.quadtree("int", {size = 4, page = 2, depth = 1})
            first.tree, second.tree = inputs.tree:copy(), inputs.tree:copy()
            for _, name in ipairs(names) do
                local x = inputs[name]
                local last = name == "tree" and {5, 5} or {6, 7}
                local r, s = first[name]:bake(on), second[name]:bake(on)
                local size = last[1] * last[2]
                x:write(((rill.iota(size) * 11) % 17):cast "int":reshape(last), {1, 1}, last):bake(on)
                k {x = x, r = r, s = s, over = x:range({1, 1}, {last[1], last[2] - 1})}
                k {x = x, r = r, s = s, over = x:active()}
                w(name == "tree" and points - points or points, s)
                for i, c in ipairs {x, r, s} do results[name .. i] = c:values({1, 1}, last) end
            end
            return results
        end
        local expected, baked = write(false), write(true)
        for name, values in pairs(expected) do assert.same(values, baked[name], name) end
    end

    it("is written as it was", function() compare_written {"sparse", "tree"} end)

    it("is written as it was, of other kinds #long", function() compare_written {"fold", "hash"} end)

    it("tests again whether memory ends where a page was mapped behind its end since", function()
        local t = T.pages {shape = {8, 8}, page = {4, 4}}
        local c = rill.virtual(t, (rill.iota(32) + 1):eval(), {default = -1}):bake()
        local k = rill.kernel "kernel void f(ivec2 p<>, int c[][], out int r<>) { r = c[p]; }"
        local p = rill.from({{0, 0}, {5, 0}, {0, 5}, {5, 5}}, "ivec2")
        t:map({0, 0}, nil, 0):map({4, 0}, nil, 1)
        assert.same({1, 18, -1, -1}, k(p, c):values())
        t:map({0, 4}, nil, 2):map({4, 4}, nil, 3)
        assert.same({1, 18, -1, -1}, k(p, c):values())
        t:unmap {4, 4}
        t:unmap {4, 0}
        assert.same({1, -1, -1, -1}, k(p, c):values())
        t:unmap {0, 4}
        assert.same({1, -1, -1, -1}, k(p, c):values())
    end)

    it("names wrong arguments", function()
        local c = rill.sparse("int", 10, {page = 4})
        check.raises("c:bake: argument #1 'on': expected true or false, got number 1", c.bake, c, 1)
    end)
end)
