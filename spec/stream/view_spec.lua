local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"
local leaks = require "spec.support.leaks"
local viewmaker = require "spec.support.viewmaker"

local function grid()
    return rill.stream("float", {4, 6}, function(i, j) return i * 10 + j end)
end

local function ints(...)
    return rill.from({...}, "int")
end

describe("views", function()
    leaks.watch(setup, teardown)

    it("show the documented elements", function()
        assert.same({1, 3, 5, 7, 9}, ints(1, 2, 3, 4, 5, 6, 7, 8, 9):stride(2):values())
        assert.same({1, 2, 3, 1, 2, 3}, ints(1, 2, 3):tile(2):values())
        assert.same({1, 1, 1, 2, 2, 2, 3, 3, 3}, ints(1, 2, 3):replicate(3):values())
        assert.same({{1, 2}, {3, 4}, {5, 6}}, ints(1, 2, 3, 4, 5, 6):group(2):read())
        assert.same({3, 4}, ints(1, 2, 3, 4):domain(3, 4):values())
        assert.same({{0, 2, 4}, {1, 3, 5}}, rill.iota({3, 2}):transpose():read())
        assert.same({{0, 1, 2}, {3, 4, 5}}, rill.iota(6):reshape({2, 3}):read())
    end)

    it("group makes blocks of trailing dimensions", function()
        local blocks = rill.iota({4, 6}):group(2, 3)
        assert.equal("2x2x2x3", tostring(blocks.shape))
        assert.same({{0, 1, 2}, {6, 7, 8}}, blocks[1][1]:read())
        assert.same({{15, 16, 17}, {21, 22, 23}}, blocks[2][2]:read())
    end)

    it("domain selects along the first dimension by numbers", function()
        assert.same(grid():domain({2, 1}, {3, -1}):read(), grid():domain(2, 3):read())
        assert.same(grid():domain({-1, 1}):read(), grid():domain(-1):read())
        local cube = rill.iota(24):reshape {2, 3, 4}
        assert.same(cube:domain({2, 1, 1}, {2, 3, 4}):read(), cube:domain(2, 2):read())
        assert.equal("0x3x4", tostring(cube:domain(2, 1).shape))
        assert.has_error(function() cube:domain(2, 3) end, "s:domain: dimension 1: 2 .. 3 is out of range 1 .. 2")
    end)

    it("domain counts from the end, and may be empty", function()
        assert.same({{22.0, 23.0, 24.0, 25.0}, {32.0, 33.0, 34.0, 35.0}}, grid():domain({2, 2}, {3, -2}):read())
        assert.same({7, 8}, rill.iota(9):domain(-2, -1):values())
        for _, range in ipairs {{5, 4}, {10, 9}, {1, 0}} do
            assert.equal(0, rill.iota(9):domain(range[1], range[2]).size)
        end
    end)

    it("that are empty read, write, copy and map nothing", function()
        local e = rill.iota(9):domain(5, 4)
        assert.same({}, e:values())
        for _ in e:each() do
            error "an element"
        end
        e:fill(1)
        e:write {}
        assert.equal("", e:bytes())
        local map <close> = e:map_cpu()
        assert.equal(0, #map)
        assert.same({}, e:request():values())
        assert.equal(0, e:copy().size)
    end)

    it("share memory: what is written through one shows in the others", function()
        local s = grid()
        local d = s:domain({2, 2}, {3, -2})
        d:write {{1, 2, 3, 4}, {5, 6, 7, 8}}
        assert.equal(1.0, s:get(2, 2))
        assert.equal(8.0, s:get(3, 5))
        assert.equal(26.0, s:get(2, 6))
        d:fill(0)
        assert.equal(0.0, s:get(2, 3))
        assert.equal(11.0, s:get(1, 1))
        d:write(string.pack("<ffffffff", 1, 2, 3, 4, 5, 6, 7, 8))
        assert.equal(7.0, s:get(3, 4))
        d[1] = {9, 9, 9, 9}
        d[2] = 5
        assert.equal(9.0, s:get(2, 4))
        assert.equal(5.0, s:get(3, 3))
        local t = s:transpose()
        t[6] = {1, 2, 3, 4}
        assert.equal(4.0, s:get(4, 6))
        s:stride(2):fill(-1)
        assert.equal(-1.0, s:get(3, 5))
        assert.equal(21.0, s:get(2, 1))
        local map = t:map_cpu()
        map[2] = 77
        map:unmap()
        assert.equal(77.0, s:get(2, 1))
    end)

    it("stay valid when what they were made from is closed", function()
        local s = grid()
        local d = s:domain({1, 2}, {4, 3})
        s:close()
        assert.equal(43.0, d:get(4, 2))
        d:close()
    end)

    it("reshape and transpose undo each other", function()
        local s = grid()
        assert.same(s:read(), s:transpose({2, 1}):transpose({-1, -2}):read())
        assert.equal(s:bytes(), s:reshape({2, 2, 6}):reshape(24):bytes())
        assert.equal(46.0, s:reshape({24, 1}):get(24, 1))
        local cube = rill.iota {2, 3, 4}
        local turned = cube:transpose {3, 1, 2}
        assert.equal("4x2x3", tostring(turned.shape))
        assert.equal(cube:get(2, 3, 1), turned:get(1, 2, 3))
    end)
end)

describe("a view that cannot be", function()
    leaks.watch(setup, teardown)

    for name, case in pairs {
        ["a domain past the end"] = {
            "dimension 1: 3 %.%. 12 is out of range 1 %.%. 10", function() rill.iota(10):domain(3, 12) end},
        ["a domain from 0"] = {"is out of range", function() rill.iota(10):domain(0, 2) end},
        ["a domain backwards"] = {"is out of range", function() rill.iota(10):domain(6, 2) end},
        ["a domain of a number and a table in 2-D"] = {"table of 2 whole", function() grid():domain(1, {2, 2}) end},
        ["a domain between elements"] = {"whole number", function() rill.iota(3):domain(1.5, 2) end},
        ["a domain of nothing"] = {"first index", function() grid():domain() end},
        ["writing a tile"] = {"cannot be written", function() grid():tile(2):fill(1) end},
        ["writing a replicate"] = {"cannot be written", function() grid():replicate(2)[1] = 1 end},
        ["reshaping a transpose"] = {":copy%(%)", function() grid():transpose():reshape(24) end},
        ["reshaping to another size"] = {"24 elements, 5x5 has 25", function() grid():reshape {5, 5} end},
        ["blocks that do not divide"] = {"do not divide", function() grid():group(3, 2) end},
        ["a stride of 0"] = {"not 0", function() grid():stride(0) end},
        ["too many counts"] = {"one whole number, or 2", function() grid():tile(1, 2, 3) end},
        ["an axis twice"] = {"some order", function() grid():transpose {1, 1} end},
        ["too few axes"] = {"some order", function() grid():transpose {1} end},
        ["axis 0"] = {"some order", function() grid():transpose {0, 1} end},
        ["too large a tile"] = {"more than", function() rill.stream("float", 1 << 20):tile(1 << 20) end},
        ["an unknown boundary"] = {"clamp", function() grid():boundary "foo" end},
        ["two values outside"] = {"same value outside", function() grid():boundary("zero", 5) end},
        ["no boundary"] = {"one mode", function() grid():boundary() end},
    } do
        it("is an error: " .. name, function() check.raises(case[1], case[2]) end)
    end
end)

describe("random compositions of views", function()
    leaks.watch(setup, teardown)

    local SEED <const> = 7

    shortened(it, "read as they should", function(whole)
        math.randomseed(SEED)
        viewmaker.each(whole and 250 or 60, function(view, reference, shape)
            assert.is_true(view.shape == setmetatable(shape, getmetatable(view.shape)))
            check.equal(reference, view:values())
            local flat = math.random(#reference)
            assert.equal(reference[flat], view:get(viewmaker.index(shape, flat)))
            local count = 0
            for i, j, k, l in view:each() do
                count = count + 1
                assert.equal(reference[count], ({i, j, k, l})[#shape + 1])
            end
            assert.equal(#reference, count)
        end)
    end)

    shortened(it, "are inputs and gathers of kernels", function(whole)
        local input = rill.kernel "kernel void input(int x<>, out int r<>) { r = x * 3; }"
        local gathers = {
            rill.kernel "kernel void g1(int x[], out int r<>) { r = x[indexof(r).x] * 3; }",
            rill.kernel "kernel void g2(int x[][], out int r<>) { r = x[indexof(r).y][indexof(r).x] * 3; }",
            rill.kernel [=[
                kernel void g3(int x[][][], out int r<>) { r = x[indexof(r).z][indexof(r).y][indexof(r).x] * 3; }
            ]=],
        }
        math.randomseed(SEED + 1)
        viewmaker.each(whole and 120 or 20, function(view, reference, shape)
            local expected = {}
            for i, value in ipairs(reference) do
                expected[i] = value * 3
            end
            check.equal(expected, input(view):values())
            check.equal(expected, gathers[#shape] {x = view, shape = shape}:values())
        end)
    end)

    it("are outputs of kernels, where they can be written", function()
        local kernel = rill.kernel "kernel void fill(float x<>, out float r<>) { r = x; }"
        for name, view in pairs {
            domain = function(s) return s:domain({2, 2}, {3, 5}) end,
            stride = function(s) return s:stride(2, 3) end,
            transpose = function(s) return s:transpose() end,
            row = function(s) return s[3] end,
            group = function(s) return s:group(2, 3) end,
            reshape = function(s) return s:reshape {2, 2, 6} end,
        } do
            local by_kernel, by_write = grid(), grid()
            local target = view(by_kernel)
            local values = rill.iota(target.size):cast("float"):reshape(target.shape)
            assert.equal(target, kernel(values, target))
            view(by_write):write(values)
            assert.same(by_write:read(), by_kernel:read(), name)
        end
        check.raises("r", kernel, 1, grid():tile(2))
    end)
end)

describe("boundaries", function()
    leaks.watch(setup, teardown)

    -- Maps index i (0-based) of n elements by a mode to a 0-based index, or to the value outside.
    local modes = {
        clamp = function(i, n) return math.max(0, math.min(i, n - 1)) end,
        wrap = function(i, n) return i % n end,
        mirror = function(i, n)
            i = i % (2 * n)
            return i < n and i or 2 * n - 1 - i
        end,
        zero = function(i, n) return i >= 0 and i < n and i or nil, 0 end,
        [7.5] = function(i, n) return i >= 0 and i < n and i or nil, 7.5 end,
    }
    local kernel
    setup(function()
        kernel = rill.kernel "kernel void reach(float a[], int first, out float r<>) { r = a[first + indexof(r).x]; }"
    end)

    for mode, find in pairs(modes) do
        for _, n in ipairs {1, 2, 7, 65} do
            it(("%s of %d elements, to three times their number"):format(mode, n), function()
                local s = rill.stream("float", n, function(i) return i * 1.5 end)
                local first, count = -3 * n - 1, 7 * n + 2
                local got = kernel {a = s:boundary(mode), first = first, shape = count}:values()
                for k = 1, count do
                    local i, outside = find(first + k - 1, n)
                    assert.equal(i and (i + 1) * 1.5 or outside + 0.0, got[k])
                end
            end)
        end
    end

    it("may differ by dimension, and change nothing inside", function()
        local s = rill.iota {2, 3}
        local view = s:boundary("wrap", "clamp")
        assert.equal(s:bytes(), view:bytes())
        local reach = rill.kernel [=[
            kernel void reach(int a[][], out int r<>) { r = a[indexof(r).y - 2][indexof(r).x - 2]; }
        ]=]
        assert.same({
            {0, 0, 0, 1, 2, 2, 2},
            {3, 3, 3, 4, 5, 5, 5},
            {0, 0, 0, 1, 2, 2, 2},
            {3, 3, 3, 4, 5, 5, 5},
            {0, 0, 0, 1, 2, 2, 2},
        }, reach {a = view, shape = {5, 7}}:read())
        assert.equal(4, s:boundary("mirror"):boundary(1):domain({1, 1}, {2, 2}).size)
    end)
end)
