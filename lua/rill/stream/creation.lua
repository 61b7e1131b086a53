-- rill.zeros, ones, full, eye, arange, linspace, logspace, geomspace and meshgrid: streams of regular values.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail

local creation = {}

local MOST <const> = (1 << 31) - 1 -- the largest number of elements of a stream

-- Calls rill.stream, and moves its errors to the function `where`, whose shape is its first argument.
local function stream(where, kind, shape, init)
    local done, result = pcall(rill.stream, kind, shape, init)
    if not done then
        result = result:gsub("^.-rill%.stream: ", ""):gsub("argument #2 'shape'", "argument 'shape'")
        local note = type(kind) == "number" and where ~= "rill.eye" and
            ("; several sizes are a table: %s {2, 3}"):format(where) or ""
        result = result:gsub("argument #%d '(%a+)'", "argument '%1'"):gsub("'init'", "'value'")
        fail("%s: %s%s", where, result, note)
    end
    return result
end

--- rill.zeros(shape [, type]) returns a new stream of zeros. Default of `type`: "float".
function creation.zeros(shape, type, ...)
    errors.none("rill.zeros", 3, 2, (...))
    return stream("rill.zeros", type == nil and "float" or type, shape)
end

--- rill.ones(shape [, type]) returns a new stream of ones. Default of `type`: "float".
function creation.ones(shape, type, ...)
    errors.none("rill.ones", 3, 2, (...))
    type = type == nil and "float" or type
    return stream("rill.ones", type, shape, type ~= "bool" and 1 or true)
end

--- rill.full(shape, value [, type]) returns a new stream whose elements have one value: a number, a boolean, a vector
-- or a structure. Default of `type`: "bool" for a boolean, "vec2" to "vec4" for a table of 2 to 4 numbers, else
-- "float".
function creation.full(shape, value, kind, ...)
    errors.none("rill.full", 4, 3, (...))
    local vector <const> = option.is_vector(value) and #value >= 2 and #value <= 4
    if kind == nil then
        kind = type(value) == "boolean" and "bool" or vector and "vec" .. #value or "float"
    end
    if type(value) ~= "number" and type(value) ~= "boolean" and (type(value) ~= "table" or rill.type(value)) then
        fail("rill.full: argument #2 'value': expected a value for every element, got %s", errors.told(value))
    end
    if type(value) == "table" then -- the size of a list is not that of the stream: it is one element
        return stream("rill.full", kind, shape):fill(value)
    end
    return stream("rill.full", kind, shape, value)
end

local function check_count(where, i, name, n)
    n = tables.whole(n)
    if math.type(n) ~= "integer" or n < 0 or n > MOST then
        fail("%s: argument #%d '%s': expected a whole number from 0 to %d, got %s", where, i, name, MOST,
            errors.told(n))
    end
    return n
end

local function check_number(where, i, name, value)
    if not option.is_finite(value) then
        fail("%s: argument #%d '%s': expected a finite number, got %s", where, i, name, errors.told(value))
    end
end

--- rill.eye(n [, type]) returns a new n by n stream with ones on the diagonal and zeros elsewhere. Default of `type`:
-- "float".
function creation.eye(n, type, ...)
    errors.none("rill.eye", 3, 2, (...))
    n = check_count("rill.eye", 1, "n", n)
    local result = stream("rill.eye", type == nil and "float" or type, {n, n})
    if not types.scalar(result.type) then
        fail("rill.eye: argument #2 'type': expected a type of numbers or bool, got %s", result.type)
    end
    if n > 0 then
        result:reshape(n * n):stride(n + 1):fill(result.type == "bool" or 1)
    end
    return result
end

-- Element i is (from + i * step) * unit, computed in double precision, and rounded down if it is an integer, as in
-- numpy. `last` is the exact element `end`, -1 for none.
local RAMP <const> = template.new [[
    kernel void ramp(double from, double step, double unit, double last, int end, double base, out $type r<>) {
        int i = indexof(r).x;
        double v = i == end ? last : (from + double(i) * step) * unit;
        $if(powers){r = $type(pow(base, v));}$else{r = $type($down(v));}
    }
]]

local RAMP_TYPES <const> = {float = true, double = true, int = true, uint = true}

