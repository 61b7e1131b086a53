-- Reductions of numbers that are computed part by part: values of parts in double precision, and their combination by
-- the reductions of streams, which overflow only if the result does.
local core = require "rill.core"
local rill = require "rill.core.public"
local template = require "rill.glsl.template"
local types = require "rill.core.types"

local parts = {}

local WIDEN <const> = template.new [[
    kernel void widen($type x<>, double scale, out double r<>) { r = double(x)$if(scaled){ * scale}; }
]]

--- parts.reduce(name, s, scale) returns the sum ("sum") or the norm ("norm") of the elements of a stream of numbers,
-- times `scale`, in double precision. Default of `scale`: 1.
function parts.reduce(name, s, scale)
    local kernel = WIDEN:kernel {type = types.list[s.type].seen, scaled = scale ~= nil}
    return core._reduce(name, kernel, {s, scale or 1})
end

--- parts.join(name, values) returns the sum or the norm of a list of numbers.
function parts.join(name, values)
    local s <close> = rill.from(values, "double")
    return s[name](s)
end

-- The means of all parts are in range, and so are products with shares.
local function mean(means, sizes, count)
    local list = {}
    for i, value in ipairs(means) do
        list[i] = value * (sizes[i] / count)
    end
    return parts.join("sum", list)
end
--- parts.mean(means, sizes, count) returns the mean of `count` elements from the means and the sizes of parts.
parts.mean = mean

--- parts.deviation(means, deviations, sizes, count) returns the standard deviation of `count` elements from the means,
-- the standard deviations and the sizes of parts (T. F. Chan, G. H. Golub and R. J. LeVeque 1979).
function parts.deviation(means, deviations, sizes, count)
    if #means == 1 then
        return deviations[1]
    end
    local center, list = mean(means, sizes, count), {}
    for i, value in ipairs(means) do
        local share <const> = math.sqrt(sizes[i] / count)
        list[2 * i - 1], list[2 * i] = deviations[i] * share, value * share - center * share
    end
    return parts.join("norm", list)
end

--- parts.extend(ranges, own) extends the ranges of the components of all parts, a list of the least and the largest
-- number of each, by the ranges of one part. A part without numbers has a least one above its largest.
function parts.extend(ranges, own)
    for i = 1, #own, 2 do
        local low <const>, high <const> = own[i], own[i + 1]
        if not ranges[i] or low <= high and ranges[i] > ranges[i + 1] then
            ranges[i], ranges[i + 1] = low, high
        elseif low <= high then
            ranges[i], ranges[i + 1] = math.min(ranges[i], low), math.max(ranges[i + 1], high)
        end
    end
end

return parts
