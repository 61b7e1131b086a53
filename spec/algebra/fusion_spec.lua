local rill = require "rill"
local core = require "rill.core"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

local function floats(n, from, step)
    local list = {}
    for i = 1, n do list[i] = from + (i - 1) * step end
    return rill.from(list), list
end

describe("expressions as arguments of kernels", function()
    leaks.watch(setup, teardown)

    local mix = rill.kernel "kernel void mix2(float a, float x<>, float y<>, out float r<>) { r = a * x - y; }"

    it("by position and by name, with and without the output", function()
        local x, y = floats(100, 1, 1), floats(100, 0, 0.5)
        local expected = {}
        for i = 1, 100 do
            expected[i] = 2 * (i + 1) - 3 * (i - 1) * 0.5
        end
        check.equal(expected, mix(2, x + 1, y * 3):values())
        check.equal(expected, mix(2, x + 1, (y * 3):eval()):values())
        local r = rill.stream("float", 100)
        assert.equal(r, mix(2, x + 1, y * 3, r))
        check.equal(expected, r:values())
        check.equal(expected, mix {a = 2, x = x + 1, y = y * 3}:values())
        r:fill(0)
        assert.equal(r, mix {a = 2, x = x + 1, y = y * 3, r = r})
        check.equal(expected, r:values())
        local e = x + 1
        check.equal(mix(2, e:eval(), e:eval()):values(), mix(2, e, e):values())
    end)

    it("gives the same result as the evaluated expression, for every size", function()
        for _, n in ipairs(fitting {0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 70001}) do
            local x = rill.iota(n)
            local e = x * 3 % 7 - x // 2
            check.equal(mix(0.5, e:eval(), x:eq(3):eval():cast "float"):values(),
                mix(0.5, e, rill.where(x:eq(3), 1, 0)):values())
        end
    end)

    it("of other types, where GLSL converts them", function()
        local i = rill.iota(5)
        check.equal({2, 4, 6, 8, 10}, mix(2, i + 1, i * 0):values())
        local v = rill.kernel "kernel float len(vec2 v<>) { return length(v); }"
        check.equal({5, 10}, v(rill.from({{3, 4}, {6, 8}}, "ivec2") * 1):values())
        check.raises("mix2: argument #2 'x': expected a stream of float .input stream., got stream<vec2>",
            function() mix(2, rill.stream("vec2", 3) + 1, rill.iota(3)) end)
        check.raises("mix2: argument #2 'x': .* got stream<double>",
            function() mix(2, rill.stream("double", 3) + 1, rill.iota(3)) end)
    end)

    it("shapes broadcast, repeat and stride as those of streams", function()
        local x, y = rill.iota(2) * 1, rill.iota(6) * 1
        local expected = mix(1, x:eval(), y:eval(), rill.stream("float", 6)):values()
        check.equal(expected, mix(1, x, y, rill.stream("float", 6)):values())
        check.equal(mix(1, y:eval(), x:eval(), rill.stream("float", 2)):values(),
            mix(1, y, x, rill.stream("float", 2)):values())
        local m = rill.iota {3, 4} + rill.iota {3, 1} * 10 -- broadcasts within
        check.equal(mix(1, m:eval(), rill.iota(4)):values(), mix(1, m, rill.iota(4) * 1):values())
        check.names({"mix2", "'y'", "4", "3"}, function() mix(1, rill.iota(4) + 1, rill.iota(3) + 1) end)
        check.names({"mix2", "'x'", "4", "7"},
            function() mix(1, rill.iota(4) + 1, rill.iota(7) + 1, rill.stream("float", 7)) end)
    end)

    it("only element-wise inputs are fused; other expressions are evaluated first", function()
        local x = rill.iota(6)
        local gather = rill.kernel "kernel float pick(float a[], int i<>) { return a[i]; }"
        check.equal({50, 40, 30, 20, 10, 0}, gather(x * 10, 5 - x):values())
        local step = rill.kernel "kernel int step_(neighbor int a<>) { return a[1] - a[0]; }"
        check.equal({1, 3, 5, 7, 9, 0}, step(x * x):values())
        local place = rill.kernel "kernel int place(int a<>) { return indexof(a).x * 100 + a; }"
        check.equal({1, 102, 203, 304, 405, 506}, place(x + 1):values())
        local size = rill.kernel "kernel int extent(int a<>) { return sizeof_stream(a).x + a; }"
        check.equal({6, 7, 8, 9, 10, 11}, size(x + 0):values())
        local at = rill.kernel "kernel void at(int a<>, out int r<>) { r = indexof(r).x * 10 + a; }"
        check.equal({1, 12, 23, 34, 45, 56}, at(x + 1):values())
        local push = rill.kernel "kernel void keep(int a<>, vout int r<>) { if (a % 2 == 0) push(r, a); }"
        check.equal({2, 4, 6}, push(x + 1):values())
        local many = rill.kernel [[
            kernel void many(int a<>, out int r<>, out int s<>) { r = a + 1; s = a - 1; }
        ]]
        local r, s = many(x * 2)
        check.equal({1, 3, 5, 7, 9, 11}, r:values())
        check.equal({-1, 1, 3, 5, 7, 9}, s:values())
        local group = rill.kernel "kernel(8) void group_(int a<>, out int r<>) { r = a + localid(); }"
        check.equal({0, 3, 6, 9, 12, 15}, group(x * 2):values())
    end)

    it("kernels of texts with structures, helpers, macros and baked constants", function()
        local program = rill.program [[
            #define TWICE(v) ((v) + (v))
            struct Pair { float a; float b; };
            const float base = 100.0;
            float helper(float v) { Pair p; p.a = v; p.b = base; return TWICE(p.a) + p.b; }
            kernel void f(float s, float x<>, out float r<>) { r = helper(x) * s; }
            kernel float two(float x<>, float y<>) { return helper(x) + y; }
        ]]
        local x = rill.from {1, 2}
        check.equal({1040, 1080}, program.f(10, x * 2):values())
        check.equal({105, 110}, program.two(x + 0, x * 3):values())
        check.equal({312, 324}, program.f:specialize {s = 3} (x + x):values())
    end)

    it("in place, and where the expression reads what is written", function()
        local add = rill.kernel "kernel void add(inout float r<>, float x<>) { r += x; }"
        local x = rill.from {1, 2, 3, 4}
        add(x, x * 10)
        check.equal({11, 22, 33, 44}, x:values())
        mix(1, x + 1, x, x)
        check.equal({1, 1, 1, 1}, x:values())
        local y = rill.from {1, 2, 3, 4}
        mix(1, y:domain(1, 3) * 1, 0 * y:domain(1, 3), y:domain(2, 4))
        check.equal({1, 1, 2, 3}, y:values())
    end)

    it("with a mask, and one that is an expression", function()
        local x = rill.iota(6)
        local r = rill.stream("float", 6, -1)
        mix {a = 1, x = x * 10, y = x, r = r, where = x:gt(3)}
        check.equal({-1, -1, -1, -1, 36, 45}, r:values())
    end)

    it("errors are those of the kernel called with a stream", function()
        local x = rill.iota(3)
        check.raises("mix2: expected 3 arguments .or 4 with its outputs., got 2", function() mix(1, x + 1) end)
        check.raises("mix2: unknown argument or option 'z'", function() mix {a = 1, x = x + 1, y = x, z = x + 1} end)
        check.raises("mix2: argument 'y' is missing", function() mix {a = 1, x = x + 1} end)
        check.raises("mix2: argument #1 'a': expected a number", function() mix(x + 1, x + 1, x) end)
        check.raises("mix2: argument #4 'r': expected a stream of float .output stream., got expression<int>.3.",
            function() mix(1, x, x, x + 1) end)
        local line = debug.getinfo(1, "l").currentline
        local message = check.failure(function() mix(1, x + 1) end)
        assert.truthy(message:find("fusion_spec.lua:" .. line + 1 .. ":", 1, true), message)
    end)

    it("explain works on the evaluated expression", function()
        assert.truthy(mix:explain(1, rill.iota(3) + 1, rill.iota(3)):find("mix2", 1, true))
    end)
end)

