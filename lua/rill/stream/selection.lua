-- s:select, roll, rot90, pad, diff, split, squeeze and expand, rill.take_along, unravel_index, and rill.stack of
-- streams: parts of streams in other orders and shapes, with the meaning that they have in numpy.
local categories = require "rill.core.categories"
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local core = require "rill.core"
local errors = require "rill.core.error"
local oneline = require "rill.stream.expression_kernel"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail
local layered <const>, part <const>, reshaped <const> = axes.layered, axes.part, axes.reshaped

local selection = {}

-- Returns the open stream before the colon of a method.
local function self_of(where, s)
    return errors.open(where .. ": argument 's'", s)
end

local function is_whole(value, least)
    return math.type(value) == "integer" and value >= least
end

-- ---- select

-- r = s at the indices along the dimension y. Negative indices count from the end.
local SELECT <const> = template.new [[
    $declared kernel void pick($type s[][][], $index at[], int n, out $type r<>) {
        ivec3 p = indexof(r).xyz;
        int i = int(at[p.y]);
        r = s[p.z][i < 0 ? i + n : i][p.x];
    }
]]
local SELECT_FLAT <const> = template.new [[
    $declared kernel void pick($type s[], $index at<>, int n, out $type r<>) {
        int i = int(at);
        r = s[i < 0 ? i + n : i];
    }
]]

-- Raises if a table of indices has a number that is not an integer in -n .. n - 1.
local function check_table(where, indices, n)
    for _, i in ipairs(indices) do
        local whole <const> = math.tointeger(i)
        if option.table[1](i) then
            check_table(where, i, n)
        elseif whole and (whole < -n or whole >= n) then
            fail("%s: index %d is out of range: expected 0-based indices from %d to %d", where, whole, -n, n - 1)
        elseif not whole then
            fail("%s: expected only integers or only booleans, got %s", where, errors.told(i))
        end
    end
end

-- Returns the values by which a kernel text declares the elements of s.
local function element(s)
    local declared <const> = core._declare(s)
    return {declared = declared, type = declared == "" and (oneline.value_types[s.type] or s.type) or s.type}
end

-- Returns a stream of indices or a mask, for n elements.
local function indices_of(where, indices, n)
    if option.table[1](indices) then
        local first = indices
        while type(first) == "table" do
            first = first[1]
        end
        if n > 0 and type(first) ~= "boolean" then
            check_table(where, indices, n)
        end
        return rill.from(indices, type(first) == "boolean" and "bool" or "int")
    end
    local note = type(indices) == "number" and "; put a number into a table" or type(indices) == "boolean" and
        "; s == t compares identity, s:eq(t) makes a mask" or ""
    return errors.open(where, indices, "expected a stream or a table, got %s" .. note)
end

-- Returns s at flat indices.
local function select_flat(s, at)
    local flat = reshaped(s, s.size)
    local result = core._sized(s, at.shape)
    if result.size > 0 then
        local values = element(s)
        values.index = types.seen_scalar(at.type)
        SELECT_FLAT:kernel(values)(flat, at, s.size, result)
    end
    return result
end

