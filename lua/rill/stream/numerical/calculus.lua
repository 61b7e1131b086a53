-- rill.gradient, trapz and cumtrapz: finite differences, and integrals by the trapezoidal rule, as in numpy and scipy.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local types = require "rill.core.types"
local fail <const> = errors.fail
local part <const> = axes.part

local calculus = {}

-- Returns a distance, or a stream of the coordinates of n points in the type of s.
local function points_of(place, value, s, axis)
    if value == nil or option.is_finite(value) and value ~= 0 then
        return value or 1
    elseif type(value) == "number" then
        fail("%s: expected a number other than 0, or coordinates, got %s", place, errors.told(value))
    end
    local real <const>, n <const> = types.real_of(s), s.shape[axis]
    local x = option.table[1](value) and rill.from(value, real) or types.reals(place, value)
    if #x.shape > 1 or x.size ~= n then
        fail("%s: expected %d coordinates, one for each index along axis %d, got shape %s", place, n, axis, x.shape)
    end
    return x.type == real and x or x:cast(real)
end

-- Writes the derivatives at both ends. at(k): the slice k of s, from 1. d, e: the distances of the first three points
-- from each other, and of the last three ones.
local function write_ends(result, axis, n, at, first, last, edge)
    local a <const>, b <const>, y <const>, z <const> = at(1), at(2), at(n - 1), at(n)
    local left <const>, right <const> = part(result, axis, 1, 1), part(result, axis, n, n)
    if edge == 1 then
        left:write((b - a) / first[1])
        right:write((z - y) / last[2])
        return
    end
    local d, e = first[1], first[2]
    left:write(a * (-(2 * d + e) / (d * (d + e))) + b * ((d + e) / (d * e)) - at(3) * (d / (e * (d + e))))
    d, e = last[1], last[2]
    right:write(at(n - 2) * (e / (d * (d + e))) - y * ((d + e) / (d * e)) + z * ((2 * e + d) / (e * (d + e))))
end

-- Returns the derivative along an axis. spacing: a distance, or a stream of coordinates.
local function slope(s, axis, spacing, edge)
    local result <const>, n <const> = rill.stream(s.type, s.shape), s.shape[axis]
    if s.size == 0 then
        return result
    end
    local function at(k) return part(s, axis, k, k) end
    if type(spacing) == "number" then
        if n > 2 then
            part(result, axis, 2, n - 1):write((part(s, axis, 3, n) - part(s, axis, 1, n - 2)) / (2 * spacing))
        end
        write_ends(result, axis, n, at, {spacing, spacing}, {spacing, spacing}, edge)
        return result
    end
    local line = {}
    for d = 1, #s.shape do line[d] = d == axis and n - 1 or 1 end
    local steps <const> = axes.reshaped((spacing:domain(2, n) - spacing:domain(1, n - 1)):eval(), line)
    local function step(k) return part(steps, axis, k, k) end
    if n > 2 then
        local d <const>, e <const> = part(steps, axis, 1, n - 2), part(steps, axis, 2, n - 1)
        local before <const>, after <const> = (-e / (d * (d + e))):eval(), (d / (e * (d + e))):eval()
        part(result, axis, 2, n - 1):write(part(s, axis, 1, n - 2) * before +
            part(s, axis, 2, n - 1) * ((e - d) / (d * e)) + part(s, axis, 3, n) * after)
    end
    local second <const> = math.min(2, n - 1)
    write_ends(result, axis, n, at, {step(1), step(second)}, {step(math.max(n - 2, 1)), step(n - 1)}, edge)
    return result
end

