-- The largest elements of data in parts: those of each part, and then those of these.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"

local top_k = {}

local LARGEST <const> = (1 << 31) - 1 -- the largest int

local SHIFT <const> = template.new [[
    kernel void shift(int i<>, $type first, out $type r<>) { r = $type(i) + first; }
]]

local OPTIONS <const> = {largest = option.default(option.flag, true)}

-- Returns the first k elements of sorted parts, and their indices: lists of streams, in the order of the parts.
local function best(k, o, values, places)
    local all <close> = rill.concat(values)
    local at <close> = rill.concat(places)
    local chosen, i = all:top_k(math.min(k, all.size), o)
    for p, s in ipairs(values) do
        s:close()
        places[p]:close()
    end
    return chosen, rill.gather(at, i)
end

--- top_k.of(provider, k, options) returns the first k elements of the sorted data, and their 0-based indices in the
-- whole: int, or double if the provider's field `size` is 2^31 or more. `provider`: see rill.parts.fold; of one
-- dimension. `options`: those of s:top_k.
function top_k.of(provider, k, options)
    local kind <const> = provider.size > LARGEST and "double" or "int"
    local shift <const> = SHIFT:kernel {type = kind}
    local values, places = rill.stream(provider.type, 0), rill.stream(kind, 0)
    provider.each(function(s, index)
        if s.size > 0 then
            local own, at <close> = s:top_k(math.min(k, s.size), options)
            values, places = best(k, options, {values, own}, {places, shift(at, index(0)[1] - 1)})
        end
    end)
    if provider.gather then
        local lists, indices = {}, {}
        for i, pair in ipairs(provider.gather {values, places}) do
            lists[i], indices[i] = pair[1], pair[2]
        end
        values, places = best(k, options, lists, indices)
    end
    return values, core._set_indices(places, true)
end

--- top_k.define(methods, letter, provide) adds the method "top_k" to a class. `letter`, `provide`: see fold.define; the
-- provider has the field `size`, and one dimension.
function top_k.define(methods, letter, provide)
    local where <const> = letter .. ":top_k"
    methods.top_k = errors.guard(function(object, k, options, ...)
        local provider <const> = provide(where, "top_k", object)
        errors.none(where, 3, 2, (...))
        local o <const> = option.take(where, options, OPTIONS)
        k = tables.whole(k)
        if math.type(k) ~= "integer" or k < 0 or k > provider.size then
            errors.fail("%s: argument #1 'k': expected a whole number from 0 to %d, got %s", where, provider.size,
                errors.told(k))
        end
        return top_k.of(provider, k, o)
    end, where)
end

return top_k
