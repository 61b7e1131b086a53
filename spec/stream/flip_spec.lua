local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local viewmaker = require "spec.support.viewmaker"

local neighbors = rill.kernel "kernel void pair(neighbor float x<>, out float r<>) { r = 2.0 * x[0] + x[1]; }"
local add = rill.kernel "kernel void add(float a<>, float b[], out float r<>) { r = a + b[indexof(a).x]; }"

describe("flipped views", function()
    leaks.watch(setup, teardown)

    it("have the elements in reverse order", function()
        local s = rill.iota {2, 3}
        assert.same({{5, 4, 3}, {2, 1, 0}}, s:flip():read())
        assert.same({{3, 4, 5}, {0, 1, 2}}, s:flip(1):read())
        assert.same({{2, 1, 0}, {5, 4, 3}}, s:flip(-1):read())
        assert.same({{5, 4, 3}, {2, 1, 0}}, s:flip {1, 2}:read())
        assert.same({{0, 1, 2}, {3, 4, 5}}, s:flip {}:read())
        assert.same({5, 3, 1}, rill.iota(6):stride(-2):values())
        assert.same({{3, 5}, {0, 2}}, s:stride(-1, 2):read())
        for _, kind in ipairs {"half", "int8", "float"} do
            assert.equal(0, rill.zeros({0, 8}, kind):flip():filter("x > 0").size)
            assert.equal(0, rill.zeros({3, 0, 4}, kind):stride(1, 1, -1):unique().size)
        end
        assert.same({{5, 4, 3}, {2, 1, 0}}, s:stride(-1):read())
        assert.equal(0, rill.zeros(0):flip().size)
        assert.same({7}, rill.full(1, 7, "int"):flip():values())
        assert.equal(3, rill.iota(4):flip():get(1))
    end)

    it("share the memory of the stream", function()
        local s = rill.iota(5)
        s:flip():write {9, 8, 7, 6, 5}
        assert.same({5, 6, 7, 8, 9}, s:values())
        s:flip():domain(1, 2):fill(0)
        assert.same({5, 6, 7, 0, 0}, s:values())
        s:write(s:flip())
        assert.same({0, 0, 7, 6, 5}, s:values())
        s:flip():set(1, 1)
        assert.same({0, 0, 7, 6, 1}, s:values())
        local e = s + 0
        s:flip():fill(4)
        check.raises("built before memory it reads was written", e.sum, e)
        local pair <close> = rill.iota(8)
        pair:domain(1, 4):write(pair:domain(5, 8):flip())
        assert.same({7, 6, 5, 4, 4, 5, 6, 7}, pair:values())
        pair:domain(2, 6):write(pair:domain(1, 5):flip())
        assert.same({7, 4, 4, 5, 6, 7, 6, 7}, pair:values())
    end)

    it("are inputs, gathers, neighbors and outputs of kernels", function()
        for _, n in ipairs {1, 2, 7, 64, 1000, 4099} do
            local s, e, f = rill.iota(n):cast "float", {}, {}
            for i = 0, n - 1 do
                e[i + 1] = 2 * (n - 1 - i) + math.max(n - 2 - i, 0)
                f[n - i] = i + (n - 1 - i)
            end
            check.equal(e, neighbors(s:flip()):values())
            local out = rill.zeros(n)
            add(s, s:flip(), out:flip())
            check.equal(f, out:values())
            check.equal(s:scan():values(), s:flip():flip():scan():values())
            check.equal(s:values(), s:flip():sort():values())
            assert.equal(s:sum(), s:flip():sum())
            assert.equal(n, (s:flip():argmin()))
        end
    end)

    it("compose with all other views", function()
        math.randomseed(31)
        viewmaker.each(150, function(view, reference, shape)
            local done, flipped = pcall(view.flip, view)
            if done then
                local expected = {}
                for i = 1, #reference do
                    expected[i] = reference[#reference + 1 - i]
                end
                check.equal(expected, flipped:values())
                check.equal(expected, flipped:copy():values())
                check.equal(expected, flipped:cast "double":values())
                check.equal(expected, (flipped + 0):values())
                assert.equal(table.concat(shape, "x"), tostring(flipped.shape))
                check.equal(reference, flipped:flip():transpose():transpose():values())
            end
        end)
        local big = rill.random({70, 130}, {seed = 1})
        check.equal(big:flip():copy():transpose():values(), big:flip():transpose():copy():values())
        check.equal(big:flip(1):sum(1):values(), big:copy():flip(1):copy():sum(1):values())
        local m = rill.matmul(big:flip(), big:transpose():flip())
        check.equal(rill.matmul(big:flip():copy(), big:transpose():flip():copy()):values(), m:values(), 1e-4)
    end)

    it("of views that repeat elements need a copy", function()
        check.raises("s:flip: .* call :copy%(%) first", function() return rill.iota(3):tile(2):flip() end)
        check.raises("s:flip: argument #1 'axis': expected 1 .. 1", function() return rill.iota(3):flip(2) end)
        check.raises("s:stride: argument #1 'n': expected a whole number that is not 0, got number 0",
            function() return rill.iota(3):stride(0) end)
        check.raises("s:stride: argument #2 'n': .* is not 0", function() return rill.iota {3, 3}:stride(1, 0) end)
    end)
end)

describe("s:as", function()
    leaks.watch(setup, teardown)

    it("shows vectors as numbers, and numbers as vectors", function()
        for _, row in ipairs {{"float", "vec3", 3}, {"double", "dvec2", 2}, {"int", "ivec4", 4}, {"half", "half2", 2},
            {"unorm8", "unorm8x4", 4}, {"uint", "uvec3", 3}} do
            local s = rill.iota {2, 3, row[3]}:cast(row[1])
            local v = s:as(row[2])
            assert.equal(row[2], v.type)
            assert.equal("2x3", tostring(v.shape))
            check.equal(s:values(), v:values())
            check.equal(s:flip(1):copy():values(), v:flip(1):as(row[1]):values())
            check.equal(v:transpose():values(), v:transpose():as(row[1]):as(row[2]):values())
            assert.equal(v.type, v:as(row[2]).type)
        end
        local s = rill.zeros {2, 3}
        s:as "vec3":set({1, 2, 3}, 2)
        assert.same({{0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}}, s:read())
        local v = rill.zeros(2, "vec2")
        v:as "float":fill(5)
        assert.same({{5.0, 5.0}, {5.0, 5.0}}, v:read())
        assert.equal("0x3", tostring(rill.zeros(0, "vec3"):as "float".shape))
        assert.equal("0", tostring(rill.zeros {0, 3}:as "vec3".shape))
        check.equal({0, 1, 0, 1}, rill.from({{0, 1}}, "vec2"):tile(2):as "float":values())
    end)

    it("of a repeated view is refused in the name of the method that was called", function()
        local s = rill.iota(4)
        check.raises("^[^\n]*:%d+: s:stride: the elements of this view are not regularly spaced", function()
            return s:tile(2):stride(-1)
        end)
        check.raises("s:flip: the elements of this view are not regularly spaced", function()
            return s:tile(2):flip()
        end)
        check.raises("s:stride: argument #1 'n': expected a whole number that is not 0, got number 0", s.stride, s, 0)
        check.raises("s:tile: argument #1 'n': expected a whole number from 1, got number %-1", s.tile, s, -1)
        check.equal({3, 0}, s:stride(-3):values())
        check.equal({3}, s:stride(math.mininteger):values())
    end)

    it("names what does not fit", function()
        local s = rill.zeros {2, 3}
        check.raises("s:as: vec2 needs a last dimension of 2", s.as, s, "vec2")
        check.raises("s:as: elements of float cannot be viewed as ivec3", s.as, s, "ivec3")
        check.raises("s:as: vec3 needs a last dimension", s.as, rill.zeros(3), "vec3")
        check.raises("s:as: .* call :copy%(%) first", s.as, s:transpose():copy():transpose(), "vec3")
        check.raises("s:as: an iterator stream has no memory", s.as, rill.iter("vec2", 3, {0, 0}, {1, 1}), "float")
        check.raises("limit is 8", s.as, rill.zeros({1, 1, 1, 1, 1, 1, 1, 1}, "vec2"), "float")
    end)
end)

describe("s:reshape with -1", function()
    leaks.watch(setup, teardown)

    it("computes the size", function()
        local s = rill.iota(12)
        assert.equal("3x4", tostring(s:reshape {3, -1}.shape))
        assert.equal("12", tostring(s:reshape(-1).shape))
        assert.equal("2x3x2", tostring(s:reshape {2, -1, 2}.shape))
        check.raises("s:reshape: expected one table, got several numbers: write s:reshape {3, 4}", s.reshape, s, 3, 4)
        check.raises("write s:reshape {3, %-1, ...}", s.reshape, s, 3, -1, 2)
        check.raises("write s:transpose {2, 1}", s.transpose, s:reshape {3, 4}, 2, 1)
        assert.equal("3x0", tostring(rill.zeros(0):reshape {3, -1}.shape))
        check.raises("at most one size can be %-1", s.reshape, s, {-1, -1})
        check.raises("at most one size can be %-1", s.reshape, s, {-2, 3})
        check.raises("12 elements are not a multiple of 5", s.reshape, s, {5, -1})
        check.raises("cannot be determined", s.reshape, s, {0, -1})
    end)
end)

describe("tables and numbers as operands", function()
    leaks.watch(setup, teardown)

    it("of gather and searchsorted", function()
        local s = rill.from {10, 20, 30}
        assert.same({30.0, 10.0}, rill.gather(s, {2, 0}):values())
        assert.same({{30.0}, {20.0}}, rill.gather(s, {{2}, {1}}):read())
        assert.equal(0, rill.gather(s, {}).size)
        check.raises("rill.gather: argument #2 'index'", rill.gather, s, {1.5})
        for value, count in pairs {[5] = 0, [10] = 0, [10.5] = 1, [30] = 2, [99] = 3} do
            assert.equal(count, rill.searchsorted(s, value))
        end
        assert.equal(1, rill.searchsorted(s, 10, {side = "right"}))
        assert.equal(0, rill.searchsorted(rill.from {0.1, 0.2}, 0.1))
        assert.equal(2, rill.searchsorted(rill.iota(5), 1.5))
        assert.equal(5, rill.searchsorted(rill.iota(5), 2 ^ 40))
        assert.equal(0, rill.searchsorted(rill.zeros(0), 1))
    end)
end)
