local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local reduction = require "spec.support.reduction"
local reference = require "spec.support.reference"
local shortened = require "spec.support.shortened"
local viewmaker = require "spec.support.viewmaker"

local assert_near = reduction.assert_near

describe("whole reductions", function()
    leaks.watch(setup, teardown)

    -- `every`: also the operations that are implemented as another operation.
    local function assert_all(size, every)
        local s = rill.iota(size)
        local total = size * (size - 1) // 2
        assert.equal(total, s:sum())
        local floats = s:map("x % 1000"):cast("float")
        local last = size % 1000
        local expected = size // 1000 * 499500 + last * (last - 1) // 2
        assert_near(expected + 0.0, floats:sum(), expected * 1e-7, "sum")
        assert.equal(size, s:map("x + 1"):count())
        assert.equal(size > 1, s:any())
        if size > 0 then
            assert.equal(size - 1, s:max())
            assert.equal(size, s:argmax())
            assert_near((size - 1) / 2, s:mean(), size * 1e-7, "mean")
        end
        if every then
            assert.equal(size, s:map("1"):sum())
            assert.is_true(s:map("x + 1"):all())
        end
        if every and size > 0 then
            assert.equal(0, s:min())
            assert.equal(1, s:argmin())
            assert.equal(math.min(size, 1000), floats:argmax())
        end
    end

    for _, size in ipairs {0, 1, 7, 63, 64, 65, 1023, 1024, 1025, 4096, 16383, 16384, 16385, 65535 * 64 + 1} do
        local name = ("of %d elements%s"):format(size, size > 1e6 and " #large" or "")
        it(name, function() assert_all(size, size < 16385) end)

        if size >= 16385 then
            it(name .. ", by every operation #long", function() assert_all(size, true) end)
        end
    end

    it("of empty streams", function()
        for _, shape in ipairs {0, {0, 3}, {3, 0}} do
            local s = rill.stream("float", shape)
            assert.equal(0.0, s:sum())
            assert.equal(0, s:count())
            assert.equal(1.0, s:prod())
            assert.is_false(s:any())
            assert.is_true(s:all())
            for _, operation in ipairs {"min", "max", "mean", "argmin", "argmax"} do
                assert.is_nil(s[operation](s))
            end
            assert.equal(0.0, s:norm())
            assert.equal(0.0, s:dot(s))
        end
        assert.equal("integer", math.type(rill.iota(0):sum()))
        assert.same({0.0, 0.0, 0.0}, rill.stream("vec3", 0):sum())
    end)

    it("argmin and argmax give one index per dimension, of the first of equals", function()
        local s = rill.stream("int", {3, 4}, 5)
        assert.same({1, 1}, {s:argmax()})
        assert.same({1, 1}, {s:argmin()})
        s:set(9, 2, 3)
        s:set(9, 3, 1)
        s:set(-9, 3, 4)
        s:set(-9, 3, 2)
        assert.same({2, 3}, {s:argmax()})
        assert.same({3, 2}, {s:argmin()})
        assert.equal(9, s:get(s:argmax()))
        assert.same({2, 3}, {s:argmax {reproducible = false}})
        assert.same({3, 2}, {s:argmin(nil, {keep = false})})
        local cube = rill.stream("float", {2, 3, 4})
        cube:set(1, 2, 1, 3)
        assert.same({2, 1, 3}, {cube:argmax()})
        local flat = rill.stream("int", 100000)
        for _, i in ipairs {70001, 30001, 99999} do
            flat[i] = 7
        end
        assert.equal(30001, flat:argmax())
    end)

    local function assert_kept(operations)
        local s = rill.random(5000, {seed = 3})
        local before = s:bytes()
        for _, operation in ipairs(operations) do
            local _ = operation == "dot" and s:dot(s) or s[operation](s)
        end
        assert.equal(before, s:bytes())
    end

    it("do not change their input", function() assert_kept {"sum", "var", "argmax", "dot"} end)

    it("do not change their input, all operations #long", function() assert_kept(reduction.operations) end)
end)

