-- rill.gather_op against plain loops.
local rill = require "rill"
local check = require "spec.support.check"
local indices = require "spec.support.indices"
local integers = require "spec.support.integers"
local leaks = require "spec.support.leaks"

-- Runs the loop of Brook's GatherOp over flat lists, which it changes.
local function fetched(dst, at, src, op)
    for i, k in ipairs(at) do
        if src[k + 1] ~= nil then
            dst[i] = src[k + 1]
            src[k + 1] = op(src[k + 1], src[k + 1])
        end
    end
end

describe("gather_op", function()
    leaks.watch(setup, teardown)

    it("with whole numbers", function()
        for name, op in pairs(integers.operators) do
            for _, size in ipairs{0, 1, 31, 33, 256, 1025} do
                for _, n in ipairs {1, 5, 700} do
                    local at, src, dst = indices(size, n + 2, size), indices(n, 1 << 16, n), {}
                    for i = 1, size do
                        dst[i], at[i] = -i, at[i] - 1
                    end
                    local index = size > 0 and rill.from(at, "int") or rill.stream("int", 0)
                    local from = rill.from(src, "int")
                    local to = size > 0 and rill.from(dst, "int") or rill.stream("int", 0)
                    assert.equal(to, rill.gather_op(to, index, from, name))
                    fetched(dst, at, src, op)
                    check.equal(dst, to:values())
                    check.equal(src, from:values())
                    check.equal(at, index:values())
                end
            end
        end
    end)

    it("with floats: to infinity and beyond", function()
        local small = rill.device().traits.denormals and 1e-45 or 1e-25
        local list = {1, -0.75, small, 3e38, 0, 1 / 0, 1 + 2 ^ -23, 1 - 2 ^ -24}
        for _, type in ipairs {"float", "double"} do
            for name, op in pairs {add = function(a, b) return a + b end, mul = function(a, b) return a * b end} do
                local at = {}
                for i = 1, 8 * (type == "double" and 1100 or 300) do
                    at[i] = (i - 1) % 8
                end
                local src = rill.from(list, type)
                local values, dst = src:values(), {}
                local to = rill.stream(type, #at)
                rill.gather_op(to, rill.from(at, "int"), src, name)
                fetched(dst, at, values, function(a, b)
                    return type == "float" and check.float32(op(a, b)) or op(a, b)
                end)
                check.equal(dst, to:values())
                check.equal(values, src:values())
            end
        end
    end)

    it("with reduce kernels", function()
        local modular = rill.kernel "reduce void modular(int x<>, reduce int r<>) { r = (r * x) % 1009; }"
        for _, size in ipairs {1, 33, 400} do
            for _, n in ipairs {1, 20, 300} do
                local at, src, dst = indices(size, n, 5), indices(n, 1009, 3), {}
                local from, to = rill.from(src, "int"), rill.stream("int", size)
                rill.gather_op(to, rill.from(at, "int"), from, modular)
                fetched(dst, at, src, function(a, b) return a * b % 1009 end)
                check.equal(dst, to:values())
                check.equal(src, from:values())
            end
        end
    end)

    it("with reduce kernels that change nothing", function()
        local larger = rill.kernel "reduce void larger(float x<>, reduce float r<>) { r = max(r, x); }"
        local n = 20000
        local src, to = rill.from {5, 6, 7}, rill.stream("float", n)
        rill.gather_op(to, rill.iota(n):map "x % 2", src, larger)
        check.equal({5, 6, 7}, src:values())
        assert.equal(5.5 * n, to:sum())
    end)

    it("with reduce kernels of vectors #long", function()
        local multiply = rill.kernel [[
            reduce void turn(float2 x<>, reduce float2 r<>) {
                r = float2(r.x * x.x - r.y * x.y, r.x * x.y + r.y * x.x);
            }
        ]]
        local quarter = rill.from({{0, 1}, {3, 4}}, "vec2")
        local turned = rill.stream("vec2", 4)
        rill.gather_op(turned, rill.from({0, 0, 0, 7}, "int"), quarter, multiply)
        check.equal({0, 1, -1, 0, 1, 0, 0, 0}, turned:values())
        check.equal({1, 0, 3, 4}, quarter:values())
    end)

    it("of views, packed types and grids", function()
        local m = rill.iota {3, 4}
        local dst = rill.stream("float", {2, 2})
        local places = rill.from({{{1, 0}, {1, 0}}, {{3, 2}, {0, 4}}}, "ivec2")
        rill.gather_op(dst:transpose(), places, m:transpose():transpose(), "add")
        check.equal({1, 11, 2, 0}, dst:values())
        check.equal({0, 4, 2, 3, 4, 5, 6, 7, 8, 9, 10, 22}, m:values())
        local bytes, out = rill.from({100, 3}, "uint8"), rill.stream("uint", 3)
        rill.gather_op(out, rill.from({0, 0, 1}, "int"), bytes, "add")
        check.equal({100, 200, 3}, out:values())
        check.equal({144, 6}, bytes:values())
        local Pair = rill.struct("Pair", "vec3 a; int b;")
        local s = rill.stream(Pair, 2, function(i) return {a = {i, i, i}, b = i} end)
        local t = rill.stream(Pair, 2)
        rill.gather_op(t, rill.from({1, 1}, "int"), s, "set")
        assert.same({a = {2.0, 2.0, 2.0}, b = 2}, t[2])
    end)

    it("rejects invalid arguments", function()
        local d, i, s = rill.stream("float", 2), rill.from({1, 7}, "int"), rill.stream("float", 3)
        check.raises("rill.gather_op: argument #4 'op'", rill.gather_op, d, i, s)
        check.raises("rill.gather_op: argument #4 'op'", rill.gather_op, d, i, s, "plus")
        check.raises("rill.gather_op: the shapes of 'dst' %(3%) and 'index' %(2%)", rill.gather_op, s, i, d, "add")
        check.raises("rill.gather_op: 'dst' and 'src' overlap", rill.gather_op, d, i, d, "add")
        check.raises("rill.gather_op: this view cannot be written", rill.gather_op, d, i, s:tile(2), "add")
        rill.check(true)
        local _, message = pcall(rill.gather_op, d, i, s, "add")
        rill.check(false)
        assert.truthy(message:find("1 of 2 indices are out of range of a stream of shape 3", 1, true))
    end)
end)
