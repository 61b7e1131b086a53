local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local viewmaker = require "spec.support.viewmaker"

local SIZES <const> = fitting {1, 2, 7, 63, 64, 65, 1023, 1024, 1025, 16384, 16385, 100003}

-- One kernel per text for the whole file.
local kernels = {}
local function kernel(text)
    kernels[text] = kernels[text] or rill.kernel(text)
    return kernels[text]
end

local SUM <const> = "reduce void sum(int x<>, reduce int r<>) { r += x; }"
local MAXIMUM <const> = "reduce void maximum(float x<>, reduce float r<>) { r = max(r, x); }"
local FIRST <const> = "reduce void first(int x<>, reduce int r<>) { r = r; }"
local LAST <const> = "reduce void last(int x<>, reduce int r<>) { r = x; }"

-- x -> a x + b, and the first applied before the second: associative, but the order matters.
local AFFINE <const> = [[
    reduce void affine(uvec2 x<>, reduce uvec2 r<>) { r = uvec2(x.x * r.x, x.x * r.y + x.y); }
]]
local function affine(list)
    local a, b = list[1][1], list[1][2]
    for i = 2, #list do
        local c, d = list[i][1], list[i][2]
        a, b = c * a & 0xffffffff, (c * b + d) & 0xffffffff
    end
    return {a, b}
end

local function affine_elements(size)
    local list = {}
    for i = 1, size do
        list[i] = {i * 2654435761 & 0xffffffff | 1, i * 40503 & 0xffff}
    end
    return list
end

-- The blocks of a flat list of `shape` that `blocks` results reduce, each in row-major order.
local function blocks_of(list, shape, result)
    local parts = {}
    for flat, value in ipairs(list) do
        local index, part = {viewmaker.index(shape, flat)}, 0
        for d, k in ipairs(index) do
            part = part * result[d] + (k - 1) // (shape[d] // result[d])
        end
        parts[part + 1] = parts[part + 1] or {}
        table.insert(parts[part + 1], value)
    end
    return parts
end

