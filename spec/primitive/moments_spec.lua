-- Means, variances, norms and products of integers: in doubles, whatever their size.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local SIZES <const> = fitting {1, 2, 3, 255, 256, 257, 1025, 20011}

-- Mean and variance of whole numbers around `offset`, from exact sums.
local function moments(list, offset)
    local n, sum, squares = #list, 0, 0
    for _, x in ipairs(list) do
        sum, squares = sum + x - offset, squares + (x - offset) ^ 2
    end
    return offset + sum / n, (squares - sum / n * sum) / n
end

local function near(expected, got, relative, what)
    if math.abs(got - expected) > relative * math.abs(expected) then
        error(("%s: expected %.17g, got %.17g"):format(what, expected, got), 2)
    end
end

describe("moments of integers", function()
    leaks.watch(setup, teardown)

    it("far from zero", function()
        local s = rill.from({1000000001, 1000000003, 1000000007}, "int")
        near(56 / 9, s:var(), 1e-14, "var")
        near(math.sqrt(56 / 9), s:std(), 1e-14, "std")
        near(1000000003 + 2 / 3, s:mean(), 1e-16, "mean")
        near(56 / 9, (s + 0):var(), 1e-14, "var of an expression")
        near(56 / 9, rill.from({4000000001, 4000000003, 4000000007}, "uint"):var(), 1e-14, "var of uint")
        check.equal({56 / 9}, s:var(1):values(), 1e-6)
        assert.equal("float", s:var(1).type)
        assert.equal(1000000005.0, s:dot(rill.from({1, -1, 1}, "int")))
        assert.equal(3000000022000000059, s:map("x"):dot(s) // 1 | 59) -- 2^61: the last bits are beyond a double
    end)

    for name, offset in pairs {int = -2000000000, uint = 4000000000} do
        it(("of %s, against exact sums%s"):format(name, name == "int" and " #long" or ""), function()
            for _, size in ipairs(SIZES) do
                local spread = {seed = size, type = name, low = offset, high = offset + 1000}
                local s = rill.random(size, spread)
                local mean, var = moments(s:values(), offset)
                near(mean, s:mean(), 4e-16, "mean")
                near(var, s:var(), 1e-12, "var")
                if LONG then near(math.sqrt(var), s:std(), 1e-12, "std") end
                local rows = rill.random({3, size}, spread)
                for axis, count in pairs(LONG and {size, 3} or {[2] = 3}) do
                    local means, vars = rows:mean(axis), rows:var(axis)
                    for k = 1, math.min(count, 40) do
                        local part = axis == 2 and rows:domain({k, 1}, {k, size}) or rows:domain({1, k}, {3, k})
                        mean, var = moments(part:values(), offset)
                        near(mean, means[k], 6e-8, "mean along an axis")
                        near(var, vars[k], 6e-8, "var along an axis")
                    end
                end
            end
        end)
    end

    it("of vectors and of small types", function()
        local v = rill.from({{1000000001, 5}, {1000000003, -5}, {1000000007, 2000000000}}, "ivec2")
        near(56 / 9, v:var()[1], 1e-14, "x")
        local mean, var = moments({5, -5, 2000000000}, 0)
        near(mean, v:mean()[2], 1e-15, "mean of y")
        near(var, v:var()[2], 1e-15, "var of y")
        near(2 / 9, rill.from {true, false, false}:var(), 1e-15, "var of bool")
        near(2 / 3, rill.from({1, 2, 3}, "uint8"):var(), 1e-15, "var of uint8")
    end)

    it("sums beyond 2^31 are exact", function()
        local s = rill.iota(100001) + 2000000000
        assert.equal(200002000000000 + 5000050000, s:sum())
        assert.equal(2000050000.0, s:mean())
        assert.equal(4294967295 * 70001, rill.stream("uint", 70001, 4294967295):sum())
        assert.equal(4294967295.0, rill.stream("uint", 70001, 4294967295):mean())
        assert.equal(2000000007.5, (rill.iota(16) + 2000000000):mean())
    end)
end)

describe("means of equal numbers", function()
    leaks.watch(setup, teardown)

    it("are the number", function()
        for _, n in ipairs {1, 3, 7, 41, 49, 1000, 4099} do
            for _, x in ipairs {41, 0x1.234567p0, -3, 0x1.fffffep-100, 1e30, 0.1} do
                for _, name in ipairs {"float", "double"} do
                    local s = rill.stream(name, n, x)
                    assert.equal(s:get(1), s:mean())
                    assert.equal(s:get(1), s:mean(1):get(1))
                end
            end
            assert.equal(41.0, rill.stream("int", n, 41):mean())
        end
        assert.equal(math.huge, rill.from {math.huge, 1}:mean())
        assert.equal(math.huge, rill.from({math.huge, 1}, "double"):mean())
    end)
end)
