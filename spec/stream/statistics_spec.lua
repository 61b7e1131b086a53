-- Quantiles, covariances, moving means, interpolation and running sums against plain loops in double.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

-- In the short mode some types stand for all of them.
local LONG <const> = os.getenv "RILL_SUITE_LONG"
local INF <const>, NAN <const> = math.huge, -(0 / 0)

-- Returns the flat elements of a stream, booleans as numbers.
local function values_of(s)
    local values = s:values()
    for i, v in ipairs(values) do
        values[i] = v == true and 1 or v == false and 0 or v
    end
    return values
end

-- Returns the lines of a stream along an axis, and where element i of line k is in the flat elements.
local function lines_of(s, axis)
    local shape, values, lines = s.shape, values_of(s), {}
    local inner = 1
    for d = axis + 1, #shape do inner = inner * shape[d] end
    local n <const> = shape[axis]
    local count <const> = n > 0 and #values // n or 0
    for k = 0, count - 1 do
        local line = {}
        for i = 0, n - 1 do
            line[i + 1] = values[(k // inner) * n * inner + i * inner + k % inner + 1]
        end
        lines[k + 1] = line
    end
    return lines, inner
end

-- Puts lines with `n` elements back into the flat order.
local function joined(lines, inner, n)
    local values = {}
    for k, line in ipairs(lines) do
        for i = 0, n - 1 do
            values[((k - 1) // inner) * n * inner + i * inner + (k - 1) % inner + 1] = line[i + 1]
        end
    end
    return values
end

local function quantile(list, q)
    local sorted = {}
    for i, v in ipairs(list) do
        if v ~= v then return NAN end
        sorted[i] = v
    end
    table.sort(sorted)
    local at <const> = q * (#sorted - 1)
    local low <const> = at // 1
    local a, b, t = sorted[math.tointeger(low) + 1], sorted[math.tointeger(low) + 2], at - low
    if t == 0 or a == b then return a end
    return (a == -INF or b == INF) and a + b or a * (1 - t) + b * t
end

local function random(shape, kind, seed)
    local whole = rill.random(shape, {type = "int", low = 0, high = 90, seed = seed})
    local s = kind == "bool" and whole:gt(45):eval() or (kind == "float" or kind == "double" or kind == "half")
        and ((whole - 40) * 0.25):eval() or whole
    return s.type == kind and s or s:cast(kind)
end

local TYPES <const> = {"float", "double", "int", "uint", "half", "int8", "uint16", "bool"}
local SOME <const> = LONG and TYPES or {"float", "double", "uint", "bool"}
local FEW <const> = LONG and TYPES or {"float", "uint"}

describe("quantiles", function()
    leaks.watch(setup, teardown)

    it("of all elements are those of the sorted elements #tables", function()
        local qs <const> = {0, 1, 0.5, 0.25, 1 / 3, 0.999}
        for k, size in ipairs {1, 2, 3, 4, 5, 16, 17, 255, 257, 1024, 5000, 70001} do
            local kind <const> = SOME[k % #SOME + 1]
            local s = random(size, kind, size)
            local list = values_of(s)
            for _, q in ipairs(qs) do
                check.equal({quantile(list, q)}, {s:quantile(q)}, 1e-12)
            end
            local expected = {}
            for i, q in ipairs(qs) do expected[i] = quantile(list, q) end
            check.equal(expected, s:quantile(qs), 1e-12)
            check.equal({quantile(list, 0.5)}, {s:median()}, 1e-12)
            check.equal({quantile(list, 0.1)}, {s:percentile(10)}, 1e-12)
        end
        for _, kind in ipairs(SOME) do
            local s = random({7, 9}, kind, 3)
            for _, view in ipairs {s, s:transpose(), s:flip(), s:domain({2, 3}, {6, 8}), s:stride(2, -3)} do
                check.equal({quantile(values_of(view), 0.3)}, {view:quantile(0.3)}, 1e-12)
            end
        end
        assert.near(7.5, (rill.iota(16) + 0):median(), 0)
    end)

    it("find every rank, also of negative numbers, of zeros with signs and of wide integers", function()
        for kind, list in pairs {
            float = {-INF, -3e38, -2.5, -1e-40, 0.0, 1e-45, 1, 1.0000001, 3e38, INF},
            double = {-INF, -1e308, -1 - 2 ^ -50, -1, -5e-324, 0.0, 5e-324, 1, 1 + 2 ^ -52, 1e300},
            int = {-2147483648, -65536, -1, 0, 1, 255, 256, 65535, 16777217, 2147483647},
            uint = {0, 1, 255, 256, 65535, 65536, 16777217, 2147483647, 2147483648, 4294967295},
        } do
            local s = rill.from(list, kind)
            local sorted = s:values()
            local mixed = rill.gather(s, {3, 9, 0, 5, 7, 1, 8, 2, 6, 4})
            for k, v in ipairs(sorted) do
                assert.equal(v, mixed:quantile((k - 1) / 9))
            end
        end
        assert.equal(0, rill.from {0.0, -0.0, -0.0}:median())
        assert.equal(-1e308, rill.from({-1e308, -1e308, 1e308}, "double"):quantile(0.5))
        assert.equal(0, rill.from({-1.5e308, 1.5e308}, "double"):median())
    end)

    it("are NaN if an element is, and interpolate next to infinities", function()
        local s = rill.from {{1, 2, NAN}, {3, INF, 4}, {-INF, 1, 2}, {-INF, INF, 0}}
        check.equal({NAN, 4, 1, 0}, s:median(2):values())
        check.equal({NAN, INF, 1.8, INF}, s:quantile(0.9, {axis = 2}):values(), 1)
        check.equal({NAN}, {s:median()})
        check.equal({NAN, NAN}, s:quantile {0, 1})
        check.equal({-INF}, {rill.from {-INF, 5}:median()})
        check.equal({INF}, {rill.from {3, INF}:quantile(0.25)})
        check.equal({NAN}, {rill.from {-INF, INF}:median()})
        check.equal({NAN}, {rill.from({1, NAN}, "double"):quantile(0)})
    end)

    it("along axes", function()
        for _, kind in ipairs(SOME) do
            local real <const> = (kind == "float" or kind == "half") and "float" or "double"
            local s = random({3, 5, 4}, kind, 11)
            for axis = 1, 3 do
                for _, view in ipairs {s, s:transpose {3, 1, 2}, s:stride(1, -2, 2)} do
                    local expected = {}
                    for k, line in ipairs(lines_of(view, axis)) do expected[k] = quantile(line, 0.3) end
                    local got = view:quantile(0.3, {axis = axis - 4})
                    assert.equal(real, got.type)
                    check.equal(expected, got:values(), 1e-5)
                    local kept = view:median(axis, {keep = true})
                    local shape = view.shape
                    shape[axis] = 1
                    assert.equal(table.concat(shape, "x"), tostring(kept.shape))
                end
            end
        end
        local s = random({3, 5, 4}, "float", 12)
        local merged = s:transpose({2, 1, 3}):copy():reshape {5, 12}
        check.equal(merged:median(2):values(), s:median({3, 1}):values())
        assert.equal("1x5x1", tostring(s:median({1, -1}, {keep = true}).shape))
        assert.equal("1x1x1", tostring(s:median({keep = true}).shape))
        assert.equal("1", tostring(s:median({1, 2, 3}).shape))
        local two = s:quantile({0.25, 0.75}, {axis = 2})
        assert.equal("2x3x4", tostring(two.shape))
        check.equal(s:quantile(0.75, {axis = 2}):values(), two:domain({2, 1, 1}, {2, 3, 4}):values())
        assert.equal("1x3x1x4", tostring(s:quantile({0.5}, {axis = 2, keep = true}).shape))
        local deep = rill.iota {1, 2, 1, 2, 1, 2, 1, 2}
        check.equal({7.5}, deep:median({keep = true}):values())
    end)

    it("of streams without elements", function()
        assert.is_nil(rill.stream("float", 0):median())
        assert.same({}, rill.stream("int", {3, 0}):quantile {0.1, 0.2})
        assert.equal("0", tostring(rill.stream("float", {3, 0}):median(1).shape))
        assert.equal("2x0", tostring(rill.stream("float", {3, 0}):quantile({0, 1}, {axis = 1}).shape))
        check.raises("s:median: an axis without elements has no median", function()
            return rill.stream("float", {3, 0}):median(2)
        end)
    end)

    it("refuse other arguments", function()
        local s = rill.iota {2, 3}
        for _, q in ipairs {-0.1, 1.5, NAN, "a", {}, {0.5, 2}, true} do
            check.raises("s:quantile: argument #1 'q': expected a number from 0 to 1, or a table of them, got",
                s.quantile, s, q)
        end
        check.raises("s:percentile: argument #1 'p': expected a number from 0 to 100", s.percentile, s, 101)
        check.raises("s:quantile: option 'axis': expected 1 .. 2, or %-1 for the last, got number 3", s.quantile, s,
            0.5, {axis = 3})
        check.raises("s:median: argument #1 'axis': expected different axes from 1 to 2", s.median, s, {1, 1})
        check.raises("s:median: argument 's': elements of type vec2 have no order: take a component", function()
            return rill.stream("vec2", 3):median()
        end)
        check.raises("s:quantile: unknown option 'axes'", s.quantile, s, 0.5, {axes = 1})
    end)

    it("are part of s:stats", function()
        local stats = rill.from({{1, 2}, {INF, 4}, {3, NAN}}, "vec2"):stats()
        check.equal({1.75, 2.5, 3.25}, {stats.q1, stats.median, stats.q3})
        local whole = rill.from({5, 1, 9}, "int"):stats()
        check.equal({3, 5, 7}, {whole.q1, whole.median, whole.q3})
        assert.is_nil(rill.from {NAN}:stats().median)
    end)
end)

-- ---- covariance

-- Returns the flat covariance matrix of lists.
local function covariance(lists, ddof)
    local result, n, means = {}, #lists[1], {}
    for k, list in ipairs(lists) do
        local sum = 0
        for _, v in ipairs(list) do sum = sum + v end
        means[k] = sum / n
    end
    for a, x in ipairs(lists) do
        for b, y in ipairs(lists) do
            local sum = 0
            for i = 1, n do sum = sum + (x[i] - means[a]) * (y[i] - means[b]) end
            result[#result + 1] = sum / (n - ddof)
        end
    end
    return result
end

local function coefficients(matrix, rows)
    local result = {}
    for a = 1, rows do
        for b = 1, rows do
            result[#result + 1] = matrix[(a - 1) * rows + b] /
                math.sqrt(matrix[(a - 1) * rows + a] * matrix[(b - 1) * rows + b])
        end
    end
    return result
end

describe("covariances", function()
    leaks.watch(setup, teardown)

    it("of the rows of matrices #doubles", function()
        for _, kind in ipairs(FEW) do
            for _, shape in ipairs(LONG and {{2, 3}, {3, 2}, {5, 17}, {4, 4097}, {1, 9000}} or
                {{3, 2}, {4, 4097}, {1, 9000}}) do
                local m = random(shape, kind, 5)
                local expected = covariance(lines_of(m, 2), 1)
                local got = rill.cov(m)
                if shape[1] == 1 then
                    check.equal(expected, {got}, 1e-9 * expected[1])
                else
                    assert.equal((kind == "float" or kind == "half") and "float" or "double", got.type)
                    check.equal(expected, got:values(), 1e-6 * math.max(1, table.unpack(expected)))
                    check.equal(coefficients(expected, shape[1]), rill.corrcoef(m):values(), 1e-6)
                end
            end
        end
        local m = random({9, 4}, "double", 6)
        check.equal(covariance(lines_of(m:transpose(), 2), 0), rill.cov(m:transpose(), {ddof = 0}):values(), 1e-12)
        check.equal(covariance(lines_of(m:domain({2, 2}, {4, 4}), 2), 1), rill.cov(m:domain({2, 2}, {4, 4})):values(),
            1e-12)
    end)

    it("of two streams, of different types #doubles", function()
        local x, y = random(50, "float", 7), random({2, 50}, "half", 8)
        local lists = {values_of(x), table.unpack(lines_of(y, 2))}
        check.equal(covariance(lists, 1), rill.cov(x, y):values(), 1e-4)
        assert.equal("float", rill.cov(x, y).type)
        assert.equal("double", rill.cov(x, random(50, "int", 9)).type)
        check.equal(coefficients(covariance(lists, 1), 3), rill.corrcoef(x, y):values(), 1e-6)
    end)

    it("do not lose precision if the mean is large, or if there are many observations #doubles", function()
        local noise = rill.random({2, 300000}, {seed = 4, low = -1, high = 1, type = "float"})
        local shifted = (noise:cast "double" + 1e8):eval()
        local a, b = rill.cov(noise:cast "double"), rill.cov(shifted)
        check.equal(a:values(), b:values(), 1e-9)
        local large = (noise + 1000):eval()
        check.equal(covariance(lines_of(large, 2), 1), rill.cov(large):values(), 1e-7)
    end)

    it("do not overflow or underflow between #doubles", function()
        for _, unit in ipairs {1e-320, 1e-300, 1e-200, 1e-160, 1e154, 1e200, 1.7e308} do
            local m = rill.from({{unit, -unit, 0}, {1, 2, 3}, {1e-200, 2e-200, 3e-200}}, "double")
            local near = unit < 1e-300 and 1e-3 or 1e-15
            check.equal({1, -0.5, -0.5, -0.5, 1, 1, -0.5, 1, 1}, rill.corrcoef(m):values(), near)
        end
        local m = rill.from({{1e200, -1e200, 0}, {1e-200, 2e-200, 3e-200}, {-1.7e308, 1.7e308, 1.7e308}}, "double")
        local c = (rill.cov(m) / rill.from({{INF, 1, INF}, {1, 1, 1e108}, {INF, 1e108, INF}}, "double")):values()
        check.equal({-0.5, 0, 1.7}, {c[2], c[5], c[6]}, 1e-13)
        assert.equal(-INF, rill.cov(m):get(1, 3))
        assert.equal(INF, rill.cov(m):get(3, 3))
    end)

    it("of constants, of NaN, and of too few observations #doubles", function()
        local c = rill.corrcoef(rill.from {{1, 1, 1}, {1, 2, 4}})
        check.equal({NAN, NAN, NAN, 1}, c:values(), 1e-6)
        check.equal({NAN, NAN, NAN, 1}, rill.cov(rill.from {{1, NAN, 1}, {1, 2, 3}}):values(), 1e-6)
        check.equal({NAN}, {rill.cov(rill.from {3})})
        check.equal({NAN}, {rill.cov(rill.stream("float", 0))})
        check.equal({1}, {rill.corrcoef(rill.from {3, 4})}, 1e-12)
    end)

    it("refuse other arguments", function()
        local m = rill.iota {2, 3}
        check.raises("rill.cov: argument #2 'y': expected 3 observations as in 'm', got 4", rill.cov, m, rill.iota(4))
        check.raises("rill.cov: argument #1 'm': expected one or two dimensions", rill.cov, rill.iota {2, 2, 2})
        check.raises("rill.cov: argument #1 'm': expected a stream of numbers", rill.cov, rill.stream("vec2", 3))
        check.raises("rill.cov: option 'ddof': expected a number from 0, got number %-1", rill.cov, m, {ddof = -1})
        check.raises("rill.corrcoef: argument #1 'm': expected an open stream", rill.corrcoef, 3)
    end)
end)

-- ---- moving means

describe("moving means", function()
    leaks.watch(setup, teardown)

    local BOUNDARIES <const> = {{false, "wrap"}, {"clamp", "mirror", 2.5}} -- of the types in the short mode

    -- Returns the means of windows of n elements of a list, after its extension by a boundary mode.
    local function moving(list, n, boundary)
        local function at(i)
            local size <const> = #list
            if i >= 1 and i <= size then return list[i] end
            if type(boundary) == "number" then return boundary end
            if boundary == "clamp" then return list[i < 1 and 1 or size] end
            if boundary == "wrap" then return list[(i - 1) % size + 1] end
            local k <const> = (i - 1) % (2 * size)
            return list[k < size and k + 1 or 2 * size - k]
        end
        local first <const> = boundary and 1 - n // 2 or 1
        local result = {}
        for i = first, first + (boundary and #list or #list - n + 1) - 1 do
            local sum = 0
            for k = 0, n - 1 do sum = sum + at(i + k) end
            result[#result + 1] = sum / n
        end
        return result
    end

    it("along axes, with and without boundaries", function()
        for k, kind in ipairs(FEW) do
            local s = random({2, 45, 3}, kind, k)
            for _, axis in ipairs {1, 2, 3} do
                for _, n in ipairs(LONG and {1, 2, 3, 16, 17, 20, 45} or {1, 3, 16, 17, 45}) do
                    for _, boundary in ipairs(LONG and {false, "clamp", "wrap", "mirror", 2.5} or BOUNDARIES[k]) do
                        local inside = n <= s.shape[axis]
                        if inside or boundary == "clamp" or boundary == 2.5 then
                            local lines, inner = lines_of(s, axis)
                            for j, line in ipairs(lines) do lines[j] = moving(line, n, boundary) end
                            local got = s:moving_mean(n, {axis = axis, boundary = boundary or nil})
                            assert.equal((kind == "float" or kind == "half") and "float" or "double", got.type)
                            check.equal(joined(lines, inner, #lines[1]), got:values(), 2e-5)
                        end
                    end
                end
            end
        end
        local s = random({60, 2}, "float", 1):transpose()
        local lines, inner = lines_of(s, 2)
        for j, line in ipairs(lines) do lines[j] = moving(line, 25) end
        check.equal(joined(lines, inner, 36), s:moving_mean(25):values(), 2e-5)
    end)

    it("neither spread NaN and infinities nor lose precision in long streams", function()
        local list = {}
        for i = 1, 200 do list[i] = i == 90 and NAN or i == 150 and INF or 1 end
        local got = rill.from(list):moving_mean(30):values()
        for i, v in ipairs(got) do
            local nan, inf = i <= 90 and i + 29 >= 90, i <= 150 and i + 29 >= 150
            check.equal({nan and NAN or inf and INF or 1}, {v})
        end
        local long = rill.random(1 << 20, {seed = 3})
        local tail = long:domain((1 << 20) - 99, 1 << 20)
        local all = long:moving_mean(50)
        check.equal(moving(tail:values(), 50), all:domain(all.size - 50, all.size):values(), 1e-6)
    end)

    it("do not overflow if the mean is in range #doubles", function()
        for kind, most in pairs {float = 2 ^ 127, double = 2 ^ 1023} do
            for _, n in ipairs(LONG and {2, 16, 17, 40} or {2, 17}) do
                local list, expected = {}, {}
                for i = 1, 100 do list[i] = i <= 50 and most or i == 80 and INF or -most end
                for i = 1, 101 - n do
                    local before = math.max(0, math.min(n, 51 - i))
                    expected[i] = i <= 80 and i + n > 80 and INF or most * ((2 * before - n) / n)
                end
                local got = rill.from(list, kind):moving_mean(n)
                check.equal(expected, got:values(), most * 1e-6)
                local pairs_of = rill.stack({rill.from(list, kind), rill.stream(kind, 100, 1)}, 2)
                    :as(kind == "float" and "vec2" or "dvec2"):moving_mean(n)
                check.equal(expected, pairs_of.x:values(), most * 1e-6)
                check.equal({1}, {pairs_of.y:min()}, 0)
            end
        end
    end)

    it("of vectors, and of streams without elements", function()
        local v = rill.from({{1, 2}, {3, 6}, {5, 1}}, "vec2"):moving_mean(2)
        assert.equal("vec2", v.type)
        check.equal({2, 4, 4, 3.5}, v:as("float"):reshape(4):values())
        assert.equal("dvec3", rill.stream("ivec3", 4, {1, 2, 4}):moving_mean(2).type)
        assert.equal("0x4", tostring(rill.stream("float", {0, 5}):moving_mean(2).shape))
        assert.equal("0", tostring(rill.stream("float", 0):moving_mean(3, {boundary = 0}).shape))
    end)

    it("refuse other arguments", function()
        local s = rill.iota {2, 5}
        check.raises("s:moving_mean: argument #1 'n': expected a whole number from 1 to 5, the size of dimension 2",
            s.moving_mean, s, 6)
        check.raises("s:moving_mean: argument #1 'n': expected a whole number from 1, got number 0", s.moving_mean, s,
            0, {boundary = 0})
        check.raises("s:moving_mean: shape %S+ has more than 2147483647 elements", s.moving_mean, s, (1 << 31) - 1,
            {boundary = "clamp"})
        check.raises("s:moving_mean: option 'axis': expected 1 .. 2", s.moving_mean, s, 1, {axis = 3})
        check.raises("s:moving_mean: option 'boundary': expected \"clamp\"", s.moving_mean, s, 1, {boundary = "edge"})
        local S = rill.struct("Statistics", "float x;")
        check.raises("s:moving_mean: argument 's': expected numbers or vectors", function()
            return rill.stream(S, 3):moving_mean(2)
        end)
    end)
end)

-- ---- interpolation

describe("interpolation", function()
    leaks.watch(setup, teardown)

    local function interpolated(x, xp, fp, left, right)
        local n <const> = #xp
        if x ~= x then return NAN end
        if x < xp[1] then return left or fp[1] end
        if x > xp[n] then return right or fp[n] end
        for i = n, 1, -1 do
            if x == xp[i] then return fp[i] end
            if x > xp[i] then return fp[i] + (fp[i + 1] - fp[i]) * (x - xp[i]) / (xp[i + 1] - xp[i]) end
        end
    end

    it("is linear between the points", function()
        for _, n in ipairs {1, 2, 3, 8, 100} do
            for _, kind in ipairs {"float", "double", "half"} do
                local xp, fp = {}, {}
                for i = 1, n do xp[i], fp[i] = i * 0.5 + (i % 3) * 0.125, (i * 37 % 11) - 4.5 end
                local list = {-INF, -1, 0, xp[1], xp[n], NAN, INF, 1e6}
                for i = 1, n do
                    list[#list + 1], list[#list + 2] = xp[i], xp[i] + 0.25
                end
                local x = rill.from(list, kind == "half" and "float" or kind):reshape {2, #list // 2}
                local expected, outside = {}, {}
                for i, v in ipairs(x:values()) do
                    expected[i], outside[i] = interpolated(v, xp, fp), interpolated(v, xp, fp, -7, 9)
                end
                local got = rill.interp(x, rill.from(xp, kind), rill.from(fp, kind))
                assert.equal(kind == "half" and "float" or kind, got.type)
                assert.equal(tostring(x.shape), tostring(got.shape))
                check.equal(expected, got:values(), 1e-5)
                check.equal(outside, rill.interp(x, xp, fp, {left = -7, right = 9}):values(), 1e-5)
                check.equal({interpolated(0.8, xp, fp)}, {rill.interp(0.8, xp, fp)}, 1e-12)
            end
        end
        check.equal({1, 2, INF, INF}, rill.interp(rill.from {0, 1, 1.5, 2}, {0, 1, 2}, {1, 2, INF}):values())
        check.equal({2, 2.5}, rill.interp(rill.from {1, 1.5}, {0, 1, 1, 2}, {0, 1, 2, 3}):values())
        for kind, most in pairs {float = 3e38, double = 1.5e308} do
            local x, line = rill.from({-most / 2, 0, most}, kind), rill.from({-most, most}, kind)
            check.equal({-most / 2, 0, most}, rill.interp(x, line, line):values(), most * 1e-6)
            check.equal({1.25, 1.5, 2}, rill.interp(x, line, rill.from({1, 2}, kind)):values(), 1e-6)
            local between = rill.interp(rill.from({0.75}, kind), rill.from({0, 1}, kind), line)
            check.equal({most / 2}, between:values(), most * 1e-6)
        end
        assert.equal("double", rill.interp(rill.iota(3), {0, 1}, {0, 1}).type)
        assert.equal(0, rill.interp(rill.stream("float", 0), {0, 1}, {0, 1}).size)
    end)

    it("refuses other arguments", function()
        local x = rill.iota(3)
        check.raises("rill.interp: argument #3 'fp': expected one value for each of at least one point, got shape 1 "
            .. "for 'xp' of shape 2", rill.interp, x, {0, 1}, {1})
        check.raises("rill.interp: argument #3 'fp': .*got shape 0", rill.interp, x, {}, {})
        check.raises("rill.interp: argument #2 'xp': element %[1%]: expected a number", rill.interp, x, {"a"}, {1})
        check.raises("rill.interp: argument #1 'x': expected an open stream, got a table", rill.interp, {1}, {0}, {1})
        check.raises("rill.interp: option 'left': expected a number", rill.interp, x, {0}, {1}, {left = "a"})
    end)
end)

-- ---- running sums, histograms of two streams, inverses

describe("running sums and products", function()
    leaks.watch(setup, teardown)

    it("along axes, and of all elements in one dimension", function()
        local WORDS <const> = {cumsum = function(a, b) return a + b end, cumprod = function(a, b) return a * b end}
        for name, combine in pairs(WORDS) do
            local all <const> = {"float", "double", "int", "half", "int8", "bool"}
            for _, kind in ipairs(LONG and all or {"double", "int8"}) do
                local s = (random({3, 4, 2}, kind, 2) % 3):eval()
                s = s.type == kind and s or s:cast(kind)
                for _, view in ipairs {s, s:transpose(), s:flip()} do
                    for axis = 1, 3 do
                        local lines, inner = lines_of(view, axis)
                        for _, line in ipairs(lines) do
                            for i = 2, #line do line[i] = combine(line[i - 1], line[i]) end
                        end
                        local got = view[name](view, axis - 4)
                        assert.equal(tostring(view.shape), tostring(got.shape))
                        check.equal(joined(lines, inner, #lines[1]), values_of(got), 1e-4)
                    end
                    local list = values_of(view)
                    for i = 2, #list do list[i] = combine(list[i - 1], list[i]) end
                    local got = view[name](view)
                    assert.equal("24", tostring(got.shape))
                    check.equal(list, values_of(got), 1e-4)
                end
            end
        end
        assert.equal(0, rill.stream("float", {0, 3}):cumsum().size)
        assert.equal("0x3", tostring(rill.stream("float", {0, 3}):cumprod(2).shape))
        check.raises("s:cumsum: argument #1 'axis': expected 1 .. 1", function() return rill.iota(3):cumsum(2) end)
    end)
end)

describe("histograms of two streams", function()
    leaks.watch(setup, teardown)

    it("count pairs, and return the edges #tables", function()
        for _, kinds in ipairs {{"float", "float"}, {"int", "int"}, {"double", "float"}, {"uint8", "half"}} do
            local x, y = random({9, 30}, kinds[1], 1), random({9, 30}, kinds[2], 2)
            local counts, of_x, of_y = rill.histogram2d(x, y, {bins = {3, 5}, min = {-10, 0}, max = {20, 12}})
            local expected, ys = {}, values_of(y)
            for k = 1, 15 do expected[k] = 0 end
            for i, v in ipairs(values_of(x)) do
                local a, b = (v + 10) // 10, ys[i] // 2.4
                a, b = v == 20 and 2 or a, ys[i] == 12 and 4 or b
                if a >= 0 and a < 3 and b >= 0 and b < 5 then
                    local at = math.tointeger(a * 5 + b + 1)
                    expected[at] = expected[at] + 1
                end
            end
            assert.equal("3x5", tostring(counts.shape))
            check.equal(expected, counts:values())
            check.equal({-10, 0, 10, 20}, of_x:values())
            check.equal({0, 2.4, 4.8, 7.2, 9.6, 12}, of_y:values(), 1e-6)
        end
        local x = rill.from {0, 1, 1}
        local sums = rill.histogram2d(x, x, {bins = 2, weights = rill.from {0.5, 1, 2}})
        check.equal({0.5, 0, 0, 3}, sums:values())
    end)

    it("refuse other arguments", function()
        local x = rill.iota(3)
        check.raises("rill.histogram2d: argument #2 'y': expected the shape 3 of 'x', got 4", rill.histogram2d, x,
            rill.iota(4))
        check.raises("rill.histogram2d: option 'bins': expected a number, or one for x and y", rill.histogram2d, x,
            x, {bins = {1, 2, 3}})
        check.raises("rill.histogram2d: unknown option 'range'", rill.histogram2d, x, x, {range = 1})
    end)

    it("have the edges of s:histogram", function()
        local _, edges = rill.from {0, 1, 4}:histogram {bins = 4}
        assert.equal("float", edges.type)
        check.equal({0, 1, 2, 3, 4}, edges:values())
        local _, wide = rill.from({1, 2}, "int"):histogram {bins = 2}
        assert.equal("double", wide.type)
        check.equal({1, 1.5, 2}, wide:values())
        local counts, of_x, of_y = rill.from({{0, 0}, {2, 3}}, "vec2"):histogram {bins = {2, 1}}
        assert.equal("1x2", tostring(counts.shape))
        check.equal({0, 1, 2}, of_x:values())
        check.equal({0, 3}, of_y:values())
        local c = rill.sparse("float", {8, 8}, {page = {4, 4}})
        c:set(3, 1, 1)
        local _, packed = c:histogram {bins = 3}
        check.equal({0, 1, 2, 3}, packed:values())
    end)
end)

describe("the inverse of unique", function()
    leaks.watch(setup, teardown)

    it("is the index of each element in the distinct values", function()
        for _, kind in ipairs(SOME) do
            for _, size in ipairs {0, 1, 2, 17, 1000} do
                local s = random({size, 2}, kind, size):transpose()
                local values, counts, index = s:unique {inverse = true}
                local own, own_counts = s:unique()
                check.equal(own:values(), values:values())
                check.equal(own_counts:values(), counts:values())
                assert.equal("int", index.type)
                assert.equal(tostring(s.shape), tostring(index.shape))
                local list, got = values:values(), {}
                for i, k in ipairs(index:values()) do got[i] = list[k + 1] end
                check.equal(s:values(), got)
            end
        end
        local _, _, index = rill.from {NAN, 2, -0.0, NAN, 0.0}:unique {inverse = true}
        check.equal({2, 1, 0, 2, 0}, index:values())
        assert.equal(2, select("#", rill.from {1}:unique()))
        check.raises("s:unique: unknown option 'inv'", function() return rill.from {1}:unique {inv = true} end)
    end)
end)

describe("rill.quantile_by_key", function()
    leaks.watch(setup, teardown)

    it("has the quantiles of each run", function()
        for _, kind in ipairs(SOME) do
            for _, size in ipairs {1, 2, 17, 1000} do
                local v = random({size}, kind, size)
                local keys = rill.from({0, 1, 1, 0, 1, 1, 1, 1}, "uint8"):tile((size + 7) // 8):domain(1, size)
                local first, found = rill.quantile_by_key(keys, v, {0, 0.3, 1})
                local list, lengths = keys:runs()
                check.equal(list:values(), first:values())
                assert.equal(("3x%d"):format(list.size), tostring(found.shape))
                local at = 1
                for run, length in ipairs(lengths:values()) do
                    local own = v:domain(at, at + length - 1):quantile({0, 0.3, 1}, {axis = 1})
                    assert.equal(own.type, found.type)
                    check.equal(own:values(), found:transpose()[run]:values())
                    at = at + length
                    if run == 12 then break end
                end
            end
        end
        local first, medians = rill.quantile_by_key(rill.from {NAN, NAN, 1, 1}, rill.from {1, 2, NAN, 4}, 0.5)
        check.equal({NAN, NAN, 1}, first:values())
        check.equal({1, 2, NAN}, medians:values())
        assert.equal(0, select(2, rill.quantile_by_key(rill.zeros(0), rill.zeros(0), 1)).size)
    end)

    it("names errors and has a gradient", function()
        local s <const> = rill.from {1, 2, 4}
        check.names({"rill.quantile_by_key", "#3 'q'", "number 2"}, rill.quantile_by_key, s, s, 2)
        check.names({"rill.quantile_by_key", "shape 3", "values 2"}, rill.quantile_by_key, s, rill.zeros(2), 1)
        check.names({"#2 'values'", "vec2"}, rill.quantile_by_key, s, rill.stream("vec2", 3), 1)
        local g <const> = rill.grad(function(v)
            return (select(2, rill.quantile_by_key(rill.from {1, 1, 5}, v, 0.25)) ^ 2):sum()
        end)
        local own <const> = rill.grad(function(v)
            return (select(2, rill.quantile_by_key(rill.ones(3), v, 0.25))):sum()
        end)
        check.equal({0.5, 0.5, 0}, own(s):values())
        check.equal({1.5 * 1.25, 0.5 * 1.25, 2 * 4}, g(rill.from {1, 2, 4}):values(), 1e-6)
    end)
end)

describe("quantiles of containers", function()
    leaks.watch(setup, teardown)

    it("are those of the mapped elements", function()
        local c = rill.sparse("float", {8, 8}, {page = {4, 4}})
        c:set(3, 1, 1)
        assert.equal(0, c:median())
        assert.equal(3, c:percentile(100))
        check.equal({0, 3}, c:quantile {0.5, 1})
        check.raises("c:median: a container that is partly mapped has no axes", c.median, c, 1)
    end)
end)
