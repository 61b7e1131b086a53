-- Aggregates: functions of the values of a column in each group. NaN and missing values are ignored.
local categories = require "rill.core.categories"
local columns = require "rill.frame.columns"
local core = require "rill.core"
local keys = require "rill.frame.keys"
local recorder = require "rill.core.recorder"
local quantiles = require "rill.stream.quantile"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail
local kernels <const> = template.sections "frame"

local aggregate = {}

local sums = recorder.wrap("rill.frame", core._sums)

-- ---- values in groups

-- Returns the mask of the values of a column that are missing; nil if there are none.
local function absent(s)
    local mask
    if categories.of(s) then
        mask = s:eq(categories.MISSING)
    elseif columns.is_float(s) then
        mask = rill.isnan(s)
    end
    return mask and mask:any() and mask or nil
end

--- aggregate.values(groups, s) returns the values of a column that are not missing, with the groups of their rows: {s
-- =, codes =, occurrences =, count = (of groups), complete = (boolean)}. `groups`: {codes =, occurrences =, count =}.
function aggregate.values(groups, s)
    local mask = absent(s)
    if not mask then
        return {s = s, codes = groups.codes, occurrences = groups.occurrences, count = groups.count, groups = groups,
            complete = true}
    end
    local rows <close> = rill.iota(s.size):find(~mask)
    local codes = rill.gather(groups.codes, rows)
    return {s = columns.take(s, rows), codes = codes, count = groups.count,
        occurrences = rill.bincount(codes, {minlength = groups.count}):cast "int"}
end

-- Returns the order of the rows by group, which is stable.
local function order_of(v)
    local owner = v.complete and v.groups or v -- groups share the order of all rows
    owner.order = owner.order or rill.argsort(v.codes)
    return owner.order
end

-- Returns the index of the first row of each group in the order.
local function starts_of(v)
    v.starts = v.starts or v.occurrences:scan("add", {exclusive = true})
    return v.starts
end

-- Returns the sums of numbers in each group, as doubles.
local function sums_of(v, numbers)
    return sums(v.codes, numbers, v.count)
end

-- Returns the values in the order of the groups.
local function grouped(v)
    v.grouped = v.grouped or rill.gather(v.s, order_of(v))
    return v.grouped
end

-- Returns numbers that core._sums accepts.
local function numbers_of(v)
    local seen = types.seen_scalar(v.s.type)
    return (seen == "bool" or seen == "uint" or seen == "int") and v.s:cast "double" or v.s
end

local function total(v)
    v.total = v.total or sums_of(v, numbers_of(v))
    return v.total
end

local function divided(sum, counts, ddof, root)
    local result = rill.stream("double", counts.size)
    if counts.size > 0 then
        kernels.divide:kernel()(sum, counts, ddof, root and 1 or 0, result)
    end
    return result
end

local function mean_of(v)
    v.mean = v.mean or divided(total(v), v.occurrences, 0)
    return v.mean
end

-- ---- functions

local function count(v)
    return v.occurrences:copy()
end

local function sum(v)
    return total(v):copy()
end

local function mean(v)
    return mean_of(v):copy()
end

-- Returns the sums of the squares of the differences from the means.
local function squares(v)
    if not v.squares then
        local numbers = numbers_of(v)
        local each <close> = rill.stream("double", numbers.size)
        if numbers.size > 0 then
            kernels.squares:kernel {T = types.seen_scalar(numbers.type)}(numbers, v.codes, mean_of(v), each)
        end
        v.squares = sums_of(v, each)
    end
    return v.squares
end

local function var(v)
    return divided(squares(v), v.occurrences, 1)
end

local function std(v)
    return divided(squares(v), v.occurrences, 1, true)
end

local function extreme(v, op)
    if types.seen_scalar(v.s.type) == "bool" then
        local found = extreme({s = v.s:cast "int", codes = v.codes, occurrences = v.occurrences, count = v.count,
            groups = v.groups, complete = v.complete}, op)
        return found:cast "bool"
    end
    local found = rill.segmented_reduce(grouped(v), v.occurrences, op)
    if v.complete then
        return found.type == v.s.type and found or found:cast(v.s.type)
    end
    local result = rill.stream(v.s.type, found.size)
    if found.size > 0 then
        kernels.extreme:kernel {T = types.seen_scalar(found.type)}(found, v.occurrences, result)
    end
    return result
