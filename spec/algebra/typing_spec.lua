local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"

describe("types:", function()
    leaks.watch(setup, teardown)

    local function stream(type)
        return rill.stream(type, 2)
    end

    -- An expression that is evaluated for its type only is not launched.
    local function empty(type)
        return rill.stream(type, 0)
    end

    it("a Lua number never widens a stream", function()
        for type, expected in pairs {float = "float", double = "double", int = "int", uint = "uint", half = "float",
            int8 = "int", uint16 = "uint", unorm8 = "float", vec3 = "vec3", dvec2 = "dvec2", half4 = "vec4",
            bool = "int"} do
            assert.equal(expected, (stream(type) + 1).type)
            assert.equal(expected, (empty(type) + 1):eval().type)
        end
        assert.equal("float", (stream "int" + 1.5).type)
        assert.equal("float", (stream "int" * 2.0).type)
        assert.equal("double", (stream "double" * 0.1).type)
        assert.equal("vec2", (stream "ivec2" * 0.5).type)
        assert.same({0.1, 0.1}, (stream "double" + 0.1):values())
    end)

    -- Compares the types of expressions of every two types. Evaluates the pairs that `chosen` selects.
    local function meet(chosen)
        local order = {"bool", "int", "uint", "float", "double"}
        for i, a in ipairs(order) do
            for k, b in ipairs(order) do
                local expected = order[math.max(i, k, 2)]
                local real = i == 5 and "double" or k == 5 and "double" or "float"
                local x, y = empty(a), empty(b)
                local sum, less, ratio = x + y, x:lt(y), x / y
                assert.same({expected, "bool", real}, {sum.type, less.type, ratio.type})
                if chosen(i, k) then
                    assert.equal(expected, sum:eval().type)
                    assert.equal("bool", less:eval().type)
                    assert.equal(real, ratio:eval().type)
                end
            end
        end
    end

    it("streams of all types give the wider type #long", function() meet(function() return true end) end)

    it("streams give the wider type", function()
        meet(function(i, k) return k == i + 1 or i == 5 and k == 1 end)
        assert.equal("vec3", (stream "vec3" * stream "float").type)
        assert.equal("vec3", (stream "ivec3" * stream "float").type)
        assert.equal("dvec3", (stream "double" * stream "vec3").type)
        assert.equal("vec4", (empty "half4" + empty "unorm8x4"):eval().type)
    end)

    it("numbers that don't fit are errors", function()
        check.raises("a %+ b: number 1099511627776 does not fit int", function() return stream "int" + (1 << 40) end)
        check.raises("number %-1 does not fit uint", function() return stream "uint" + -1 end)
        check.raises("s:lt: number %-1 does not fit uint", function() return stream "uint":lt(-1) end)
        check.raises("a & b: argument #2 'b': expected int, uint or bool, got number 1.5",
            function() return stream "int" & 1.5 end)
        check.raises("a & b: argument #1 'a': expected int, uint or bool, got float",
            function() return stream "float" & 1 end)
        check.raises("a << b: argument #1 'a': expected int, uint or bool, got float",
            function() return stream "float" << 1 end)
    end)

    it("vectors combine with scalars, with vectors of the same size and with tables", function()
        local v = rill.from({{1, 2, 3}, {4, 5, 6}}, "vec3")
        local s = rill.from {10, 100}
        assert.same({{10, 20, 30}, {400, 500, 600}}, (v * s):read())
        assert.same({{1, 4, 9}, {4, 10, 18}}, (v * {1, 2, 3}):read())
        assert.same({{3, 3, 3}, {0, 0, 0}}, ({4, 5, 6} - v):read())
        assert.same({{1, 0, 1}, {0, 1, 0}}, (v % 2):read())
        assert.same({{1, 4, 9}, {16, 25, 36}}, (v ^ 2):read())
        local i = rill.from({{-3, 2}, {5, -6}}, "ivec2")
        assert.same({{-2, 1}, {2, -3}}, (i // 2):read())
        assert.same({{1, 0}, {1, 0}}, (i & 1):read())
        assert.same({{-12, 8}, {20, -24}}, (i << 2):read())
        check.raises("vectors of 3 and of 2 components don't match", function() return v + i end)
        check.raises("a number or a table of 3 numbers, got a table of 2", function() return v + {1, 2} end)
        check.raises("tables of numbers go with vector streams", function() return s + {1, 2} end)
        check.raises("expected a number in a vector, got string", function() return v + {1, 2, "x"} end)
    end)

    it("components", function()
        local v = rill.from({{1, 2, 3, 4}, {5, 6, 7, 8}}, "vec4")
        assert.same({1.0, 5.0}, v.x:values())
        assert.same({{2.0, 1.0}, {6.0, 5.0}}, v.yx:read())
        assert.same({{1.0, 2.0, 3.0}, {5.0, 6.0, 7.0}}, v.rgb:read())
        assert.same({{4.0, 4.0, 4.0, 4.0}, {8.0, 8.0, 8.0, 8.0}}, v.wwww:read())
        assert.same({3.0, 7.0}, v.p:values())
        assert.same({{5.0, 3.0}, {9.0, 7.0}}, ((v * 2).zy - v.xx):read())
        assert.equal("ivec2", rill.stream("ivec3", 1).xz.type)
        assert.equal("vec2", rill.stream("half4", 0).xy:eval().type)
        check.raises("s.z: a vec2 has 2 components", function() return rill.stream("vec2", 1).z end)
        check.raises("a stream has no field or method 'x'", function() return rill.stream("float", 1).x end)
        check.raises("a stream has no field or method 'xg'", function() return v.xg end)
        check.raises("an expression has no field or method 'foo'", function() return (v + 1).foo end)
    end)

    it("of structures are named by their fields", function()
        local Ray = rill.struct("Ray", "vec3 o; float t;")
        local rays = rill.stream(Ray, 2)
        check.raises("elements of structure Ray", function() return rays + 1 end)
        rays:write {{o = {1, 2, 3}, t = 4}, {o = {5, 6, 7}, t = 8}}
        assert.same({{4, 8, 12}, {40, 48, 56}}, (rays.o * rays.t):read())
        assert.same({3, 7}, rays.o.z:values())
        assert.equal(12.0, rays.t:sum())
        assert.equal(16.0, (rays.t + rays.o.x - 1):sum())
        local Outer = rill.struct("Outer", "int n; Ray ray; vec2 uv;")
        local outer = rill.stream(Outer, 1, {n = 3, ray = {o = {1, 2, 3}, t = 4}, uv = {5, 6}})
        assert.same({8.0}, (outer.ray.t * 2):values())
        assert.same({5.0}, (outer.uv.y - rill.length(outer.ray.o.xy * 0) - 1):values())
        assert.equal(3, outer.n[1])
        check.raises("a stream has no field or method 'q'", function() return rays.q end)
        local step = rill.kernel "kernel float half_(float x<>) { return x / 2.0; }"
        assert.same({2.0, 4.0}, step(rays.t * 1):values())
    end)
end)

describe("shapes:", function()
    leaks.watch(setup, teardown)

    it("equal, or 1, or missing in front", function()
        local m = rill.from {{1, 2, 3}, {4, 5, 6}}
        assert.same({{11, 22, 33}, {14, 25, 36}}, (m + rill.from {10, 20, 30}):read())
        assert.same({{11, 12, 13}, {24, 25, 26}}, (m + rill.from {{10}, {20}}):read())
        assert.same({{11, 21}, {12, 22}}, (rill.from {10, 20} + rill.from {{1}, {2}}):read())
        assert.same({{2, 4, 6}, {8, 10, 12}}, (m * rill.from {2}):read())
        assert.equal("1x2x3", tostring((rill.from {{{1}}} * m).shape))
    end)

    it("Brook's repeat and stride are errors here, and both shapes are printed", function()
        for _, row in ipairs {{4, 2}, {2, 4}, {3, 2}, {{2, 3}, {3, 2}}, {{4, 4}, {2, 2}}, {{2, 3}, 2}} do
            local a, b = rill.stream("float", row[1]), rill.stream("float", row[2])
            check.names({"a + b", tostring(a.shape), tostring(b.shape)}, function() return a + b end)
            check.names({"rill.max", tostring(a.shape), tostring(b.shape)}, function() return rill.max(a, b) end)
        end
    end)

    it("empty", function()
        for _, shape in ipairs {0, {0, 3}, {3, 0}} do
            local s = rill.stream("float", shape)
            local e = s * 2 + 1
            assert.equal(s.shape, e.shape)
            assert.equal(0, #e)
            assert.same({}, e:values())
            assert.equal(0.0, e:sum())
            assert.equal(s.shape, (s + rill.from {1}).shape)
            assert.equal(0, #(s + rill.from {1}):eval())
        end
    end)

    for _, size in ipairs(fitting {1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 100003}) do
        it(("%d elements"):format(size), function()
            local x, y = rill.iota(size), rill.iota(size) % 7
            local values, expected = (x * 3 - y):values(), {}
            for i = 1, size do
                expected[i] = (i - 1) * 3 - (i - 1) % 7
            end
            check.equal(expected, values)
        end)
    end

    it("views of every kind", function()
        local m = rill.iota {4, 6}
        local list = m:domain({2, 2}, {3, 5})
        assert.same({{14, 16, 18, 20}, {26, 28, 30, 32}}, (list * 2):read())
        assert.same({{0, 6, 12, 18}}, (m:transpose():domain({1, 1}, {1, 4}) * 1):read())
        assert.same({0, 0, 1, 1}, (rill.iota(2):replicate(2) + 0):values())
        assert.same({0, 1, 0, 1}, (rill.iota(2):tile(2) + 0):values())
        assert.same({0, 4, 8}, (rill.iota(6):stride(2) * 2):values())
        assert.same({0.0, 1.0, 2.0}, (rill.iter("float", 3, 0, 6) / 2):values())
        assert.same({7, 8, 9, 10, 11, 12}, (m[2] + 1):values())
    end)
end)
