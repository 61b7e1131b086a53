-- Halves are rounded to nearest, ties to even, and small ones are kept, whatever the driver's packHalf2x16 and unpackHalf2x16 do.
local preload = require "spec.support.preload"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

-- Every finite half, the floats next to it, the float halfway to the next half and its neighbors; then the remaining floats. Both signs.
-- The expected results follow from the construction.
local CHECK <const> = [[
    local rill = require "rill"
    local floats, wanted = {}, {}
    local function add(word, half)
        for sign = 0, 1 do
            floats[#floats + 1] = string.pack("<I4", word | sign << 31)
            wanted[#wanted + 1] = half | sign << 15
        end
    end
    local function value(half)
        local exponent, fraction = half >> 10, half & 1023
        return exponent == 0 and fraction * 2.0 ^ -24 or (1024 + fraction) * 2.0 ^ (exponent - 25)
    end
    local function bits(x)
        return (string.unpack("<I4", string.pack("<f", x)))
    end
    for half = 0, 0x7bff do
        local word, middle = bits(value(half)), bits((value(half) + value(half + 1)) / 2)
        add(word, half)
        add(word + 1, half)
        add(middle - 1, half)
        add(middle, half + (half & 1))
        add(middle + 1, half + 1)
        if half > 0 then
            add(word - 1, half)
        end
    end
    for _, word in ipairs { bits(65536), bits(1e38), 0x7f7fffff, 0x7f800000 } do
        add(word, 0x7c00)
    end
    local n, nans = #wanted, { 0x7f800001, 0x7fc00000, 0xffffffff, 0xff800001 }
    for _, word in ipairs(nans) do
        floats[#floats + 1] = string.pack("<I4", word)
    end

    local function same(what, got)
        for i = 1, n do
            local half = string.unpack("<I2", got, 2 * i - 1)
            if half ~= wanted[i] then
                error(("%s: 0x%08x is stored as 0x%04x, not 0x%04x"):format(what, string.unpack("<I4", floats[i]), half,
                    wanted[i]))
            end
        end
        for i = 1, #nans do
            local half = string.unpack("<I2", got, 2 * (n + i) - 1)
            if half & 0x7fff <= 0x7c00 then
                error(("%s: the NaN 0x%08x is stored as 0x%04x"):format(what, nans[i], half))
            end
        end
    end
    local count = #floats
    local s = rill.stream("float", count, table.concat(floats))
    same("a run of them", s:cast("half"):bytes())
    -- Every second element, since stores of single elements share words.
    local apart = rill.stream("half", 2 * count)
    rill.kernel "kernel void copy(float x<>, out half r<>) { r = x; }"(s, apart:stride(2))
    same("each by itself", apart:stride(2):bytes())
    local pairs_of = rill.stream("half2", count)
    rill.kernel "kernel void both(float x<>, out half2 r<>) { r = half2(1.0, x); }"(s, pairs_of)
    same("the second of two", (pairs_of:bytes():gsub("..(..)", "%1")))

    local words = {}
    for half = 0, 65535 do
        words[half + 1] = string.pack("<I2", half)
    end
    local loaded = rill.stream("half", 65536, table.concat(words))
    for what, got in pairs { ["a run"] = loaded:cast("float"):bytes(),
        gather = rill.gather(loaded, rill.iota(65536)):cast("float"):bytes() } do
        for half = 0, 65535 do
            local word, magnitude = string.unpack("<I4", got, 4 * half + 1), half & 0x7fff
            local wanted = magnitude < 0x7c00 and bits(value(magnitude)) or 0x7f800000
            if magnitude > 0x7c00 and word & 0x7fffffff <= 0x7f800000
                or magnitude <= 0x7c00 and word ~= (wanted | (half & 0x8000) << 16) then
                error(("%s: 0x%04x is loaded as 0x%08x"):format(what, half, word))
            end
        end
    end
    print(rill.device().traits.nearest_half)
]]

describe("halves", function()
    it("are rounded to nearest, ties to even, and loaded as they are", function()
        assert.matches("^%l+\n$", process.output(CHECK))
    end)

    it("if the driver truncates them, too #long", function()
        local library = preload("wrongdriver", pending)
        local files = tempfiles.open()
        local result = process.run(CHECK,
            { LD_PRELOAD = library, RILL_WRONG = "half", RILL_CACHE = files.directory })
        files:close()
        assert.equal("false\n", result.out .. result.err)
    end)
end)