end

local function min(v)
    return extreme(v, "min")
end

local function max(v)
    return extreme(v, "max")
end

local function edge(v, last)
    local at = rill.stream("int", v.count)
    if v.count > 0 and v.s.size > 0 then
        kernels.edge:kernel()(order_of(v), starts_of(v), v.occurrences, last, at)
    else
        at:fill(-1)
    end
    return columns.take_or(v.s, at)
end

local function first(v)
    return edge(v, 0)
end

local function last(v)
    return edge(v, 1)
end

local function quantile(v, q)
    if not v.ascending then
        v.numbers = types.seen_scalar(v.s.type) == "bool" and v.s:cast "int" or v.s
        v.ascending = quantiles.order(v.codes, v.count, v.numbers)
    end
    return quantiles.of_groups(v.numbers, v.ascending, v.occurrences, {q}):reshape(v.count)
end

local function median(v)
    return quantile(v, 0.5)
end

local function nunique(v, where, name)
    if v.count == 0 or v.s.size == 0 then
        return rill.stream("int", v.count)
    end
    local pairs_of = keys.number(where, {name}, {v.codes, v.s})
    return rill.bincount(pairs_of.columns[1], {minlength = v.count}):cast "int"
end

-- Returns how many values of each group are not zero.
local function nonzero(v)
    local mask = types.seen_scalar(v.s.type) == "bool" and v.s or v.s:ne(0)
    local codes = v.s.size > 0 and v.codes:filter(mask) or rill.stream("uint", 0)
    return rill.bincount(codes, {minlength = v.count}):cast "int"
end

local function any(v)
    return nonzero(v):gt(0):eval()
end

local function all(v)
    return nonzero(v):eq(v.occurrences):eval()
end

-- ---- specifications

local functions <const> = {
    count = count, sum = sum, mean = mean, var = var, std = std, min = min, max = max, first = first, last = last,
    median = median, quantile = quantile, nunique = nunique, any = any, all = all,
}

local NAMES <const> = "count, sum, mean, min, max, var, std, median, quantile, first, last, nunique, any or all"
local OF_CATEGORIES <const> = {count = true, first = true, last = true, nunique = true}

--- aggregate.parse(where, state, output, given) returns a specification: {name = (of the function), column = (a name,
-- or nil for count), q = (of quantile)}. `given`: "mean x", or a list {"mean", "x"}.
function aggregate.parse(where, find, output, given)
    local name, column, q
    if type(given) == "string" then
        name, column = given:match "^%s*(%S+)%s*(.-)%s*$"
        if name == "quantile" then
            column, q = column:match "^(.-)%s+(%S+)$"
            q = tonumber(q)
        end
        column = column ~= "" and column or nil
    elseif type(given) == "table" and not rill.type(given) and getmetatable(given) == nil then
        name, column, q = given[1], given[2], given[3]
    end
    if not functions[name] then
        fail("%s: column \"%s\": expected \"FUNCTION COLUMN\" with the function %s, got %s", where, output, NAMES,
            errors.told(given))
    elseif not column and name ~= "count" then
        fail("%s: column \"%s\": '%s' needs a column: \"%s NAME%s\"", where, output, name, name,
            name == "quantile" and " Q" or "")
    elseif name == "quantile" and not (type(q) == "number" and q >= 0 and q <= 1) then
        fail("%s: column \"%s\": expected \"quantile COLUMN Q\" with a number Q from 0 to 1, got %s", where, output,
            errors.told(given))
    end
    local s = column and find(column)
    if s and categories.of(s) and not OF_CATEGORIES[name] then
        fail("%s: column \"%s\": '%s' of \"%s\", a category, is not defined: expected count, first, last or nunique",
            where, output, name, column)
    elseif s and not types.scalar(s.type) and name ~= "count" and name ~= "first" and name ~= "last" then
        fail("%s: column \"%s\": '%s' of \"%s\" needs numbers, got elements of %s", where, output, name, column, s.type)
    end
    return {name = name, column = column, q = q}
end

--- aggregate.run(where, specification, values) returns the column of a specification. `values`: of
-- aggregate.values.
function aggregate.run(where, specification, values)
    local argument = specification.q
    if specification.name == "nunique" then
        return nunique(values, where, specification.column)
    end
    return functions[specification.name](values, argument)
end

return aggregate
