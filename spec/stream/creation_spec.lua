local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local function float(x) return (string.unpack("f", string.pack("f", x))) end

describe("creating streams", function()
    leaks.watch(setup, teardown)

    it("zeros, ones and full", function()
        assert.same({{0.0, 0.0}, {0.0, 0.0}}, rill.zeros({2, 2}):read())
        assert.same({0, 0, 0}, rill.zeros(3, "int"):values())
        for _, kind in ipairs {"float", "double", "int", "uint", "half", "int8", "uint8", "unorm8"} do
            local s = rill.ones({2, 3}, kind)
            assert.equal(kind, s.type)
            assert.equal(6, s:sum())
        end
        assert.same({true, true}, rill.ones(2, "bool"):values())
        assert.same({{1.0, 1.0, 1.0}}, rill.ones(1, "vec3"):read())
        assert.same({2.5, 2.5}, rill.full(2, 2.5):values())
        assert.same({true}, rill.full(1, true):values())
        assert.same({{1.0, 2.0}, {1.0, 2.0}}, rill.full(2, {1, 2}):read())
        assert.same({{1, 2}, {1, 2}}, rill.full(2, {1, 2}, "ivec2"):read())
        local P = rill.struct("CreationPoint", "float a; int b;")
        assert.same({{a = 1.0, b = 2}, {a = 1.0, b = 2}}, rill.full(2, {a = 1, b = 2}, P):read())
        assert.equal(0, rill.ones(0).size)
        assert.equal(0, rill.full({0, 3}, {1, 2}).size)
        assert.is_true(rill.isnan(rill.full(3, 0 / 0)):all())
    end)

    it("eye", function()
        for _, n in ipairs {0, 1, 2, 7, 65} do
            for _, kind in ipairs {"float", "int", "double", "half"} do
                local s = rill.eye(n, kind)
                assert.equal(n .. "x" .. n, tostring(s.shape))
                for i, row in ipairs(s:read()) do
                    for j, v in ipairs(row) do
                        assert.equal(i == j and 1 or 0, v)
                    end
                end
            end
        end
        assert.same({{true, false}, {false, true}}, rill.eye(2, "bool"):read())
    end)

    it("arange, linspace and logspace have numpy's values", function()
        math.randomseed(31)
        for round = 1, 200 do
            local from, step = math.random(-50, 50), math.random(1, 7) * (math.random(2) == 1 and 1 or -1)
            local to = from + math.random(-30, 100) * (step > 0 and 1 or -1)
            local expected = {}
            for v = from, to + (step > 0 and -1 or 1), step do
                expected[#expected + 1] = v
            end
            local s = rill.arange(from, to, step)
            assert.equal("int", s.type)
            check.equal(expected, s:values())
            local a, b, n = math.random() * 10 - 5, math.random() * 10, round < 4 and round - 1 or math.random(300)
            local lin, log = {}, {}
            for i = 1, n do
                local v = n == 1 and a or i == n and b or a + (i - 1) * ((b - a) / (n - 1))
                lin[i], log[i] = v, 2 ^ v
            end
            check.equal(lin, rill.linspace(a, b, n, "double"):values(), 1e-14)
            local powers = rill.logspace(a, b, n, {base = 2, type = "double"}):values()
            for i = 1, n do
                assert.is_true(math.abs(powers[i] - log[i]) <= 1e-11 * log[i])
            end
            for i = 1, n do
                lin[i] = float(lin[i])
            end
            check.equal(lin, rill.linspace(a, b, n):values(), 1e-6)
        end
        assert.same({0, 1, 2}, rill.arange(3):values())
        assert.same({0.0, 0.5, 1.0}, rill.arange(0, 1.5, 0.5):values())
        for kind, most in pairs {float = 3e38, double = 1.7e308} do -- the difference is out of range
            local near = most * 1e-7
            check.equal({-most, -most / 2, 0, most / 2, most}, rill.linspace(-most, most, 5, kind):values(), near)
            check.equal({most, 0, -most}, rill.linspace(most, -most, 3, kind):values(), near)
        end
        check.equal({-2 ^ 63, 0, 2 ^ 63}, rill.linspace(math.mininteger, math.maxinteger, 3, "double"):values(), 2048)
        assert.same({-5, -2, 1, 5}, rill.linspace(-5, 5, 4, "int"):values()) -- integers are rounded down
        assert.same({-3, -2, -2, -1}, rill.linspace(-2.5, -0.5, 4, "int"):values())
        check.raises("rill.arange: from %S+ to %S+ in steps of 1 are more than the 2147483647 elements", rill.arange,
            math.mininteger, math.maxinteger)
        assert.same({0, 1}, rill.arange(0, 2, 1, "uint"):values())
        assert.equal("float", rill.arange(2.0).type)
        assert.equal(0, rill.arange(3, 1).size)
        assert.same({1.0, 10.0, 100.0, 1000.0}, rill.logspace(0, 3, 4):values())
        local s = rill.linspace(0, 1, 100001)
        assert.equal(1.0, s[-0 + 100001])
        assert.equal(float(1 / 3), rill.linspace(0, 1, 4)[2])
    end)

    it("meshgrid", function()
        local x, y = rill.meshgrid({1, 2, 3}, rill.from({4, 5}, "int"))
        assert.same({{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}}, x:read())
        assert.same({{4, 4, 4}, {5, 5, 5}}, y:read())
        local i, j = rill.meshgrid({1, 2, 3}, {4, 5}, {indexing = "ij"})
        assert.same({{1.0, 1.0}, {2.0, 2.0}, {3.0, 3.0}}, i:read())
        assert.same({{4.0, 5.0}, {4.0, 5.0}, {4.0, 5.0}}, j:read())
        local a, b, c = rill.meshgrid({1, 2}, {3, 4, 5}, {6})
        assert.equal("3x2x1", tostring(a.shape))
        assert.same({{{1.0}, {2.0}}, {{1.0}, {2.0}}, {{1.0}, {2.0}}}, a:read())
        assert.same({{{3.0}, {3.0}}, {{4.0}, {4.0}}, {{5.0}, {5.0}}}, b:read())
        assert.equal(36, c:sum())
        local views = {rill.meshgrid(rill.iota(6):stride(2), rill.iota(2) + 1)}
        assert.same({{0, 2, 4}, {0, 2, 4}}, views[1]:read())
        assert.equal("2x0", tostring(rill.meshgrid(rill.zeros(0), {1, 2}).shape))
        assert.same({1.0, 2.0}, rill.meshgrid({1, 2}):values())
    end)

    it("names invalid arguments", function()
        check.raises("rill.zeros: argument 'shape'", rill.zeros, "x")
        check.raises("rill.zeros: .*float", rill.zeros, 3, "flot")
        check.raises("got number 4; several sizes are a table: rill.zeros {2, 3}", rill.zeros, 3, 4)
        check.raises("rill.eye: argument 'type': .* got number 4$", rill.eye, 3, 4)
        check.raises("rill.zeros: argument #3", rill.zeros, 3, "int", 4)
        check.raises("rill.full: argument 'value'", rill.full, 3, 1.5, "int")
        check.raises("rill.full: argument #2 'value'", rill.full, 3)
        check.raises("rill.eye: argument #1 'n'", rill.eye, -1)
        check.raises("rill.eye: argument #2 'type'", rill.eye, 2, "vec2")
        check.raises("rill.arange: argument #3 'step': expected a number other than 0", rill.arange, 0, 1, 0)
        check.raises("rill.arange: argument #2 'to'", rill.arange, 0, math.huge)
        check.raises("rill.arange: .* more than the", rill.arange, 0, 1, 1e-12)
        check.raises("rill.arange: the numbers .* do not fit int", rill.arange, 2 ^ 31 // 1 | 0, (2 ^ 31 // 1 | 0) + 3)
        check.raises("rill.linspace: argument #3 'n'", rill.linspace, 0, 1, 2.5)
        check.raises("rill.linspace: argument #1 'from'", rill.linspace, 0 / 0, 1, 2)
        check.raises("rill.linspace: argument #4 'type'", rill.linspace, 0, 1, 2, "vec2")
        check.raises("rill.logspace: option 'base'", rill.logspace, 0, 1, 2, {base = -1})
        check.raises("rill.meshgrid: argument #2", rill.meshgrid, {1}, 3)
        check.raises("rill.meshgrid: argument #1: .* shape 1x2", rill.meshgrid, rill.zeros {1, 2})
        check.raises("rill.meshgrid: expected 1 to 8", rill.meshgrid)
    end)
end)
