-- s:median, s:quantile, s:nanquantile, s:percentile and rill.quantile_by_key: order statistics, by default with linear
-- interpolation, as in numpy.
local categories = require "rill.core.categories"
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local core = require "rill.core"
local errors = require "rill.core.error"
local lexsort = require "rill.stream.lexsort"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail

local quantile = {}

local FEW <const> = 6 -- a sort takes as long as this number of selections

-- The methods of quantiles: the place of a quantile q in n sorted elements, from 0. Hyndman and Fan, "Sample
-- quantiles in statistical packages" (1996), define the first nine: those with parameters a and b are at n q + a + q
-- (1 - a - b) - 1.
local METHODS <const> = {
    linear = {mode = 0}, inverted_cdf = {mode = 1}, averaged_inverted_cdf = {mode = 2},
    closest_observation = {mode = 3},
    interpolated_inverted_cdf = {a = 0, b = 1}, hazen = {a = 0.5, b = 0.5}, weibull = {a = 0, b = 0},
    median_unbiased = {a = 1 / 3, b = 1 / 3}, normal_unbiased = {a = 3 / 8, b = 3 / 8},
    lower = {mode = 4}, higher = {mode = 5}, midpoint = {mode = 6}, nearest = {mode = 7},
}
for _, row in pairs(METHODS) do
    row.mode, row.a, row.b = row.mode or 8, row.a or 0, row.b or 0
end
template.snippet("place_of_quantile", [[
double place(int mode, double a, double b, double q, double n) {
    double x = mode == 0 || mode >= 4 && mode < 8 ? q * (n - 1.0lf) : n * q - (mode == 3 ? 1.5lf : 1.0lf);
    double low = floor(x), t = x - low;
    if (mode == 1) x = ceil(x);
    if (mode == 2) x = t == 0.0lf ? low + 0.5lf : low + 1.0lf;
    if (mode == 3) x = t == 0.0lf && low - 2.0lf * floor(low * 0.5lf) == 0.0lf ? low : low + 1.0lf;
    if (mode == 4) x = low;
    if (mode == 5) x = ceil(x);
    if (mode == 6) x = t == 0.0lf ? x : low + 0.5lf;
    if (mode == 7) x = t < 0.5lf || t == 0.5lf && low - 2.0lf * floor(low * 0.5lf) == 0.0lf ? low : low + 1.0lf;
    if (mode == 8) x = n * q + (a + q * (1.0lf - a - b)) - 1.0lf;
    return clamp(x, 0.0lf, n - 1.0lf);
}
]])

-- Returns the place of the quantile q in n sorted elements, from 0, as in the text above.
local function place_of(method, q, n)
    local row <const> = METHODS[method or "linear"]
    local mode <const> = row.mode
    local x = (mode == 0 or mode >= 4 and mode < 8) and q * (n - 1) or n * q - (mode == 3 and 1.5 or 1.0)
    local low <const> = math.floor(x)
    local t <const> = x - low
    if mode == 1 or mode == 5 then
        x = math.ceil(x)
    elseif mode == 2 then
        x = t == 0 and low + 0.5 or low + 1
    elseif mode == 3 then
        x = t == 0 and low % 2 == 0 and low or low + 1
    elseif mode == 4 then
        x = low
    elseif mode == 6 then
        x = t == 0 and x or low + 0.5
    elseif mode == 7 then
        x = (t < 0.5 or t == 0.5 and low % 2 == 0) and low or low + 1
    elseif mode == 8 then
        x = n * q + (row.a + q * (1 - row.a - row.b)) - 1
    end
    return math.max(0.0, math.min(x, n - 1.0)) + 0.0
end

