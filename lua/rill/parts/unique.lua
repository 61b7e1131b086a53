-- The distinct elements of data in parts: those of each part, and then those of these.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local fold = require "rill.parts.fold"

local unique = {}

local LARGEST <const> = (1 << 31) - 1 -- the largest int

-- The sum of the numbers of a run of `count` numbers that ends before `stop`, of running sums.
local RUN <const> = template.new [[
    kernel void run_sum($type sums[], int stop<>, int count<>, out $type r<>) {
        r = sums[stop - 1] - (stop > count ? sums[stop - count - 1] : $type(0));
    }
]]

local function close_all(list)
    for _, s in ipairs(list) do
        s:close()
    end
end

-- Returns the distinct values of all streams of a list, in ascending order, and the sums of their counts.
local function joined(values, counts)
    local all <const>, numbers <const> = rill.concat(values), rill.concat(counts)
    if all.size == 0 then
        return all, numbers
    end
    local sorted <const>, weights <const> = rill.sort_by_key(all, numbers)
    local distinct, lengths = sorted:runs()
    local sums <const>, stops <const> = weights:scan(), lengths:scan()
    local totals <const> = RUN:kernel {type = numbers.type}(sums, stops, lengths)
    close_all {all, numbers, sorted, weights, lengths, sums, stops}
    return distinct, totals
end

--- unique.of(provider) returns the distinct elements in ascending order, as s:unique, and how often each occurs: int,
-- or double if the provider's field `size` is 2^31 or more. `provider`: see rill.parts.fold; of one process.
function unique.of(provider)
    local kind <const> = provider.size > LARGEST and "double" or "int"
    local values, counts = {rill.stream(provider.type, 0)}, {rill.stream(kind, 0)}
    local later = 0 -- the number of the elements of the lists after the first stream
    local function join()
        local distinct, sums = joined(values, counts)
        close_all(values)
        close_all(counts)
        values, counts, later = {distinct}, {sums}, 0
    end
    provider.each(function(s)
        local own, times = s:unique()
        values[#values + 1], counts[#counts + 1] = own, times:cast(kind)
        later = later + own.size
        if later > values[1].size then
            join()
        end
    end)
    join()
    return values[1], counts[1]
end

--- unique.define(methods, letter, provide) adds the method "unique" to a class. `letter`, `provide`: see fold.define;
-- the provider has the field `size`.
function unique.define(methods, letter, provide)
    local where <const> = letter .. ":unique"
    methods.unique = errors.guard(function(object, ...)
        local provider <const> = provide(where, "unique", object)
        fold.whole(where, 0, (...))
        return unique.of(provider)
    end, where)
end

return unique
