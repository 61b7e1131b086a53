local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local philox = require "spec.support.philox"
local probability = require "spec.support.probability"

local N <const> = os.getenv "RILL_SUITE_LONG" and 1 << 20 or 1 << 17

-- The probabilities at which samples are divided: twentieths, and both tails.
local LEVELS <const> = {2e-5, 1e-4, 1e-3, 0.01}
for i = 1, 19 do
    LEVELS[#LEVELS + 1] = i / 20
end
for i = 4, 1, -1 do
    LEVELS[#LEVELS + 1] = 1 - LEVELS[i]
end

-- Returns the smallest number x from low to high with cdf(x) >= level, within rounding. `whole`: whether x is an
-- integer.
local function quantile(cdf, level, low, high, whole)
    for _ = 1, 1200 do
        local middle = whole and (low + high) // 2 or low > 0 and high > 4 * low and math.sqrt(low) * math.sqrt(high) or
            (low + high) / 2
        if middle == low or middle == high then
            break
        elseif cdf(middle) < level then
            low = middle
        else
            high = middle
        end
    end
    return high
end

-- Returns the probability that a chi-squared number is at most the statistic of a sample. Intervals with less than 10
-- expected numbers are joined to the next one.
local function tested(sample, cdf, low, high, whole)
    local edges, chances, last = {}, {}, 0
    for _, level in ipairs(LEVELS) do
        local edge = quantile(cdf, level, low, high, whole)
        local below = edge < high and cdf(edge) or 1
        if (below - last) * N >= 10 and (1 - below) * N >= 10 then
            edges[#edges + 1], chances[#chances + 1], last = edge, below - last, below
        end
    end
    chances[#chances + 1] = 1 - last
    assert(#edges > 0)
    local bins = rill.searchsorted(rill.from(edges, "double"), sample:cast "double")
    return probability.chi_squared(rill.bincount(bins, {minlength = #chances}):values(), chances, N)
end

local function passes(options, cdf, low, high, whole)
    local words = {}
    for _, name in ipairs {"distribution", "mean", "n", "p", "shape", "scale", "a", "b", "type"} do
        words[#words + 1] = options[name] and name .. " " .. options[name]
    end
    local tag <const> = options.long and " #long" or ""
    options.long = nil
    it(table.concat(words, ", ") .. tag, function()
        options.seed = 1
        local sample = rill.random(N, options)
        local p = tested(sample, cdf, low, high, whole)
        assert(p > 0.001 and p < 0.999, p)
        assert(not whole or sample:min() >= low and sample:max() <= high)
    end)
end

describe("exponential numbers", function()
    leaks.watch(setup, teardown)

    for _, mean in ipairs {1, 1e-30, 1e30} do
        for _, kind in ipairs {"float", "double"} do
            local function cdf(x) return 1 - math.exp(-x / mean) end
            passes({distribution = "exponential", mean = mean, type = kind}, cdf, mean * 1e-8, mean * 50)
        end
    end

    -- -log of 64 bits as a fraction. The first two words are those of the counter (i, 0, 1).
    it("are logarithms of 64-bit fractions, within 3 units in the last place", function()
        local got = rill.random(1000, {distribution = "exponential", type = "double", seed = 3}):values()
        for i = 1, 1000 do
            local words = philox.block({i - 1, 0, 0, 1}, {3, 0})
            local expected = -math.log(words[1] * 0x1p-32 + (words[2] + 0.5) * 0x1p-64)
            assert(math.abs(got[i] - expected) <= 3 * 0x1p-52 * math.max(expected, 1), i)
        end
    end)

    shortened(it, "have a tail beyond that of 32-bit fractions, and no zeros", function(whole)
        local least, most = math.huge, 0
        for seed = 1, whole and 4 or 1 do
            local sample = rill.random(1 << 24, {distribution = "exponential", seed = seed})
            least, most = math.min(least, sample:min()), math.max(most, sample:max())
        end
        assert(least > 0 and least < 1e-6, least)
        assert(most > 15 and most < 30, most)
        check.equal({0, 0}, rill.random(2, {distribution = "exponential", mean = 0}):values())
    end)
end)

describe("gamma numbers", function()
    leaks.watch(setup, teardown)

    for _, shape in ipairs {0.01, 0.3, 0.999, 1, 1.001, 2.5, 40, 1000, 1e6} do
        local function cdf(x) return probability.gamma(x, shape) end
        passes({distribution = "gamma", shape = shape, type = "double"}, cdf, shape < 1 and 1e-290 or shape * 1e-9,
            shape * 50 + 50)
    end
    passes({distribution = "gamma", shape = 3, scale = 0.25}, function(x) return probability.gamma(x * 4, 3) end, 1e-6,
        100)

    it("of huge and tiny shapes", function()
        local huge = rill.random(N, {distribution = "gamma", shape = 1e20, type = "double", seed = 2})
        assert(math.abs(huge:mean() / 1e20 - 1) < 1e-12)
        assert(math.abs(huge:std() / 1e10 - 1) < 0.004)
        check.equal({0, 0, 0}, rill.random(3, {distribution = "gamma", shape = 1e-300, seed = 1}):values())
    end)
end)

describe("beta numbers", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs {{0.01, 0.01}, {0.5, 0.5}, {1, 1}, {1e-2, 3}, {3, 0.2}, {2, 5}, {300, 70}, {1e6, 1e5}} do
        local a, b = table.unpack(case)
        local function cdf(x) return probability.beta(x, a, b) end
        passes({distribution = "beta", a = a, b = b, type = "double"}, cdf, 1e-290, 1 - 1e-12)
    end

    it("of tiny parameters are 0 or 1", function()
        local sample = rill.random(N, {distribution = "beta", a = 1e-300, b = 3e-300, seed = 1})
        assert.equal(N, (sample:eq(0)):count() + (sample:eq(1)):count())
        assert(math.abs(sample:mean() - 0.25) < 0.002)
    end)

    it("with the parameters exchanged are distances from 1", function()
        local sample = rill.random(N, {distribution = "beta", a = 3, b = 0.02, type = "double", seed = 1})
        local other = rill.random(N, {distribution = "beta", a = 0.02, b = 3, type = "double", seed = 2})
        assert(math.abs(sample:mean() + other:mean() - 1) < 5 * sample:std() / math.sqrt(N / 2))
    end)
end)

describe("Poisson numbers", function()
    leaks.watch(setup, teardown)

    for _, mean in ipairs {1e-4, 0.3, 1, 5.5, 9.999, 10, 10.001, 12, 31.4, 200, 1e4, 1e6, 1e9} do
        local far = 12 * math.sqrt(mean) + 20
        local options <const> = {distribution = "poisson", mean = mean, long = mean == 1e9}
        passes(options, function(k) return probability.poisson(k, mean) end,
            math.max(math.floor(mean - far), 0) - 1, math.ceil(mean + far), true)
    end
    local options <const> = {distribution = "poisson", mean = 4e9, type = "uint", long = true}
    passes(options, function(k) return probability.poisson(k, 4e9) end,
        3999000000, 4001000000, true)

    it("of mean 0 are 0", function()
        check.equal({0, 0, 0}, rill.random(3, {distribution = "poisson", mean = 0}):values())
    end)
end)

describe("binomial numbers", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs {
        {1, 0.5}, {1, 1e-3}, {2, 0.25}, {10, 0.999}, {19, 0.5}, {20, 0.5}, {21, 0.5}, {33, 0.3}, {34, 0.3}, {34, 0.7},
        {100, 0.0999}, {100, 0.1}, {1000, 0.51}, {1000000, 5e-6}, {1000000, 0.2}, {2147483647, 1e-9},
        {2147483647, 1e-8}, {2147483647, 0.5}, {2147483647, 0.9},
    } do
        local n, p = table.unpack(case)
        local far = 12 * math.sqrt(n * p * (1 - p)) + 20
        passes({distribution = "binomial", n = n, p = p}, function(k) return probability.binomial(k, n, p) end,
            math.max(math.floor(n * p - far), 0) - 1, math.min(math.ceil(n * p + far), n), true)
    end

    it("of all n and p at which they are constant", function()
        for _, kind in ipairs {"int", "uint"} do
            local n = kind == "int" and 2147483647 or 4294967295
            check.equal({0, 0}, rill.random(2, {distribution = "binomial", n = 0, p = 0.5, type = kind}):values())
            check.equal({0, 0}, rill.random(2, {distribution = "binomial", n = n, p = 0, type = kind}):values())
            check.equal({n, n}, rill.random(2, {distribution = "binomial", n = n, p = 1, type = kind}):values())
        end
    end)
end)

describe("multinomial counts", function()
    leaks.watch(setup, teardown)

    shortened(it, "of each category are binomial, and their sums are n", function(whole)
        for _, weights in ipairs(not whole and {{0, 1, 0, 0, 3}, {1e308, 0, 5e307}} or {
            {1, 2, 3}, {0.5}, {0, 1, 0, 0, 3}, {1, 1, 1, 1}, {1e-300, 5, 1e-3, 2, 2, 0.5, 0.25, 0, 1},
            {1e308, 0, 5e307}, {2e-308, 4e-308},
        }) do
            local total = 0
            for _, weight in ipairs(weights) do
                total = total + weight
            end
            local n = 40
            local counts = rill.random({N}, {distribution = "multinomial", n = n, p = weights, seed = 5})
            assert.equal(("%dx%d"):format(N, #weights), tostring(counts.shape))
            assert.equal(N, counts:sum(2):eq(n):count())
            for i, weight in ipairs(weights) do
                local column, p = counts:domain({1, i}, {N, i}):reshape(N), weight / total
                if p < 1e-9 or p == 1 then
                    assert.equal(N, column:eq(n * math.floor(p + 0.5)):count())
                else
                    local tail = tested(column, function(k) return probability.binomial(k, n, p) end, -1, n, true)
                    assert(tail > 0.001 and tail < 0.999, tail)
                end
            end
        end
    end)

    it("of two categories have the correlation -1, of three equal ones -1/2", function()
        local counts = rill.random({N}, {distribution = "multinomial", n = 100, p = {1, 1, 1}, seed = 6}):cast "double"
        local a, b = counts:domain({1, 1}, {N, 1}), counts:domain({1, 2}, {N, 2})
        local product = ((a - a:mean()) * (b - b:mean())):eval():mean()
        assert(math.abs(product / (a:std() * b:std()) + 0.5) < 0.005)
    end)

    it("have a dimension more than the call, and follow from a stream of weights or of n", function()
        local options = {distribution = "multinomial", n = 9, p = {1, 2, 3}, seed = 7}
        local counts = rill.random({2, 5}, options)
        assert.equal("2x5x3", tostring(counts.shape))
        options.p = rill.from {1, 2, 3}
        assert.equal(counts:bytes(), rill.random({2, 5}, options):bytes())
        options.n = rill.full({2, 5}, 9, "int")
        assert.equal(counts:bytes(), rill.random({2, 5}, options):bytes())
        options.n, options.type = 4000000000, "uint"
        check.equal({4000000000, 4000000000}, rill.random(2, options):cast "double":sum(2):values())
        assert.equal("0x3", tostring(rill.random(0, options).shape))
    end)

    it("of many categories", function()
        local counts = rill.random(1, {distribution = "multinomial", n = 1000000, p = rill.full(100003, 1), seed = 8})
        assert.equal(1000000, counts:sum())
        assert(math.abs(counts:cast "double":reshape(100003):var() / 10 - 1) < 0.03)
    end)
end)

describe("numbers of a distribution", function()
    leaks.watch(setup, teardown)

    local cases <const> = {
        {distribution = "exponential", mean = 3}, {distribution = "gamma", shape = 0.4},
        {distribution = "beta", a = 2, b = 0.5}, {distribution = "poisson", mean = 4},
        {distribution = "poisson", mean = 40}, {distribution = "binomial", n = 50, p = 0.1},
        {distribution = "binomial", n = 50, p = 0.6}, {distribution = "multinomial", n = 20, p = {1, 2}},
    }

    it("follow from the seed, in any shape and for any number of elements", function()
        for _, options in ipairs(cases) do
            options.seed = -5
            local whole = rill.random(1000, options):bytes()
            assert.equal(whole, rill.random({10, 100}, options):bytes())
            local part = rill.random(33, options):bytes()
            assert.equal(whole:sub(1, #part), part)
            options.seed = nil
        end
    end)

    it("without a seed continue the sequence", function()
        for _, options in ipairs(cases) do
            rill.seed(9)
            local first, second = rill.random(100, options):bytes(), rill.random(100, options):bytes()
            rill.seed(9)
            assert.equal(first .. second, rill.random(200, options):bytes())
            assert.are_not.equal(first, second)
        end
    end)

    shortened(it, "have parameters that are streams", function(whole)
        for _, options in ipairs(whole and cases or {cases[2], cases[4], cases[6], cases[8]}) do
            options.seed = 4
            local numbers, streams = rill.random({4, 25}, options):bytes(), {seed = 4}
            for name, value in pairs(options) do
                streams[name] = type(value) == "number" and name ~= "seed" and
                    rill.full({4, 25}, value, name == "n" and "int" or "double") or value
            end
            assert.equal(numbers, rill.random({4, 25}, streams):bytes())
            options.seed = nil
        end
        local means = rill.linspace(0, 50, 1000)
        local counts = rill.random(1000, {distribution = "poisson", mean = means * 2, seed = 3}):cast "float"
        assert(rill.corrcoef(rill.stack {means, counts}):get(1, 2) > 0.95)
    end)

    it("of vector types", function()
        local options = {distribution = "gamma", shape = 2, seed = 1}
        local numbers = rill.random(6, options)
        options.type = "vec2"
        assert.equal(numbers:bytes(), rill.random({3, 1}, options):bytes())
        options = {distribution = "poisson", mean = 2, seed = 1}
        local counts = rill.random(8, options)
        options.type = "uvec4"
        assert.equal(counts:bytes(), rill.random(2, options):bytes())
        assert.equal("ivec3", rill.random(2, {distribution = "binomial", n = 2, p = 0.5, type = "ivec3"}).type)
    end)

    it("are the same for floats as for doubles, rounded", function()
        local narrow = rill.random(1000, {distribution = "beta", a = 2, b = 3, seed = 2})
        local wide = rill.random(1000, {distribution = "beta", a = 2, b = 3, seed = 2, type = "double"})
        assert.equal(narrow:bytes(), wide:cast "float":bytes())
    end)
end)

describe("rill.random refuses", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs {
        {"cauchy", 'option \'distribution\': expected "beta", "binomial", .* or "uniform", got "cauchy"', {}},
        {3, "option 'distribution': expected .*, got number 3", {}},
        {"poisson", "unknown option 'sd': expected distribution, mean, seed, type", {mean = 1, sd = 1}},
        {"gamma", "option 'shape' is missing: expected a number from 1e%-300 to 1e%+150", {}},
        {"gamma", "option 'shape': expected a number from .*, got number 0", {shape = 0}},
        {"exponential", "'mean': expected a number from 0 to .*, got number nan", {mean = 0 / 0}},
        {"exponential", "'mean': expected a number from 0 to 3.402823466e%+38, got number 1e%+39", {mean = 1e39}},
        {"exponential", "'mean': expected a number .*, got number inf", {mean = math.huge, type = "double"}},
        {"poisson", "'mean': expected a number from 0 to 2147020%d*, got number 2147483647", {mean = 2147483647}},
        {"gamma", "'scale': expected a number from 0 to .*, got number %-1", {shape = 1, scale = -1}},
        {"binomial", "option 'n' is missing: expected a whole number", {p = 0.5}},
        {"binomial", "'n': expected a whole number from 0 to 2147483647, got number 1.5", {n = 1.5, p = 0}},
        {"binomial", "'p': expected a number from 0 to 1, got number 1.5", {n = 1, p = 1.5}},
        {"binomial", "'p': expected a number from 0 to 1, got {0.1}", {n = 1, p = {0.1}}},
        {"binomial", "'p': .*, or a stream of shape 4 of such numbers, got float of shape 2",
            {n = 1, p = rill.stream("float", 2)}},
        {"binomial", "'p': .*, or a stream of such numbers, got float from 0.0 to 2.0",
            {n = 1, p = rill.from {0, 1, 2, 1}}},
        {"binomial", "'n': .*, or a stream of such numbers, got float", {n = rill.stream("float", 4), p = 1}},
        {"gamma", "'shape': .* got float from nan to nan", {shape = rill.from {1, 1, 0 / 0, 1}}},
        {"gamma", "'shape': .* for numbers of type vec2, got a stream", {shape = rill.full(4, 1), type = "vec2"}},
        {"poisson", "'poisson' numbers are integers: .*, got type 'float'", {mean = 1, type = "float"}},
        {"gamma", "'gamma' numbers are floats: .*, got type 'ivec2'", {shape = 1, type = "ivec2"}},
        {"gamma", "unknown type 'flaot'", {shape = 1, type = "flaot"}},
        {"gamma", "'seed': expected a whole number, got number 1.5", {shape = 1, seed = 1.5}},
        {"multinomial", "'p': expected a stream or a table of probabilities, got nil", {n = 1}},
        {"multinomial", "'p': .*, got 0 of them", {n = 1, p = {}}},
        {"multinomial", "'p': probabilities must not be negative", {n = 1, p = {-1, 2}}},
        {"multinomial", "'p': .* one must be above 0", {n = 1, p = {0, 0}}},
        {"multinomial", "'p': .*must be finite", {n = 1, p = {1, math.huge}}},
    } do
        local name, message, options = table.unpack(case)
        it(name .. ": " .. message, function()
            options.distribution = name
            check.raises("rill%.random: ", rill.random, 4, options)
            check.raises(message, rill.random, 4, options)
        end)
    end
end)