-- Interpolates between two elements of a sorted line. NaN is sorted last: if the last element is NaN, so is the result.
template.snippet("between_elements", [[
$real between($real a, $real b, $real last, double t) {
    double x = double(a), y = double(b), d = y - x;
    double v = t < 0.5lf ? x + d * t : y - d * (1.0lf - t);
    v = isinf(x) || isinf(y) ? x + y : isinf(d) ? x * (1.0lf - t) + y * t : v;
    return isnan(last) ? last : t == 0.0lf || a == b ? a : $real(v);
}
]])
-- r is the element of sorted lines at the place of the quantile. With `counts` only the first elements of each line
-- count: NaN if there are none.
local PICK <const> = template.new [[
    $use(between_elements)
    $use(place_of_quantile)
    kernel void pick($type s[][][], double qs[], $if(counts){int counts[][],} int n, int mode, double a, double b,
        out $real r<>) {
        ivec3 p = indexof(r).xyz;
        int count = $if(counts){counts[p.y][p.x]}$else{n}, last = max(count - 1, 0);
        double at = place(mode, a, b, qs[p.z], double(max(count, 1)));
        int low = int(at);
        $real x = between($real(s[p.y][low][p.x]), $real(s[p.y][min(low + 1, last)][p.x]), $real(s[p.y][last][p.x]),
            at - double(low));
        r = count > 0 ? x : $real(uintBitsToFloat(0x7fc00000u));
    }
]]
-- r is the element of sorted groups, of which the ends and sizes are given. NaN if the group is empty.
local PICK_GROUP <const> = template.new [[
    $use(between_elements)
    kernel void pick($type s[], double qs[], int end[], int size[], out $real r<>) {
        ivec2 p = indexof(r).xy;
        int n = size[p.x], first = end[p.x] - n;
        double at = qs[p.y] * double(n - 1);
        int low = int(at);
        $real nan = $real(uintBitsToFloat(0x7fc00000u));
        r = nan;
        if (n > 0) {
            r = between($real(s[first + low]), $real(s[first + min(low + 1, n - 1)]), $real(s[first + n - 1]),
                at - double(low));
        }
    }
]]
local HEADS <const> = template.new [[
    kernel void heads(int end<>, int size<>, inout int head[]) { head[end - size] = 1; }
]]

-- Interpolates as PICK does.
local function between(a, b, t)
    local d <const> = b - a
    if t == 0 or a == b then
        return a + 0.0
    elseif math.abs(a) == math.huge or math.abs(b) == math.huge then
        return a + b
    elseif math.abs(d) == math.huge then
        return a * (1 - t) + b * t
    end
    return t < 0.5 and a + d * t or b - d * (1 - t)
end

