-- Stable sorts in plain Lua, and data for sorting specs.
local check = require "spec.support.check"

local order = {}

--- Iterates like pairs, sorted by name: drivers cache programs by their texts, which should be the same in every
--- process.
function order.each(t)
    local names, i = {}, 0
    for name in pairs(t) do names[#names + 1] = name end
    table.sort(names)
    return function()
        i = i + 1
        return names[i], t[names[i]]
    end
end

-- Returns whether key a comes before key b: NaN last, false before true.
local function before(a, b, descending)
    if type(a) == "boolean" then
        a, b = a and 1 or 0, b and 1 or 0
    end
    if a ~= a or b ~= b then
        return a == a and b ~= b
    elseif descending then
        return a > b
    end
    return a < b
end
order.before = before

-- Returns the 0-based indices of a flat list's values in sorted order; equal values keep their order. `first`,
-- `last`: the part to sort.
function order.argsort(list, descending, first, last)
    first = first or 1
    local indices = {}
    for i = first, last or #list do
        indices[#indices + 1] = i - first
    end
    table.sort(indices, function(a, b)
        local x, y = list[first + a], list[first + b]
        if before(x, y, descending) then
            return true
        elseif before(y, x, descending) then
            return false
        end
        return a < b
    end)
    return indices
end

-- Returns the elements at 0-based indices.
function order.take(list, indices)
    local taken = {}
    for i, index in ipairs(indices) do
        taken[i] = list[index + 1]
    end
    return taken
end

-- Pseudo-random numbers that are the same in every run: next(n) returns a whole number from 0 to n - 1.
function order.generator(seed)
    local state = seed or 1
    return function(n)
        state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
        return (state >> 24) % n
    end
end

local inf, nan = math.huge, 0 / 0
local float_extremes = {
    inf, -inf, nan, -nan, 0.0, -0.0, 2.0 ^ -149, -2.0 ^ -149, 2.0 ^ -126, check.float32(3.4028234e38),
    check.float32(-3.4028234e38), 1.0, -1.0, 0.5,
}
local double_extremes = {
    inf, -inf, nan, -nan, 0.0, -0.0, 2.0 ^ -1074, -2.0 ^ -1074, 2.0 ^ -1022, 1.7976931348623157e308,
    -1.7976931348623157e308, 1.0, 1.0 + 2.0 ^ -52, -1.0, -1.0 - 2.0 ^ -52,
}
local half_extremes = {inf, -inf, nan, 0.0, -0.0, 2.0 ^ -24, -2.0 ^ -24, 2.0 ^ -14, 65504.0, -65504.0, 1.0, -1.0}

local function whole(low, high)
    return {
        extremes = {low, high, 0, 1, low + 1, high - 1, high // 2, high // 2 + 1, low // 2},
        any = function(random) return low + random(high - low + 1) end,
    }
end

-- By type: special values, and a function that returns any value.
order.types = {
    int = whole(-2 ^ 31 | 0, 2 ^ 31 - 1 | 0), uint = whole(0, 2 ^ 32 - 1 | 0),
    int8 = whole(-128, 127), uint8 = whole(0, 255), int16 = whole(-32768, 32767), uint16 = whole(0, 65535),
    float = {extremes = float_extremes, any = function(random)
        return check.from_bits(random(2 ^ 31 | 0) * 2 + random(2) & 0xff7fffff | 0x00800000)
    end},
    double = {extremes = double_extremes, any = function(random)
        return (random(2 ^ 31 | 0) - 2 ^ 30) * 2.0 ^ (random(400) - 200) + random(1000)
    end},
    half = {extremes = half_extremes, any = function(random) return (random(4096) - 2048) / 2.0 ^ random(6) end},
    bool = {extremes = {true, false}, any = function(random) return random(2) == 1 end},
    unorm8 = {extremes = {0.0, 1.0}, any = function(random) return check.float32(random(256) / 255) end},
}
order.names = {"uint", "int", "float", "double", "half", "bool", "unorm8", "int8", "int16", "uint8", "uint16"}

-- Returns n values of a type, including its extremes.
function order.mixed(name, n, seed)
    local random, row, list = order.generator(seed), order.types[name], {}
    for i = 1, n do
        list[i] = random(4) == 0 and row.extremes[random(#row.extremes) + 1] or row.any(random)
    end
    return list
end

return order
