-- rill.lookup, s:isin, and rill.union, intersect and difference: values by keys, and streams as sets.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local match = require "rill.stream.match"
local option = require "rill.core.options"
local types = require "rill.core.types"
local fail <const> = errors.fail

local lookup = {}

-- Returns an open stream of scalars.
local function scalars(place, s)
    s = errors.open(place, s)
    if not types.scalar(s.type) then
        fail("%s: expected a stream of numbers, got elements of %s", place, s.type)
    end
    return s
end

-- Returns an open stream of one dimension.
local function line(place, s)
    if #s.shape ~= 1 then
        fail("%s: expected a stream of one dimension, got shape %s", place, s.shape)
    end
    return s
end

-- Returns the elements as a stream of one dimension.
local function flat(s)
    return #s.shape == 1 and s or axes.reshaped(s, s.size)
end

-- Returns a value of a key for messages.
local function told(s, k)
    return errors.number(s:get(k + 1))
end

-- ---- lookup

-- Returns a stream of one element with the default value; nil if there is none.
local function default_of(kind, default)
    if default == nil then
        return types.is_real(kind) and rill.stream(kind, 1, -(0 / 0)) or nil
    end
    local done, s = pcall(rill.stream, kind, 1, default)
    if not done then
        fail("rill.lookup: argument #4 'default': %s", tostring(s):match "'init': (.*)$" or tostring(s))
    end
    return s
end

--- rill.lookup(keys, table_keys, table_values [, default]) returns, for each key, the value of the equal element of
-- `table_keys`: a new stream of the shape of `keys` and the type of `table_values`. `table_keys` has one dimension and
-- different elements, in any order; `table_values` has as many elements, of any type. Numbers of different types are
-- compared by their values. NaN is equal to NaN. `default` is the value of keys that the table does not have. Default:
-- NaN for floats and doubles; for other types, a key that the table does not have is an error. Waits for the device.
function lookup.lookup(keys, table_keys, table_values, default, ...)
    local where <const> = "rill.lookup"
    errors.none(where, 5, 4, (...))
    keys = scalars(where .. ": argument #1 'keys'", keys)
    local place <const> = where .. ": argument #2 'table_keys'"
    table_keys = line(place, scalars(place, table_keys))
    local values <const> = line(where .. ": argument #3 'table_values'",
        errors.open(where .. ": argument #3 'table_values'", table_values))
    local n <const> = table_keys.size
    if values.size ~= n then
        fail("%s: argument #3 'table_values': expected %d elements as in 'table_keys', got %d", where, n, values.size)
    end
    local outside <const> = default_of(values.type, default)
    local flat_keys <const> = flat(keys)
    local at <close>, row = match.find({flat_keys}, {table_keys}, {unique = true, missing = outside and n or -1})
    if not at then
        fail("%s: key %s occurs more than once: element %d is equal to an earlier one; s:unique() returns the " ..
            "distinct keys", place, told(table_keys, row), row + 1)
    elseif not outside then
        local missing <close> = at:lt(0):eval()
        if missing:any() then
            local k <const> = missing:argmax()
            fail("%s: argument #1 'keys': element %d is %s, which 'table_keys' does not have: give argument #4 " ..
                "'default'", where, k, told(flat_keys, k - 1))
        end
        return rill.gather(values, at):reshape(keys.shape)
    end
    local all <const> = rill.concat {values, outside}
    return rill.gather(all, at):reshape(keys.shape)
end

-- ---- sets

-- Returns the elements of the argument of s:isin as a stream of one dimension.
local function elements_of(place, s, t)
    if not option.table[1](t) then
        return flat(scalars(place, t))
    end
    local done, found = pcall(rill.from, t, s.type) -- such as 0.1 for floats
    if done and types.is_real(s.type) and s.type ~= "double" then -- such as 1e300, which is no infinite float
        local wide <close> = rill.from(t, "double")
        done = #t == 0 or not rill.isinf(found):ne(rill.isinf(wide)):any()
    end
    if not done then
        done, found = pcall(rill.from, t, "double") -- such as 300 for uint8
    end
    if not done and #t > 0 then
        fail("%s: expected a stream or a table of numbers, got %s", place, errors.told(t))
    end
    return done and flat(found) or rill.stream(s.type, 0)
end

-- Returns a stream of booleans of one dimension: whether the elements of s are elements of t.
local function contained(s, t)
    local at <close> = match.find({s}, {t}, {repeats = true})
    return at:ge(0):eval()
end

--- s:isin(t) returns a stream of booleans of the shape of s: whether each element is an element of t, a stream or a
-- table of numbers. Numbers of different types are compared by their values. The numbers of a table are converted to
-- the type of s if they fit it. NaN is equal to NaN. Waits for the device.
function lookup.isin(s, t, ...)
    errors.none("s:isin", 3, 1, (...))
    s = scalars("s:isin: argument 's'", s)
    local own <const> = flat(s)
    return contained(own, elements_of("s:isin: argument #1 't'", s, t)):reshape(s.shape)
end

-- Returns the elements of two sets of the same type as streams of one dimension.
local function sets(where, a, b)
    a = scalars(where .. ": argument #1 'a'", a)
    b = scalars(where .. ": argument #2 'b'", b)
    if a.type ~= b.type then
        fail("%s: argument #2 'b': expected elements of %s as in 'a', got %s: use s:cast", where, a.type, b.type)
    end
    return flat(a), flat(b)
end

-- Returns the distinct elements of a for which being an element of b has the given value.
local function selected(a, b, value)
    local distinct, counts = a:unique()
    counts:close()
    local inside <close> = contained(distinct, b)
    local wanted <close> = value and inside or inside:eq(false):eval()
    local result = distinct:filter(wanted)
    distinct:close()
    return result
end

--- rill.union(a, b) returns the distinct elements of two streams of the same type in ascending order, NaN last: a
-- stream of one dimension. Waits for the device.
function lookup.union(a, b, ...)
    errors.none("rill.union", 3, 2, (...))
    local all <close> = rill.concat {sets("rill.union", a, b)}
    return (all:unique())
end

--- rill.intersect(a, b) returns the distinct elements of `a` that are elements of `b`, in ascending order, NaN last: a
-- stream of one dimension. NaN is equal to NaN. Waits for the device.
function lookup.intersect(a, b, ...)
    errors.none("rill.intersect", 3, 2, (...))
    a, b = sets("rill.intersect", a, b)
    return selected(a, b, true)
end

--- rill.difference(a, b) returns the distinct elements of `a` that are not elements of `b`, in ascending order, NaN
-- last: a stream of one dimension. NaN is equal to NaN. Waits for the device.
function lookup.difference(a, b, ...)
    errors.none("rill.difference", 3, 2, (...))
    a, b = sets("rill.difference", a, b)
    return selected(a, b, false)
end

for name, f in pairs(lookup) do
    lookup[name] = errors.guard(f, (name == "isin" and "s:" or "rill.") .. name, "^s:filter")
end

return lookup