-- Returns a new stream of quantiles along an axis, of the shape {#qs, before, after}. Default of `real`, its type:
-- float for elements that kernels read as float, else double. skip: whether NaN elements are skipped.
local function along(s, qs, axis, method, real, skip)
    local layers <const>, before <const>, n <const>, after <const> = axes.layered(s, axis)
    local seen <const> = types.seen_scalar(s.type)
    real = real or seen == "float" and seen or "double"
    local result <const> = rill.stream(real, {#qs, before, after})
    if result.size > 0 then
        local sorted <close> = layers:sort {axis = 2}
        local places <close> = rill.from(qs, "double")
        local row <const> = METHODS[method or "linear"]
        local pick <const> = PICK:kernel {type = seen, real = real, counts = skip or false}
        if skip then
            local counts <close> = (~rill.isnan(layers)):sum(2)
            pick(sorted, places, counts, n, row.mode, row.a, row.b, result)
        else
            pick(sorted, places, n, row.mode, row.a, row.b, result)
        end
    end
    return result
end

-- Returns the quantiles of a stream of one dimension as a list of numbers: each by a selection of the element below
-- and, if it is not followed by an equal one, of the next greater element.
local function selected(s, qs, method)
    local list <const>, n <const> = {}, s.size
    local real <const> = types.is_real(s.type)
    if real and rill.isnan(s):any() then
        for k in ipairs(qs) do
            list[k] = -(0 / 0)
        end
        return list
    end
    for k, q in ipairs(qs) do
        local at <const> = place_of(method, q, n)
        local low <const> = math.tointeger(at // 1)
        local a <const>, count <const> = core._rank(s, low + 1)
        local b = a
        if at > low and count == low + 1 then
            b = rill.where(s:gt(a), s, real and math.huge or s:max()):min()
        end
        list[k] = between(a, b, at - low)
    end
    return list
end

-- Returns the quantiles of all elements as a list of numbers.
local function flat(s, qs, method)
    local line <const> = axes.reshaped(s, s.size)
    if #qs < FEW then
        return selected(line, qs, method)
    end
    local found <close> = along(line, qs, 1, method, "double")
    return found:values()
end

-- Checks argument k, the numbers q, which are at most `most`. Returns them as a list of fractions, and whether q is a
-- table. Default of k: 1.
local function fractions(where, name, q, most, k)
    local is_list <const> = option.table[1](q)
    local checked <const> = {}
    local function refuse()
        fail("%s: argument #%d '%s': expected a number from 0 to %d, or a table of them, got %s", where, k or 1, name,
            most, errors.told(q))
    end
    for i, value in ipairs(is_list and q or {q}) do
        if type(value) ~= "number" or not (value >= 0 and value <= most) then
            refuse()
        end
        checked[i] = value / most
    end
    if #checked == 0 then
        refuse()
    end
    return checked, is_list
end

-- Returns an open stream of numbers, by default the one before the colon.
local function numbers(where, s, name)
    local place <const> = ("%s: argument %s"):format(where, name or "'s'")
    s = errors.open(place, s)
    categories.none(s, place)
    local scalar <const> = types.scalar(s.type) and types.seen_scalar(s.type)
    if not scalar then
        fail("%s: elements of type %s have no order: take a component of each, like s.x", place, s.type)
    end
    return scalar == "bool" and s:cast "uint" or s
end

-- Returns the quantiles: numbers if axis is nil, else a stream. is_list: also of a single q as a list.
-- skip: whether NaN elements are skipped, along an axis.
local function compute(where, axis_where, s, qs, is_list, axis, keep, method, skip)
    local shape <const> = s.shape
    if axis == nil and not keep then
        local found <const> = s.size > 0 and flat(s, qs, method) or {}
        return is_list and found or found[1]
    end
    if axis == nil then
        axis = {}
        for d = 1, #shape do
            axis[d] = d
        end
    elseif not option.table[1](axis) then
        axis = {axes.one(axis_where, axis, #shape)}
    end
    local list, seen = axes.several(axis_where, axis, #shape)
    for _, d in ipairs(list) do
        if shape[d] == 0 then
            fail("%s: an axis without elements has no %s", where, where:match "%a+$")
        end
    end
    local view <const>, merged <const>, rest <const>, kept <const> = axes.merged(s, list, seen)
    local new <const> = keep and kept or rest
    if is_list then
        table.insert(new, 1, #qs)
    end
    return along(view, qs, merged, method, nil, skip):reshape(#new > 0 and new or 1)
end

local OPTIONS <const> = {
    axis = {function(v) return math.type(v) == "integer" or option.table[1](v) end, "an axis, or a table of axes"},
    keep = option.flag, method = option.choice(tables.keys(METHODS)),
}

local function of_fractions(where, name, s, q, most, options, skip)
    s = numbers(where, s)
    local qs <const>, is_list <const> = fractions(where, name, q, most)
    local o <const> = option.take(where, options, OPTIONS)
    skip = skip and types.is_real(s.type)
    if skip and o.axis == nil and not o.keep and s.size > 0 then
        local rest <const> = s:filter(~rill.isnan(s))
        return (rest.size > 0 and rest or rill.from {0 / 0}):quantile(q, {method = o.method})
    end
    return compute(where, where .. ": option 'axis'", s, qs, is_list, o.axis, o.keep, o.method, skip)
end

--- s:quantile(q [, {axis =, keep =, method =}]) returns the value below which the fraction q (0 to 1) of the elements
-- is, by default with linear interpolation between the two nearest elements. method: one of the 13 of numpy, such as
-- "lower", "nearest", "hazen" or "median_unbiased" (docs/statistics.md). Default: "linear". q can be a table of
-- fractions. Without `axis` the result is a number, or a table of one number per q; nil or an empty table if s has
-- no elements. `axis`: a dimension or a table of dimensions, 1-based, -1 for the last. The result is then a new
-- stream, with the dimension of a table q first. It is float if kernels read the elements as float, else double.
-- `keep`: the dimensions stay with size 1. Default: false. The result is NaN if an element is NaN.
function quantile.quantile(s, q, options, ...)
    errors.none("s:quantile", 3, 2, (...))
    return of_fractions("s:quantile", "q", s, q, 1, options)
end

--- s:nanquantile(q [, {axis =, keep =, method =}]) returns s:quantile of the elements that are not NaN: NaN if there
-- are none.
function quantile.nanquantile(s, q, options, ...)
    errors.none("s:nanquantile", 3, 2, (...))
    return of_fractions("s:nanquantile", "q", s, q, 1, options, true)
end

--- s:percentile(p [, {axis =, keep =, method =}]) returns s:quantile of p / 100. p is a number from 0 to 100, or a
-- table.
function quantile.percentile(s, p, options, ...)
    errors.none("s:percentile", 3, 2, (...))
    return of_fractions("s:percentile", "p", s, p, 100, options)
end

--- s:median([axis [, {keep =}]]) returns the median of all elements, or along an axis or a table of axes: the middle
-- element in ascending order, or the mean of both middle elements. Its result has the form of that of s:quantile(0.5).
function quantile.median(s, axis, options, ...)
    errors.none("s:median", 3, 2, (...))
    if option.table[1](axis) and #axis == 0 and next(axis) ~= nil and options == nil then
        axis, options = nil, axis
    end
    s = numbers("s:median", s)
    option.check("s:median", options, {keep = true, axis = axis == nil or nil})
    axis = axis == nil and options and options.axis or axis
    local keep <const> = option.take("s:median", options and {keep = options.keep}, {keep = option.flag}).keep
    return compute("s:median", "s:median: argument #1 'axis'", s, {0.5}, false, axis, keep)
end

-- Returns the streams of rill.quantile_by_key: the key of each run, the number of the run of each element, from 1, and
-- the sizes of the runs.
local function runs_of(keys)
    local ones <close> = rill.ones(keys.shape, "int")
    local first, sizes = rill.reduce_by_key(keys, ones)
    local ends <close> = sizes:scan()
    local heads <close> = rill.stream("int", keys.size)
    HEADS:kernel()(ends, sizes, heads)
    return first, heads:scan(), sizes
end

--- quantile.order(group, groups, values) returns the indices of the values in the order of their groups, and ascending
-- in each. `group`: the group of each value, below `groups`: int or uint.
function quantile.order(group, groups, values)
    return lexsort.order {{s = group, limit = groups}, {s = values}}
end

--- quantile.of_groups(values, order, sizes, qs) returns the quantiles of groups of values, a stream {#qs, groups}:
-- float if kernels read the values as float, else double. `order`: see quantile.order. `sizes`: the number of values
-- of each group, int. NaN for a group without values, and for one with a NaN.
function quantile.of_groups(values, order, sizes, qs)
    local seen <const> = types.seen_scalar(values.type)
    local real <const> = seen == "float" and seen or "double"
    local result <const> = rill.stream(real, {#qs, sizes.size})
    if result.size == 0 or values.size == 0 then
        return result:fill(0 / 0)
    end
    local sorted <const>, ends <close> = rill.gather(values, order), sizes:scan()
    local places <close> = rill.from(qs, "double")
    return PICK_GROUP:kernel {type = seen, real = real}(sorted, places, ends, sizes, result)
end

--- quantile.by_key(keys, values, q) checks the arguments of rill.quantile_by_key. Returns the key of each run, the
-- order of the values, the sizes of the runs, and the values, all in one dimension; the fractions, and whether q is
-- a table.
function quantile.by_key(keys, values, q)
    local where <const> = "rill.quantile_by_key"
    keys = errors.open(where .. ": argument #1 'keys'", keys)
    values = numbers(where, values, "#2 'values'")
    local qs <const>, is_list <const> = fractions(where, "q", q, 1, 3)
    if keys.shape ~= values.shape then
        fail("%s: the keys have shape %s, the values %s", where, keys.shape, values.shape)
    end
    keys, values = axes.reshaped(keys, keys.size), axes.reshaped(values, values.size)
    local first, group <close>, sizes = runs_of(keys)
    return first, quantile.order(group, sizes.size + 1, values), sizes, values, qs, is_list
end

--- rill.quantile_by_key(keys, values, q) returns the key of every run of equal adjacent keys, and the quantile q (0 to
-- 1) of the values of each run with linear interpolation, as s:quantile. `keys` has elements of any type and the shape
-- of `values`, numbers. q can be a table of fractions: the quantiles have the shape {#q, runs} then. They are float if
-- kernels read the values as float, else double. NaN for a run with a NaN. Sort by key first to get every key once.
function quantile.quantile_by_key(keys, values, q, ...)
    errors.none("rill.quantile_by_key", 4, 3, (...))
    local first, order <close>, sizes, flat_values, qs, is_list = quantile.by_key(keys, values, q)
    local result <const> = quantile.of_groups(flat_values, order, sizes, qs)
    sizes:close()
    return first, is_list and result or result:reshape(result.size)
end

for _, name in ipairs {"quantile", "nanquantile", "percentile", "median"} do
    quantile[name] = errors.guard(quantile[name], "s:" .. name)
end
quantile.quantile_by_key = errors.guard(quantile.quantile_by_key, "rill.quantile_by_key")

--- quantile.between(a, b, t) returns a + t (b - a), for t from 0 to 1, for infinite numbers too.
--- quantile.fractions(where, name, q, most [, k]) checks argument k, the numbers q of a method. Returns them as a list,
-- divided by `most`, and whether q is a table. Default of k: 1.
--- quantile.place(method, q, n) returns the place of the quantile q in n sorted elements, from 0.
quantile.between, quantile.fractions, quantile.place = between, fractions, place_of

return quantile
