-- Local maxima of a signal.
local rill = require "rill.core.public"
local arguments = require "rill.signal.arguments"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local option = require "rill.core.options"
local template = require "rill.glsl.template"
local fail <const> = errors.fail
local kernels <const> = template.sections "peaks"

local peaks = {}

-- Returns whether a value is a number, or a table {low, high} in which one may be missing.
local function is_range(v)
    local function bound(x) return x == nil or type(x) == "number" and x == x end
    if type(v) == "number" then return v == v end
    if not option.table[1](v) then return false end
    for key in pairs(v) do
        if key ~= 1 and key ~= 2 then return false end
    end
    return bound(v[1]) and bound(v[2])
end
local RANGE <const> = {is_range, "the least value, or a table {least, largest}"}
local KNOWN <const> = {
    height = RANGE, prominence = RANGE,
    distance = {function(v) return option.is_finite(v) and v >= 1 end, "a number of samples, 1 or more"},
}

-- Keeps the indices whose values are in a range.
local function filtered(at, values, range)
    local low, high = range, math.huge
    if type(range) == "table" then low, high = range[1] or -math.huge, range[2] or math.huge end
    local mask <close> = kernels.within:kernel {T = values.type}(values, low, high)
    return at:filter(mask), values:filter(mask)
end

-- Keeps the highest peaks that are at least `distance` apart: peaks near a higher one that is kept are left out. Of
-- equal peaks the last one is kept first.
local function apart(at, heights, distance)
    local order <close> = rill.argsort(heights)
    local list <const>, place <const>, n <const>, least <const> = order:values(), at:values(), #at, math.ceil(distance)
    local left, kept = {}, {}
    for k = n, 1, -1 do
        local i <const> = list[k] + 1
        if not left[i] then
            local j = i - 1
            while j >= 1 and place[i] - place[j] < least do left[j], j = true, j - 1 end
            j = i + 1
            while j <= n and place[j] - place[i] < least do left[j], j = true, j + 1 end
        end
    end
    for i = 1, n do
        if not left[i] then kept[#kept + 1] = i - 1 end
    end
    if #kept == n then
        return at, heights
    end
    local indices <close> = rill.from(kept, "int")
    return rill.gather(at, indices), rill.gather(heights, indices)
end

-- Returns the prominences of peaks of the signal x, by a search in maxima and minima of 2^k elements.
local function prominences_of(x, at)
    local n <const>, T <const> = #x, x.type
    local first, size, total = {0}, n, 0
    repeat
        total = total + size
        first[#first + 1] = total
        local last <const> = size == 1
        size = (size + 1) // 2
    until last
    local own <close> = held {}
    own.high, own.low = rill.stream(T, total), rill.stream(T, total)
    own.high:domain(1, n):write(x)
    own.low:domain(1, n):write(x)
    local infinity <const> = T == "double" and "packDouble2x32(uvec2(0u, 0x7ff00000u))" or
        "uintBitsToFloat(0x7f800000u)"
    local pairs_of <const> = kernels.pairs:kernel {T = T, infinity = infinity}
    for k = 1, #first - 2 do
        local from <const>, to <const>, ends <const> = first[k] + 1, first[k + 1], first[k + 2]
        pairs_of(own.high:domain(from, to), own.low:domain(from, to), own.high:domain(to + 1, ends),
            own.low:domain(to + 1, ends))
    end
    own.first = rill.from(first, "int")
    return kernels.prominences:kernel {T = T}(at, own.high, own.low, own.first, #first - 1)
end

--- rill.signal.find_peaks(x, options) returns the indices of the local maxima, and a table of their properties.
function peaks.find_peaks(x, options, ...)
    local where <const> = "rill.signal.find_peaks"
    errors.none(where, 3, 2, (...))
    local o <const> = option.take(where, options, KNOWN)
    arguments.untracked(where, "x", x)
    local s <const> = arguments.signal(where, 1, x, true)
    if #s.shape ~= 1 then
        fail("%s: argument #1 'x': expected a signal of one dimension, got shape %s: s[i] is a row", where, s.shape)
    end
    local at
    if s.size < 3 then
        at = rill.stream("int", 0)
    else
        local mask <close> = kernels.last:kernel {T = s.type}{x = s, shape = s.shape}
        local ends <close> = mask:find(mask)
        at = kernels.peaks:kernel {T = s.type}(ends, ends, s)
    end
    local properties = {heights = rill.gather(s, at)}
    if o.height ~= nil then at, properties.heights = filtered(at, properties.heights, o.height) end
    if o.distance and #at > 1 then at, properties.heights = apart(at, properties.heights, o.distance) end
    if o.prominence ~= nil then
        properties.prominences = #at > 0 and prominences_of(s, at) or rill.stream(s.type, 0)
        at, properties.prominences = filtered(at, properties.prominences, o.prominence)
        properties.heights = rill.gather(s, at)
    end
    return at, properties
end

peaks.find_peaks = errors.guard(peaks.find_peaks, "rill.signal.find_peaks")

return peaks
