local core = require "rill.core"
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local philox = require "spec.support.philox"
local process = require "spec.support.process"

local float32 = check.float32
local SIZES <const> = {0, 1, 2, 3, 4, 5, 7, 63, 64, 65, 1025, 4099}
local SEEDS <const> = {0, 1, 42, 0xffffffff, 0x100000000, 0x123456789abcdef0, -1}

-- The known answers of Philox4x32 (kat_vectors of Random123, Salmon, Moraes, Dror and Shaw 2011): rounds, counter, key
-- and result.
local KNOWN <const> = [[
 7 00000000 00000000 00000000 00000000 00000000 00000000   5f6fb709 0d893f64 4f121f81 4f730a48
 7 ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff   5207ddc2 45165e59 4d8ee751 8c52f662
 7 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0   4dfccaba 190a87f0 c47362ba b6b5242a
10 00000000 00000000 00000000 00000000 00000000 00000000   6627e8d5 e169c58d bc57ac4c 9b00dbd8
10 ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff   408f276d 41c83b0e a20bc7c6 6d5451fd
10 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0   d16cfe09 94fdcceb 5001e420 24126ea1
]]

local function known_answers()
    local answers = {}
    for rounds, words in KNOWN:gmatch " *(%d+) ([^\n]*)\n" do
        local list = {}
        for word in words:gmatch "%x+" do
            list[#list + 1] = tonumber(word, 16)
        end
        answers[#answers + 1] = {
            rounds = tonumber(rounds), counter = {table.unpack(list, 1, 4)}, key = {table.unpack(list, 5, 6)},
            words = {table.unpack(list, 7, 10)},
        }
    end
    assert(#answers == 6)
    return answers
end

describe("Philox4x32-10", function()
    leaks.watch(setup, teardown)

    it("of a zero key and counter", function()
        local words = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}
        assert.same(words, philox.words(0, 4))
        assert.same(words, rill.random(4, {seed = 0, type = "uint"}):values())
    end)

    it("the reference here gives the known answers", function()
        for _, answer in ipairs(known_answers()) do
            assert.same(answer.words, philox.block(answer.counter, answer.key, answer.rounds))
        end
    end)

    it("the function of kernels gives the known answers", function()
        local k = rill.kernel(core._philox ..
            "kernel void known(uvec4 counter, uvec2 key, out uvec4 r<>) { r = philox(counter, key); }")
        for _, answer in ipairs(known_answers()) do
            if answer.rounds == 10 then
                assert.same(answer.words, k({counter = answer.counter, key = answer.key, shape = 1}):values())
            end
        end
    end)

    it("words are the reference's for every seed and size", function()
        for _, seed in ipairs(SEEDS) do
            for _, size in ipairs(SIZES) do
                check.equal(philox.words(seed, size), rill.random(size, {seed = seed, type = "uint"}):values())
            end
        end
        check.equal(philox.words(7, 20000), rill.random(20000, {seed = 7, type = "uint"}):values())
    end)

    it("have the same bits as int, and the same sequence in any shape", function()
        local words = rill.random(1000, {seed = 3, type = "uint"})
        assert.equal(words:bytes(), rill.random(1000, {seed = 3, type = "int"}):bytes())
        assert.equal(words:bytes(), rill.random({10, 20, 5}, {seed = 3, type = "uint"}):bytes())
        assert.equal(words:bytes(), rill.random(500, {seed = 3, type = "uvec2"}):bytes())
        assert.equal(words:bytes():sub(1, 3996), rill.random(333, {seed = 3, type = "uvec3"}):bytes())
        assert.equal(words:bytes(), rill.random({25, 10}, {seed = 3, type = "ivec4"}):bytes())
    end)
end)

describe("uniform numbers", function()
    leaks.watch(setup, teardown)

    it("as float are 24 bits of a word, exactly", function()
        for _, size in ipairs(SIZES) do
            local expected = philox.words(11, size)
            for i, word in ipairs(expected) do
                expected[i] = (word >> 8) * 0x1p-24
            end
            check.equal(expected, rill.random(size, {seed = 11}):values())
        end
        assert.equal(rill.random(99, {seed = 2}):bytes(), rill.random(33, {seed = 2, type = "vec3"}):bytes())
    end)

    it("from low to high, exactly, and never high", function()
        for _, range in ipairs {
            {-1, 1}, {0.1, 0.3}, {-5, -2}, {1e6, 1e6 + 1}, {-1e30, 1e30}, {33554430, 33554432},
            {-33554432, -33554430}, rill.device().traits.denormals and {1e-42, 3e-42} or {1e-30, 3e-30},
        } do
            local low, high = float32(range[1]), float32(range[2])
            local span = float32(high - low)
            local got = rill.random(5000, {seed = 12, low = low, high = high}):values()
            for i, word in ipairs(philox.words(12, 5000)) do
                local expected = float32(low + float32((word >> 8) * 0x1p-24 * span))
                assert(got[i] >= low and got[i] < high, got[i])
                expected = expected >= high and low or expected
                assert(got[i] == expected, ("%g: %a, not %a"):format(low, got[i], expected))
            end
        end
    end)

    it("of doubles, also where adjacent doubles are far apart", function()
        local got = rill.random(40000, {type = "double", seed = 19, low = 1e15, high = 1e15 + 1})
        assert.equal(1e15, got:min())
        assert.equal(1e15 + 0.875, got:max())
        for _, count in ipairs(rill.bincount(((got - 1e15) * 8):eval():cast "int"):values()) do
            assert.is_true(math.abs(count - 5000) < 350) -- 5 deviations
        end
        check.equal({4, 4, 4}, rill.random(3, {type = "double", low = 4, high = 4}):values())
        check.equal({4, 4, 4}, rill.random(3, {low = 4, high = 4}):values())
    end)

    it("as double are 53 bits of two words", function()
        for _, size in ipairs(SIZES) do
            local words, expected = philox.words(13, 2 * size), {}
            for i = 1, size do
                expected[i] = ((words[2 * i - 1] >> 5) * 0x1p26 + (words[2 * i] >> 6)) * 0x1p-53
            end
            check.equal(expected, rill.random(size, {seed = 13, type = "double"}):values())
            local scaled = rill.random(size, {seed = 13, type = "double", low = -2, high = 2}):values()
            for i, value in ipairs(scaled) do
                assert(value == -2 + expected[i] * 4)
            end
        end
    end)

    it("fill their range evenly", function()
        local s = rill.random(1 << 20, {seed = 14})
        assert.is_true(math.abs(s:mean() - 0.5) < 0.002)
        assert.is_true(math.abs(s:var() - 1 / 12) < 0.001)
        assert.is_true(s:min() >= 0 and s:min() < 1e-4)
        assert.is_true(s:max() < 1 and s:max() > 1 - 1e-4)
    end)
end)

describe("integers from low to high, both included", function()
    leaks.watch(setup, teardown)

    -- floor(range * x) of the fraction x whose bits are two words.
    local function scaled(high, low, range)
        local rest = (low * range >> 32) + (high * range & 0xffffffff)
        return (high * range >> 32) + (rest >> 32)
    end

    for _, range in ipairs {
        {"int", 1, 6}, {"int", -3, 3}, {"int", 5, 5}, {"int", -2147483648, 2147483647}, {"uint", 0, 4294967295},
        {"uint", 4294967290, 4294967295}, {"int", 0, 2147483647}, {"uint", 0, 0xbfffffff},
        {"int", -1073741824, 2147483646}, {"uint", 1, 4294967295},
    } do
        local name, low, high = table.unpack(range)
        it(("%s %d .. %d"):format(name, low, high), function()
            local got = rill.random(3001, {seed = 15, type = name, low = low, high = high}):values()
            local count = high - low + 1
            local second = philox.words(15, 3001, 0, 1)
            for i, word in ipairs(philox.words(15, 3001)) do
                local expected = low + scaled(word, 1 << 32 % count == 0 and 0 or second[i], count)
                if count == 1 << 32 then -- every word once, as it is
                    expected = name == "int" and word >= 1 << 31 and word - (1 << 32) or word
                end
                assert(got[i] == expected, ("%d: %d, not %d"):format(i, got[i], expected))
                assert(got[i] >= low and got[i] <= high)
            end
        end)
    end

    it("are even where the range is wide", function()
        for _, high in ipairs {0xbfffffff, 0xaaaaaaa9, 0x80000001} do
            local n, parts = 300000, 6
            local got = rill.random(n, {seed = 20, type = "uint", low = 0, high = high})
            for _, by in ipairs {got % parts, got // ((high + 1) // parts + 1)} do
                local chi = 0
                for _, count in ipairs(rill.bincount(by:eval():cast "int", {minlength = parts}):values()) do
                    chi = chi + (count - n / parts) ^ 2 / (n / parts)
                end
                assert.is_true(chi < 25.7, ("%d: %g"):format(high, chi)) -- 5 degrees of freedom: one in 10,000
            end
        end
    end)
end)

describe("normal numbers", function()
    leaks.watch(setup, teardown)

    -- Box and Muller 1958, in doubles, from the words the device used.
    local function pair(a, b)
        local r = math.sqrt(-2 * math.log(float32((a + 0.5) * 0x1p-32)))
        local angle = 2 * math.pi * ((b >> 8) * 0x1p-24)
        return r * math.cos(angle), r * math.sin(angle)
    end

    it("are within 1e-6 of doubles", function()
        local n, worst = 20000, 0
        local words = philox.words(16, n)
        local got = rill.random(n, {seed = 16, distribution = "normal"}):values()
        for i = 1, n, 2 do
            local a, b = pair(words[i], words[i + 1])
            worst = math.max(worst, math.abs(a - got[i]), math.abs(b - got[i + 1]))
        end
        assert(worst <= 1e-6, worst)
        local wide = rill.random(1001, {seed = 16, type = "double", distribution = "normal"}):values()
        for i = 1, 1000, 2 do
            local a, b = pair(words[2 * i - 1], words[2 * i])
            assert(math.abs(a - wide[i]) <= 1e-6 and math.abs(b - wide[i + 1]) <= 1e-6)
        end
    end)

    it("have the requested mean and deviation, and are bounded", function()
        local s = rill.random(1 << 20, {seed = 17, distribution = "normal", mean = 3, sd = 2})
        assert.is_true(math.abs(s:mean() - 3) < 0.01)
        assert.is_true(math.abs(s:std() - 2) < 0.01)
        assert.is_true(s:max() < 3 + 2 * 6 and s:min() > 3 - 2 * 6)
        local standard = rill.random(1000, {seed = 18, distribution = "normal"}):values()
        local moved = rill.random(1000, {seed = 18, distribution = "normal", mean = 3, sd = 2}):values()
        for i, value in ipairs(standard) do
            assert.is_true(math.abs(3 + 2 * value - moved[i]) < 4e-6)
        end
    end)
end)

describe("the sequence without a seed", function()
    leaks.watch(setup, teardown)

    local function words(count)
        return rill.random(count, {type = "uint"}):values()
    end

    it("continues after the previous call, in whole blocks", function()
        rill.seed(5)
        check.equal(philox.words(5, 6), words(6))
        check.equal(philox.words(5, 8, 2), words(8))
        check.equal(philox.words(5, 1, 4), words(1))
        check.equal({}, words(0))
        check.equal(philox.words(5, 3, 5), words(3))
        rill.seed(5)
        check.equal(philox.words(5, 6), words(6))
    end)

    it("is not advanced by calls with a seed", function()
        rill.seed(6)
        words(4)
        rill.random(100, {seed = 1})
        check.equal(philox.words(6, 4, 1), words(4))
    end)

    it("has seed 0 in a new process", function()
        local out = process.output [[
            local rill = require "rill"
            print(table.concat(rill.random(5, {type = "uint"}):values(), " "))
        ]]
        assert.equal(table.concat(philox.words(0, 5), " ") .. "\n", out)
    end)
end)

describe("rill.random refuses", function()
    leaks.watch(setup, teardown)

    for name, case in pairs {
        ["an unknown option"] = {"rill.random: unknown option 'sed'", {sed = 1}},
        ["an unknown distribution"] = {"'distribution'", {distribution = "cauchy"}},
        ["an unknown type"] = {"unknown type 'flaot'", {type = "flaot"}},
        ["a stored type"] = {"option 'type': expected float, double, int, uint", {type = "half"}},
        ["bools"] = {"option 'type'", {type = "bool"}},
        ["a seed that is no whole number"] = {"'seed': expected a whole number", {seed = 1.5}},
        ["a word for low"] = {"'low': expected a number", {low = "0"}},
        ["mean of uniform numbers"] = {"uniform.*'low' and 'high'", {mean = 1}},
        ["low of normal numbers"] = {"normal.*'mean' and 'sd'", {distribution = "normal", low = 1}},
        ["normal integers"] = {"normal.*floats", {type = "int", distribution = "normal"}},
        ["half a range of integers"] = {"both 'low' and 'high'", {type = "int", low = 1}},
        ["a range backwards"] = {"low", {low = 2, high = 1}},
        ["a range of integers backwards"] = {"ascending", {type = "int", low = 2, high = 1}},
        ["a range beyond int"] = {"range of int", {type = "int", low = 0, high = 1 << 31}},
        ["a range beyond uint"] = {"range of uint", {type = "uint", low = -1, high = 1}},
        ["a range between integers"] = {"'high': expected a whole number", {type = "int", low = 0, high = 1.5}},
        ["NaN"] = {"low", {low = 0 / 0}},
    } do
        it(name, function()
            check.raises("rill%.random: ", rill.random, 4, case[2])
            check.raises(case[1], rill.random, 4, case[2])
        end)
    end

    it("options that are not a table, and invalid shapes", function()
        check.raises("rill%.random: argument #2 'options': expected a table", rill.random, 4, 5)
        check.raises("rill%.random: argument #1 'shape'", rill.random)
        check.raises("a shape is a list of sizes and has no key 'distribution': options are in another table",
            rill.random, {3, distribution = "normal"})
        check.raises("rill%.seed: argument #1 'n': expected a whole number", rill.seed, 1.5)
        check.raises("rill%.seed", rill.seed)
    end)
end)