describe("reductions of expressions", function()
    leaks.watch(setup, teardown)

    -- Operations with the same bits, and others.
    local function compare(same, near, every)
        for _, n in ipairs(fitting {0, 1, 33, 1025, 70001}) do
            local x, y = rill.random(n, {seed = 1}), rill.random(n, {seed = 2})
            local e = 2 * x - y
            local s = e:eval()
            for _, name in ipairs(same) do
                assert.same({s[name](s)}, {e[name](e)}, name)
            end
            for _, name in ipairs(near) do
                local expected, got = s[name](s), e[name](e)
                assert(expected == got or math.abs(got - expected) <= 1e-6 * (1 + math.abs(expected)), name)
            end
            for _, other in ipairs {y + 1, every and y} do
                local expected = s:dot(other)
                assert(math.abs(e:dot(other) - expected) <= 1e-5 * (1 + math.abs(expected)))
                assert(math.abs(s:dot(other * 1) - expected) <= 1e-5 * (1 + math.abs(expected)))
            end
        end
    end

    it("give the same result as the evaluated expression, by every operation #long", function()
        compare({"prod", "min", "max", "any", "all", "count", "argmin", "argmax"},
            {"sum", "mean", "var", "std", "norm"}, true)
    end)

    it("give the same result as the evaluated expression", function()
        compare({"argmin"}, {"sum"})
        local i = rill.iota(1000)
        assert.equal(499500 * 3, (i * 3):sum())
        assert.equal("integer", math.type((i * 3):sum()))
        assert.equal(10, i:lt(10):count())
        assert.equal(100, (i % 10):eq(9):count())
        assert.same({4.0, 6.0}, (rill.from({{1, 2}, {3, 4}}, "vec2") * 1):sum())
        assert.equal(30.0, (rill.from({{1, 2}, {3, 4}}, "vec2") * 1):dot(rill.from({{1, 2}, {3, 4}}, "vec2")))
        assert.equal(14.0, (rill.iota(4) * 1):dot(rill.iota(4)))
    end)

    it("along an axis, and of expressions that broadcast", function()
        local m = rill.from {{1, 2, 3}, {4, 5, 6}}
        assert.same({10, 14, 18}, (m * 2):sum(1):values())
        assert.same({12, 30}, (m * 2):sum(-1):values())
        assert.equal("2x1", tostring((m * 2):max(2, {keep = true}).shape))
        assert.same({0, 0, 0}, (m - m:mean(1)):sum(1):values())
        assert.same({{-1, 0, 1}, {-1, 0, 1}}, (m - m:mean(2, {keep = true})):read())
        assert.same({2, 2}, {(m * rill.from {1, 10, 1}):argmax()})
        assert.same({0, 1}, (m:eq(5)):any(2):cast "int":values())
        check.raises("s:sum: argument #1 'axis': expected 1 .. 2", function() (m + 1):sum(3) end)
        check.raises("s:sum: unknown option 'kep'", function() (m + 1):sum(1, {kep = true}) end)
        check.raises("s:argmax", function() (rill.stream("vec2", 3) + 1):argmax() end)
        check.raises("s:dot: the shapes differ: 2x3 and 3", function() (m + 1):dot(rill.iota(3)) end)
        local closed = rill.iota(3)
        closed:close()
        check.raises("^[^:]*fusion_spec.lua:%d+: s:dot: argument #1 't': expected an open stream, got closed stream",
            function() (rill.iota(3) + 1):dot(closed) end)
    end)

    it("by reduce kernels", function()
        local total = rill.kernel "reduce void total(float x<>, reduce float r<>) { r += x; }"
        local scaled = rill.kernel "reduce void biggest(reduce float r<>, float s, float x<>) { r = max(r, s * x); }"
        local x = rill.iota(12)
        assert.equal(78.0, total(x + 1.0))
        assert.same({10.0, 26.0, 42.0}, total(x + 1.0, 3):values())
        assert.same({10.0, 26.0, 42.0}, total {x = x + 1.0, shape = 3}:values())
        local r = rill.stream("float", 2)
        assert.equal(r, total(x + 1.0, r))
        assert.same({21.0, 57.0}, r:values())
        assert.equal(24.0, scaled(2, x + 1.0))
        assert.same({12.0, 24.0}, scaled(2, 2, x + 1.0):values())
        assert.same({12.0, 24.0}, scaled(rill.stream("float", 2), 2, x + 1.0):values())
        assert.is_nil(total(rill.stream("float", 0) + 1))
        check.raises("total: expected 1 argument", function() total(x + 1.0, 1, 2) end)
    end)

    it("filter, find and partition take expressions", function()
        local x = rill.iota(10)
        assert.same({6, 7, 8, 9}, x:filter(x:gt(5)):values())
        assert.same({0, 9, 18, 27}, (x * 3):filter((x % 3):eq(0)):values())
        assert.same({6, 7, 8, 9}, x:find((x * 2):gt(11)):values())
        local yes, no = x:partition((x & 1):eq(1))
        assert.same({1, 3, 5, 7, 9}, yes:values())
        assert.same({0, 2, 4, 6, 8}, no:values())
    end)
end)

