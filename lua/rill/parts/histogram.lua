-- Histograms of data in parts.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local fold = require "rill.parts.fold"

local histogram = {}

-- Returns the ranges of the components, a list of the least and the largest number of each; nil without numbers. A part
-- without numbers has a least one above its largest.
local function ranges_of(provider)
    local ranges = {}
    for _, own in ipairs((fold.gather(provider, function(s) return {core._histogram_range(s, provider.where)} end))) do
        for i = 1, #own, 2 do
            local low <const>, high <const> = own[i], own[i + 1]
            if not ranges[i] or low <= high and ranges[i] > ranges[i + 1] then
                ranges[i], ranges[i + 1] = low, high
            elseif low <= high then
                ranges[i], ranges[i + 1] = math.min(ranges[i], low), math.max(ranges[i + 1], high)
            end
        end
    end
    return #ranges > 0 and ranges or nil
end

--- histogram.of(provider, options) returns the counts and the edges of bins, as s:histogram does. The counts are
-- doubles if the provider's field `size`, the number of elements, is 2^31 or more. Without min and max, the parts are
-- read twice. The third argument of the function of provider.each: the options for the part; nil: `options`.
function histogram.of(provider, options)
    local where <const> = provider.where
    local needed <const> = options == nil or option.table[1](options) and (options.min == nil or options.max == nil)
    local ranges <const> = needed and ranges_of(provider) or nil
    local total, edges
    local function add(counts)
        counts = (provider.size or 0) >= 1 << 31 and counts:cast "double" or counts
        total = total and total:write(total + counts) or counts
    end
    provider.each(function(s, _, own)
        local results <const> = table.pack(core._histogram(s, own or options, ranges, where))
        add(results[1])
        edges = edges or table.pack(table.unpack(results, 2, results.n))
    end)
    if not total then
        return core._histogram(rill.stream(provider.type, 0), options, ranges, where)
    end
    local all <const> = provider.gather and provider.gather(total) or {total}
    total = nil
    for _, counts in ipairs(all) do
        add(counts)
    end
    return total, table.unpack(edges)
end

local OPTIONS <const> = {bins = true, min = true, max = true, outside = true}

--- histogram.define(methods, letter, provide) adds the method "histogram" to a class. `letter`, `provide`: see
-- fold.define; the provider has the field `size`.
function histogram.define(methods, letter, provide)
    local where <const> = letter .. ":histogram"
    methods.histogram = errors.guard(function(object, options, ...)
        local provider <const> = provide(where, "histogram", object)
        errors.none(where, 2, 1, (...))
        option.check(where, options, OPTIONS)
        local none <close> = rill.stream(provider.type, 0)
        core._histogram(none, options, false, where) -- a process with wrong options raises before others wait for it
        return histogram.of(provider, options)
    end, where)
end

return histogram
