-- Primitives of containers: the mapped elements are packed into a stream in address order, for the
-- primitives of streams. A result with one element for each input (scan) is written to a container that is
-- mapped like the input.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local names = require "rill.core.packed_methods"
local scanned = require "rill.container.scan"
local combined = require "rill.stream.parts"
local stream_stats = require "rill.stream.stats"
local types = require "rill.core.types"

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

local function index_of(c, i, ...)
    if i == nil or not core._partial(c, "c:argmax") then
        return i, ...
    end
    return core._line_index(c, i)
end

-- Functions that convert the results of a method.
local finish <const> = {
    argmin = index_of, argmax = index_of, find = points_of, scan = function(c, line)
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

-- If it needs less memory, the mapped elements are packed in parts, and the results of the parts are
-- joined by the functions from here to `joined`.

-- Applies f to numbers, or to vectors component by component.
local function componentwise(f, a, b)
    if type(a) ~= "table" then
        return f(a, b)
    end
    local result = {}
    for d = 1, #a do
        result[d] = f(a[d], type(b) == "table" and b[d] or b)
    end
    return result
end

local function add(a, b) return a + b end
local function less(a, b) return (a ~= a or not (b ~= b or b < a)) and a or b end
local function greater(a, b) return (a ~= a or not (b ~= b or b > a)) and a or b end

-- f(f(f(part 1, part 2), part 3) ...)
local function folding(f)
    return function(_, parts, ...)
        local result
        parts(function(results)
            result = result == nil and results[1] or result ~= nil and componentwise(f, result, results[1])
        end, ...)
        return result
    end
end

local function times(a, b) return a * b end

local function as_float(x) return (string.unpack("f", string.pack("f", x))) end

-- Rounds the result of f to float if kernels read the elements as floats, except for a dot product with
-- doubles.
local function rounded(f, is_dot)
    return function(c, parts, other, ...)
        local result = f(c, parts, other, ...)
        local is_float <const> = types.seen_scalar(c.type) == "float"
            and not (is_dot and types.seen_scalar(other.type) == "double")
        return is_float and componentwise(as_float, result) or result
    end
end

-- Combines lists of the numbers of parts with f, or lists of vectors component by component.
local function columnwise(f, lists, sizes, count)
    if type(lists[1][1]) ~= "table" then
        local first <const>, second <const> = table.unpack(lists)
        return second and f(first, second, sizes, count) or f(first, sizes, count)
    end
    local result = {}
    for d = 1, #lists[1][1] do
        local columns = {}
        for k, list in ipairs(lists) do
            columns[k] = {}
            for i, vector in ipairs(list) do columns[k][i] = vector[d] end
        end
        result[d] = columnwise(f, columns, sizes, count)
    end
    return result
end

local function mean(_, parts, ...)
    local means, sizes = {}, {}
    local count = parts(function(results, size)
        means[#means + 1], sizes[#sizes + 1] = results[1], size
    end, ...)
    return columnwise(combined.mean, {means}, sizes, count)
end

local function norm(_, parts, ...)
    local norms = {}
    parts(function(results) norms[#norms + 1] = results[1] end, ...)
    return combined.join("norm", norms)
end

local function deviation(_, parts)
    local means, own, sizes = {}, {}, {}
    local count = parts(function(results, size)
        means[#means + 1], own[#own + 1], sizes[#sizes + 1] = results[1].mean, results[1].deviation, size
    end)
    return columnwise(combined.deviation, {means, own}, sizes, count)
end

local function variance(c, parts)
    return componentwise(function(d) return d * d end, deviation(c, parts))
end

-- NaN takes precedence; among equal elements the first does.
local function place(before)
    return function(c, parts, ...)
        local best, at
        parts(function(results, _, first, _, line)
            local value = line:get(results[1])
            if not at or best == best and (value ~= value or before(value, best)) then
                best, at = value, first + results[1]
            end
        end, ...)
        return index_of(c, at)
    end
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

local function filter(_, parts, ...)
    local list = {}
    parts(function(results) list[#list + 1] = results[1] end, ...)
    return concatenated(list)
end

local function find(c, parts, ...)
    local list = {}
    parts(function(results, _, _, part) list[#list + 1] = points_of(c, results[1], part) end, ...)
    return core._set_indices(concatenated(list), true)
end

-- Joins the tables of rill.debug.stats. Only finite numbers contribute to the mean.
local function stats(_, parts, ...)
    local all, finite = nil, 0
    parts(function(results)
        local own = results[1]
        local count <const> = own.count - own.nan - own.inf
        if all then
            for _, key in ipairs {"count", "nan", "inf"} do all[key] = all[key] + own[key] end
            all.min = all.min and own.min and math.min(all.min, own.min) or all.min or own.min
            all.max = all.max and own.max and math.max(all.max, own.max) or all.max or own.max
            if count > 0 then
                local share <const> = count / (finite + count)
                all.mean = (all.mean or 0) * (1 - share) + own.mean * share
            end
        end
        all, finite = all or own, finite + count
    end, ...)
    return all
end

-- Determines the bins from the range of all parts first, then counts in each part.
local function histogram(_, parts, options, ...)
    local ranges, total, edges = {}, nil, nil
    if select("#", ...) > 0 then
        -- Too many arguments: the method itself raises the error.
        parts(function() end, function(line, ...) return line:histogram(...) end, options, ...)
    end
    if options == nil or is_table(options) and (options.min == nil or options.max == nil) then
        parts(function(results) combined.extend(ranges, results) end, core._histogram_range)
    end
    parts(function(results)
        local own = results[1]
        local sum = total and (total + own):eval() or own
        if total then
            total:close()
            own:close()
        end
        total = sum
        edges = edges or table.pack(table.unpack(results, 2, results.n))
    end, core._histogram, options, #ranges > 0 and ranges or nil)
    return total, table.unpack(edges)
end

local joined <const> = {
    sum = rounded(folding(add)), dot = rounded(folding(add), true), prod = rounded(folding(times)),
    mean = rounded(mean), norm = rounded(norm), var = rounded(variance), std = rounded(deviation),
    count = folding(add), min = folding(less),
    max = folding(greater), any = folding(function(a, b) return a or b end),
    all = folding(function(a, b) return a and b end),
    argmin = place(function(a, b) return a < b end), argmax = place(function(a, b) return a > b end),
    filter = filter, find = find, histogram = histogram, stats = stats,
}

local function close_all(opened)
    for _, s in ipairs(opened) do
        s:close()
    end
end

-- Functions that are applied to the parts instead of the method itself.
local part_methods <const> = {
    var = core._moments, std = core._moments, histogram = function(line, f, ...) return f(line, ...) end,
    stats = function(line, ...) -- quartiles of parts do not determine the quartiles of all elements
        return select("#", ...) > 0 and line:stats(...) or stream_stats.of(line, true)
    end,
}

-- Calls a method for each part of the mapped elements. `take` gets the results, the number of elements of
-- the part and of the parts before it, the part, and the packed stream.
local function by_parts(c, name, count, take, ...)
    local before = 0
    for k = 1, count do
        local part <close> = core._line_part(c, k, count, "c:" .. name)
        local arguments, opened = prepared(c, name, part, ...)
        local line = core._line(c, c, "c:" .. name, part)
        opened[#opened + 1] = line
        local method = part_methods[name] or line[name]
        take(table.pack(method(line, table.unpack(arguments, 1, arguments.n))), line.size, before, part, line)
        before = before + part.size
        close_all(opened)
    end
    return before
end

-- Returns whether a predicate may depend on the index of an element, which differs when elements are packed in parts:
-- by i, or by random numbers.
local function is_numbered(pred)
    return rill.type(pred) == "kernel" or type(pred) == "string" and
        (pred:find "%f[%w_]i%f[^%w_]" or pred:find "random") ~= nil
end

-- Returns whether a method can be computed in parts.
local function joins(c, name, ...)
    if name == "scan" then
        return scanned.serves(c.type, ...)
    end
    return joined[name] ~= nil and not ((name == "filter" or name == "find") and is_numbered((...)))
end

-- Methods whose result depends on the order of the elements by rounding only. A product may overflow in
-- one order only.
local UNORDERED <const> = {
    sum = true, min = true, max = true, mean = true, var = true, std = true, any = true, all = true,
    count = true, norm = true, stats = true,
}

-- Methods whose partial results may overflow although the total does not.
local IN_RANGE <const> = {sum = true, prod = true, dot = true}

local function is_lost(value)
    if type(value) == "table" then
        for _, x in ipairs(value) do
            if x - x ~= 0 then
                return true
            end
        end
        return false
    end
    return value - value ~= 0
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
    local unordered = partial and UNORDERED[name]
    local parts = partial and joins(c, name, ...) and
        core._line_parts(c, "c:" .. name, name == "histogram", unordered) or 1
    if parts > 1 and name == "scan" then
        return scanned.by_parts(c, parts, ...)
    elseif parts > 1 then
        local function each(take, ...) return by_parts(c, name, parts, take, ...) end
        local results = table.pack(joined[name](c, each, ...))
        if not (IN_RANGE[name] and is_lost(results[1])) then
            return table.unpack(results, 1, results.n)
        end
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