describe("an expression", function()
    leaks.watch(setup, teardown)

    it("has the fields and methods of a stream", function()
        local e = rill.iota {2, 3} * 2
        assert.equal("expression", rill.type(e))
        assert.equal("int", e.type)
        assert.equal("2x3", tostring(e.shape))
        assert.equal(6, e.size)
        assert.equal(24, e.nbytes)
        assert.equal(6, #e)
        assert.same({{0, 2, 4}, {6, 8, 10}}, e:read())
        assert.same({8}, e:values({2, 2}, {2, 2}))
        assert.equal(8, e:get(2, 2))
        assert.same({6, 8, 10}, e[2]:values())
        assert.is_nil(e[3])
        assert.equal(tostring(e:eval()), tostring(e))
        assert.same({{0, 6}, {2, 8}, {4, 10}}, e:transpose():read())
        assert.same({0, 2, 4, 6, 8, 10}, e:reshape(6):values())
        assert.equal(24, #e:bytes())
        assert.same({1, 3, 5, 7, 9, 11}, e:map("x + 1"):values())
        assert.equal("float", e:cast("float").type)
        assert.equal("double", e:like("double").type)
        local seen = {}
        for i, j, v in pairs(e) do
            seen[#seen + 1] = v + 100 * i + 10 * j
        end
        assert.same({110, 122, 134, 216, 228, 240}, seen)
        seen = {}
        for i, v in ipairs(rill.iota(3) + 5) do seen[i] = v end
        assert.same({5, 6, 7}, seen)
    end)

    it("can't be written", function()
        local e = rill.iota(3) + 1
        for _, name in ipairs {"set", "write", "fill", "map_cpu"} do
            check.names({"e:" .. name, "eval"}, function() e[name](e, 1) end)
        end
        check.raises("can't be written .'1'.: e:eval%(%) makes it a stream", function() e[1] = 2 end)
        check.raises("cannot be written", function() e:domain(1, 2):fill(7) end)
        assert.same({1, 2, 3}, e:values())
        check.raises("e:eval: expected no arguments, got 1", function() e:eval(1) end)
    end)

    it("evaluates to a new stream every time", function()
        local e = rill.iota(3) + 1
        local a, b = e:eval(), e:eval()
        a:fill(0)
        assert.same({1, 2, 3}, b:values())
        assert.same({1, 2, 3}, e:values())
    end)

    it("is accepted wherever a stream is read", function()
        local x = rill.from {1, 2, 3}
        assert.same({2, 4, 6}, rill.stream("float", 3):write(x * 2):values())
        assert.same({0, 2, 4, 6, 0}, rill.stream("float", 5):write(x * 2, 2):values())
        assert.same({2, 3, 4}, rill.stream("double", 3):write(rill.iota(3) + 2):values())
        local square = rill.stream("int", {2, 2}, 1)
        assert.same({1, 1, 9, 9}, square:write(rill.stream("int", {1, 2}, 8) + 1, {2, 1}):values())
        check.raises("s:write: argument #1 'data': expected a stream of shape 4, got 3",
            function() rill.stream("float", 4):write(x + 1) end)
        check.raises("s:write: argument #1 'data': expected a stream of int, got one of float",
            function() rill.stream("int", 3):write(x + 1) end)
        assert.same({1, 2, 3, 2, 4, 6}, rill.concat({x, x * 2}):values())
        local rows = rill.stream("float", {2, 3})
        rows[2] = x + 1
        assert.same({0, 0, 0, 2, 3, 4}, rows:values())
        assert.same({3.0, 1.0}, rill.gather(x * 1, rill.from({1, 0}, "int") * 2):values())
        assert.same({6, 4, 2}, (x * 2):sort({descending = true}):values())
        assert.same({2, 6, 12}, (x * 2):scan():values())
        assert.same({2, 4, 6}, (x * 2):scan("max"):values())
        assert.same({0, 2, 6}, (x * 2):scan("add", {exclusive = true}):values())
        assert.same({12, 10, 6}, (x * 2):scan({reverse = true}):values())
        check.raises("s:scan: unknown option 'foo'", function() (x * 2):scan({foo = 1}) end)
        check.raises("s:scan: .*'plus'", function() (x * 2):scan("plus") end)
        assert.same({7, 13, 19}, (x * 2):map("x * c + 1.0", {c = 3}):values())
        check.raises("s:map: .*nothing", function() (x * 2):map("nothing") end)
    end)

    it("may be written into what it reads", function()
        local x, y = rill.from {1, 2, 3, 4}, rill.from {10, 20, 30, 40}
        x:write(x * 2 + y)
        assert.same({12, 24, 36, 48}, x:values())
        y:domain(2, 4):write(y:domain(1, 3) + 1)
        assert.same({10, 11, 21, 31}, y:values())
        local m = rill.iota {3, 3}
        m:write(m:transpose() + 0)
        assert.same({0, 3, 6, 1, 4, 7, 2, 5, 8}, m:values())
    end)

    it("keeps streams that are closed", function()
        local x = rill.from {1, 2, 3}
        local e = x * 2 + x:domain(1, 1)
        x:close()
        check.collect()
        assert.same({3, 5, 7}, e:values())
        assert.equal(15.0, e:sum())
    end)

    it("computes equal parts once, and reads the same memory once", function()
        local x = rill.from {1, 2, 3}
        local part = rill.sin(x) * 2
        check.equal({0, 0, 0}, (part - part):values())
        check.equal({2, 4, 6}, (x:domain(1, 3) + x:domain(1, 3)):values())
        local e = part * part + part
        local expected = {}
        for i = 1, 3 do
            local p = math.sin(i) * 2
            expected[i] = p * p + p
        end
        check.equal(expected, e:values(), 1e-5)
    end)

    it("is bit-identical on every run", function()
        local x = rill.random(10007, {seed = 5})
        local function bytes() return (rill.sin(x * 3) ^ 2 / (x + 0.5) - rill.exp(-x)):bytes() end
        assert.equal(bytes(), bytes())
    end)
end)

describe("an expression used after what it reads was written", function()
    leaks.watch(setup, teardown)

    local function assert_stale(e)
        for _, use in ipairs {
            function() return e:values() end, function() return e:sum() end, function() return e:eval() end,
            function() return tostring(e) end, function() return (e + 1):eval() end, function() return e[1] end,
            function() return rill.stream("float", e.shape):write(e) end,
            function() return rill.kernel "kernel float f(float x<>) { return x; }" (e) end,
        } do
            check.raises("written.*eval", use)
        end
    end

    local writes = {
        fill = function(x) x:fill(7) end,
        set = function(x) x:set(7, 2) end,
        index = function(x) x[3] = 1 end,
        write = function(x) x:write {1, 2, 3, 4} end,
        string = function(x) x:write(("f"):pack(1):rep(4)) end,
        stream = function(x) x:write(rill.from {1, 2, 3, 4}) end,
        expression = function(x) x:write(x * 2) end,
        box = function(x) x:write({5}, 4, 4) end,
        kernel = function(x) rill.kernel "kernel void f(float a<>, out float r<>) { r = a; }" (rill.iota(4), x) end,
        inout = function(x) rill.kernel "kernel void f(inout float r<>) { r += 1.0; }" (x) end,
        random = function(x)
            rill.kernel "kernel void f(int i<>, inout float r[]) { r[i] = 1.0; }" (rill.iota(4), x)
        end,
        view = function(x) x:domain(2, 3):fill(1) end,
        strided = function(x) x:stride(2):fill(1) end,
        row = function(x) x:reshape({2, 2})[1]:fill(1) end,
        map = function(x)
            local m <close> = x:map_cpu()
            m[1] = 5
        end,
        reduction = function(x)
            rill.kernel "reduce void f(float a<>, reduce float r<>) { r += a; }" (rill.iota(8) * 1.0, x)
        end,
        reduced = function(x)
            rill.kernel "reduce void f(float a<>, reduce float r<>) { r += a; }" (rill.iota(8):cast "float", x)
        end,
        scatter = function(x) rill.scatter(x, rill.iota(2), rill.from {1, 2}) end,
    }
    for name, write in pairs(writes) do
        it("is an error: " .. name, function()
            local x = rill.from {1, 2, 3, 4}
            local e = x * 2
            write(x)
            assert_stale(e)
            check.equal((x * 2):values(), (x * 2):values())
        end)
    end

    it("is not an error if other memory was written", function()
        local x = rill.iota(100):cast "float"
        local e = x:domain(11, 20) * 2
        x:domain(1, 10):fill(0)
        x:domain(21, 100):fill(0)
        for i = 1, 30 do -- more than are remembered one by one
            x[i % 10 + 1] = 1
            x[100 - i] = 1
        end
        assert.equal(20.0, e[1])
        x[15] = 0
        assert_stale(e)
    end)

    it("is not an error for other columns, rows or strides of a matrix", function()
        local m = rill.iota({8, 8}):cast "float"
        local left = m:domain({1, 1}, {8, 4}) * 1
        local inner = m:domain({3, 2}, {5, 3}) * 1
        m:domain({1, 5}, {8, 8}):fill(0)
        assert.equal(8.0, left:get(2, 1))
        m:domain({1, 4}, {8, 4}):fill(0)
        assert.equal(17.0, inner:get(1, 1))
        assert_stale(left)
        local even, odd = m:reshape(64):stride(2), m:reshape(64):domain(2, 64):stride(2)
        local e = even * 1
        odd:fill(3)
        assert.equal(0.0, e[1])
        even:fill(3)
        assert_stale(e)
    end)

    it("is not an error if it was evaluated before, or built again", function()
        local x = rill.from {1, 2, 3}
        local e = (x * 2):eval()
        x:fill(0)
        assert.same({2, 4, 6}, e:values())
        for i = 1, 20 do
            local step = x + i
            x:write(step)
        end
        assert.same({210, 210, 210}, x:values())
    end)

    it("does not affect other streams that reuse the buffer", function()
        for i = 1, 50 do
            local x <close> = rill.from {i, i, i}
            local e = x + 1
            x:fill(2)
            check.raises("eval", e.values, e)
            local y <close> = rill.from {i, i, i}
            assert.same({i + 1, i + 1, i + 1}, (y + 1):values())
        end
    end)
end)

describe("expressions that grow", function()
    leaks.watch(setup, teardown)

    it("are evaluated in parts: 10,000 steps of x = x*a + b stay within 1 MiB of host memory", function()
        local out = process.output [[
            local rill = require "rill"
            local b = rill.random(100, {seed = 2})
            local function run(x, steps, watch)
                for i = 1, steps do
                    x = x * 0.5 + b
                    watch(i)
                end
                return x
            end
            run(rill.random(100, {seed = 1}), 100, function() end)
            collectgarbage()
            collectgarbage()
            local before, most = collectgarbage "count", 0
            local x = run(rill.random(100, {seed = 1}), 10000, function(i)
                most = i % 10 == 0 and math.max(most, collectgarbage "count") or most
            end)
            print(most - before, rill.max(rill.abs(x - 2 * b), 0):max())
        ]]
        local more, off = out:match "(%S+)\t(%S+)"
        assert(tonumber(more) < 1024, more .. " KiB more")
        assert(tonumber(off) < 1e-5, off)
    end)

    it("with many streams", function()
        local total, streams = nil, {}
        for i = 1, 60 do
            streams[i] = rill.iota(5) + i
            total = total and total + streams[i]:eval() or streams[i]:eval() + 0
        end
        assert.same({1830, 1890, 1950, 2010, 2070}, total:values())
    end)

    it("by themselves", function()
        local x = rill.from {1}
        for _ = 1, 20 do x = x + x end
        assert.same({2.0 ^ 20}, x:values())
    end)
end)

describe("the kernels of expressions", function()
    -- The driver's shader cache finds a program by its text.
    it("have the same texts, whatever a process computed before", function()
        local function texts(before)
            local folder = tempfiles.open()
            process.output(([[
                local rill = require "rill"
                local x, y = rill.from {1, 2}, rill.from({3, 4}, "int")
                local blend = rill.kernel "kernel void blend(float a<>, float b<>, out float r<>) { r = a - b; }"
                %s
                blend(x * y + 1, rill.floor(x / 3))
                print((rill.length(rill.vec2(x, 2)) * y):sum(), (2 * x):eval())
            ]]):format(before), {RILL_DUMP = folder.directory})
            local names = {}
            for _, name in ipairs(folder:list()) do
                names[name] = true
            end
            folder:close()
            return names
        end
        local few, many = texts "", texts "local _ = (x - y):eval()"
        local count = 0
        for name in pairs(few) do
            assert.is_true(many[name], name)
            count = count + (name:find "^expression" and 1 or 0)
        end
        assert.equal(1, count) -- the others are computed in other programs, and have none
    end)

    it("are written once into a launch that has two of the same text", function()
        local text <const> = "kernel float same(float a<>) { return 2.0 * a; }"
        local blend = rill.kernel "kernel void blend(float a<>, float b<>, out float r<>) { r = a - b; }"
        local fused = core._fuse(blend, {rill.kernel(text), rill.kernel(text)})
        assert.same({6, 8}, fused(rill.from {4, 6}, rill.from {1, 2}):values())
    end)
end)