describe("reductions of views", function()
    leaks.watch(setup, teardown)

    local function compare(rounds)
        math.randomseed(11)
        viewmaker.each(rounds, function(view, list, shape)
            assert.equal(reference.sum(list), view:sum())
            assert.equal(reference.max(list), view:max())
            assert.same({viewmaker.index(shape, reference.argmin(list))}, {view:argmin()})
            local copy = view:copy()
            check.equal(copy:sum(1):values(), view:sum(1):values())
            check.equal(copy:max(-1):values(), view:max(-1):values())
        end)
    end

    it("reduce the elements of the view", function() compare(4) end)

    it("reduce the elements of many views #long", function() compare(40) end)

    it("of groups and ramps", function()
        local s = rill.iota {4, 6}
        local blocks = s:group(2, 3)
        assert.equal(s:sum(), blocks:sum())
        assert.same({{0 + 1 + 2 + 6 + 7 + 8, 3 + 4 + 5 + 9 + 10 + 11}, {12 + 13 + 14 + 18 + 19 + 20,
            15 + 16 + 17 + 21 + 22 + 23}}, blocks:sum(-1):sum(-1):read())
        assert.equal(1000 * 999 / 2, rill.iter("float", 1000, 0, 1000):sum())
        assert.equal((1 << 20) - 1, rill.iter("int", 1 << 20, 0, 1 << 20):max())
    end)

    it("dot of streams with different layouts", function()
        local s = rill.iota({3, 4}):cast "float"
        local t = rill.iota({4, 3}):cast("float"):transpose()
        assert.equal(reference.dot(s:values(), t:values()), s:dot(t))
        check.raises("s:dot: the shapes differ: 3x4 and 4x3", s.dot, s, t:transpose())
        check.raises("s:dot: argument #1 't': expected a stream", s.dot, s, 3)
        check.raises("s:dot: argument #1 't'", s.dot, s, rill.stream("vec2", {3, 4}))
    end)

    shortened(it, "dot of streams of two types has the same bits in both orders", function(whole)
        local list <const> = {
            rill.from({1, 3}, "float"), rill.from({16777217, 1}, "int"), rill.from({0.1, 0.7}, "double"),
            rill.from({1, 1}, "half"), rill.from({4294967295, 1}, "uint"),
        }
        assert.equal(16777220.0, list[1]:dot(list[2]))
        assert.equal(4294967296.0, list[4]:dot(list[5]))
        if not whole then
            assert.equal(list[2]:dot(list[1]), list[1]:dot(list[2]))
            assert.equal(list[5]:dot(list[4]), list[4]:dot(list[5]))
            assert.equal(list[1]:dot(list[3], 1)[1], list[3]:dot(list[1], 1)[1])
            return
        end
        for _, s in ipairs(list) do
            for _, t in ipairs(list) do
                assert.equal(s:dot(t), t:dot(s))
                assert.equal(s:dot(t), (s * 1):dot(t * 1))
                assert.equal(s:dot(t, 1)[1], t:dot(s, 1)[1])
            end
        end
    end)
end)

