local rill = require "rill"
local check = require "spec.support.check"

local step = rill.kernel [[
    kernel void step(float a, float x<>, inout float seen<>, out float r<>) {
        seen += 1.0;
        r = a * x + float(indexof(r).x);
    }
]]

-- A float mask of n elements: keep(i), with 0-based i, returns whether element i holds.
local function mask_of(n, keep)
    return rill.stream("float", n, n > 0 and function(i) return keep(i - 1) and 1 or 0 end or nil)
end

describe("where", function()
    local patterns = {
        every_third = function(i) return i % 3 == 0 end,
        all = function() return true end,
        none = function() return false end,
        last = function(i) return i == 1024 end,
    }
    for name, keep in pairs(patterns) do
        it("runs over the active elements only: " .. name, function()
            for _, n in ipairs { 0, 1, 31, 33, 256, 1025 } do
                local x, seen = rill.iota(n):cast "float", rill.stream("float", n, 5)
                local r = step { a = 2, x = x, seen = seen, where = mask_of(n, keep) }
                local values, counts = r:values(), seen:values()
                for i = 0, n - 1 do
                    assert.are.equal(keep(i) and 3 * i or 0, values[i + 1])
                    assert.are.equal(keep(i) and 6 or 5, counts[i + 1])
                end
            end
        end)
    end

    it("keeps the other elements of an output that is given, in any number of dimensions and type", function()
        local place = rill.kernel [[
            kernel void place(int x<>, out uint r<>) { r = uint(indexof(r).y * 100 + indexof(r).x); }
        ]]
        local x = rill.iota { 37, 53 }
        local r = rill.stream("uint8", { 37, 53 }, 7)
        place { x = x, r = r, where = x:map "x % 5 == 2 ? 1 : 0" }
        for i = 0, 36 do
            for j = 0, 52 do
                local expected = (i * 53 + j) % 5 == 2 and (i * 100 + j) % 256 or 7
                assert.are.equal(expected, r:get(i + 1, j + 1))
            end
        end
    end)

    it("accepts views, masks of any number type, and active lists", function()
        local x = rill.iota(100):cast "float"
        local part = x:domain(11, 60)
        local mask = rill.stream("uint8", 50, function(i) return i % 2 end)
        local active = rill.active(mask)
        local first = step { a = 1, x = part, seen = rill.stream("float", 50), where = mask }
        local second = step { a = 1, x = part, seen = rill.stream("float", 50), where = active }
        for i = 0, 49 do
            assert.are.equal(i % 2 == 0 and 10 + 2 * i or 0, first:get(i + 1))
            assert.are.equal(first:get(i + 1), second:get(i + 1))
        end
        assert.are.equal(25, #active.indices)
        assert.are.equal("active<50>, 25 of 50 elements", tostring(active))
    end)

    it("works under rill.check and in kernels with long loops", function()
        local loop = rill.kernel "kernel void loop(int x<>, out int r<>) { r = 0; while (r < x) r++; }"
        local x = rill.iota(300)
        local before = rill.check(true)
        local r = loop { x = x, where = x:map "x % 7 == 0 ? 1 : 0" }
        rill.check(before)
        for i = 0, 299 do
            assert.are.equal(i % 7 == 0 and i or 0, r:get(i + 1))
        end
    end)

    it("is refused where it means nothing", function()
        local x = rill.iota(8):cast "float"
        local function launch(where)
            return step { a = 1, x = x, seen = x:copy(), where = where }
        end
        check.raises("step: 'where': expected a mask stream, .* got number", launch, 3)
        check.raises("step: 'where' has shape 4, the launch runs over 8", launch, rill.iota(4))
        check.raises("step: 'where': expected a mask stream, .* got stream<vec2>", launch, rill.stream("vec2", 8))
        local group = rill.kernel "kernel(64) void group(float x<>, out float r<>) { r = x; }"
        check.raises("group kernel", group, { x = x, where = x })
        local total = rill.kernel "reduce void total(float x<>, reduce float r<>) { r += x; }"
        check.raises("unknown argument or option 'where'", total, { x = x, where = x })
        check.raises("rill.active: argument #1 'mask'", rill.active, 5)
    end)
end)

describe("rill.branch", function()
    local double = rill.kernel "kernel void double_it(float x<>, out float r<>) { r = 2.0 * x; }"
    local negate = rill.kernel "kernel void negate(float z<>, out float q<>) { q = -z; }"

    it("runs each kernel over the elements of its condition", function()
        for _, n in ipairs { 0, 1, 33, 1000 } do
            local x = rill.iota(n):cast "float"
            local branch = rill.branch(mask_of(n, function(i) return i % 3 == 0 end), double, negate)
            local by_position, by_name = branch(x), branch { x = x }
            local given = rill.stream("float", n, 9)
            assert.are.equal(given, (branch(x, given)))
            for i = 0, n - 1 do
                local expected = i % 3 == 0 and 2 * i or -i
                assert.are.equal(expected, by_position:get(i + 1))
                assert.are.equal(expected, by_name:get(i + 1))
                assert.are.equal(expected, given:get(i + 1))
            end
        end
    end)

    it("passes the options of the launch to both kernels", function()
        local x, mask = rill.stream("float", 5), rill.from {0, 1, 0, 1, 1}
        local place = rill.kernel "kernel void place(float x<>, out int r<>) { r = indexof(x).x; }"
        local part = {first = {101}, shape = {1000}}
        assert.same({100, 101, 102, 103, 104}, rill.branch(mask, place, place) {x = x, part = part}:values())
        local some = rill.kernel "kernel void some(float x<>, out float r<>) { r = random(); }"
        local plain = rill.kernel "kernel void plain(float y<>, out float q<>) { q = 2.0; }"
        local all, first, second = some {x = x, seed = 3}:values(), {2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}
        for i = 1, 5 do
            local list = mask:get(i) ~= 0 and first or second
            list[i] = all[i]
        end
        assert.same(all, rill.branch(mask, some, some) {x = x, seed = 3}:values())
        assert.same(first, rill.branch(mask, some, plain) {x = x, seed = 3}:values())
        assert.same(second, rill.branch(mask, plain, some) {y = x, seed = 3}:values())
        check.raises("option 'seed': the kernel draws no random numbers: leave the seed out", function()
            rill.branch(mask, plain, plain) {y = x, seed = 3}
        end)
        local named = rill.kernel "kernel void named(float seed<>, out float r<>) { r = random(); }"
        assert.same(all, rill.branch(mask, named:seed(3), named:seed(3)) {seed = x}:values())
    end)

    it("wants two kernels of one signature", function()
        local mask = rill.stream("bool", 4)
        local other = rill.kernel "kernel void other(int x<>, out float r<>) { r = float(x); }"
        check.raises("argument #1 'cond'", rill.branch, 1, double, negate)
        check.raises("argument #3 'G': expected a kernel", rill.branch, mask, double)
        check.raises("parameter #1 differs", rill.branch, mask, double, other)
        check.raises("expected 1 argument ", rill.branch(mask, double, negate), 1, 2, 3)
    end)
end)
