-- rill.image.integral, equalize and otsu: summed-area tables, histogram equalization and Otsu's threshold.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local template = require "rill.glsl.template"
local picture = require "rill.image.arguments"
local kernels <const> = template.sections "histogram"

local brightness = {}

-- ---- sums

--- rill.image.integral(s) returns an image whose pixel i, j is the sum of all pixels of `s` up to row i and column j
-- (F. Crow, Summed-area tables for texture mapping, 1984). The sums are float scans along each row and then down each
-- column.
brightness.integral = picture.filter("integral", function(s, type)
    if s.size == 0 then
        return s:cast(type)
    end
    local rows <close> = s:scan("add", {axis = 2})
    return rows:scan("add", {axis = 1})
end)

-- ---- equalization

local EQUALIZE <const> = {
    bins = option.number(1, 16384, 256), min = option.number(-1e30, 1e30, 0.0), max = option.number(-1e30, 1e30, 1.0),
}

local RESULTS <const> = {
    float = "equalized(s, curves, 0, edges, scale)",
    vec3 = "vec3(equalized(s.x, curves, 0, edges, scale), equalized(s.y, curves, 1, edges, scale), " ..
        "equalized(s.z, curves, 2, edges, scale))",
}
RESULTS.vec4 = ("vec4(%s, s.w)"):format(RESULTS.vec3)

-- Computes the curve of a component, and returns the edges of the bins.
local function curve_of(plane, o, curve)
    local counts <const>, edges <const> = plane:histogram {bins = o.bins, min = o.min, max = o.max, outside = "clamp"}
    local sums <close> = counts:scan()
    kernels.curve:kernel() {sums = sums, level = curve}
    counts:close()
    return edges
end

--- rill.image.equalize(s [, {bins=, min=, max=}]) returns an image in which each component's values are spread evenly
-- over 0 to 1, by `bins` (default: 256) bins from `min` to `max` (default: 0 and 1). A value becomes (C - C0) / (N -
-- C0): N is the number of values, C the number of values up to its bin, and C0 the number of values in the lowest
-- filled bin. Values outside count in the first or last bin. If only one bin is filled, nothing changes. NaN is not
-- counted; NaN and alpha do not change.
brightness.equalize = picture.filter("equalize", function(s, type, where, options)
    local o = option.take(where, options, EQUALIZE)
    if o.min >= o.max then
        errors.fail("%s: options 'min' and 'max': expected min below max, got %s and %s", where, errors.told(o.min),
            errors.told(o.max))
    elseif s.size == 0 then
        return s:cast(type)
    end
    local planes = type == "float" and {s} or {s.x, s.y, s.z}
    local curves <close> = rill.stream("float", {#planes, o.bins})
    local edges
    for c, plane in ipairs(planes) do
        local row <close> = curves[c]
        local _ <close> = edges
        edges = curve_of(rill.type(plane) == "expression" and plane:eval() or plane, o, row)
    end
    local last <close> = edges
    local scale = o.bins / (o.max - o.min)
    return kernels.apply:kernel {T = type, result = RESULTS[type]}(s, curves, last, scale)
end)

-- ---- Otsu's threshold

-- These replace values that do not count by infinities, so that the minimum and maximum ignore them.
local LEAST <const> = template.new "kernel float least(float s<>) { return isnan(s) || isinf(s) ? 1.0 / 0.0 : s; }"
local MOST <const> = template.new [[
    kernel float most(float s<>, float limit) { return isnan(s) || s >= limit || isinf(s) ? -1.0 / 0.0 : s; }
]]

local function largest_below(s, limit)
    local values <close> = MOST:kernel()(s, limit)
    return values:max()
end

-- Returns the last bin, 1-based, of the lower class of the best split: the first one with the largest n0 n1 (m0 -
-- m1)^2, where n0 and n1 are the sizes and m0 and m1 the means of the classes.
local function best_split(counts, sums)
    local all_count, all_sum = 0, 0
    for k = 1, #counts do
        all_count, all_sum = all_count + counts[k], all_sum + sums[k]
    end
    local best, most, n, sum = 1, -1, 0, 0
    for k = 1, #counts - 1 do
        n, sum = n + counts[k], sum + sums[k]
        local others = all_count - n
        local apart = n > 0 and others > 0 and n * others * (sum / n - (all_sum - sum) / others) ^ 2 or -1
        if apart > most then
            best, most = k, apart
        end
    end
    return best
end

local OTSU <const> = {bins = option.number(2, 65536, 256)}

--- rill.image.otsu(s [, {bins=}]) returns the threshold that splits the values of a gray image into two classes with
-- the largest variance between them (N. Otsu, A threshold selection method from gray-level histograms, 1979).
-- Candidates are the edges of `bins` (default: 256) equal bins from the least to the largest value. The threshold is
-- the largest value of the lower class. NaN and infinities do not count; without finite values the result is nil. Waits
-- for the device.
brightness.otsu = errors.guard(function(s, options)
    local where <const> = "rill.image.otsu"
    s = picture.gray(where, s)
    local bins <const> = option.take(where, options, OTSU).bins
    if s.size == 0 then
        return nil
    end
    local finite <close> = LEAST:kernel()(s)
    local low, high = finite:min(), largest_below(s, math.huge)
    if low >= high then
        return low == high and low or nil
    end
    local weights <close> = s:cast "double"
    local counts <const>, edges <close> = s:histogram {bins = bins, min = low, max = high}
    local sums <const>, _ <close> = s:histogram {bins = bins, min = low, max = high, weights = weights}
    local edge = edges:get(best_split(counts:values(), sums:values()) + 1)
    counts:close()
    sums:close()
    return largest_below(s, edge)
end, "rill.image.otsu")

return brightness
