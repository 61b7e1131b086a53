-- rill.permutation and rill.choice.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local philox = require "spec.support.philox"
local probability = require "spec.support.probability"

local function sorted(list)
    local copy = table.move(list, 1, #list, 1, {})
    table.sort(copy)
    return copy
end

local function range(n)
    local list = {}
    for i = 1, n do
        list[i] = i - 1
    end
    return list
end

-- Returns indices in the order of their words; equal words stay in order.
local function by_words(words)
    local order = range(#words)
    table.sort(order, function(a, b)
        local x, y = words[a + 1], words[b + 1]
        if x == y then
            return a < b
        end
        return x < y
    end)
    return order
end

describe("permutation", function()
    leaks.watch(setup, teardown)

    it("has every number once, and is the same on every device", function()
        for _, n in ipairs(fitting {0, 1, 2, 31, 256, 1025, 20000}) do
            local p = rill.permutation(n, {seed = 42})
            assert.equal("int", p.type)
            assert.equal(n, p.size)
            check.equal(range(n), sorted(p:values()))
            check.equal(by_words(rill.random(n, {type = "uint", seed = 42}):values()), p:values())
            assert.equal(p:bytes(), rill.permutation(n, {seed = 42}):bytes())
        end
        assert.not_equal(rill.permutation(100, {seed = 1}):bytes(), rill.permutation(100, {seed = 2}):bytes())
    end)

    it("starts from Philox's words", function()
        check.equal(by_words(philox.words(7, 1000)), rill.permutation(1000, {seed = 7}):values())
    end)

    it("continues the sequence of rill.seed", function()
        rill.seed(5)
        local a, b = rill.permutation(50):bytes(), rill.permutation(50):bytes()
        rill.seed(5)
        assert.equal(a, rill.permutation(50):bytes())
        assert.equal(b, rill.permutation(50):bytes())
        assert.not_equal(a, b)
    end)

    it("is fair", function()
        local counts = {}
        for seed = 1, 1200 do
            local key = table.concat(rill.permutation(3, {seed = seed}):values())
            counts[key] = (counts[key] or 0) + 1
        end
        for _, key in ipairs {"012", "021", "102", "120", "201", "210"} do
            assert.is_true(math.abs(counts[key] - 200) < 60) -- 4.6 deviations
        end
    end)
end)

describe("choice", function()
    leaks.watch(setup, teardown)

    it("draws with replacement", function()
        local c = rill.choice(10, {40, 50}, {seed = 3})
        assert.equal("int", c.type)
        assert.equal("40x50", tostring(c.shape))
        for _, count in ipairs(rill.bincount(c, {minlength = 10}):values()) do
            assert.is_true(math.abs(count - 200) < 70)
        end
        local from = rill.from({{1, 2}, {3, 4}}, "vec2")
        for _, v in ipairs(rill.choice(from, 50, {seed = 1}):read()) do
            assert.is_true(v[2] == v[1] + 1)
        end
        assert.equal("vec2", rill.choice(from, 5).type)
        check.equal({7, 7, 7}, rill.choice(rill.from {7}, 3):values())
        assert.equal(0, rill.choice(0, 0).size)
    end)

    it("draws without replacement", function()
        local c = rill.choice(1000, 600, {replace = false, seed = 8}):values()
        local seen = {}
        for _, k in ipairs(c) do
            assert.is_true(k >= 0 and k < 1000 and not seen[k])
            seen[k] = true
        end
        local s = rill.iota(20):map "x * x"
        check.equal(s:values(), sorted(rill.choice(s, {4, 5}, {replace = false}):values()))
    end)

    for _, n in ipairs {32, 33, 37} do
        it(("draws two of %d without, all pairs alike%s"):format(n, n == 33 and "" or " #long"), function()
            local trials, counts = 6000, {}
            for seed = 1, trials do
                local a, b = table.unpack(rill.choice(n, 2, {replace = false, seed = seed}):values())
                assert.is_true(a ~= b and a >= 0 and a < n and b >= 0 and b < n)
                counts[a * n + b] = (counts[a * n + b] or 0) + 1
            end
            local pairs_of, chi = n * (n - 1), 0
            for a = 0, n - 1 do
                for b = 0, n - 1 do
                    local expected = a == b and 0 or trials / pairs_of
                    chi = chi + (a == b and 0 or ((counts[a * n + b] or 0) - expected) ^ 2 / expected)
                end
            end
            assert.is_true(math.abs(chi - pairs_of + 1) < 4 * math.sqrt(2 * pairs_of), ("%d: %g"):format(n, chi))
        end)
    end

    it("draws a few of very many numbers #tables", function()
        for _, n in ipairs {100, 1025, 65537, 70000000, (1 << 31) - 1} do
            local count = math.min(n // 8, 50000)
            local c = rill.choice(n, count, {replace = false, seed = 4})
            assert.equal(count, c:unique().size)
            assert.is_true(c:min() >= 0 and c:max() < n)
            if count == 50000 then
                assert.is_true(math.abs(c:cast "double":mean() / n - 0.5) < 0.006) -- 4.6 deviations
            end
        end
        rill.seed(5)
        local a, b = rill.choice(1000, 5, {replace = false}):bytes(), rill.choice(1000, 5, {replace = false}):bytes()
        rill.seed(5)
        assert.equal(a, rill.choice(1000, 5, {replace = false}):bytes())
        assert.not_equal(a, b)
    end)

    it("never draws beyond the last weight, however small", function()
        check.equal({0, 0, 0, 0}, rill.choice(2, 4, {p = {5e-324, 0}, seed = 1}):values())
        check.equal({1, 1, 1, 1}, rill.choice(3, 4, {p = {0, 2.2250738585072014e-308, 0}, seed = 1}):values())
        check.equal({1}, rill.choice(3, 1, {p = {0, 5e-324, 0}, seed = 1, replace = false}):values())
    end)

    it("draws with weights #tables", function()
        local p = {0, 1, 0, 3, 4, 0}
        local counts = rill.bincount(rill.choice(6, 8000, {p = p, seed = 11}), {minlength = 6}):values()
        for k, chance in ipairs(p) do
            assert.is_true(chance == 0 and counts[k] == 0 or math.abs(counts[k] - chance * 1000) < 150)
        end
        check.equal({1, 3, 4}, sorted(rill.choice(6, 3, {p = rill.from(p), replace = false, seed = 2}):values()))
        local first = {}
        for seed = 1, 600 do
            local k = rill.choice(3, 2, {p = {1, 4, 1}, replace = false, seed = seed})[1]
            first[k] = (first[k] or 0) + 1
        end
        assert.is_true(math.abs(first[1] - 400) < 60)
        assert.is_true(math.abs(first[0] - 100) < 45)
    end)

    -- Asserts that counts of elements drawn with weights are as probable as those of random draws.
    local function is_random(counts, weights)
        local total, drawn, kept, chances = 0, 0, {}, {}
        for i, weight in ipairs(weights) do
            total, drawn = total + weight, drawn + counts[i]
        end
        for i, weight in ipairs(weights) do
            assert.is_true(weight > 0 or counts[i] == 0)
            if weight > 0 then
                kept[#kept + 1], chances[#chances + 1] = counts[i], weight / total
            end
        end
        local p = probability.chi_squared(kept, chances, drawn)
        assert(p > 0.001 and p < 0.999, p)
    end

    shortened(it, "draws with weights of all types and any size", function(whole)
        local many <const> = whole and 1 << 20 or 1 << 18
        local list = {}
        for i = 1, 1000 do
            list[i] = i % 7 == 0 and 0 or i % 50 + 1
        end
        local scaled = {}
        for i, weight in ipairs(list) do
            scaled[i] = weight * 1e300
        end
        local expected
        local kinds <const> = whole and {"int", "uint", "uint8", "half", "float", "double"} or {"int", "half", "double"}
        for _, kind in ipairs(kinds) do
            local drawn = rill.choice(1000, many, {p = rill.from(list, kind), seed = 21})
            expected = expected or drawn:bytes()
            assert.equal(expected, drawn:bytes())
        end
        is_random(rill.bincount(rill.choice(1000, many, {p = list, seed = 21}), {minlength = 1000}):values(), list)
        is_random(rill.bincount(rill.choice(1000, many, {p = scaled, seed = 22}), {minlength = 1000}):values(), list)
        local few = rill.choice(4, 1 << 22, {p = {1, 1e6, 1e-9, 1e3}, seed = 23})
        is_random(rill.bincount(few, {minlength = 4}):values(), {1, 1e6, 0, 1e3})
        local all = rill.choice(5, 5, {p = {1, 1e300, 1e-300, 1e100, 1e-200}, replace = false})
        check.equal({1, 3, 0, 4, 2}, all:values())
        assert.equal(0, rill.choice(0, 0, {p = {}}).size)
    end)

    shortened(it, "draws pairs with weights and without replacement", function(whole)
        local weights, counts, chances, trials = {1, 2, 3, 10}, {}, {}, whole and 4000 or 1500
        for seed = 1, trials do
            local a, b = table.unpack(rill.choice(4, 2, {p = weights, replace = false, seed = seed}):values())
            counts[4 * a + b + 1] = (counts[4 * a + b + 1] or 0) + 1
        end
        for a = 1, 4 do
            for b = 1, 4 do
                counts[4 * a + b - 4] = counts[4 * a + b - 4] or 0
                chances[4 * a + b - 4] = a == b and 0 or weights[a] / 16 * weights[b] / (16 - weights[a])
            end
        end
        is_random(counts, chances)
    end)

    it("is the same for the same seed", function()
        for _, options in ipairs {{}, {replace = false}, {p = rill.iota(100)}, {p = rill.iota(100), replace = false}} do
            options.seed = 77
            assert.equal(rill.choice(100, 60, options):bytes(), rill.choice(100, 60, options):bytes())
        end
    end)

    it("chooses elements of a table", function()
        local options = {seed = 5, p = {1, 0, 3}}
        local chosen = rill.choice({-1, 0.5, 4}, 200, options)
        assert.equal("float", chosen.type)
        assert.equal(rill.choice(rill.from {-1, 0.5, 4}, 200, options):bytes(), chosen:bytes())
        assert.equal(0, chosen:eq(0.5):count())
        assert.equal(200, (chosen:eq(-1) | chosen:eq(4)):count())
        check.raises("rill.choice: argument #1 'from' is empty", rill.choice, {}, 3)
        check.raises("expected a number for float, got string \"a\"", rill.choice, {"a"}, 3)
    end)

    it("rejects invalid arguments", function()
        check.raises("rill.permutation: argument #1 'n'", rill.permutation, -1)
        check.raises("rill.permutation: argument #1 'n'", rill.permutation, 2.5)
        check.raises("rill.permutation: unknown option 'sed'", rill.permutation, 3, {sed = 1})
        check.raises("rill.permutation: option 'seed'", rill.permutation, 3, {seed = "x"})
        check.raises("rill.choice: argument #1 'from': expected an open stream or a table, or", rill.choice, "abc", 3)
        check.raises("rill.choice: argument #1 'from' is empty", rill.choice, 0, 3)
        check.raises("rill.choice: cannot draw 6 elements without repetition from 5", rill.choice, 5, 6,
            {replace = false})
        check.raises("rill.choice: option 'replace'", rill.choice, 5, 6, {replace = 1})
        check.raises("option 'p': expected a stream of 5 probabilities, got 2 of them", rill.choice, 5, 6, {p = {1, 2}})
        check.raises("rill.choice: option 'p': probabilities", rill.choice, 2, 1, {p = {-1, 2}})
        check.raises("rill.choice: option 'p': probabilities", rill.choice, 2, 1, {p = {0, 0}})
        check.raises("option 'p': the probabilities and their sum must be finite", rill.choice, 2, 1, {p = {1, 1 / 0}})
        check.raises("option 'p': the probabilities and their sum must be finite", rill.choice, 2, 1, {p = {0 / 0, 1}})
        check.raises("option 'p': element .2.: expected a number", rill.choice, 2, 1, {p = {1, "a"}})
        check.raises("rill.choice: cannot draw 2 elements without repetition: only 1",
            rill.choice, 2, 2, {p = {0, 1}, replace = false})
        check.raises("rill.choice", rill.choice, 5, "many")
    end)
end)
