-- Quantiles of data in parts. An element is selected by the digits of its key, an integer: keys have the order of the
-- elements. The elements of all parts are counted by their first digit, which gives that of the wanted element; those
-- with this digit are counted by the next digit.
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fold = require "rill.parts.fold"
local histogram = require "rill.parts.histogram"
local stream_quantile = require "rill.stream.quantile"

local quantile = {}

local BITS <const> = 16 -- of a digit
local RADIX <const> = 1 << BITS

-- The words of the key k of an element x, the high one first. NaN has the largest key. Keys of 32 bits have one word.
local KEYS <const> = {
    float = [[uint u = floatBitsToUint(x);
        uvec2 k = uvec2((u & 0x7fffffffu) > 0x7f800000u ? ~0u : u >> 31 != 0u ? ~u : u | 0x80000000u, 0u)]],
    double = [[uvec2 u = unpackDouble2x32(x);
        uint m = u.y & 0x7fffffffu;
        uvec2 k = m > 0x7ff00000u || m == 0x7ff00000u && u.x != 0u ? uvec2(~0u)
            : u.y >> 31 != 0u ? uvec2(~u.y, ~u.x) : uvec2(u.y | 0x80000000u, u.x)]],
    int = "uvec2 k = uvec2(uint(x) ^ 0x80000000u, 0u)", uint = "uvec2 k = uvec2(x, 0u)",
    bool = "uvec2 k = uvec2(x ? 1u : 0u, 0u)",
}

-- Elements of keys, by their type in kernels.
local ELEMENTS <const> = {
    float = function(key)
        return (string.unpack("<f", string.pack("<I4", key >> 31 == 1 and key ~ 0x80000000 or ~key & 0xffffffff)))
    end,
    double = function(key)
        return (string.unpack("<d", string.pack("<i8", key < 0 and key ~ math.mininteger or ~key)))
    end,
    int = function(key) return key - 0x80000000 end, uint = function(key) return key end,
    bool = function(key) return key end,
}

-- The digit of a level, from 0, of elements whose key has the digits before it of the key high, low. Others: 2 radix.
local DIGIT <const> = template.new [[
    kernel void digit_of($type x<>, uint high, uint low, int level, out uint r<>) {
        $key;
        uint word = level < 2 ? k.x : k.y, known = level < 2 ? high : low;
        bool same = (level < 2 || k.x == high) && (level % 2 == 0 || word >> 16 == known >> 16);
        r = !same ? 0x20000u : level % 2 == 0 ? word >> 16 : word & 0xffffu;
    }
]]

-- Returns a function that returns the counts of the digits of a level: a list. `before`: the number of the digits
-- before it. Digits are counted once.
local function counter(provider, seen, levels)
    local digits, known = DIGIT:kernel {type = seen, key = KEYS[seen]}, {}
    return function(level, before)
        local name <const> = level .. " " .. before
        if not known[name] then
            local key <const> = before << BITS * (levels - level)
            local high <const> = levels > 2 and key >> 32 or key
            local counts <close> = histogram.of({
                where = provider.where, type = "uint", size = provider.size, gather = provider.gather,
                each = function(f)
                    provider.each(function(s)
                        local own <close> = digits(s, high & 0xffffffff, key & 0xffffffff, level)
                        f(own)
                    end)
                end,
            }, {bins = RADIX, min = 0, max = RADIX})
            known[name] = counts:values()
        end
        return known[name]
    end
end

--- quantile.of(provider, qs) returns the list of the quantiles of all elements, numbers, for a list of fractions, with
-- the bits of s:quantile; an empty list if there are no elements. The data is read twice, four times if it is double;
-- for each further quantile once, or three times. `provider`: see rill.parts.fold.
function quantile.of(provider, qs)
    local seen <const>, list, n = types.seen_scalar(provider.type), {}, 0
    local levels <const> = seen == "double" and 4 or 2
    local counts <const> = counter(provider, seen, levels)
    for _, count in ipairs(counts(0, 0)) do
        n = n + math.tointeger(count)
    end
    local has_nan <const> = types.is_real(provider.type) and counts(0, 0)[RADIX] > 0

    -- Returns the element that `rank` elements precede in ascending order.
    local function element(rank)
        local key = 0
        for level = 0, levels - 1 do
            local own, digit = counts(level, key), 0
            while rank >= own[digit + 1] do
                rank, digit = rank - own[digit + 1], digit + 1
            end
            key = key << BITS | digit
        end
        return ELEMENTS[seen](key)
    end

    for i, q in ipairs(n > 0 and qs or {}) do
        local at <const> = q * (n - 1)
        local low <const> = math.tointeger(at // 1)
        list[i] = has_nan and -(0 / 0) or
            stream_quantile.between(element(low), element(math.min(low + 1, n - 1)), at - low)
    end
    return list
end

--- quantile.define(methods, letter, provide) adds the methods "quantile", "percentile" and "median" to a class.
-- `letter`, `provide`: see fold.define; the provider has the field `size`.
function quantile.define(methods, letter, provide)
    for name, row in pairs {quantile = {"q", 1}, percentile = {"p", 100}, median = {}} do
        local where <const>, most <const> = letter .. ":" .. name, #row // 2
        methods[name] = errors.guard(function(object, ...)
            local provider <const> = provide(where, name, object)
            fold.whole(where, most, (select(most + 1, ...)))
            local qs, is_list = {0.5}, false
            if most > 0 then
                qs, is_list = stream_quantile.fractions(where, row[1], (...), row[2])
            end
            local found <const> = quantile.of(provider, qs)
            return is_list and found or found[1]
        end, where)
    end
end

return quantile