describe("reduce kernels to a value", function()
    leaks.watch(setup, teardown)

    for _, size in ipairs(SIZES) do
        it(("of %d elements"):format(size), function()
            local s = rill.iota(size)
            local sum = size * (size - 1) // 2
            assert.equal((sum + (1 << 31)) % (1 << 32) - (1 << 31), kernel(SUM)(s))
            assert.equal(0, kernel(FIRST)(s))
            assert.equal(size - 1, kernel(LAST)(s))
            assert.equal(size - 1.0, kernel(MAXIMUM)(s:cast "float"))
        end)
    end

    it("that do not commute combine neighbors in order", function()
        for _, size in ipairs(fitting {1, 2, 3, 7, 64, 65, 1025, 16385, 20011}) do
            local list = affine_elements(size)
            assert.same(affine(list), kernel(AFFINE)(rill.stream("uvec2", size, list)))
        end
    end)

    it("the product of many 2x2 matrices", function()
        local product = kernel [[
            reduce void product(uvec4 m<>, reduce uvec4 r<>) {
                r = uvec4(r.x * m.x + r.y * m.z, r.x * m.y + r.y * m.w, r.z * m.x + r.w * m.z, r.z * m.y + r.w * m.w);
            }
        ]]
        local function fibonacci(n)
            local a, b = 0, 1
            for _ = 1, n do
                a, b = b, (a + b) & 0xffffffff
            end
            return a
        end
        for _, size in ipairs(fitting {1, 30, 5000, 70000}) do
            local s = rill.stream("uvec4", size, {1, 1, 1, 0})
            assert.same({fibonacci(size + 1), fibonacci(size), fibonacci(size), fibonacci(size - 1)}, product(s))
        end
    end)

    it("of empty streams are nil", function()
        assert.is_nil(kernel(SUM)(rill.iota(0)))
        assert.is_nil(kernel(SUM)(rill.stream("int", {3, 0})))
    end)

    local function assert_sums(...)
        for _, name in ipairs {...} do
            local add = kernel(("reduce void add(%s x<>, reduce %s r<>) { r += x; }"):format(name, name))
            local components = tonumber(name:match "%d" or 1)
            local list = {}
            for i = 1, 300 * components do
                list[i] = i
            end
            local got = add(rill.stream(name, 300, list))
            got = type(got) == "table" and got or {got}
            for c = 1, components do
                local expected = 300 * c + components * 300 * 299 // 2
                assert.equal(expected, got[c], name)
            end
        end
    end

    it("of other kinds of number #long", function() assert_sums("int", "uint", "vec2", "vec4", "ivec3", "dvec2") end)

    it("of every kind of number", function()
        assert_sums("float", "double", "vec3", "uvec4")
        local either = kernel "reduce void either(bool x<>, reduce bool r<>) { r = r || x; }"
        assert.is_false(either(rill.stream("bool", 1000)))
        assert.is_true(either(rill.stream("bool", 1000, function(i) return i == 777 end)))
    end)

    it("of stored types, as kernels see them", function()
        assert.equal(7.0, kernel(MAXIMUM)(rill.stream("half", 100, function(i) return i % 8 end)))
        assert.equal(1.0, kernel(MAXIMUM)(rill.stream("unorm8", 100, function(i) return i % 2 end)))
        assert.equal(99, kernel(LAST)(rill.stream("int8", 100, function(i) return i - 1 end)))
        assert.equal(-4950, kernel(SUM)(rill.stream("int16", 100, function(i) return 1 - i end)))
    end)

    it("of structures", function()
        local Bounds = rill.struct("Bounds", "vec2 low; vec2 high; int count;")
        local join = kernel [[
            struct Bounds { vec2 low; vec2 high; int count; };
            reduce void join(Bounds b<>, reduce Bounds r<>) {
                r.low = min(r.low, b.low);
                r.high = max(r.high, b.high);
                r.count += b.count;
            }
        ]]
        for _, size in ipairs(fitting {1, 7, 65, 1025, 20000}) do
            local s = rill.stream(Bounds, size, function(i)
                return {low = {i % 11, -i}, high = {i % 13, i}, count = 1}
            end)
            local got = join(s)
            assert.equal(size, got.count)
            assert.same({size < 11 and 1.0 or 0.0, -size + 0.0}, got.low)
            assert.same({math.min(size, 12) + 0.0, size + 0.0}, got.high)
        end
    end)

    it("with constants, gathers and matrices", function()
        local nearest = kernel [=[
            reduce void nearest(vec2 target, int i<>, vec2 points[], reduce int r<>) {
                r = distance(points[i], target) < distance(points[r], target) ? i : r;
            }
        ]=]
        local points = rill.stream("vec2", 500, function(i) return i % 25, i // 25 end)
        assert.equal(7 * 25 + 12 - 1, nearest({12.2, 6.9}, rill.iota(500), points))
        assert.equal(7 * 25 + 12 - 1, nearest {target = {12.2, 6.9}, i = rill.iota(500), points = points})
        local most = kernel [[
            reduce void most(mat2 m, vec2 x<>, reduce vec2 r<>) { r = (m * x).x > (m * r).x ? x : r; }
        ]]
        local s = rill.stream("vec2", 100, function(i) return i, 100 - i end)
        assert.same({100.0, 0.0}, most({{1, 0}, {0, 1}}, s))
        assert.same({1.0, 99.0}, most({{0, 1}, {1, 0}}, s))
    end)

    it("with the reduce parameter anywhere", function()
        local front = kernel "reduce void front(reduce int r<>, int k, int x<>) { r = x % k > r % k ? x : r; }"
        assert.equal(9, front(10, rill.iota(1000)))
        assert.same({9, 509}, front({2}, 10, rill.iota(1000)):values())
        assert.same({9, 509}, front {r = {2}, k = 10, x = rill.iota(1000)}:values())
        local middle = kernel "reduce void middle(int x<>, reduce int r<>, int k) { r = x % k > r % k ? x : r; }"
        assert.equal(6, middle(rill.iota(1000), 7))
    end)

    local function assert_views(rounds)
        math.randomseed(3)
        viewmaker.each(rounds, function(view, list)
            local pairs_list = {}
            for i, v in ipairs(list) do
                pairs_list[i] = {v * 2 + 1, v}
            end
            local made = kernel "kernel void pairs(int x<>, out uvec2 r<>) { r = uvec2(x * 2 + 1, x); }" (view)
            assert.same(affine(pairs_list), kernel(AFFINE)(made:reshape(made.size)))
            assert.equal(list[#list], kernel(LAST)(view))
            assert.equal(list[1], kernel(FIRST)(view))
        end)
    end

    it("of many views #long", function() assert_views(40) end)

    it("of views", function()
        assert_views(3)
        assert.equal(999, kernel(LAST)(rill.iter("int", 1000, 0, 1000)))
    end)

    it("that call helpers and kernels", function()
        local clamp_sum = rill.kernel [[
            const int LIMIT = 100;
            int limited(int v) { return min(v, LIMIT); }
            kernel int twice(int v<>) { return 2 * v; }
            reduce void clamp_sum(int x<>, reduce int r<>) { r = limited(max(r, twice(x))); }
        ]]
        assert.equal(20, clamp_sum(rill.stream("int", 11, function(i) return i - 1 end)))
        assert.equal(100, clamp_sum(rill.iota(1000)))
    end)

    it("give the same bits every time", function()
        local s = rill.random(300007, {seed = 4, low = -1, high = 1})
        local add = kernel "reduce void add(float x<>, reduce float r<>) { r += x; }"
        local total = add(s)
        for _ = 1, 5 do
            assert.equal(total, add(s))
        end
        local parts = add(s:domain(1, 300000), {1000}):bytes()
        assert.equal(parts, add(s:domain(1, 300000), {1000}):bytes())
    end)

    it("of 65535 * 64 + 1 elements #large", function()
        local size = 65535 * 64 + 1
        local s <close> = rill.iota(size)
        assert.equal(size - 1, kernel(LAST)(s))
        local maps <close> = kernel("kernel void maps(int x<>, out uvec2 r<>) { r = uvec2(1, x & 3); }")(s)
        assert.same({1, size // 4 * 6}, kernel(AFFINE)(maps))
    end)
end)

describe("reduce kernels to a smaller stream", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs {
        {{12}, {3}}, {{12}, {12}}, {{12}, {1}}, {{65536}, {64}}, {{1 << 17}, {2}}, {{9000}, {3000}},
        {{12, 12}, {3, 4}}, {{4, 15}, {4, 5}}, {{4, 15}, {2, 15}}, {{64, 48}, {1, 1}}, {{3, 70000}, {3, 2}},
        {{7000, 3}, {2, 3}}, {{70000, 3}, {2, 3}},
        {{4, 6, 8}, {2, 3, 2}}, {{4, 6, 8}, {4, 1, 8}}, {{6, 4, 10}, {1, 4, 5}},
    } do
        local shape, result = case[1], case[2]
        local tag = math.max(table.unpack(shape)) == 70000 and " #long" or ""
        it(("%s to %s%s"):format(table.concat(shape, "x"), table.concat(result, "x"), tag), function()
            local s = rill.iota(shape)
            local parts = blocks_of(s:values(), shape, result)
            local sums, lasts, affines = {}, {}, {}
            for i, part in ipairs(parts) do
                local total, list = 0, {}
                for k, v in ipairs(part) do
                    total = total + v
                    list[k] = {v * 2 + 1, v}
                end
                sums[i] = (total + (1 << 31)) % (1 << 32) - (1 << 31)
                lasts[i] = part[#part]
                local both = affine(list)
                affines[2 * i - 1], affines[2 * i] = both[1], both[2]
            end
            local got = kernel(SUM)(s, result)
            assert.equal(table.concat(result, "x"), tostring(got.shape))
            check.equal(sums, got:values())
            local target = rill.stream("int", result)
            assert.equal(target, kernel(LAST)(s, target))
            check.equal(lasts, target:values())
            local maps = kernel("kernel void maps(int x<>, out uvec2 r<>) { r = uvec2(2 * x + 1, x); }")(s)
            check.equal(affines, kernel(AFFINE)(maps, result):values())
        end)
    end

    it("to a stream that is closed at once, and free all temporaries", function()
        local s <close> = rill.iota(100):copy()
        collectgarbage()
        collectgarbage "stop"
        local before = rill.memory().streams
        for _ = 1, 3 do
            local target <close> = rill.stream("int", 1)
            kernel(SUM)(s, target)
            assert.same({4950}, target:values())
        end
        local after = rill.memory().streams
        collectgarbage "restart"
        assert.equal(before, after)
    end)

    it("to a view of a stream, without changing its other elements", function()
        local s, target = rill.iota(12), rill.stream("int", {3, 4}, -1)
        local column = target:domain({1, 2}, {3, 2}):reshape(3)
        kernel(SUM)(s, column)
        assert.same({{-1, 6, -1, -1}, {-1, 22, -1, -1}, {-1, 38, -1, -1}}, target:read())
        kernel(SUM)(s, target[3]:stride(2))
        assert.same({15, 38, 51, -1}, target[3]:values())
    end)

    it("from views", function()
        local s = rill.iota {6, 4}
        assert.same({{0 + 4 + 8, 12 + 16 + 20}, {1 + 5 + 9, 13 + 17 + 21}, {2 + 6 + 10, 14 + 18 + 22},
            {3 + 7 + 11, 15 + 19 + 23}}, kernel(SUM)(s:transpose(), {4, 2}):read())
        assert.same({{0 + 2}, {8 + 10}, {16 + 18}}, kernel(SUM)(s:stride(2), {3, 1}):read())
    end)

    it("of a missing leading dimension", function()
        assert.same({0 + 3, 1 + 4, 2 + 5}, kernel(SUM)(rill.iota {2, 3}, {1, 3}):values())
    end)

    it("of structures", function()
        local Span = rill.struct("Span", "int first; int last;")
        local span = rill.kernel [[
            struct Span { int first; int last; };
            reduce void span(Span x<>, reduce Span r<>) { r.last = x.last; }
        ]]
        local s = rill.stream(Span, {4, 6}, function(i, j) return {first = i * 10 + j, last = i * 10 + j} end)
        local got = span(s, {2, 2})
        assert.same({first = 11, last = 23}, got:get(1, 1))
        assert.same({first = 34, last = 46}, got:get(2, 2))
    end)

    it("reject shapes that do not divide, and name both", function()
        check.names({"sum", "12", "5"}, kernel(SUM), rill.iota(12), 5)
        check.names({"4x15", "4x4"}, kernel(SUM), rill.iota {4, 15}, {4, 4})
        check.names({"12", "24"}, kernel(SUM), rill.iota(12), {24})
        check.names({"12", "5"}, kernel(SUM), rill.iota(12), rill.stream("int", 5))
    end)

    shortened(it, "of a structure of ten vec3, which take 16 bytes each in a group's memory", function(whole)
        local fields = {}
        for k = 1, 10 do
            fields[k] = ("float3 v%d;"):format(k)
        end
        local adds = {}
        for k = 1, 10 do
            adds[k] = ("r.v%d += x.v%d;"):format(k, k)
        end
        local module = rill.program(("struct Ten { %s };\n"
            .. "kernel void make(int i<>, out Ten t<>) { t.v1 = float3(i, 1, 2); t.v10 = float3(3, 4, i); }\n"
            .. "reduce void add(Ten x<>, reduce Ten r<>) { %s }"):format(table.concat(fields, " "),
            table.concat(adds, " ")))
        local n = 40000
        local made = module.make(rill.iota(n):map "x % 10")
        local total = module.add(made)
        assert.equal(n * 4.5, total.v1[1])
        assert.equal(n * 4, total.v10[2])
        assert.equal(n * 4.5, total.v10[3])
        if whole then assert.equal(n * 4.5, made:scan(module.add):get(n).v10[3]) end
    end)

    it("reject results that overlap, cannot be written or have another type", function()
        local s = rill.iota(12)
        check.raises("sum: .*overlaps", kernel(SUM), s, s:domain(1, 3))
        check.raises("sum: .*can't be written", kernel(SUM), s, rill.iota(1):tile(3))
        check.names({"sum", "r", "int", "float"}, kernel(SUM), s, rill.stream("float", 3))
        check.raises("sum: .*expected 1 argument .*got 3", kernel(SUM), s, 3, 4)
        check.raises("sum: .*got 0", kernel(SUM))
        check.names({"sum", "x"}, kernel(SUM), 3)
        check.names({"sum", "x"}, kernel(SUM), rill.stream("vec2", 3))
        local closed = rill.iota(3)
        closed:close()
        check.names({"sum", "x", "closed stream"}, kernel(SUM), closed)
        check.names({"sum", "r", "closed stream"}, kernel(SUM), s, closed)
        assert.equal(66, kernel(SUM)(s))
    end)
end)

describe("loops in reduce kernels", function()
    leaks.watch(setup, teardown)

    it("run as they are written", function()
        local gcd = rill.kernel [[
            reduce void gcd(uint x<>, reduce uint r<>) {
                uint a = r, b = x;
                while (b != 0u) { uint t = a % b; a = b; b = t; }
                r = a;
            }
        ]]
        for _, size in ipairs(fitting {1, 7, 65, 1025, 20000}) do
            local s = rill.stream("uint", size, function(i) return i * 36 end)
            assert.equal(36, gcd(s))
        end
        assert.same({36, 4 * 36}, gcd(rill.stream("uint", 6, function(i) return i <= 3 and i * 36 or 4 * 36 end), 2)
            :values())
    end)

    it("raise an error if the device ends them early", function()
        local limit = rill.device().traits.loop_limit
        local long = rill.kernel [[
            reduce void long_loop(uint trips, uint x<>, reduce uint r<>) {
                uint a = r;
                for (uint i = 0u; i < trips; i++) { a = a * 1664525u + x; }
                r = a;
            }
        ]]
        local function expected(trips)
            local a = 1
            for _ = 1, trips do
                a = (a * 1664525 + 1) & 0xffffffff
            end
            return a
        end
        local s = rill.stream("uint", 2, 1)
        assert.equal(expected(1000), long(1000, s))
        if limit == 0 then
            assert.equal(expected(200000), long(200000, s))
            return
        end
        check.raises("long_loop", long, 200000, s)
        check.raises("long_loop", function() return long(200000, rill.stream("uint", 100, 1), 50):values() end)
        assert.equal(expected(1000), long(1000, s))
    end)

    it("may be as long for many elements as for few", function()
        local loops = rill.kernel [[
            reduce void loops(int trips, int x<>, reduce int r<>) {
                int best = r;
                for (int i = 0; i < trips; i++) { best = max(best, x - i); }
                r = best;
            }
        ]]
        for _, size in ipairs(fitting {100, 1000, 16384, 20000, 200000}) do
            assert.equal(size - 1, loops(100, rill.iota(size)))
        end
        assert.same({9999, 19999}, loops(100, rill.iota(20000), 2):values())
        assert.same({3, 7}, loops(100, rill.iota {2, 4}, {2, 1}):values())
        local many = loops(100, rill.iota {3000, 100}, {3000, 1})
        assert.equal(299999, many:get(3000, 1))
    end)
end)

describe("invalid reduce kernels", function()
    it("report errors", function()
        check.raises("indexof", function()
            local f = rill.kernel "reduce void f(float x<>, reduce float r<>) { r += float(indexof(x).x); }"
            f(rill.stream("float", 3))
        end)
        check.names({"r", "float", "int"}, rill.kernel, "reduce void f(float x<>, reduce int r<>) { r += int(x); }")
        check.raises("reduce", rill.kernel, "reduce void f(float x<>) { }")
        check.raises("reduce", rill.kernel, "reduce void f(reduce float r<>) { r += 1.0; }")
        check.raises("reduce", rill.kernel, "reduce void f(float x<>, float y<>, reduce float r<>) { r += x * y; }")
        check.raises("reduce", rill.kernel, "reduce void f(float x<>, out float y<>, reduce float r<>) { r += x; }")
        check.raises("reduce", rill.kernel, "kernel void f(float x<>, reduce float r<>) { r += x; }")
    end)
end)