-- Returns a stream of n values from + i * step. `last`: the exact last value; nil for none.
local function ramp(where, i, type, n, from, step, last, base)
    if not RAMP_TYPES[type] then
        fail('%s: argument #%d \'type\': expected "float", "double", "int" or "uint", got %s', where, i,
            errors.told(type))
    end
    local result = rill.stream(type, n)
    if n > 0 then
        local low, high = math.min(from, last or from + (n - 1) * step), math.max(from, last or from + (n - 1) * step)
        local least, most = type == "uint" and 0 or -(1 << 31), type == "uint" and (1 << 32) - 1 or MOST
        if (type == "int" or type == "uint") and (low < least or high > most) then
            result:close()
            fail("%s: the numbers from %s to %s do not fit %s", where, from, last or from + (n - 1) * step, type)
        end
        local down <const> = (type == "int" or type == "uint") and "floor" or ""
        local unit = last and not option.is_finite(last - (from + 0.0)) and 2.0 or 1 -- i * step may be out of range
        RAMP:kernel {type = type, powers = base ~= nil, down = down}(from / unit, step / unit, unit, last or 0,
            last and n - 1 or -1, base or 1, result)
    end
    return result
end

--- rill.arange([from,] to [, step [, type]]) returns a new stream with the numbers from `from` (included) to `to`
-- (excluded) at a distance of `step`. Defaults: from 0, step 1; the type is "int" if all numbers are integers, else
-- "float".
function creation.arange(from, to, step, type, ...)
    errors.none("rill.arange", 5, 4, (...))
    if to == nil then
        from, to = 0, from
    end
    step = step == nil and 1 or step
    check_number("rill.arange", 1, "from", from)
    check_number("rill.arange", 2, "to", to)
    check_number("rill.arange", 3, "step", step)
    if step == 0 then
        fail("rill.arange: argument #3 'step': expected a number other than 0")
    end
    local whole <const> = math.type(from) == "integer" and math.type(to) == "integer" and
        math.type(step) == "integer"
    local n <const> = math.max(0, math.ceil((to - (from + 0.0)) / step)) -- differences of integers would wrap
    if n > MOST then
        fail("rill.arange: from %s to %s in steps of %s are more than the %d elements that a stream can have", from,
            to, step, MOST)
    end
    return ramp("rill.arange", 4, type == nil and (whole and "int" or "float") or type, n // 1, from, step)
end

-- Returns the step of n numbers from `from` to `to`.
local function step_of(from, to, n)
    local width <const> = to - (from + 0.0) -- differences of integers would wrap
    return n < 2 and 0 or option.is_finite(width) and width / (n - 1) or to / (n - 1) - from / (n - 1)
end

--- rill.linspace(from, to, n [, type]) returns a new stream of n evenly spaced numbers from `from` to `to`, both
-- included. Default of `type`: "float".
function creation.linspace(from, to, n, type, ...)
    errors.none("rill.linspace", 5, 4, (...))
    check_number("rill.linspace", 1, "from", from)
    check_number("rill.linspace", 2, "to", to)
    n = check_count("rill.linspace", 3, "n", n)
    return ramp("rill.linspace", 4, type == nil and "float" or type, n, from, step_of(from, to, n),
        n > 1 and to or from)
end

--- rill.logspace(from, to, n [, {base =, type =}]) returns a new stream of n numbers from base ^ from to base ^ to,
-- both included, whose logarithms are evenly spaced. Defaults: base 10, type "float".
function creation.logspace(from, to, n, options, ...)
    errors.none("rill.logspace", 5, 4, (...))
    check_number("rill.logspace", 1, "from", from)
    check_number("rill.logspace", 2, "to", to)
    n = check_count("rill.logspace", 3, "n", n)
    local o <const> = option.take("rill.logspace", options, {
        base = {option.is_positive, "a number above 0", 10}, type = option.choice({"float", "double"}, "float"),
    })
    return ramp("rill.logspace", 4, o.type, n, from, step_of(from, to, n), n > 1 and to or from, o.base)
end

-- k / (n d) for k = 0, 1 ... and negative k for the upper half, computed in double precision, as in numpy.
local FREQUENCIES <const> = template.new [[
    kernel void frequencies(int n, int half_n, double d, out $type r<>) {
        int k = indexof(r).x;
        r = $type(double(k < half_n ? k : k - n) / (double(n) * d));
    }
]]

local function frequencies(where, n, d, type, real)
    n = check_count(where, 1, "n", n)
    d = d == nil and 1 or d
    if not option.is_finite(d) or d == 0 then
        fail("%s: argument #2 'd': expected the distance of samples, a finite number other than 0, got %s", where,
            errors.told(d))
    end
    type = type == nil and "float" or type
    if type ~= "float" and type ~= "double" then
        fail('%s: argument #3 \'type\': expected "float" or "double", got %s', where, errors.told(type))
    end
    local result = rill.stream(type, real and n > 0 and n // 2 + 1 or n)
    if n > 0 then
        FREQUENCIES:kernel {type = type}(n, real and n or (n + 1) // 2, d, result)
    end
    return result
end

--- rill.fftfreq(n [, d [, type]]) returns the frequencies of the n coefficients of rill.fft for samples at a distance
-- of d: 0, 1, ... , -2, -1, divided by n d. If d is in seconds, they are in hertz. Defaults: d 1, type "float".
function creation.fftfreq(n, d, type, ...)
    errors.none("rill.fftfreq", 4, 3, (...))
    return frequencies("rill.fftfreq", n, d, type)
end

--- rill.rfftfreq(n [, d [, type]]) returns the frequencies of the n // 2 + 1 coefficients of rill.fft with the option
-- `real`: 0, 1, ..., divided by n d. Defaults: d 1, type "float".
function creation.rfftfreq(n, d, type, ...)
    errors.none("rill.rfftfreq", 4, 3, (...))
    return frequencies("rill.rfftfreq", n, d, type, true)
end

local GEOMETRIC <const> = template.new [[
    kernel void geometric(double from, double to, double ratio, int n, out $type r<>) {
        int i = indexof(r).x;
        double t = double(i) / double(max(n - 1, 1));
        double near = t < 0.5lf ? from * exp(ratio * t) : to * exp(-ratio * (1.0lf - t));
        r = $type(i == 0 ? from : i == n - 1 ? to : near);
    }
]]

--- rill.geomspace(from, to, n [, type]) returns a new stream of n numbers from `from` to `to`, both included, with a
-- constant ratio of neighbors. `from` and `to` are both positive or both negative. `type`: "float" or "double".
-- Default: "float".
function creation.geomspace(from, to, n, type, ...)
    local where <const> = "rill.geomspace"
    errors.none(where, 5, 4, (...))
    check_number(where, 1, "from", from)
    check_number(where, 2, "to", to)
    n = check_count(where, 3, "n", n)
    type = type == nil and "float" or type
    if type ~= "float" and type ~= "double" then
        fail('%s: argument #4 \'type\': expected "float" or "double", got %s', where, errors.told(type))
    elseif from == 0 or to == 0 or (from > 0) ~= (to > 0) then
        fail("%s: expected two positive or two negative numbers, got %s and %s", where, from, to)
    end
    local result <const> = rill.stream(type, n)
    if n > 0 then
        GEOMETRIC:kernel {type = type}(from, to, math.log(math.abs(to)) - math.log(math.abs(from)), n, result)
    end
    return result
end

--- rill.meshgrid(x, y, ... [, {indexing =}]) returns one new stream for each of 1 to 8 streams or tables of one
-- dimension: the coordinates of the points of their grid. With indexing "xy" x runs along the last dimension and y
-- along the one before it; with "ij" the dimensions have the order of the arguments. Default: "xy".
function creation.meshgrid(...)
    local axes, options = {...}, nil
    local last <const> = axes[#axes]
    if type(last) == "table" and not rill.type(last) and #last == 0 and next(last) ~= nil then
        options, axes[#axes] = last, nil
    end
    local o <const> = option.take("rill.meshgrid", options, {indexing = option.choice({"xy", "ij"}, "xy")})
    local rank <const> = #axes
    if rank < 1 or rank > 8 then
        fail("rill.meshgrid: expected 1 to 8 streams, got %d", rank)
    end
    local shape, at = {}, {}
    for d, s in ipairs(axes) do
        if option.table[1](s) then
            s = rill.from(s)
        end
        axes[d] = errors.open(("rill.meshgrid: argument #%d"):format(d), s, "expected a stream or a table, got %s")
        if #axes[d].shape ~= 1 then
            fail("rill.meshgrid: argument #%d: expected a stream of one dimension, got shape %s", d, axes[d].shape)
        end
        at[d] = o.indexing == "xy" and d <= 2 and rank > 1 and 3 - d or d
        shape[at[d]] = axes[d].size
    end
    local results = {}
    for d, s in ipairs(axes) do
        local own, counts = {}, {}
        for e = 1, rank do
            own[e], counts[e] = e == at[d] and shape[e] or 1, e == at[d] and 1 or shape[e]
        end
        if s.size == 0 or math.min(table.unpack(shape)) == 0 then
            results[d] = rill.stream(s.type, shape)
        else
            results[d] = s:reshape(own):tile(table.unpack(counts)):copy()
        end
    end
    return table.unpack(results)
end

for name, f in pairs(creation) do
    creation[name] = errors.guard(f, "rill." .. name)
end

return creation
