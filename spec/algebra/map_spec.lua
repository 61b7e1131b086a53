local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("s:map", function()
    leaks.watch(setup, teardown)

    it("gives the value of an expression in x for every element", function()
        local s = rill.from {{1, 2}, {3, 4}}
        local mapped = s:map "x*x + 0.5"
        assert.same({{1.5, 4.5}, {9.5, 16.5}}, mapped:read())
        assert.same({{1.0, 2.0}, {3.0, 4.0}}, s:read())
        assert.equal(0, rill.stream("float", 0):map("x").size)
    end)

    it("takes constants: numbers, booleans, vectors", function()
        local s = rill.from {1, 2, 3}
        assert.same({3.5, 6.5, 11.5}, s:map("x*x + c", {c = 2.5}):values())
        assert.same({12.0, 22.0, 32.0}, s:map("x*b + a", {a = 1 + 1, b = 11 - 1}):map("x + 0.0"):values())
        assert.same({1.0, 2.0, 3.0}, s:map("flip ? -x : x", {flip = false}):values())
        assert.same({-1.0, -2.0, -3.0}, s:map("flip ? -x : x", {flip = true}):values())
        assert.same({5.0, 10.0, 15.0}, s:map("x * dot(v, v)", {v = {1, 2}}):values())
        assert.same({3.0, 4.0, 3.0}, rill.stream("vec3", 1, {1, 2, 3}):map("x.zyx * v", {v = {1, 2, 3}}):values())
    end)

    it("has the type that kernels read", function()
        for stored, value in pairs {
            half = "float", half2 = "vec2", half4 = "vec4", unorm8 = "float", unorm8x4 = "vec4", int8 = "int",
            int16 = "int", uint8 = "uint", uint16 = "uint", float = "float", double = "double", int = "int",
            uint = "uint", bool = "bool", vec3 = "vec3", dvec2 = "dvec2", ivec4 = "ivec4", uvec2 = "uvec2",
        } do
            assert.equal(value, rill.stream(stored, 0):map("x").type) -- which is not launched
        end
    end)

    it("keeps integer constants as integers with integer streams", function()
        local most = rill.stream("int", 2, {2147483646, 2147483647})
        assert.same({2147483647, -2147483648}, most:map("x + c", {c = 1}):values())
        assert.same({4294967290}, rill.stream("uint", 1, {10}):map("x + c", {c = 4294967280}):values())
        assert.same({2, 3, 6}, rill.iota(3):map("x*x + c", {c = 2}):values())
        assert.same({0, 2, 5}, rill.iota(3):map("int(float(x) * c)", {c = 2.5}):values())
        assert.same({4, 5}, rill.stream("ivec2", 1, {1, 2}):map("x + v", {v = {3, 3}}):values())
    end)

    it("keeps a double's digits", function()
        assert.same({0.1 + 1 / 3}, rill.stream("double", 1, 0.1):map("x + c", {c = 1 / 3}):values())
    end)

    it("constants may have any name but x", function()
        local constants = {r = 1, result = 2, map = 3, input = 1}
        assert.same({7.0}, rill.from({1}):map("r + result + map + input", constants):values())
        check.raises("s:map: argument #2 'constants': .*got 'x'", function() rill.iota(1):map("x", {x = 1}) end)
        check.raises("got 'a b'", function() rill.iota(1):map("x", {["a b"] = 1}) end)
        check.raises("got 1", function() rill.iota(1):map("x", {1}) end)
    end)

    it("works on views", function()
        assert.same({{0, 6}, {2, 8}, {4, 10}}, rill.iota({2, 3}):transpose():map("2 * x"):read())
        assert.same({1, 3}, rill.iota(5):domain(2, 4):stride(2):map("x"):values())
    end)

    it("reports errors", function()
        local s = rill.iota(2)
        check.raises("s:map: error: 'q' is not declared.*%^", s.map, s, "x + q")
        check.raises("s:map: error: .*x %+%* 2", s.map, s, "x +* 2")
        local row = rill.device().software and "\n    " or "" -- elsewhere it may have a number
        check.raises("s:map: .*" .. row .. "x %* 0%.5", s.map, s, "x * 0.5")
        check.raises("s:map: argument #1 'expression': .*got nil", s.map, s)
        check.raises("s:map: argument #1 'expression': .*an empty one", s.map, s, " ")
        check.raises("s:map: argument #1 'expression': .*got number", s.map, s, 3)
        check.raises("s:map: argument #2 'constants': .*got number", s.map, s, "x", 3)
        check.raises("'c': expected a number, a boolean or a table of 2 to 4 numbers, got string",
            s.map, s, "c", {c = "2"})
        check.raises("'c': expected a number, .* got table", s.map, s, "c", {c = {1}})
        check.raises("s:map: expected at most 2 arguments, got 3", s.map, s, "x", {}, 1)
        check.raises("s:map: argument 's': expected an open stream, got number", s.map, 3, "x")
        local pair = rill.stream(rill.struct("MapPair", "int a; int b;"), 2)
        check.raises("s:map: .*x %+ 1", pair.map, pair, "x + 1")
        s:close()
        check.raises("s:map: argument 's': expected an open stream, got closed stream", rill.iota(1).map, s, "x")
    end)

    local function map_many(count)
        -- Each text is compiled and linked. The first dispatch of a program takes ten times longer, so only every tenth is run.
        for i = 1, count do
            assert.same(i % 10 == 0 and {i} or {}, rill.iota(i % 10 == 0 and 1 or 0):map("x + " .. i):values())
        end
    end

    it("does not depend on the number of expressions #slow", function() map_many(60) end)

    it("does not depend on a very large number of expressions #slow #long", function() map_many(300) end)
end)
