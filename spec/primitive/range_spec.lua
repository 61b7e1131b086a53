-- Reductions whose parts are beyond the range of numbers, but whose results are not. Elements are small whole numbers times a power of two: the
-- reference is what plain Lua makes of the small ones.
local rill = require "rill"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

-- By type: the power of two that 200 times is in range and 400 times is not, one whose square is too large and one whose square is too small,
-- and how near results are.
local TYPES <const> = {
    float = {most = 2.0 ^ 120, large = 2.0 ^ 100, small = 2.0 ^ -100, near = 2e-7, pair = "vec2"},
    double = {most = 2.0 ^ 1016, large = 2.0 ^ 980, small = 2.0 ^ -980, near = 1e-14, pair = "dvec2"},
}
local SIZES <const> = fitting(os.getenv "RILL_SUITE_LONG" and {2, 3, 16, 17, 63, 255, 1025, 20011, 150001}
    or {2, 3, 17, 63, 1025, 20011})

-- 200 and some in the first half, -200 and some in the second: sums are far beyond 200 on their way.
local function waves(n, shift)
    local list = {}
    for i = 1, n do
        list[i] = (i <= n // 2 and 200 or -200) + (i + shift) % 7
    end
    return list
end

local reference = {}

function reference.sum(list)
    local sum = 0
    for _, x in ipairs(list) do sum = sum + x end
    return sum
end

function reference.mean(list) return reference.sum(list) / #list end

function reference.norm(list)
    local squares = 0
    for _, x in ipairs(list) do squares = squares + x * x end
    return math.sqrt(squares)
end

function reference.std(list) -- in integers, exactly
    local squares, sum = 0, reference.sum(list)
    for _, x in ipairs(list) do squares = squares + x * x end
    return math.sqrt(squares * #list - sum * sum) / #list
end

-- Tolerances: of sums relative to the magnitudes, of other results relative to the result.
local function allowed(operation, list, near)
    return near * (operation == "sum" and 203 * #list or operation == "mean" and 203 or reference[operation](list))
end

local CASES <const> = { -- operation, the elements' unit
    {"sum", "most"}, {"std", "most"}, {"norm", "large"}, {"norm", "small"}, {"std", "small"},
    os.getenv "RILL_SUITE_LONG" and {"mean", "most"} or nil,
}

-- The sum of n numbers near 200 is in range only if both halves cancel, which 2 and 3 numbers do not; norms grow with
-- the square root of n.
local function fits(operation, unit, list)
    return unit ~= "most" or math.abs(reference[operation](list)) < 255
end

local function assert_near(operation, list, unit, row, got, what)
    local expected = reference[operation](list)
    local near = math.abs(got / unit - expected) <= allowed(operation, list, row.near) -- false of NaN
    if not near then
        error(("%s of %s: expected %.17g, got %.17g"):format(operation, what, expected, got / unit), 2)
    end
end

local function scaled(list, factor)
    local result = {}
    for i, x in ipairs(list) do result[i] = x * factor end
    return result
end

-- Rows of waves, one list per row.
local function rows_of(rows, n)
    local lists, flat = {}, {}
    for r = 1, rows do
        lists[r] = waves(n, r)
        table.move(lists[r], 1, n, #flat + 1, flat)
    end
    return lists, flat
end

describe("reductions stay in the range of numbers", function()
    leaks.watch(setup, teardown)

    -- How many elements make a part depends on the family and the size.
    shortened(it, "if parts of doubles are in range, but no two of them together", function(whole)
        for _, n in ipairs(SIZES) do
            local list = waves(n, 0)
            for operation, first in pairs {sum = 1000, mean = whole and 1000 or nil, std = 494} do
                for exponent = first, first + 16, 2 do
                    local unit <const> = 2.0 ^ exponent
                    if reference[operation](list) * unit < 1e308 then
                        local s <close> = rill.from(scaled(list, unit), "double")
                        local what = ("%d in units of 2^%d"):format(n, exponent)
                        assert_near(operation, list, unit, TYPES.double, s[operation](s), what)
                        assert_near(operation, list, unit, TYPES.double, s[operation](s, 1):get(1), what)
                    end
                end
            end
        end
    end)

    for name, row in pairs(TYPES) do
        shortened(it, "of " .. name .. " to a value", function(whole)
            for _, n in ipairs(SIZES) do
                local list = waves(n, 0)
                for _, case in ipairs(CASES) do
                    local operation, unit = case[1], row[case[2]]
                    if fits(operation, case[2], list) then
                        local s = rill.from(scaled(list, unit), name)
                        local what = ("%d %s in units of %g"):format(n, name, unit)
                        assert_near(operation, list, unit, row, s[operation](s), what)
                        if whole or operation == "sum" then
                            local e = s * 1
                            assert_near(operation, list, unit, row, e[operation](e), "an expression of " .. what)
                        end
                        if whole or operation == "std" then
                            local pairs_of = rill[row.pair:gsub("^d", "")](s, 0):eval()
                            local got = pairs_of[operation](pairs_of)
                            got = type(got) == "table" and got[1] or got
                            assert_near(operation, list, unit, row, got, "vectors of " .. what)
                        end
                    end
                end
            end
        end)

        -- Rows of 16 and more of them than have a run each, rows that begin on texels and do not, few and many columns.
        for _, shape in ipairs {{3, 5}, {40, 16}, {70000, 16}, {300, 63}, {5, 4099}, {70001, 3}} do
            local rows, n = table.unpack(shape)
            -- In the short run, the type differs with the size.
            local long <const> = rows * n > 1e5 or (n > 1000) ~= (name == "float")
            it(("of %s along axes of %d x %d%s"):format(name, rows, n, long and " #long" or ""), function()
                local lists, flat = rows_of(rows, n)
                for _, case in ipairs(CASES) do
                    local operation, unit = case[1], row[case[2]]
                    if operation ~= "sum" or n > 3 and n % 2 == 0 then
                        local s = rill.from(scaled(flat, unit), name):reshape {rows, n}
                        local wide = s:transpose():copy()
                        local turned = s:transpose()
                        local along = {s[operation](s, 2), wide[operation](wide, 1), turned[operation](turned, 1)}
                        for k, results in ipairs(along) do
                            local values = results:values()
                            for r = 1, rows, rows // 100 + 1 do
                                assert_near(operation, lists[r], unit, row, values[r], ("row %d, way %d"):format(r, k))
                            end
                        end
                    end
                end
            end)
        end

        it("of products of " .. name, function()
            for _, n in ipairs(SIZES) do
                local xs, ys = {}, {}
                -- Bits below 2^-80 of the largest product are dropped.
                for i = 1, n - n % 2, 2 do
                    xs[i], ys[i] = (i % 11 + 1) * row.large, (i % 7 + 1) * 2.0 ^ 60 / row.large
                    xs[i + 1], ys[i + 1] = -xs[i], ys[i]
                end
                xs[n + 1 - n % 2], ys[n + 1 - n % 2] = 5, 7
                local x, y = rill.from(xs, name), rill.from(ys, name)
                assert.equal(35.0, x:dot(y))
                assert.equal(35.0, (x * 1):dot(y))
                assert.equal(35.0, x:dot(y * 1))
                assert.equal(35.0, x:dot(y, 1):get(1))
                local many = {}
                for i = 1, n do many[i] = i % 3 == 0 and row.most or i % 3 == 1 and 1 / row.most or 3 end
                local expected = 1.0
                for i = 1, n do expected = expected * (i % 3 == 2 and 3 or 1) end
                expected = expected * (n % 3 == 0 and 1 or 1 / row.most)
                if expected < row.most then
                    local p = rill.from(many, name)
                    local product = p:prod()
                    assert(math.abs(product / expected - 1) < row.near * n, product)
                    product = p:prod(1):get(1)
                    assert(math.abs(product / expected - 1) < row.near * n, product)
                end
            end
        end)

        it("of segments of " .. name, function()
            local b <const> = 200 * row.most
            local keys, lengths = rill.from({1, 1, 1, 2, 2, 2}, "int"), rill.from({3, 3}, "int")
            local s, p = rill.from({b, b, -b, 1, 2, 3}, name), rill.from({b, b, 1 / b, 1, 2, 3}, name)
            assert.same({b, 6.0}, rill.segmented_reduce(s, lengths, "add"):values())
            assert.same({b, 6.0}, select(2, rill.reduce_by_key(keys, s, "add")):values())
            assert(math.abs(rill.segmented_reduce(p, lengths, "mul"):get(1) / b - 1) < row.near)
            local x = rill[row.pair:gsub("^d", "")](s, 1):eval()
            assert.same({b, 3.0}, rill.segmented_reduce(x, lengths, "add"):get(1))
        end)

        it("or are infinite or NaN for " .. name .. " if the exact result is", function()
            local b <const> = 200 * row.most
            local function of(...) return rill.from({...}, name) end
            local function none(x) assert.is_true(x ~= x) end
            -- Reductions of all elements are doubles, those along an axis have the type of the elements.
            local function reduced(x)
                return name == "float" and x or x < 0 and -math.huge or x > 1 and math.huge or 0.0
            end
            assert.equal(reduced(2 * b), of(b, b):sum())
            assert.equal(math.huge, of(b, b):sum(1):get(1))
            assert.equal(reduced(-2 * b), of(-b, -b):sum())
            assert.equal(reduced(b * b), of(b, -b):var())
            assert.equal(math.huge, of(1 / 0, 1):sum())
            assert.equal(math.huge, of(1 / 0, 1):mean())
            assert.equal(math.huge, of(1 / 0, 1):norm())
            none(of(1 / 0, -1 / 0):sum())
            none(of(0 / 0, b):mean())
            none(of(0 / 0, 1 / 0):mean())
            none(of(-1 / 0, 1, 0 / 0):mean(1):get(1))
            none(of(1 / 0, -1 / 0):mean())
            none(of(b, 1 / 0, -1 / 0):mean())
            none(of(0 / 0, b):norm())
            none(of(0 / 0, 1):dot(of(1, 1)))
            none(of(1 / 0, 0):prod())
            assert.equal(reduced(b * b), of(b, b):prod())
            assert.equal(reduced(1 / row.most / row.most), of(1 / row.most, 1 / row.most):prod())
            assert.equal(0.0, of(b, b, b, 0):prod())
            assert.equal(0.0, of(0, 0):norm())
            assert(math.abs(of(b, b, -b):stats().mean / (b / 3) - 1) < row.near and of(b, b):stats().mean == b)
            for _, x in ipairs {0 / 0, 1 / 0, -1 / 0} do
                for _, operation in ipairs {"var", "std"} do
                    local s = of(x, 1)
                    none(of(x)[operation](of(x)))
                    none(s[operation](s))
                    none(s[operation](s, 1):get(1))
                    local column = s:reshape {2, 1}
                    none(column[operation](column, 2):get(1))
                    assert.equal(0.0, column[operation](column, 2):get(2))
                end
            end
        end)
    end

    it("compute products of integers in doubles", function()
        assert.equal(4294967296.0, rill.from({65536, 65536}, "int"):prod())
        assert.equal(-4294967296.0, rill.from({65536, -65536}, "int"):prod())
        assert.equal("float", math.type(rill.from({2, 3}, "int"):prod()))
        assert.equal("float", math.type(rill.stream("int", 0):prod()))
        assert.equal(65025.0 * 65025, rill.from({255, 255, 255, 255}, "uint8"):prod())
        assert.equal(4294967295.0 ^ 2, rill.from({4294967295, 4294967295}, "uint"):prod())
        assert.equal(math.huge, rill.stream("int", 500, 65536):prod())
        local many = rill.stream("int", 500, 65536)
        many:set(0, 7)
        assert.equal(0.0, many:prod())
        local rows = rill.from({{65536, 65536}, {3, 5}}, "int"):prod(2)
        assert.same({"float", 4294967296.0, 15.0}, {rows.type, rows:get(1), rows:get(2)})
    end)

    it("of a stream of floats and one of doubles are doubles", function()
        local x, y = rill.from {1e-30}, rill.from({1e60}, "double")
        assert(math.abs(x:dot(y) / 1e30 - 1) < 1e-6)
        assert.equal("double", x:dot(y, 1).type)
    end)
end)