-- Returns s at indices along an axis.
local function select_axis(s, at, axis)
    local shape <const>, own <const> = s.shape, at.shape
    local new = table.move(shape, 1, axis - 1, 1, {})
    table.move(own, 1, #own, #new + 1, new)
    table.move(shape, axis + 1, #shape, #new + 1, new)
    if #new > 8 then
        fail("s:select: the result would have %d dimensions, but the limit is 8", #new)
    end
    errors.fits("s:select", new)
    local result = core._sized(s, new)
    if result.size > 0 then
        local layers, before, n, after = layered(s, axis)
        local values = element(s)
        values.index = types.seen_scalar(at.type)
        SELECT:kernel(values)(layers, reshaped(at, at.size), n, result:reshape {before, at.size, after})
    end
    return result
end

--- s:select(indices [, axis]) returns a new stream of the elements at 0-based indices, a stream or a table: numpy's
-- take. The result has the shape of the indices; with `axis` they select along this dimension, which is replaced by the
-- dimensions of the indices. Negative indices count from the end. Booleans are a mask: of the shape of s for elements,
-- or of one dimension for the rows along `axis`. Default of `axis`: all elements in row-major order; 1 for a mask of
-- one dimension.
function selection.select(s, indices, axis, ...)
    errors.none("s:select", 3, 2, (...))
    s = self_of("s:select", s)
    local rank <const> = #s.shape
    axis = axis ~= nil and axes.one("s:select: argument #2 'axis'", axis, rank) or nil
    local n <const> = axis and s.shape[axis] or s.size
    local at = indices_of("s:select: argument #1 'indices'", indices, n)
    local scalar <const> = types.scalar(at.type) and types.seen_scalar(at.type)
    if scalar == "bool" then
        if not axis and at.shape == s.shape then
            return s:filter(at)
        end
        axis = axis or 1
        if #at.shape ~= 1 or at.size ~= s.shape[axis] then
            fail("s:select: argument #1 'indices': a mask of shape %s does not fit dimension %d of shape %s", at.shape,
                axis, s.shape)
        end
        return select_axis(s, at:find(at), axis)
    elseif scalar ~= "int" and scalar ~= "uint" then
        fail("s:select: argument #1 'indices': expected integers or booleans, got %s", at.type)
    end
    if n == 0 and at.size > 0 then
        fail("s:select: argument 's': a stream without elements has none to select")
    end
    return axis and select_axis(s, at, axis) or select_flat(s, at)
end

-- ---- take_along

-- r = s at the indices along the dimension y. Negative indices count from the end.
local TAKE <const> = template.new [[
    $declared kernel void take($type s[][][], $index at<>, int n, out $type r<>) {
        ivec3 p = indexof(r).xyz;
        int i = int(at);
        r = s[p.z][i < 0 ? i + n : i][p.x];
    }
]]

-- Returns views of s and of the indices that have the same sizes in all dimensions but `axis`: a size of 1 is repeated.
local function broadcast(where, s, at, axis)
    local a <const>, b <const>, times_s, times_at = s.shape, at.shape, {}, {}
    for d = 1, #a do
        local same <const> = d == axis or a[d] == b[d]
        if #a ~= #b or not same and a[d] ~= 1 and b[d] ~= 1 then
            fail("%s: shape %s does not fit shape %s of the elements along axis %d: the other dimensions must be the "
                .. "same, or 1", where, b, a, axis)
        end
        times_s[d], times_at[d] = same and 1 or a[d] == 1 and b[d] or 1, same and 1 or b[d] == 1 and a[d] or 1
    end
    if tables.product(times_s) ~= 1 then s = s:tile(table.unpack(times_s)) end
    return s, tables.product(times_at) ~= 1 and at:tile(table.unpack(times_at)) or at
end

--- rill.take_along(s, indices [, axis]) returns the elements at 0-based indices along an axis, a new stream of the
-- shape of the indices: numpy's take_along_axis. `indices` is a stream or a table of integers, which has the shape of s
-- except for the size of the axis; dimensions of size 1 are repeated. Indices without the dimension `axis`, such as the
-- results of s:argmax(axis), give one element each. Negative indices count from the end. Default of `axis`: -1, the
-- last dimension.
function selection.take_along(s, indices, axis, ...)
    local where <const> = "rill.take_along"
    errors.none(where, 4, 3, (...))
    s = errors.open(where .. ": argument #1 's'", s)
    local rank <const> = #s.shape
    axis = axes.one(where .. ": argument #3 'axis'", axis == nil and -1 or axis, rank)
    local place <const> = where .. ": argument #2 'indices'"
    local n <const> = s.shape[axis]
    local at = indices_of(place, indices, n)
    local scalar <const> = types.scalar(at.type) and types.seen_scalar(at.type)
    if scalar ~= "int" and scalar ~= "uint" then
        fail("%s: expected integers, got elements of %s", place, at.type)
    end
    local own <const> = at.shape
    if #own == rank - 1 then
        at = selection.expand(at, axis)
    end
    local from, to = broadcast(place, s, at, axis)
    errors.fits(where, to.shape)
    local result = core._sized(s, to.shape)
    if result.size > 0 and n == 0 then
        fail("%s: argument #1 's': dimension %d has no elements", where, axis)
    elseif result.size > 0 then
        local values = element(s)
        values.index = scalar
        TAKE:kernel(values)((layered(from, axis)), (layered(to, axis)), n, (layered(result, axis)))
    end
    if #own < rank then
        local rest = to.shape
        table.remove(rest, axis)
        return result:reshape(rest)
    end
    return result
end

-- ---- roll, diff, split

local MOST_PARTS <const> = 1 << 20

local function copy_part(result, at, s, axis, first, last)
    if first <= last and s.size > 0 then
        part(result, axis, at, at + last - first):write(part(s, axis, first, last))
    end
end

local function roll(s, n, axis)
    local size <const> = s.shape[axis]
    local result = core._sized(s, s.shape)
    local by <const> = size > 0 and n % size or 0
    copy_part(result, 1, s, axis, size - by + 1, size)
    copy_part(result, by + 1, s, axis, 1, size - by)
    return result
end

--- s:roll(n [, axis]) returns a new stream of the elements moved by n along an axis. Elements that leave the end enter
-- at the beginning. n and axis can be tables of one number per axis. Default of `axis`: all elements in row-major
-- order.
function selection.roll(s, n, axis, ...)
    errors.none("s:roll", 3, 2, (...))
    s = self_of("s:roll", s)
    local shape <const> = s.shape
    local steps <const> = tables.whole(type(n) == "table" and n or {n})
    local list <const> = type(axis) == "table" and axis or {axis}
    for _, step in ipairs(steps) do
        if math.type(step) ~= "integer" then
            fail("s:roll: argument #1 'n': expected a whole number, or a table of one per axis, got %s",
                errors.told(n))
        end
    end
    if #steps == 0 or axis ~= nil and #list ~= #steps or axis == nil and #steps > 1 then
        fail("s:roll: argument #1 'n': expected a whole number, or a table of one per axis, got %s", errors.told(n))
    elseif axis == nil then
        return core._inherit(roll(reshaped(s, s.size), steps[1], 1):reshape(shape), s)
    end
    for k, step in ipairs(steps) do
        s = core._inherit(roll(s, step, axes.one("s:roll: argument #2 'axis'", list[k], #shape)), s)
    end
    return s
end

-- Moves the elements along all axes, or some, by half of their sizes: rounded up if `up` is 1.
local function shift(where, s, given, up)
    s = errors.open(where .. ": argument #1 's'", s)
    local shape <const>, list, by = s.shape, {}, {}
    if given == nil then
        for d = 1, #shape do list[d] = d end
    else
        list = axes.several(where .. ": argument #2 'axes'", type(given) == "table" and given or {given}, #shape)
    end
    for k, axis in ipairs(list) do by[k] = (shape[axis] + up) // 2 end
    return selection.roll(s, by, list)
end

--- rill.fftshift(s [, axes]) returns a new stream in which the coefficient of frequency 0 is in the middle, at index
-- n // 2 (0-based), along an axis, or a table of them. Default: all.
function selection.fftshift(s, which, ...)
    errors.none("rill.fftshift", 3, 2, (...))
    return shift("rill.fftshift", s, which, 0)
end

--- rill.ifftshift(s [, axes]) undoes rill.fftshift, also for odd sizes.
function selection.ifftshift(s, which, ...)
    errors.none("rill.ifftshift", 3, 2, (...))
    return shift("rill.ifftshift", s, which, 1)
end

--- s:diff([n [, axis]]) returns a new stream of the n-th differences of neighbors along an axis: s[i + 1] - s[i] for
-- n = 1. Booleans are compared. Defaults: n = 1, the last axis.
function selection.diff(s, n, axis, ...)
    errors.none("s:diff", 3, 2, (...))
    s = self_of("s:diff", s)
    categories.none(s, "s:diff: argument 's'")
    n = n == nil and 1 or tables.whole(n)
    if not is_whole(n, 0) then
        fail("s:diff: argument #1 'n': expected a whole number from 0, got %s", errors.told(n))
    elseif not types.list[s.type] then
        fail("s:diff: argument 's': expected numbers, vectors or booleans, got %s", s.type)
    end
    axis = axes.one("s:diff: argument #2 'axis'", axis == nil and -1 or axis, #s.shape)
    local result = s
    for _ = 1, math.min(n, s.shape[axis]) do
        local size <const> = result.shape[axis]
        local high, low = part(result, axis, 2, size), part(result, axis, 1, size - 1)
        result = (s.type == "bool" and high:ne(low) or high - low):eval()
        result = result.type == s.type and result or result:cast(s.type) -- differences of uint8 are uint8
    end
    return n == 0 and s:copy() or result
end

--- s:split(n [, axis]) returns a table of n views, the equal parts of a stream along an axis. n: 1 to 2^20. Default of
-- `axis`: 1.
function selection.split(s, n, axis, ...)
    errors.none("s:split", 3, 2, (...))
    s = self_of("s:split", s)
    axis = axes.one("s:split: argument #2 'axis'", axis == nil and 1 or axis, #s.shape)
    local size <const> = s.shape[axis]
    n = tables.whole(n)
    if not is_whole(n, 1) or n > MOST_PARTS then -- any number divides an empty dimension
        fail("s:split: argument #1 'n': expected a whole number from 1 to %d, got %s", MOST_PARTS, errors.told(n))
    elseif size % n ~= 0 then
        fail("s:split: argument #1 'n': %d parts do not divide dimension %d, whose size is %d", n, axis, size)
    end
    local views, each <const> = {}, size // n
    for k = 1, n do
        views[k] = part(s, axis, (k - 1) * each + 1, k * each)
    end
    return views
end

--- s:rot90([k [, axes]]) returns a view of a stream that is rotated by k quarter turns in the plane of two axes, from
-- the first towards the second. Defaults: k = 1, axes {1, 2}.
function selection.rot90(s, k, plane, ...)
    errors.none("s:rot90", 4, 3, (...))
    s = self_of("s:rot90", s)
    k = k == nil and 1 or tables.whole(k)
    if math.type(k) ~= "integer" then
        fail("s:rot90: argument #1 'k': expected a whole number, got %s", errors.told(k))
    end
    local rank <const>, place <const> = #s.shape, "s:rot90: argument #2 'axes'"
    if plane ~= nil and not (option.table[1](plane) and #plane == 2) then
        fail("%s: expected a table of two axes, got %s", place, errors.told(plane))
    end
    local first <const> = axes.one(place, plane and plane[1] or 1, rank)
    local second <const> = axes.one(place, plane and plane[2] or 2, rank)
    if first == second then
        fail("%s: expected two different axes, got %s", place, errors.told(plane))
    end
    local order = {}
    for d = 1, rank do order[d] = d end
    order[first], order[second] = second, first
    local turns <const> = k % 4
    if turns == 1 then
        return s:transpose(order):flip(first)
    elseif turns == 3 then
        return s:transpose(order):flip(second)
    end
    return turns == 2 and s:flip(first):flip(second) or s:reshape(s.shape)
end

--- rill.unravel_index(indices, shape) returns the indices in each dimension of a shape of flat row-major indices, all
-- 0-based: one new stream of int for each dimension, the slowest one first. `indices`: a stream of integers, or a
-- table. Indices out of range are an error, so the call waits for the device.
function selection.unravel_index(indices, shape, ...)
    local where <const> = "rill.unravel_index"
    errors.none(where, 3, 2, (...))
    shape = tables.whole(type(shape) == "table" and shape or {shape})
    if not option.is_shape(shape, 1, 8) then
        fail("%s: argument #2 'shape': expected 1 to 8 sizes, got %s", where, errors.told(shape))
    end
    local count <const> = tables.product(shape)
    if option.table[1](indices) then
        for _, i in ipairs(indices) do
            local whole <const> = math.tointeger(i)
            if not whole or whole < 0 or whole >= count then
                fail("%s: argument #1 'indices': expected 0-based indices from 0 to %d, got %s", where, count - 1,
                    errors.told(i))
            end
        end
        indices = rill.from(indices, "int")
    end
    local at = errors.open(where .. ": argument #1 'indices'", indices, "expected a stream or a table, got %s")
    local scalar <const> = types.scalar(at.type) and types.seen_scalar(at.type)
    if scalar ~= "int" and scalar ~= "uint" then
        fail("%s: argument #1 'indices': expected integers, got elements of %s", where, at.type)
    end
    local as_given <const> = at
    at = scalar == "int" and at or at:cast "int"
    local outside <const> = at:lt(0) | at:ge(count)
    if at.size > 0 and outside:count() > 0 then
        fail("%s: argument #1 'indices': expected 0-based indices from 0 to %d, got %s", where, count - 1,
            as_given:get(outside:argmax()))
    end
    local results, after = {}, count
    for d, size in ipairs(shape) do
        after = after // size
        results[d] = (d == 1 and at // after or at // after % size):eval()
    end
    return table.unpack(results)
end

-- ---- pad

local PAD <const> = template.new [[
    $declared kernel void pad($type s[][][], int before, out $type r<>) {
        ivec3 p = indexof(r).xyz;
        r = s[p.z][p.y - before][p.x];
    }
]]

-- Returns s continued along an axis by its elements at the same distance on the other side of the first and the last
-- one.
local function reflect(s, axis, before, more)
    local period <const> = math.max(2 * s.shape[axis] - 2, 1)
    local at <const> = ((rill.iota(s.shape[axis] + more) - before) % period):eval()
    return selection.select(s, rill.min(at, period - at):eval(), axis)
end

local function is_amount(v)
    return is_whole(v, 0)
end
local AMOUNT <const> = {option.some(is_amount), "a whole number from 0, or a table of one per dimension", 0}

local FEW <const> = 1 << 16 -- elements that are filled by one launch, also where they are written later

-- Fills a stream with the option `value`.
local function fill(s, value)
    local done, message = pcall(s.fill, s, value)
    if not done then
        fail("%s", (message:gsub("^.-s:fill: ", "s:pad: ", 1):gsub("argument #1", "option", 1)))
    end
end

-- Fills the elements outside of a box.
local function fill_outside(s, from, to, value)
    local shape <const> = s.shape
    for axis, size in ipairs(shape) do
        if from[axis] > 1 then
            fill(part(s, axis, 1, from[axis] - 1), value)
        end
        if to[axis] < size then
            fill(part(s, axis, to[axis] + 1, size), value)
        end
    end
end

--- s:pad{before =, after =, value =} or s:pad{before =, after =, boundary =} returns a new stream with elements added
-- before and after each dimension: `before` and `after` are a number for all dimensions, or a table of one per
-- dimension. Default: 0. The new elements are `value` (default 0), or follow a boundary mode: "clamp", "wrap",
-- "mirror", "reflect" (as "mirror", but the first and the last element are not repeated) or "zero".
function selection.pad(s, options, ...)
    errors.none("s:pad", 2, 1, (...))
    s = self_of("s:pad", s)
    local o <const> = option.take("s:pad", options, {
        before = AMOUNT, after = AMOUNT, value = {function() return true end, "an element"},
        boundary = option.choice {"clamp", "wrap", "mirror", "reflect", "zero"},
    })
    if o.boundary and o.value ~= nil then
        fail("s:pad: expected the option 'value' or the option 'boundary', got both")
    end
    local shape <const> = s.shape
    local before <const> = option.per_dimension("s:pad", "before", o.before, #shape, "the stream has")
    local after <const> = option.per_dimension("s:pad", "after", o.after, #shape, "the stream has")
    if not o.boundary or o.boundary == "zero" and types.list[s.type] then
        local value = o.value
        if value == nil and not types.list[s.type] then
            fail("s:pad: option 'value' is missing: expected a value of structure %s", s.type)
        elseif value == nil then
            value = s.type ~= "bool" and 0
        end
        local new, from, to = {}, {}, {}
        for d, size in ipairs(shape) do
            new[d], from[d], to[d] = size + before[d] + after[d], before[d] + 1, before[d] + size
        end
        errors.fits("s:pad", new)
        local result = core._sized(s, new)
        if s.size == 0 or result.size < FEW then
            fill(result, value)
        else
            fill_outside(result, from, to, value)
        end
        if s.size > 0 then
            result:write(s, from, to)
        end
        return result
    end
    local result = s
    for axis, size in ipairs(shape) do
        local more <const> = before[axis] + after[axis]
        if more > 0 and size == 0 then
            fail("s:pad: option 'boundary': dimension %d has no elements to continue", axis)
        elseif more > 0 and o.boundary == "reflect" then
            result = reflect(result, axis, before[axis], more)
        elseif more > 0 then
            local layers, outer, n, inner = layered(result, axis)
            local new = result.shape
            new[axis] = n + more
            errors.fits("s:pad", new)
            local padded = core._sized(s, new)
            if padded.size > 0 then
                PAD:kernel(element(s))(layers:boundary("clamp", o.boundary, "clamp"), before[axis],
                    padded:reshape {outer, n + more, inner})
            end
            result = padded
        end
    end
    return result == s and s:copy() or result
end

-- ---- dimensions of size 1

--- s:squeeze([axis]) returns a view without the dimensions of size 1, or without one of them. At least one dimension
-- remains.
function selection.squeeze(s, axis, ...)
    errors.none("s:squeeze", 2, 1, (...))
    s = self_of("s:squeeze", s)
    local shape, new = s.shape, {}
    if axis ~= nil then
        axis = axes.one("s:squeeze: argument #1 'axis'", axis, #shape)
        if shape[axis] ~= 1 then
            fail("s:squeeze: argument #1 'axis': dimension %d has %d elements, not 1", axis, shape[axis])
        end
    end
    for d, size in ipairs(shape) do
        if size ~= 1 or axis and d ~= axis then
            new[#new + 1] = size
        end
    end
    return s:reshape(#new > 0 and new or 1)
end

--- s:expand(axis) returns a view with a new dimension of size 1 at this position: 1 to rank + 1, or -1 for the last.
function selection.expand(s, axis, ...)
    errors.none("s:expand", 2, 1, (...))
    s = self_of("s:expand", s)
    local shape <const> = s.shape
    axis = axes.one("s:expand: argument #1 'axis'", axis, #shape + 1)
    if #shape == 8 then
        fail("s:expand: a stream has at most 8 dimensions")
    end
    local new = table.move(shape, 1, #shape, 1, {})
    table.insert(new, axis, 1)
    return s:reshape(new)
end

local container_stack <const> = core.stack

--- rill.stack(list [, axis]) returns a new stream of streams of one type and shape, joined along a new axis. Default of
-- `axis`: 1. rill.stack(type, options) returns a container.
function selection.stack(list, axis, ...)
    if not errors.not_open(list) then
        fail("rill.stack: argument #1 'list': expected a table of streams, such as {s, t}, got %s", errors.told(list))
    elseif not option.table[1](list) then
        return container_stack(list, axis, ...)
    end
    errors.none("rill.stack", 3, 2, (...))
    local parts = {}
    for k, s in ipairs(list) do
        s = errors.open(("rill.stack: argument #1 'list': item %d"):format(k), s, type(s) == "number" and
            "expected an open stream, got a number: rill.from makes a stream of numbers" or nil)
        if k > 1 and (s.type ~= parts[1].type or s.shape ~= parts[1].shape) then
            local only_type <const> = s.shape == parts[1].shape
            fail("rill.stack: argument #1 'list': item %d: stream<%s>[%s] does not fit stream<%s>[%s]%s", k, s.type,
                s.shape, parts[1].type, parts[1].shape, only_type and ": s:cast converts the type" or "")
        end
        parts[k] = s
    end
    if #parts == 0 then
        fail("rill.stack: argument #1 'list': expected a table of streams, got an empty table")
    end
    local rank <const> = #parts[1].shape
    axis = axes.one("rill.stack: argument #2 'axis'", axis == nil and 1 or axis, rank + 1)
    if rank == 8 then
        fail("rill.stack: a stream has at most 8 dimensions")
    end
    for k, s in ipairs(parts) do
        parts[k] = selection.expand(s, axis)
    end
    return rill.concat(parts, axis)
end

for _, name in ipairs(tables.keys(selection)) do
    local prefix <const> = (name == "stack" or name == "take_along" or name == "unravel_index" or name:find "shift") and
        "rill." or "s:"
    selection[name] = errors.guard(selection[name], prefix .. name, name == "rot90" and "^s:flip" or nil)
end

return selection
