-- s:softmax, logsumexp, nansum and nanmean, and rill.isclose: functions that consist of expressions and reductions.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local template = require "rill.glsl.template"
local types = require "rill.core.types"

local composed = {}

-- Returns the list of axes of a reduction and whether they are kept. The list is nil if neither an axis nor `keep` is
-- given. `keep`: whether there is such an option.
local function axes_of(where, s, axis, options, keep)
    if option.table[1](axis) and #axis == 0 and next(axis) ~= nil and options == nil then
        axis, options = nil, axis
    end
    local o <const> = option.take(where, options, {
        axis = axis == nil and {function(v) return math.type(v) == "integer" or option.table[1](v) end,
            "an axis, or a table of axes"} or nil,
        keep = keep and option.flag or nil,
    })
    local place <const> = where .. (axis == nil and ": option 'axis'" or ": argument #1 'axis'")
    axis = axis == nil and o.axis or axis
    if axis == nil and not o.keep and keep then
        return nil, false
    elseif axis == nil then
        axis = {}
        for d = 1, #s.shape do axis[d] = d end
    elseif not option.table[1](axis) then
        axis = {axes.one(place, axis, #s.shape)}
    end
    return axes.several(place, axis, #s.shape), o.keep or false
end

local KEEP <const> = {keep = true}

-- Returns exp(s) / sum(exp(s)) along an axis or a list of axes.
local soft <const> = recorder.wrap("s:softmax values", function(s, axis)
    local powers <const> = rill.exp(s - s:max(axis, KEEP))
    return (powers / powers:sum(axis, KEEP)):eval()
end)

local MOST_IN_ROW <const> = 64 -- elements of a row that one invocation adds up
local of_rows <const> = template.new [[
kernel void logsumexp(float s[], out float r<>) {
    int first = indexof(r).x * $n;
    float most = s[first];
    for (int k = 1; k < $n; k++) most = max(most, s[first + k]);
    float base = isinf(most) ? 0.0 : most, sum = 0.0;
    for (int k = 0; k < $n; k++) sum += exp(s[first + k] - base);
    r = log(sum) + base;
}
]]

-- Returns log(sum(exp(s))) along an axis or a list of axes, which are kept. Short rows of floats are one launch.
local log_sum <const> = recorder.wrap("s:logsumexp values", function(s, axis)
    local shape <const> = s.shape
    local n <const> = shape[#shape]
    if axis == #shape and n <= MOST_IN_ROW and s.type == "float" and rill.type(s) == "stream" then
        local rows <const> = s.size // n
        shape[axis] = 1
        return of_rows:kernel {n = n} {s = axes.reshaped(s, s.size), shape = rows}:reshape(shape)
    end
    local m <const> = s:max(axis, KEEP)
    local base <const> = rill.where(rill.isinf(m), 0, m)
    return (rill.log(rill.exp(s - base):sum(axis, KEEP)) + base):eval()
end)

-- Returns the only axis of a list, along which the sum of an expression is one launch, or the list.
local function one_of(list)
    return #list == 1 and list[1] or list
end

--- s:softmax([axis]) returns exp(s) / sum(exp(s)) along an axis or a table of axes, a new stream of the shape of s
-- whose sums are 1. The largest element is subtracted first, so that nothing overflows. Default: all elements
-- together. The result is float if kernels read the elements as float, else double. It is NaN if an element is NaN
-- or infinite, or if all are -inf; other elements that are -inf give 0.
function composed.softmax(s, axis, ...)
    errors.none("s:softmax", 3, 2, ...)
    s = types.reals("s:softmax: argument 's'", s)
    local list <const> = axes_of("s:softmax", s, axis, nil, false)
    if s.size == 0 then
        return s:copy()
    end
    return soft(s, one_of(list))
end

--- s:logsumexp([axis [, {keep =}]]) returns log(sum(exp(s))) of all elements, or along an axis or a table of axes. The
-- largest element is subtracted first, so that nothing overflows. Without axis the result is a number, else a new
-- stream: float if kernels read the elements as float, else double. `keep`: the dimensions stay with size 1. Default:
-- false. The result of no elements is -inf.
function composed.logsumexp(s, axis, options, ...)
    errors.none("s:logsumexp", 4, 3, ...)
    s = types.reals("s:logsumexp: argument 's'", s)
    local list, keep = axes_of("s:logsumexp", s, axis, options, true)
    if list == nil then
        return s.size == 0 and -math.huge or recorder.number(log_sum(axes.reshaped(s, s.size), 1))
    end
    local _, seen = axes.several("s:logsumexp", list, #s.shape)
    local kept, rest, count = s.shape, {}, 1
    for d, size in ipairs(s.shape) do
        if seen[d] then
            kept[d], count = 1, count * size
        else
            rest[#rest + 1] = size
        end
    end
    local result <const> = count > 0 and s.size > 0 and log_sum(s, one_of(list)) or
        rill.full(kept, -math.huge, types.real_of(s))
    return keep and result or result:reshape(#rest > 0 and rest or 1)
end

-- Returns s without NaN: zeros instead.
local function without_nan(s)
    return types.is_real(s.type) and rill.where(rill.isnan(s), 0, s) or s
end

--- s:nansum([axis [, options]]) returns s:sum(axis, options) of the elements that are not NaN: 0 if there are none.
function composed.nansum(s, axis, options, ...)
    errors.none("s:nansum", 4, 3, ...)
    return without_nan(types.numbers("s:nansum: argument 's'", s)):sum(axis, options)
end

--- s:nanmean([axis [, {keep =}]]) returns the mean of the elements that are not NaN: a number, or along an axis or a
-- table of axes a new stream. NaN if there are none; nil for a stream without elements. `keep`: the dimensions stay
-- with size 1. Default: false.
function composed.nanmean(s, axis, options, ...)
    errors.none("s:nanmean", 4, 3, ...)
    s = types.numbers("s:nanmean: argument 's'", s)
    local list, keep = axes_of("s:nanmean", s, axis, options, true)
    if not types.is_real(s.type) then
        return s:mean(list, list and {keep = keep})
    end
    local mean <const> = without_nan(s):mean(list, list and {keep = keep})
    local valid <const> = ~rill.isnan(s)
    if list == nil then
        local found <const> = s.size > 0 and valid:count() or 0
        return mean and (found > 0 and mean * (s.size / found) or mean * (0 / 0))
    end
    local count <const>, shape <const> = valid:sum(list, {keep = keep}):cast(mean.type), s.shape
    local all = 1
    for _, d in ipairs(list) do all = all * shape[d] end
    return (mean * (all / count)):eval()
end

local OPTIONS <const> = {
    rtol = option.default(option.not_negative, 1e-5), atol = option.default(option.not_negative, 1e-8),
    equal_nan = option.default(option.flag, false),
}

local function is_close(a, b, o)
    return a == b or math.abs(b) < math.huge and math.abs(a - b) <= o.atol + o.rtol * math.abs(b) or
        o.equal_nan and a ~= a and b ~= b
end

-- Returns a number, or an open stream of floats or doubles.
local function number_or_stream(place, value)
    return type(value) == "number" and value + 0.0 or types.reals("rill.isclose: argument " .. place, value)
end

--- rill.isclose(a, b [, {rtol =, atol =, equal_nan =}]) returns whether elements of a and b are nearly equal, an
-- expression of booleans: |a - b| <= atol + rtol |b|, or equal infinities. a and b are streams, expressions or numbers;
-- of two numbers the result is a boolean. equal_nan: whether NaN is equal to NaN. Defaults: 1e-5, 1e-8, false, as in
-- numpy.
function composed.isclose(a, b, options, ...)
    errors.none("rill.isclose", 4, 3, ...)
    a, b = number_or_stream("#1 'a'", a), number_or_stream("#2 'b'", b)
    local o <const> = option.take("rill.isclose", options, OPTIONS)
    if type(a) == "number" and type(b) == "number" then
        return is_close(a, b, o)
    end
    local equal = type(a) == "number" and b:eq(a) or a:eq(b)
    local near <const> = rill.abs(a - b):le(o.atol + o.rtol * rill.abs(b))
    if type(b) ~= "number" then
        equal = equal | near & ~rill.isinf(b)
    elseif math.abs(b) < math.huge then
        equal = equal | near
    end
    local both <const> = o.equal_nan and (type(a) ~= "number" or a ~= a) and (type(b) ~= "number" or b ~= b)
    if both then
        local first <const> = type(a) ~= "number" and rill.isnan(a)
        local second <const> = type(b) ~= "number" and rill.isnan(b)
        equal = equal | (first and second and first & second or first or second)
    end
    return equal
end

for name, f in pairs(composed) do
    composed[name] = errors.guard(f, (name == "isclose" and "rill." or "s:") .. name)
end

return composed
