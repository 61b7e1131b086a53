-- Sums of a pixel's neighbors with weights that are known in Lua. The kernels contain the sums unrolled and take the
-- weights as arguments, which takes a fifteenth of the time of loops with weights in a stream on llvmpipe. Long rows
-- and columns are summed in parts.
local core = require "rill.core"
local rill = require "rill.core.public"
local picture = require "rill.image.arguments"
local template = require "rill.glsl.template"

local weighted = {}

local MOST <const> = 32 -- terms in a kernel: with more, the driver's compiler takes long

local WEIGH <const> = template.new "kernel void weigh(neighbor $T s<>, $parameters, out $T r<>) { r = $sum; }"
local WEIGH_PART <const> = template.new
    "kernel void weigh_part(neighbor $T s<>, int first, inout $T r<>, $parameters) { r += $sum; }"
local WEIGH_NARROW <const> = template.new [=[
    kernel void weigh_narrow(neighbor $T s<>, float w[], int count, int first, ivec2 along, out $T r<>) {
        r = $T(0.0);
        for (int k = 0; k < count; k++) {
            if (w[k] != 0.0) r += w[k] * s[(first + k) * along];
        }
    }
]=]

local function parameters(count)
    local words = {}
    for i = 0, (count - 1) // 4 do
        words[#words + 1] = ("vec4 w%d"):format(i)
    end
    return table.concat(words, ", ")
end

local function weight(i)
    return ("w%d.%s"):format(i // 4, ("xyzw"):sub(i % 4 + 1, i % 4 + 1))
end

-- Returns the GLSL text of a sum. index(i) returns the subscript of term i, 0-based.
local function sum_text(count, index)
    local terms = {}
    for i = 0, count - 1 do
        terms[#terms + 1] = ("%s * s%s"):format(weight(i), index(i))
    end
    return table.concat(terms, " + ")
end

local function packed(weights)
    local list = {}
    for i = 1, #weights, 4 do
        list[#list + 1] = {weights[i], weights[i + 1] or 0, weights[i + 2] or 0, weights[i + 3] or 0}
    end
    return table.unpack(list)
end

-- Returns the offsets and weights of terms whose weight is not 0 as a float: 0 times an infinite pixel would be NaN.
local function nonzero(offsets, weights)
    local kept, numbers = {}, {}
    for i, w in ipairs(weights) do
        if ("f"):unpack(("f"):pack(w)) ~= 0 then
            kept[#kept + 1], numbers[#numbers + 1] = offsets[i], w
        end
    end
    return kept, numbers
end

--- weighted.sum(s, type, offsets, weights) returns an image each element of which is the sum of weights[i] times the
-- neighbor of `s` at offsets[i], {dx, dy}. At most 32 terms. A weight of 0 ignores its neighbor, even NaN.
function weighted.sum(s, type, offsets, weights)
    offsets, weights = nonzero(offsets, weights)
    if #offsets == 0 then
        return rill.stream(type, s.shape)
    end
    local sum = sum_text(#offsets, function(i)
        return ("[%d][%d]"):format(offsets[i + 1][2], offsets[i + 1][1])
    end)
    return WEIGH:kernel {T = type, parameters = parameters(#offsets), sum = sum}(s, packed(weights))
end

-- ---- rows and columns

local function along(axis, offset)
    return axis == 1 and {0, offset} or {offset, 0}
end

-- Adds a part of a long sum to r: `count` terms, of weights[from] on, whose neighbors begin at the offset `first`.
local function add_part(s, type, axis, first, r, weights, from, count)
    local offsets = {}
    for i = 1, count do offsets[i] = i - 1 end
    local kept, numbers = nonzero(offsets, table.move(weights, from, from + count - 1, 1, {}))
    if #kept == 0 then return end
    local sum = sum_text(#kept, function(i)
        return (axis == 1 and "[first + %d][0]" or "[0][first + %d]"):format(kept[i + 1])
    end)
    WEIGH_PART:kernel {T = type, parameters = parameters(#kept), sum = sum}(s, first, r, packed(numbers))
end

local function long_line(s, type, axis, first, weights)
    local r = rill.stream(type, s.shape)
    local parts = (#weights + MOST - 1) // MOST
    local size = (#weights + parts - 1) // parts
    for from = 1, #weights, size do
        add_part(s, type, axis, first + from - 1, r, weights, from, math.min(size, #weights - from + 1))
    end
    return r
end

-- A term whose offset is n or more lies outside for every pixel. These functions map its offset k to a nearer one that
-- reads the same value, by boundary mode.
local FOLDS <const> = {
    clamp = function(k, n) return math.max(1 - n, math.min(n - 1, k)) end,
    wrap = function(k, n) return k % n end,
    mirror = function(k, n) return (k + n) % (2 * n) - n end,
    value = function(k, n) return math.max(-n, math.min(n, k)) end,
}

-- Combines the weights of a sum along n elements, whose offsets begin at `first`, by FOLDS. Returns the first offset
-- and the weights.
local function folded(mode, n, first, weights)
    local fold = FOLDS[type(mode) == "number" and "value" or mode]
    local sums, low, high = {}, math.huge, -math.huge
    for i, w in ipairs(weights) do
        local k = fold(first + i - 1, n)
        sums[k], low, high = (sums[k] or 0) + w, math.min(low, k), math.max(high, k)
    end
    local list = {}
    for k = low, high do
        list[#list + 1] = sums[k] or 0
    end
    return low, list
end

-- Sums by a loop, for images narrower than the weights: a kernel for each width would be compiled otherwise, and these
-- images are small.
local function narrow_line(s, type, axis, first, weights)
    local list <close> = rill.from(weights)
    return WEIGH_NARROW:kernel {T = type}(s, list, #weights, first, along(axis, 1))
end

--- weighted.line(s, type, axis, first, weights) returns an image each element of which is the sum of weights[i] times
-- the neighbor at the offset first + i - 1 along an axis, 1 for columns, 2 for rows. Any number of weights.
function weighted.line(s, type, axis, first, weights)
    local n = s.shape[axis]
    local narrow <const> = #weights > n
    if narrow and n > 0 then
        local modes = core._boundary(s)
        first, weights = folded(modes and modes[axis] or "clamp", n, first, weights)
    end
    if #weights > MOST then
        return long_line(s, type, axis, first, weights)
    elseif narrow then
        return narrow_line(s, type, axis, first, weights)
    end
    local offsets = {}
    for i = 1, #weights do
        offsets[i] = along(axis, first + i - 1)
    end
    return weighted.sum(s, type, offsets, weights)
end

--- weighted.cross(s, type, wy, wx) returns `s` convolved with `wy` down the columns and then with `wx` along the rows.
-- The center of n weights is the weight n // 2 (0-based).
function weighted.cross(s, type, wy, wx)
    local function line(from, axis, weights)
        local n, turned = #weights, {}
        for i, w in ipairs(weights) do
            turned[n + 1 - i] = w
        end
        return weighted.line(from, type, axis, n // 2 - (n - 1), turned)
    end
    local total = 0
    for _, w in ipairs(wy) do
        total = total + w
    end
    local down <close> = picture.with_border(line(s, 1, wy), s, total)
    return line(down, 2, wx)
end

return weighted
