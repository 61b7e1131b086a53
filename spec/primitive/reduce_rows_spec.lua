-- Reductions of adjacent blocks: rows are traversed and columns reduced. Elements are integers, so that results are exact.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

describe("reductions along rows", function()
    leaks.watch(setup, teardown)

    -- Returns the fold of each column of a flat list of rows.
    local function folded(flat, columns, fold)
        local result = table.move(flat, 1, columns, 1, {})
        for i = columns + 1, #flat do
            local c = (i - 1) % columns + 1
            result[c] = fold(result[c], flat[i])
        end
        return result
    end

    local function add(a, b) return a + b end
    local function of(s, fold)
        local columns = s.shape[#s.shape]
        return folded(s:values(), columns, fold)
    end
    local function mixed(type, shape) return rill.iota(shape):map "(x * 37 + x / 7) % 101":cast(type) end

    -- Rows of many and of few columns, of whole texels and not, and more rows than one run has.
    for _, shape in ipairs {{40, 2048}, {41, 2044}, {40, 2047}, {5001, 16}, {70, 1024}, {3, 40000}} do
        it(("of %d x %d"):format(table.unpack(shape)), function()
            local s = mixed("float", shape)
            assert.same(of(s, add), s:sum(1):values())
            assert.same(of(s, math.max), s:max(1):values())
        end)
    end

    it("of views, strided or not beginning at a texel", function()
        local s = mixed("float", {60, 1100})
        local on_texels, beside = s:domain({2, 5}, {60, 1100}), s:domain({1, 2}, {60, 1097})
        for _, view in ipairs {on_texels, beside, s:stride(2, 3), s:transpose()} do
            assert.same(of(view, add), view:sum(1):values())
        end
    end)

    it("of many outputs, of rows and of columns", function()
        local s = mixed("float", {70000, 5})
        local flat, sums = s:values(), s:sum(2):values()
        for i = 1, 70000, 331 do
            local expected = 0
            for k = 5 * i - 4, 5 * i do expected = expected + flat[k] end
            assert.equal(expected, sums[i])
        end
        assert.same(of(s:reshape {5, 70000}, add), s:reshape({5, 70000}):sum(1):values())
    end)

    it("of the middle of three dimensions", function()
        local s = mixed("float", {3, 50, 512})
        for axis = 1, 2 do
            local sums = s:sum(axis)
            for k = 1, axis == 2 and 3 or 50, 24 do
                local part = axis == 2 and s:domain({k, 1, 1}, {k, 50, 512}) or s:domain({1, k, 1}, {3, k, 512})
                assert.same(of(part, add), sums:domain({k, 1}, {k, 512}):values())
            end
        end
    end)

    it("of other types", function()
        for _, type in ipairs {"int", "double", "half", "uint8"} do
            local s = mixed(type, {40, 1024})
            assert.same(of(s, math.min), s:min(1):values())
        end
        local v = rill.stream("vec3", {40, 64}, function(i, j) return i, j, i + j end)
        local sums = v:sum(1)
        assert.same({820, 40 * 64, 820 + 40 * 64}, sums:get(64))
    end)

    it("of expressions with a stream that is repeated for every row", function()
        local s, row = mixed("float", {40, 2048}), mixed("float", {2048})
        local expected = of(s, add)
        for c, factor in ipairs(row:values()) do expected[c] = expected[c] * factor end
        assert.same(expected, (s * row):sum(1):values())
        local pairs_of = s:dot(s, 1):values()
        assert.same(folded(s:map "x * x":values(), 2048, add), pairs_of)
    end)

    it("keep the order, and return the first of equal elements", function()
        local last = rill.kernel "reduce void last(float x<>, reduce float r<>) { r = x > 50.0 ? x : r; }"
        local s = mixed("float", {70, 2048})
        local ends = last(s, rill.stream("float", {1, 2048})):values()
        assert.same(of(s, function(a, b) return b > 50 and b or a end), ends)
        local flat, places = s:values(), s:argmax(1):values()
        for c = 1, 2048, 31 do
            local best = 1
            for k = 2, 70 do
                if flat[(k - 1) * 2048 + c] > flat[(best - 1) * 2048 + c] then best = k end
            end
            assert.equal(best - 1, places[c])
        end
    end)

    it("of pairs of rows, and of loops", function()
        local total = rill.kernel "reduce void total(float x<>, reduce float r<>) { r += x; }"
        local slow = rill.kernel [[
            reduce void slow(float x<>, reduce float r<>) { for (int i = 0; i < 9; i++) r += x; r -= 8.0 * x; } ]]
        local s = mixed("float", {40, 1024})
        local halves, flat = total(s, rill.stream("float", {20, 1024})):values(), s:values()
        for i = 1, 20 * 1024, 97 do
            local row, c = (i - 1) // 1024, (i - 1) % 1024 + 1
            assert.equal(flat[2 * row * 1024 + c] + flat[(2 * row + 1) * 1024 + c], halves[i])
        end
        assert.same(of(s, add), slow(s, rill.stream("float", {1, 1024})):values())
    end)

    it("propagate NaNs, and are within a few units of the exact sum", function()
        local s = rill.random({3000, 1024}, {seed = 3})
        local sums, flat = s:sum(1):values(), s:domain({1, 1}, {3000, 8}):copy():values()
        for c = 1, 8 do
            local exact = 0
            for k = 0, 2999 do exact = exact + flat[k * 8 + c] end
            assert.is_true(math.abs(sums[c] - exact) <= 2.4e-7 * exact)
        end
        s:set(0 / 0, 2999, 1000)
        local top = s:max(1):values()
        assert.is_true(top[1000] ~= top[1000] and top[999] == top[999])
    end)

    -- Columns that begin on texels only if several rows are combined, with and without remaining rows.
    shortened(it, "of columns of any number", function(whole)
        for _, type in ipairs(whole and {"float", "int", "double", "vec2"} or {"float"}) do
            for columns, rows in pairs(whole and {4099, 1031, 5001, [5] = 1024, [6] = 512, [33] = 1025, [101] = 2050}
                or {4099, [5] = 1024, [6] = 512, [33] = 1025}) do
                local s = mixed("float", {rows, columns})
                local sums, most = of(s, add), of(s, math.max)
                if type == "vec2" then
                    local two = rill.kernel "kernel vec2 two(float x<>) { return vec2(x, -x); }"(s)
                    local flat = two:sum(1):values()
                    for c = 1, columns do assert.same({sums[c], -sums[c]}, {flat[2 * c - 1], flat[2 * c]}) end
                else
                    local t = s:cast(type)
                    assert.same(sums, t:sum(1):values())
                    assert.same(most, t:max(1):values())
                    assert.equal(most[columns], t:domain({1, columns}, {rows, columns}):max())
                    local at = t:argmax(1):values()
                    for c = 1, columns do assert.equal(most[c], s:get(at[c] + 1, c)) end
                end
            end
        end
        local s, t = mixed("float", {3000, 7}), mixed("float", {3001, 7}):domain({2, 1}, {3001, 7})
        assert.same(of((s + 2 * t):eval(), add), (s + 2 * t):sum(1):values())
        assert.same(of((s + s:max(1)):eval(), add), (s + s:max(1)):sum(1):values())
        assert.same(of((2 * s + 1):eval(), add), (2 * s + 1):sum(1):values())
    end)

    -- Rows of any length, fewer and more than there are invocations. Elements after the end of a row are never used.
    shortened(it, "of any length, some by each invocation", function(whole)
        for _, type in ipairs(whole and {"float", "uint8", "double", "int"} or {"float"}) do
            for rows, columns in pairs {[4097] = 16, [4096] = 15, [5000] = 17, [9001] = 3, [2049] = 100, [5] = 1001} do
                local shape = {rows, columns}
                local s = mixed(type, shape)
                local flat, sums, most, least, at = s:values(), {}, {}, {}, {}
                for i = 1, rows do
                    local row = table.move(flat, (i - 1) * columns + 1, i * columns, 1, {})
                    sums[i], most[i], least[i] = 0, math.max(table.unpack(row)), math.min(table.unpack(row))
                    for j = columns, 1, -1 do
                        sums[i] = sums[i] + row[j]
                        at[i] = row[j] == most[i] and j - 1 or at[i]
                    end
                end
                assert.same(sums, (type == "uint8" and s:cast "int" or s):sum(2):values())
                assert.same(most, s:max(2):values())
                assert.same(least, s:min(2):values())
                assert.same(at, s:argmax(2):values())
                if type == "float" then
                    local doubled = {}
                    for i, v in ipairs(sums) do doubled[i] = 2 * v + columns end
                    assert.same(doubled, (2 * s + 1):sum(2):values())
                end
            end
        end
    end)

    it("ignores NaN and infinity of adjacent rows", function()
        for _, columns in ipairs {5, 16, 30} do
            local s = mixed("float", {6000, columns})
            for _, row in ipairs {2, 3000, 6000} do
                for j, wrong in ipairs {0 / 0, 1 / 0, -1 / 0, 0 / 0} do s:set(wrong, row, (j - 1) % 5 + 1) end
            end
            local sums, most = s:sum(2):values(), s:max(2):values()
            local clean = mixed("float", {6000, columns})
            local expected, largest = clean:sum(2):values(), clean:max(2):values()
            for i = 1, 6000 do
                if i == 2 or i == 3000 or i == 6000 then
                    assert.is_true(sums[i] ~= sums[i])
                else
                    assert.equal(expected[i], sums[i])
                    assert.equal(largest[i], most[i])
                end
            end
        end
    end)
end)
