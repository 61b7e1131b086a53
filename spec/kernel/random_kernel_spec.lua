-- Tests of random numbers in kernels, against a model of Philox in Lua.
local rill = require "rill"
local drivers = require "spec.support.drivers"
local philox = require "spec.support.philox"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local words_of <const>, unit <const> = philox.draws, philox.unit

-- The first number of each element 0 .. n - 1.
local function firsts(n, seed, launch)
    local list = {}
    for i = 1, n do
        list[i] = unit(words_of(i - 1, seed, launch)(1))
    end
    return list
end

local first = rill.kernel "kernel void first(out float r<>) { r = random(); }"
local add = rill.kernel "kernel void add(float x<>, out float r<>) { r = x + random(); }"

local function zeros(...) return rill.stream("float", {...}) end

describe("random numbers in kernels", function()
    it("are the words of Philox, by the element, the block and the launch", function()
        for _, seed in ipairs {0, 7, -1, 0x123456789abcdef} do
            rill.seed(seed)
            for launch = 0, 2 do
                assert.same(firsts(50, seed, launch), first {shape = 50}:values())
            end
            assert.same(firsts(50, seed, 0), first {shape = {5, 10}, seed = seed}:values())
            assert.same(firsts(50, seed, 0), first:seed(seed) {shape = {5, 2, 5}}:values())
        end
    end)

    it("draw several words at once, and integers without bias", function()
        local k = rill.kernel [[
            float later(float a) { return a + random(); }
            kernel void k(out vec4 a<>, out vec3 b<>, out vec2 c<>, out float d<>, out ivec4 n<>, out uint u<>) {
                float x = random();
                c = random2();
                b = random3();
                a = random4();
                d = later(x);
                for (int i = 0; i < 3; i++)
                    x += random();
                d += x;
                n = ivec4(random_int(10), random_int(1), random_int(0), random_int(2000000011));
                u = random_int(4000000000u);
            }
        ]]
        local count = 300
        local a, b, c, d, n, u = k {shape = count, seed = 3}
        a, b, c, d, n, u = a:read(), b:read(), c:read(), d:read(), n:read(), u:read()
        local again = 0
        for i = 1, count do
            local draw = words_of(i - 1, 3, 0)
            local function units(m)
                local list = {draw(m)}
                for j = 1, m do list[j] = unit(list[j]) end
                return list
            end
            local function below(m)
                local value, rejected = philox.below(m, draw)
                again = again + rejected
                return value
            end
            local x = units(1)[1]
            assert.same({units(2), units(3), units(4)}, {c[i], b[i], a[i]})
            local sum = x + units(1)[1]
            for _ = 1, 3 do x = x + units(1)[1] end
            assert.near(sum + x, d[i], 1e-5)
            assert.same({below(10), below(1), below(0), below(2000000011), below(4000000000)},
                {n[i][1], n[i][2], n[i][3], n[i][4], u[i]})
        end
        assert.truthy(again > 10)
    end)

    it("compile for the largest limit, although LLVM 15 does not compile the test of a product with -1", function()
        local k = rill.kernel [[
            kernel void k(out float r<>) {
                for (int i = 0; i < 4; i += 2) { random_int(4294967295u); }
                r = random();
            }
        ]]
        local draw = words_of(2, 5, 0)
        draw(1)
        draw(1)
        assert.equal(unit(draw(1)), k {shape = 3, seed = 5}:get(3))
    end)

    it("are all drawn although words are drawn again, on devices that limit the iterations of an invocation", function()
        local limit <const>, n <const>, calls <const> = (1 << 31) + 1, 1 << 18, LONG and 64 or 24
        local body <const> = ("h = h * 31u + random_int(%du);"):format(limit):rep(calls)
        local k = rill.kernel(("kernel void k(out uint r<>) { uint h = 0u; %s r = h; }"):format(body))
        local got = k {shape = n, seed = 5}
        for e = n - 20, n - 1 do
            local draw, h = words_of(e, 5, 0), 0
            for _ = 1, calls do h = h * 31 + philox.below(limit, draw) & 0xffffffff end
            assert.equal(h, got:get(e + 1))
        end
    end)

    it("have the moments of their distributions", function()
        local k = rill.kernel [[
            kernel void k(out float n<>, out float e<>) {
                n = random_normal();
                e = random_exponential();
            }
        ]]
        local n, e = k {shape = 1 << 20, seed = 11}
        local bound = 4 / 1024 -- standard errors
        assert.near(0, n:mean(), bound)
        assert.near(1, n:var(), bound * 2 ^ 0.5)
        assert.near(1, e:mean(), bound)
        if LONG then
            assert.near(0, (n * n * n):mean(), bound * 15 ^ 0.5)
            assert.near(2, (e * e):mean(), bound * 20 ^ 0.5)
        end
        assert.near(3, (n * n * n * n):mean(), bound * 96 ^ 0.5)
        assert.truthy(e:min() > 0 and e:max() > 11)
    end)

    it("depend on conditions and loops only by the number of draws", function()
        local k = rill.kernel [[
            kernel void k(out int count<>, out float last<>) {
                count = 0;
                last = 0.0;
                while (random() < 0.8 && count < 100) {
                    count++;
                    if (count % 3 == 1) last = random();
                }
            }
        ]]
        local count, last = k {shape = 1000, seed = 5}
        count, last = count:values(), last:values()
        for i = 1, 1000 do
            local draw = words_of(i - 1, 5, 0)
            local n, x = 0, 0.0
            while unit(draw(1)) < 0.8 and n < 100 do
                n = n + 1
                if n % 3 == 1 then x = unit(draw(1)) end
            end
            assert.same({n, x}, {count[i], last[i]})
        end
    end)

    it("are the same for views, lists of elements and parts", function()
        local wanted = firsts(60, 9, 0)
        local large = zeros(12, 10)
        local view = large:domain({3, 2}, {8, 10}):transpose():stride(1, 1)
        local wide = add {x = view, seed = 9}
        assert.same(firsts(54, 9, 0), wide:values())
        local mask = rill.random({6, 10}, {seed = 1}):map "x < 0.5 ? 1.0 : 0.0"
        local some = first {r = zeros(6, 10), where = rill.active(mask), seed = 9}:values()
        for i, m in ipairs(mask:values()) do
            assert.equal(m ~= 0 and wanted[i] or 0, some[i])
        end
        local whole = first {shape = {6, 10}, seed = 9}
        local part = first {shape = {2, 3}, part = {shape = {6, 10}, first = {4, 5}}, seed = 9}
        assert.same(whole:domain({4, 5}, {5, 7}):read(), part:read())
        local far = first {shape = {1, 2}, part = {shape = {1 << 20, 1 << 20}, first = {(1 << 19) + 1, 8}}, seed = 9}
        local place = (1 << 39) + 7
        assert.same({unit(words_of(place, 9, 0)(1)), unit(words_of(place + 1, 9, 0)(1))}, far:values())
    end)

    it("are the same in both runs of a kernel with variable outputs, and in all passes", function()
        local thin = rill.kernel [[
            kernel void thin(float x<>, vout float r<>) { if (random() < 0.3) push(r, random()); }
        ]]
        local got = thin {x = zeros(500), seed = 2}:values()
        local wanted = {}
        for i = 0, 499 do
            local draw = words_of(i, 2, 0)
            if unit(draw(1)) < 0.3 then wanted[#wanted + 1] = unit(draw(1)) end
        end
        assert.same(wanted, got)
        local outputs, statements = {}, {}
        for i = 1, 20 do
            outputs[i] = ("out float r%d<>"):format(i)
            statements[i] = ("r%d = random();"):format(i)
        end
        local many = rill.kernel(("kernel void many(%s) { %s }"):format(table.concat(outputs, ", "),
            table.concat(statements, " ")))
        local results = {many {shape = 40, seed = 4}}
        for i = 1, 40 do
            local draw = words_of(i - 1, 4, 0)
            for k = 1, 20 do
                assert.equal(unit(draw(1)), results[k][i])
            end
        end
    end)

    it("exist in group kernels", function()
        local k = rill.kernel [[
            kernel(8, 4) void k(out float r<>) {
                shared float first;
                float own = random();
                if (localid() == ivec2(0)) first = own;
                barrier();
                r = own + 0.0 * first;
            }
        ]]
        assert.same(firsts(30 * 21, 6, 0), k {shape = {30, 21}, seed = 6}:values())
        local line = rill.kernel "kernel(64) void line(out float r<>) { r = random(); }"
        assert.same(firsts(1000, 6, 0), line {shape = 1000, seed = 6}:values())
    end)

    it("do not depend on the memory of containers", function()
        local wanted = rill.from(firsts(24 * 32, 8, 0)):reshape {24, 32}
        local array = rill.array("float", {24, 32})
        assert.same(wanted:values(), add {x = array, seed = 8}:values())
        for _, options in ipairs(LONG and {
            {page = {4, 8}}, {page = {4, 8}, levels = 2}, {page = {5, 7}}, {page = {1, 32}, capacity = 100},
        } or {{page = {4, 8}, levels = 2}, {page = {5, 7}}}) do
            for _, order in ipairs {{1, 2, 3}, {3, 1, 2}} do
                local c = rill.sparse("float", {24, 32}, options)
                for _, k in ipairs(order) do -- pages are stored in the order in which they are mapped
                    c:allocate({8 * k - 7, 1}, {8 * k, 32})
                end
                assert.same(wanted:values(), add {x = c, seed = 8}:values())
                local over = first {r = c, over = c:range({3, 2}, {9, 30}), seed = 8}
                assert.same(wanted:domain({3, 2}, {9, 30}):values(), over:values({3, 2}, {9, 30}))
                assert.equal(0, over:get(10, 31))
            end
        end
        local tree = rill.quadtree("float", {size = {16, 16}, page = {4, 4}})
        tree:refine(rill.from({{9, 3}}, "ivec2"), 0)
        first {r = tree, seed = 8}
        local nodes = firsts(17 * 17, 8, 0)
        for _, place in ipairs {{1, 1}, {3, 10}, {4, 10}, {9, 9}, {17, 17}} do
            assert.equal(nodes[17 * (place[1] - 1) + place[2]], tree:get(place[1], place[2]))
        end
        local function refined(seed)
            rill.seed(seed)
            local t = rill.quadtree("float", {size = {256, 256}, page = {4, 4}, depth = 3})
            local some = rill.kernel "kernel void some(float q<>, out bool r<>) { r = random() < 0.02; }"
            t:refine(some)
            t:refine(some)
            return t.pages.mapped, add(zeros(3)):values()
        end
        local pages, next_numbers = refined(8)
        assert.same(firsts(3, 8, 2), next_numbers)
        assert.equal(pages, (refined(8)))
        assert.not_equal(pages, (refined(9)))
        local huge = rill.sparse("float", {1 << 20, 1 << 20}, {page = {4, 4}})
        huge:set(1, (1 << 19) + 1, 8)
        local place = (1 << 39) + 7
        assert.equal(unit(words_of(place, 8, 0)(1)), first {r = huge, seed = 8}:get((1 << 19) + 1, 8))
        local grid = rill.hashgrid("float", {page = {4, 4}})
        grid:set(0, -100, 37)
        assert.equal(unit(words_of((36 << 0) | ((-101 & 0xffffffff) << 32), 8, 0)(1)),
            first {r = grid, seed = 8}:get(-100, 37))
    end)

    it("give the elements without pages the number of the first element", function()
        local c = rill.sparse("float", {8, 8}, {page = {4, 4}})
        c:allocate({5, 5}, {8, 8})
        local wanted = firsts(64, 14, 0)
        for _ = 1, 2 do
            rill.seed(14)
            local mapped = c:map "x + random()"
            assert.same({wanted[37], wanted[1]}, {mapped:get(5, 5), mapped:get(1, 8)})
            assert.same(firsts(2, 14, 1), first {shape = 2}:values())
        end
    end)

    it("count launches, which failed launches do not", function()
        rill.seed(12)
        local x = zeros(20)
        add(x)
        assert.has_error(function() add(x, 1, 2) end)
        assert.has_error(function() add {x = x, r = zeros(21)} end)
        rill.kernel "kernel void none(float x<>, out float r<>) { r = x; }"(x)
        assert.same(firsts(20, 12, 1), add(x):values())
        add {x = x, seed = 3}
        assert.same(firsts(20, 12, 2), add(x):values())
        local scaled = rill.kernel "kernel void scaled(float x<>, float a, out float r<>) { r = x + a * random(); }"
        assert.same(firsts(20, 12, 3), scaled:specialize {a = 1}(x):values())
        assert.same(firsts(20, 5, 0), scaled:seed(5):specialize {a = 1}(x):values())
        assert.same(firsts(20, 5, 0), scaled:seed(5)(x * 2, 1):values()) -- a fused expression
        assert.same(firsts(20, 12, 4), scaled(x * 2, 1):values())
        assert.same(firsts(20, 12, 5), x:map "x + random()":values())
        assert.same(firsts(20, 12, 6), (x * 3):map "x + random()":values())
        local kept, wanted = x:find "random() < 0.5":values(), {}
        for i, r in ipairs(firsts(20, 12, 7)) do
            if r < 0.5 then wanted[#wanted + 1] = i - 1 end
        end
        assert.same(wanted, kept)
        rill.seed(12)
        assert.same(firsts(20, 12, 0), add(x):values())
    end)

    it("take a seed among the constants of an expression", function()
        local x = zeros(20)
        rill.seed(4)
        assert.same(firsts(20, 7, 0), x:map("x + a * random()", {seed = 7, a = 1}):values())
        assert.same(firsts(20, 7, 0), (x * 2):map("x + random()", {seed = 7}):values())
        assert.same(firsts(20, 7, 0), rill.array("float", {20}):map("x + random()", {seed = 7}):values())
        local wanted = {}
        for i, r in ipairs(firsts(20, 7, 0)) do
            if r < 0.5 then wanted[#wanted + 1] = i - 1 end
        end
        assert.same(wanted, x:find("random() < a", {seed = 7, a = 0.5}):values())
        assert.same(firsts(20, 4, 0), x:map("x + seed * random()", {seed = 1}):values()) -- a constant
        assert.same(firsts(20, 4, 1), x:map "x + random()":values())
        for seed, message in pairs {[1.5] = "'seed': expected a whole number, got number 1.5", a = "expected a"} do
            local done, text = pcall(x.map, x, "x + random()", {seed = seed})
            assert.falsy(done)
            assert.truthy(text:find(message, 1, true), text)
        end
        local done, text = pcall(x.filter, x, "x < 1", {seed = 7})
        assert.falsy(done)
        assert.truthy(text:find("s:filter: constant 'seed': the expression does not contain it", 1, true), text)
    end)

    it("have a parameter or a function of the same name take precedence", function()
        local named = rill.kernel "kernel void named(float x<>, float seed, out float r<>) { r = x + seed * random(); }"
        assert.same(firsts(10, 4, 0), named:seed(4) {x = zeros(10), seed = 1}:values())
        local own = rill.kernel [[
            float random(float a) { return a * 2.0; }
            kernel void own(float x<>, out float r<>) { float random2 = 1.0; r = random(x + random2); }
        ]]
        assert.same({2, 2}, own(zeros(2)):values())
        assert.has_error(function() own {x = zeros(2), seed = 1} end)
        local done, message = pcall(own.seed, own, 1)
        assert.falsy(done)
        assert.truthy(message:find("kernel:seed: 'own' draws no random numbers", 1, true))
    end)

    it("are refused where they have no meaning", function()
        for _, row in ipairs {
            {"reduce void r(float x<>, reduce float s<>) { s += random(); }", "'random' exists in kernels only"},
            {"const float C = random(); kernel void k(out float r<>) { r = C; }", "'random' exists in kernels only"},
            {"kernel void k(out float r<>) { r = random(2); }", "its forms are random()"},
            {"kernel void k(out int r<>) { r = random_int(1.5); }", "forms are random_int(int) or random_int(uint)"},
            {"kernel void k(out int r<>) { r = rand(); }", "write random(), random_int(n) or random_normal()"},
        } do
            local text, part = table.unpack(row)
            local done, message = pcall(rill.kernel, text)
            assert.falsy(done)
            assert.truthy(message:find(part, 1, true), message)
        end
        local done, message = pcall(rill.translator.new, {rank = 1, to = 1, shape = 9, glsl = [[
            int moved(int v) { return v + random_int(2); }
            int translate(int v) { return moved(v); }
        ]], cpu = function(v) return v end})
        assert.falsy(done)
        assert.truthy(message:find("a translator draws no random numbers", 1, true), message)
        for _, seed in ipairs {1.5, "a", {}} do
            done, message = pcall(first, {shape = 3, seed = seed})
            assert.falsy(done)
            assert.truthy(message:find("option 'seed': expected a whole number", 1, true), message)
        end
    end)

    -- Prints sums of the words of all functions, and of rill.random.
    local BITS <const> = [[
        local rill = require "rill"
        local k = rill.kernel "kernel void k(out uvec4 u<>, out uvec4 v<>) { u = floatBitsToUint(vec4(random(), \
            random_normal(), random_exponential(), random_normal())); v = uvec4(floatBitsToUint(random3()), \
            random_int(7000000)); for (int i = 0; i < int(v.x % 5u); i++) v.x += floatBitsToUint(random_normal()); }"
        local g = rill.kernel "kernel(32) void g(out uint r<>) { r = floatBitsToUint(random()) + uint(random_int(77)); }"
        local function sum(s) return s:as "uint":sum() end
        local u, v = k {shape = {61, 50}, seed = 17}
        print(sum(u), sum(v), sum(g {shape = 1000, seed = 18}))
        local n = rill.random(20001, {distribution = "normal", seed = 3})
        print(rill.kernel "kernel void b(float x<>, out uint r<>) { r = floatBitsToUint(x); }"(n):sum())
    ]]

    it("have the same bits on other drivers", function()
        local own = process.output(BITS, {})
        assert.matches("^%d+\t%d+\t%d+\n%d+\n$", own)
        local other <const> = rill.device().family == "cpu" and "gpu" or "cpu"
        assert.equal(own, process.output(BITS, {RILL_FAMILY = other}))
        if not LONG then return end
        assert.equal(own, process.output(BITS, drivers.softpipe {RILL_TRUST = "1"}))
        local zink, lacking = drivers.zink()
        if not zink then
            pending(lacking)
        end
        assert.equal(own, process.output(BITS, zink))
    end)

    it("do not depend on the tiles of files", function()
        local files = tempfiles.open()
        finally(function() files:close() end)
        local rows, columns = 12, 1000
        rill.random({rows, columns}, {seed = 1}):map "0.0 * x":save(files:path "a.npy")
        local b = rill.big(files:path "a.npy", {tile = 1000})
        local wanted = rill.from(firsts(rows * columns, 21, 0)):reshape {rows, columns}
        rill.seed(21)
        b:map(add, files:path "b.npy")
        assert.equal(0, rill.abs(rill.load(files:path "b.npy") - wanted):max())
        b:map("x + random()", files:path "c.npy")
        local second = rill.from(firsts(rows * columns, 21, 1)):reshape {rows, columns}
        assert.equal(0, rill.abs(rill.load(files:path "c.npy") - second):max())
        local kept = b:filter("random() < 0.25", files:path "d.npy")
        local third, count = firsts(rows * columns, 21, 2), 0
        for _, r in ipairs(third) do count = count + (r < 0.25 and 1 or 0) end
        assert.equal(count, kept.size)
        assert.same(firsts(5, 21, 3), add(zeros(5)):values())
        for _, f in ipairs {"x + random()", add} do
            assert.has_error(function() b:map(f, files:path "none/a.npy") end)
            assert.has_error(function() b:filter(f, files:path "none/a.npy") end)
        end
        b:map(add:seed(3), files:path "e.npy")
        assert.same(firsts(5, 21, 4), add(zeros(5)):values())
    end)
end)