--- rill.gradient(s [, {spacing =, axis =, edge_order =}]) returns the derivative of a stream of samples by finite
-- differences, a new stream of the shape of s: numpy's gradient. Differences are central inside (of second order),
-- and one-sided at both ends, of the order `edge_order`, 1 or 2. `axis`: a dimension or a table of dimensions.
-- Default: all; of several dimensions it returns one stream for each. `spacing`: the distance of the samples, or a
-- stream of their coordinates; or a table with one of them for each of the dimensions. Defaults: 1, edge_order 1.
-- The result is float if kernels read the elements as float, else double. Each dimension must have at least
-- edge_order + 1 elements.
function calculus.gradient(s, options, ...)
    local where <const> = "rill.gradient"
    errors.none(where, 3, 2, (...))
    s = types.reals(where .. ": argument #1 's'", s)
    s = s.type == types.real_of(s) and s or s:cast(types.real_of(s))
    local o <const> = option.take(where, options, {
        spacing = {function(v) return type(v) == "number" or option.is_data(v) end, "a number, a stream, or a table"},
        axis = {function(v) return math.type(v) == "integer" or option.table[1](v) end, "an axis, or a table of axes"},
        edge_order = {function(v) return v == 1 or v == 2 end, "1 or 2", 1},
    })
    local place <const>, shape <const> = where .. ": option 'axis'", s.shape
    local list = {}
    for d = 1, #shape do list[d] = d end
    for k, axis in ipairs(o.axis and (option.table[1](o.axis) and o.axis or {o.axis}) or {}) do
        list = k == 1 and {} or list
        list[k] = axes.one(place, axis, #shape)
    end
    local several <const> = option.table[1](o.spacing)
    if several and #o.spacing ~= #list then
        fail("%s: option 'spacing': expected one value for each of %d axes, got %d", where, #list, #o.spacing)
    end
    local spacings, results = {}, {}
    for k, axis in ipairs(list) do
        local given = o.spacing
        if several then given = o.spacing[k] end
        if shape[axis] < o.edge_order + 1 then
            fail("%s: dimension %d has %d elements, but edge_order %d requires %d", where, axis, shape[axis],
                o.edge_order, o.edge_order + 1)
        end
        spacings[k] = points_of(where .. ": option 'spacing'", given, s, axis)
    end
    for k, axis in ipairs(list) do
        results[k] = slope(s, axis, spacings[k], o.edge_order)
    end
    return table.unpack(results)
end

-- ---- integrals

-- Returns y, the axis, the areas between neighbors divided by the factor, and the factor; and the options.
local function areas(where, y, options, known)
    y = types.reals(where .. ": argument #1 'y'", y)
    known.x = {option.is_data, "a stream or a table of coordinates"}
    known.spacing = option.default(option.finite, nil)
    known.axis = {function(v) return math.type(v) == "integer" end, "an axis", -1}
    local o <const> = option.take(where, options, known)
    if o.x ~= nil and o.spacing ~= nil then
        fail("%s: expected the option 'x' or the option 'spacing', got both", where)
    end
    local axis <const> = axes.one(where .. ": option 'axis'", o.axis, #y.shape)
    local n <const> = y.shape[axis]
    local means = 0.5 * part(y, axis, 1, math.max(n - 1, 0)) + 0.5 * part(y, axis, math.min(2, n + 1), n)
    local factor = o.spacing or 1
    if o.x ~= nil then
        local x = option.table[1](o.x) and rill.from(o.x, types.real_of(y)) or types.reals(where .. ": option 'x'", o.x)
        local line = {}
        for d = 1, #y.shape do line[d] = d == axis and n or 1 end
        if #x.shape == 1 and x.size == n then
            x = axes.reshaped(x, line)
        elseif x.shape ~= y.shape then
            fail("%s: option 'x': expected %d coordinates, or the shape %s of 'y', got shape %s", where, n, y.shape,
                x.shape)
        end
        means = means * (part(x, axis, math.min(2, n + 1), n) - part(x, axis, 1, math.max(n - 1, 0)))
    end
    return y, axis, means, factor, o
end

--- rill.trapz(y [, {x =, spacing =, axis =}]) returns the integral of samples by the trapezoidal rule: of a stream of
-- one dimension a number, else a new stream without the dimension `axis`. `x`: the coordinates of the samples, a stream
-- or a table, for all lines or of the shape of y; or `spacing`: their distance. Defaults: spacing 1, axis -1, the last.
-- The result is float if kernels read the elements as float, else double.
function calculus.trapz(y, options, ...)
    errors.none("rill.trapz", 3, 2, (...))
    local values <const>, axis <const>, means <const>, factor <const> = areas("rill.trapz", y, options, {})
    local sum <const> = #values.shape == 1 and means:sum() or means:sum(axis)
    if factor == 1 then
        return sum
    end
    return type(sum) == "number" and sum * factor or (sum * factor):eval()
end

--- rill.cumtrapz(y [, {x =, spacing =, axis =, initial =}]) returns the integrals of samples from the first one to each
-- later one by the trapezoidal rule, a new stream with one element less along the axis. `initial`: a number that is
-- inserted before the first element, so that the result has the shape of y. The other options are those of rill.trapz.
function calculus.cumtrapz(y, options, ...)
    errors.none("rill.cumtrapz", 3, 2, (...))
    local values <const>, axis <const>, means <const>, factor <const>, o <const> = areas("rill.cumtrapz", y, options,
        {initial = option.finite})
    local sums = (factor == 1 and means or means * factor):eval()
    sums = sums.size > 0 and sums:scan("add", {axis = axis}) or sums
    if o.initial == nil or values.size == 0 then
        return sums
    end
    local before = {}
    for d = 1, #values.shape do before[d] = d == axis and 1 or 0 end
    return sums:pad {before = before, value = o.initial}
end

for name, f in pairs(calculus) do
    calculus[name] = errors.guard(f, "rill." .. name)
end

return calculus