describe("special values", function()
    leaks.watch(setup, teardown)

    local NAN <const>, INF <const> = 0 / 0, math.huge

    for _, name in ipairs {"float", "double", "half"} do
        it("min and max are NaN if an element is NaN, in " .. name .. (name == "half" and " #long" or ""), function()
            for _, size in ipairs(fitting {1, 7, 1025, 40000}) do
                for _, at in ipairs {1, size // 2 + 1, size} do
                    local s = rill.stream(name, size, 1.5)
                    s[at] = NAN
                    assert.is_true(s:min() ~= s:min())
                    assert.is_true(s:max() ~= s:max())
                    assert.equal(at, s:argmax())
                    assert.equal(at, s:argmin())
                    local along = s:max(1)[1]
                    assert.is_true(along ~= along)
                end
            end
        end)
    end

    it("a NaN in one component makes this component NaN", function()
        local v = rill.stream("vec2", 3, {1, 2, NAN, 5, 3, 4}):max()
        assert.is_true(v[1] ~= v[1])
        assert.equal(5.0, v[2])
    end)

    it("infinities stay infinite", function()
        for _, size in ipairs(fitting {2, 65, 50000}) do
            local s = rill.stream("float", size, 1)
            s[size // 2 + 1] = INF
            assert.equal(INF, s:sum())
            assert.equal(INF, s:max())
            assert.equal(INF, s:mean())
            s[1] = -INF
            local sum = s:sum()
            assert.is_true(sum ~= sum)
            assert.equal(-INF, s:min())
        end
        assert.equal(-INF, rill.from({-INF, 1}):sum())
        local most <const> = 0x1.fffffep127
        assert.equal(4 * most, rill.stream("float", 4, most):sum())
        assert.equal(40000 * most, rill.stream("float", 40000, most):sum())
        assert.equal(INF, rill.stream("float", 4, most):sum(1):get(1))
    end)

    it("negative zero, denormals and the largest floats", function()
        assert.equal(3.4028234663852886e38, rill.stream("float", 100, {[1] = 0} and 3.4028234663852886e38):max())
        assert.equal(-3.4028234663852886e38, rill.stream("float", 100, -3.4028234663852886e38):max())
        assert.equal(-2147483648, rill.stream("int", 100, -2147483648):max())
        assert.equal(4294967295, rill.stream("uint", 100, 4294967295):min())
    end)

    it("sums of integers are exact", function()
        for _, case in ipairs {{"int", 2147483647}, {"int", -2147483648}, {"uint", 4294967295}} do
            for _, size in ipairs(fitting {1, 7, 1025, 65537}) do
                local s = rill.stream(case[1], size, case[2])
                assert.equal(size * case[2], s:sum())
                assert_near(case[2] + 0.0, s:mean(), 256, "mean")
            end
        end
        assert.same({3 * 2147483647, -3 * 2147483648}, rill.stream("ivec2", 3, {2147483647, -2147483648}):sum())
        assert.equal(0, rill.from({2147483647, -2147483647, 1, -1}, "int"):sum())
    end)

    it("reject invalid operations", function()
        check.raises("argmax: .*vectors have no order", function() rill.stream("vec2", 3):argmax() end)
        check.raises("any: .*vec3", function() rill.stream("vec3", 3):any() end)
        check.raises("write a reduce kernel for structures",
            function() rill.stream(rill.struct("ReducePair", "int a; int b;"), 2):sum() end)
        check.raises("^[^ ]*: s:sum: a stream of ReducePair has no sum", -- the name occurs once
            function() return rill.stream(rill.struct("ReducePair", "int a; int b;"), 2):sum(1) end)
        local s = rill.iota(2)
        s:close()
        check.raises("s:sum: argument 's': expected an open stream, got closed stream", rill.iota(1).sum, s)
    end)
end)

describe("accuracy", function()
    leaks.watch(setup, teardown)

    local N <const> = 1 << 24

    -- Multiples of 2^-23 in [-1, 1). Their exact sum follows from the sum of the words from which they are made.
    local function assert_accurate(n, operations)
        local s = rill.random(n, {seed = 5, low = -1, high = 1})
        local exact, magnitude = 0, 0.0
        for _, v in ipairs(s:values()) do
            exact = exact + math.tointeger(v * 0x1p23)
            magnitude = magnitude + math.abs(v)
        end
        local sum = s:sum()
        assert_near(exact * 0x1p-23, sum, 1e-6 * magnitude, "sum")
        for _ = 1, 3 do
            for _, operation in ipairs(operations) do
                assert.equal(s[operation](s), s[operation](s))
            end
            assert.equal(sum, s:sum())
        end
    end

    it("of 2^18 floats of both signs, and twice the same bits", function() assert_accurate(1 << 18, {"sum", "var"}) end)

    it("of 2^20 floats of both signs, and twice the same bits #long", function()
        assert_accurate(1 << 20, {"sum", "mean", "var", "norm", "prod"})
    end)

    it("of 2^24 floats of both signs #large", function()
        local words <close> = rill.random(N, {seed = 9, type = "uint"})
        local s <close> = rill.random(N, {seed = 9, low = -1, high = 1})
        local exact = words:map("x >> 8"):sum() * 0x1p-23 - N
        assert_near(exact, s:sum(), 1e-6 * N / 2, "sum")
        assert_near(1 / 3, s:var(), 1e-3, "var")
        if os.getenv "RILL_SUITE_LONG" then
            assert_near(exact / N, s:mean(), 1e-6, "mean")
            assert_near(math.sqrt(N / 3), s:norm(), 1, "norm")
        end
    end)

    it("of 1e8 and 2^24 ones, in any order #large", function()
        for _, at in ipairs {1, 2, 1000, N // 2, N, N + 1} do
            local s <close> = rill.stream("float", N + 1, 1)
            s[at] = 1e8
            assert_near(1e8 + N, s:sum(), 1e-6 * (1e8 + N), "sum with 1e8 at " .. at)
        end
        local s <close> = rill.stream("float", N + 2, 1)
        s[1], s[N + 2] = 1e8, -1e8
        assert_near(N + 0.0, s:sum(), 1e-6 * (2e8 + N), "sum between 1e8 and -1e8")
    end)

    it("of 2^24 times the largest int #large", function()
        local s <close> = rill.stream("int", N, 2147483647)
        assert.equal(N * 2147483647, s:sum())
        local t <close> = rill.stream("uint", N, 4294967295)
        assert.equal(N * 4294967295, t:sum())
    end)

    it("of 50,000,000 elements #slow #long", function()
        local n = 50000000
        local s <close> = rill.iota(n)
        assert.equal(n * (n - 1) // 2, s:sum())
        assert.equal(n - 1, s:max())
        assert.equal(n, s:argmax())
        assert.equal(n - 1, s:count())
        local ones <close> = rill.stream("float", n, 1)
        assert.equal(n + 0.0, ones:sum())
        assert.equal(1.0, ones:mean())
        assert.equal(0.0, ones:var())
        check.equal({n / 2, n / 2}, ones:reshape({2, n // 2}):sum(2):values())
    end)
end)
