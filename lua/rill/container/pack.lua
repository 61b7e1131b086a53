-- Primitives of containers: the mapped elements are packed into a stream in address order, for the
-- primitives of streams. A result with one element for each input (scan) is written to a container that is
-- mapped like the input.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local names = require "rill.core.packed_methods"
local fold = require "rill.parts.fold"
local reductions = require "rill.core.reductions"
local histogram = require "rill.parts.histogram"
local scan = require "rill.parts.scan"
local stream_stats = require "rill.stream.stats"

local tables = require "rill.core.tables"
local fail <const> = errors.fail
local is_table <const> = option.table[1]
local primitives = {}

local function check_axis(name, given)
    if given ~= nil then
        fail("c:%s: a container that is partly mapped has no axes: its mapped elements are used as one list; "
            .. "c:stream() is a stream of all elements", name)
    end
end

-- Returns whether a value has one element for each of c's: another container, or a stream of its shape.
local function along(c, value)
    local kind = rill.type(value)
    return kind == "container"
        or kind == "stream" and core._is_open(value) and c.shape ~= nil and value.shape == c.shape
end

-- Returns the arguments for the packed stream, and the streams that must be closed after the call.
local function prepared(c, name, part, ...)
    local arguments, opened = table.pack(...), {}
    local function lined(value)
        if rill.type(value) == "expression" then
            value = value:eval()
            opened[#opened + 1] = value
        end
        if not along(c, value) then
            return value
        end
        opened[#opened + 1] = core._line(c, value, "c:" .. name, part)
        return opened[#opened]
    end
    for i = 1, arguments.n do
        arguments[i] = lined(arguments[i])
        if is_table(arguments[i]) then
            local options = {}
            for key, value in pairs(arguments[i]) do
                options[key] = lined(value)
            end
            arguments[i] = options
        end
    end
    return arguments, opened
end

-- Converts indices in the packed stream to coordinates of elements; of lists to indices of entries.
local function points_of(c, numbers, part)
    local points <close> = core._line_points(c, part)
    local found = points and rill.gather(points, numbers)
    if found then
        numbers:close()
    end
    return core._set_indices(found or numbers, true)
end

-- Functions that convert the results of a method.
local finish <const> = {
    find = points_of, scan = function(c, line)
        local made = core._from_line(c, line)
        line:close()
        return made
    end, top_k = function(c, best, places)
        return best, points_of(c, places)
    end,
}

local flattened <const> = {sort = true, top_k = true}

local function sorts_along(arguments)
    return is_table(arguments[1]) and arguments[1].axis ~= nil
end

-- If it needs less memory, the mapped elements are packed in parts, and the results of the parts are joined by the
-- functions of the table `joined`.

local PIECES <const> = 4 -- finding takes memory

-- Returns the 1-based indices of the first element in row-major order that has a value, in a part of which `before`
-- elements precede.
local function place(c, where, line, before, value)
    local test <const> = value ~= value and "x != x" or c.type == "bool" and "int(x) == best" or "x == best"
    local size <const>, first = (line.size + PIECES - 1) // PIECES, nil
    for low = 1, line.size, size do
        local piece <close> = line:domain(low, math.min(low + size - 1, line.size))
        local found <close> = piece:find(test, value == value and {best = value} or nil)
        local at <const> = found.size > 0 and {core._line_first(c, where, found, before + low - 1)}
        first = at and (not first or tables.precedes(at, first)) and at or first
    end
    return first
end

-- Concatenates streams and closes them.
local function concatenated(list)
    local some = {}
    for _, s in ipairs(list) do
        if s.size > 0 then
            some[#some + 1] = s
        end
    end
    local result = #some == 0 and list[1] or #some == 1 and some[1] or rill.concat(some)
    for _, s in ipairs(list) do
        if s ~= result then
            s:close()
        end
    end
    return result
end

-- Adds statistics of a part to those of all parts before it. `finite`: the number of finite numbers before. Only these
-- contribute to the mean.
local function add_stats(all, own, finite)
    local count <const> = own.count - own.nan - own.inf
    for _, key in ipairs {"count", "nan", "inf"} do all[key] = all[key] + own[key] end
    all.min = all.min and own.min and math.min(all.min, own.min) or all.min or own.min
    all.max = all.max and own.max and math.max(all.max, own.max) or all.max or own.max
    if count > 0 then
        local share <const> = count / (finite + count)
        all.mean = (all.mean or 0) * (1 - share) + own.mean * share
    end
end

-- The methods that are computed in parts, of a container and a function that calls f(line, arguments, before, part)
-- for each part: see by_parts.
local joined <const> = {}

--- joined.filter(c, parts) returns the elements of all parts for which a predicate holds.
function joined.filter(_, parts)
    local list = {}
    parts(function(line, arguments) list[#list + 1] = line:filter(table.unpack(arguments, 1, arguments.n)) end)
    return concatenated(list)
end

--- joined.find(c, parts) returns the coordinates of the elements of all parts for which a predicate holds.
function joined.find(c, parts)
    local list = {}
    parts(function(line, arguments, _, part)
        list[#list + 1] = points_of(c, line:find(table.unpack(arguments, 1, arguments.n)), part)
    end)
    return core._set_indices(concatenated(list), true)
end

--- joined.histogram(c, parts, options) returns the histogram of all parts.
function joined.histogram(c, parts, options)
    return histogram.of({where = "c:histogram", type = c.type, each = function(f)
        parts(function(line, arguments) f(line, nil, arguments[1]) end)
    end}, options)
end

--- joined.scan(c, parts, op, options) returns a container of the scan, which is mapped like c.
function joined.scan(c, parts, op, options)
    local made <const> = core._mapped_like(c, c.type)
    scan.of(function(f)
        parts(function(line, _, _, part)
            local own <close> = f(line)
            core._put_line(made, part, own)
        end)
    end, c.type, op, options)
    return made
end

--- joined.stats(c, parts) returns the statistics of all parts, without quartiles.
function joined.stats(_, parts)
    local all, finite = nil, 0
    parts(function(line)
        local own <const> = stream_stats.of(line, true) -- quartiles of parts do not determine those of all elements
        if all then
            add_stats(all, own, finite)
        end
        all, finite = all or own, finite + own.count - own.nan - own.inf
    end)
    return all
end

for name in pairs(reductions) do
    joined[name] = type(name) == "string" and function(c, parts)
        return fold.reduce({where = "c:" .. name, type = c.type, each = function(f)
            parts(function(line, arguments, before)
                f(line, function(_, value) return place(c, "c:" .. name, line, before, value) end, arguments[1])
            end)
        end}, name)
    end or nil
end

local function close_all(opened)
    for _, s in ipairs(opened) do
        s:close()
    end
end

-- Calls f(line, arguments, before, part) for each part of the mapped elements: the packed stream, the arguments of a
-- method of it, and the number of elements of the parts before it. `reverse`: from the last part.
local function by_parts(c, name, count, reverse, f, ...)
    local before = 0
    for k = 1, count do
        local own <const> = reverse and count + 1 - k or k
        local part <close> = count > 1 and core._line_part(c, own, count, "c:" .. name) or nil
        local arguments, opened = prepared(c, name, part, ...)
        local line = core._line(c, c, "c:" .. name, part)
        opened[#opened + 1] = line
        f(line, arguments, before, part)
        before = before + line.size
        close_all(opened)
    end
end

-- Returns whether a predicate may depend on the index of an element, which differs when elements are packed in parts:
-- by i, or by random numbers.
local function is_numbered(pred)
    return rill.type(pred) == "kernel" or type(pred) == "string" and
        (pred:find "%f[%w_]i%f[^%w_]" or pred:find "random") ~= nil
end

-- The most arguments of methods in parts: other arguments are for streams.
local MOST <const> = {scan = 2, histogram = 1, filter = 2, find = 2, dot = 1}

-- Returns whether a method can be computed in parts.
local function joins(c, name, first, ...)
    local count <const> = 1 + select("#", ...)
    if not joined[name] or count > math.max(1, MOST[name] or 0) or not MOST[name] and first ~= nil then
        return false
    elseif name == "scan" then
        return scan.serves(c.type, first, ...)
    elseif name == "dot" then
        return along(c, first)
    end
    return not ((name == "filter" or name == "find") and is_numbered(first))
end

-- Returns whether the order of the elements does not matter.
local function is_unordered(name)
    local row <const> = reductions[name]
    return name == "stats" or row and not row.indices and name ~= "prod" and name ~= "dot"
end

local function call(c, name, axis, ...)
    if rill.type(c) ~= "container" then
        fail("c:%s: argument 'c': expected a container, got %s", name, rill.type(c) or type(c))
    end
    local partial = core._partial(c, "c:" .. name)
    local given = table.pack(...)
    if partial then
        check_axis(name, axis and given[axis])
        for i = 1, given.n do
            check_axis(name, is_table(given[i]) and given[i].axis or nil)
        end
    end
    local unordered = partial and is_unordered(name)
    local in_parts <const> = partial and joins(c, name, ...)
    local parts = in_parts and core._line_parts(c, "c:" .. name, name == "histogram", unordered) or 1
    if parts > 1 or in_parts and reductions[name] and reductions[name].indices then
        return joined[name](c, function(f)
            local reverse <const> = name == "scan" and given[2] and given[2].reverse
            by_parts(c, name, parts, reverse, f, table.unpack(given, 1, given.n))
        end, ...)
    end
    local arguments, opened = prepared(c, name, nil, ...)
    local line = unordered and core._line_unordered(c, "c:" .. name) or core._line(c, c, "c:" .. name)
    opened[#opened + 1] = line
    if flattened[name] and not sorts_along(arguments) then
        line = core._flat(line)
        opened[#opened + 1] = line
    end
    local results = table.pack(line[name](line, table.unpack(arguments, 1, arguments.n)))
    close_all(opened)
    if finish[name] then
        return finish[name](c, table.unpack(results, 1, results.n))
    end
    return table.unpack(results, 1, results.n)
end

for _, row in ipairs(names) do
    local name, axis = row[1], row[2]
    primitives[name] = errors.guard(function(c, ...)
        return call(c, name, axis, ...)
    end, "c:" .. name, "^s:" .. name .. "%f[:]")
end

return primitives
