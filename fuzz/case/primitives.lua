-- Reductions, scans, sorts, compaction, gathers, scatters, searches, histograms and products against plain Lua: types, views, ranks, axes,
-- sizes at the edges of blocks, NaN, -0, the ends of the integers, lengths that only the device knows.
local draw = require "fuzz.support.draw"
local source = require "fuzz.support.source"

local primitives = {batch = 30}

local literal, list_text = source.literal, source.list
local inf, nan = math.huge, 0 / 0

-- ---- data

-- What an element of a type reads as.
local ranges = {
    int = {-2147483648, 2147483647}, uint = {0, 4294967295}, int8 = {-128, 127}, uint8 = {0, 255}, int16 = {-32768,
        32767},
    uint16 = {0, 65535},
}
local seen_as = {int8 = "int", int16 = "int", uint8 = "uint", uint16 = "uint", half = "float", unorm8 = "float"}
local function as(type) return seen_as[type] or type end
local function is_real(type) return as(type) == "float" or type == "double" end

local specials = {float = {nan, inf, -inf, -0.0, 0.0}, double = {nan, inf, -inf, -0.0, 0.0, 1.0 + 2.0 ^ -52},
    half = {nan, inf, -0.0, 65504.0}}

-- A source of values of a type. `small`: whole numbers of at most two digits, so that sums are exact.
local function values_of(d, type, small)
    local kind = d:below(5)
    local range = ranges[type]
    return function()
        if type == "bool" then
            return d:chance(1, 2)
        elseif type == "unorm8" then
            return string.unpack("<f", string.pack("<f", d:below(256) / 255))
        elseif range then
            local low = range[1] < 0
            if kind == 4 and not small and d:chance(1, 2) then
                return d:pick {range[2], range[1], range[2] - 1, range[1] + 1, range[2] // 2 + 1}
            elseif kind == 3 and not small then
                return d:int(range[1], range[2])
            end
            local v = d:below(kind == 0 and 4 or 50)
            return low and d:chance(1, 3) and -v or v
        end
        if kind == 4 and not small and d:chance(1, 3) then
            return d:pick(specials[type])
        end
        local v = d:below(kind == 0 and 4 or 50)
        return (d:chance(1, 3) and -v or v) + 0.0
    end
end

local edges = {127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2049, 4095, 4097, 16385, 65537}

local function size(d, most)
    if d:chance(1, 5) then
        return math.min(d:pick(edges), most or 5000, draw.most)
    end
    return d:weighted {{8, d:int(0, 40)}, {2, d:int(1, 300)}}
end

local function shape_of(d, rank, most)
    if rank == 1 then
        return {size(d, most)}
    end
    local shape = {}
    for k = 1, rank do
        shape[k] = d:chance(1, 12) and math.min(d:pick(edges), 600) or d:int(1, rank == 2 and 12 or 5)
    end
    return shape
end

local function stream(d, name, type, shape, small)
    return source.stream(d, name, type, shape, values_of(d, type, small), {rounds = source.size(shape) > 1000 and 1
        or 2})
end

-- ---- what references share

local function wrap(value, type)
    value = value & 0xffffffff
    return type ~= "uint" and value >= 1 << 31 and value - (1 << 32) or value
end

local function number(v)
    return v == true and 1 or v == false and 0 or v
end

local function holds(v)
    return v ~= false and v ~= 0
end

-- Rows along an axis: a list of lists of flat places, in row-major order of the rest.
local function rows_along(shape, axis)
    local inner, outer = 1, 1
    for k, n in ipairs(shape) do
        inner, outer = k > axis and inner * n or inner, k < axis and outer * n or outer
    end
    local rows = {}
    for o = 0, outer - 1 do
        for i = 1, inner do
            local row = {}
            for k = 0, shape[axis] - 1 do
                row[k + 1] = (o * shape[axis] + k) * inner + i
            end
            rows[#rows + 1] = row
        end
    end
    return rows
end

local function taken(values, places)
    local made = {}
    for i, place in ipairs(places) do
        made[i] = values[place]
    end
    return made
end

local function before(a, b, descending)
    a, b = number(a), number(b)
    if a ~= a or b ~= b then
        return a == a and b ~= b
    end
    return descending and a > b or not descending and a < b
end

-- Places (from 0) in the stable order: merging, since table.sort is not stable.
local function order(values, descending)
    local places = {}
    for i = 1, #values do
        places[i] = i - 1
    end
    table.sort(places, function(a, b)
        local x, y = values[a + 1], values[b + 1]
        if before(x, y, descending) then
            return true
        end
        return not before(y, x, descending) and a < b
    end)
    return places
end

local function pick_places(values, places)
    local made = {}
    for i, place in ipairs(places) do
        made[i] = values[place + 1]
    end
    return made
end

-- name -> operator over what kernels see, by type
local function operator(name, type)
    local whole = type == "int" or type == "uint" or type == "bool"
    local function wrapped(f)
        return function(a, b) return whole and wrap(f(a, b), type) or f(a, b) end
    end
    return ({
        add = wrapped(function(a, b) return a + b end), mul = wrapped(function(a, b) return a * b end),
        min = function(a, b) return a ~= a and a or b ~= b and b or math.min(a, b) end,
        max = function(a, b) return a ~= a and a or b ~= b and b or math.max(a, b) end,
        ["and"] = wrapped(function(a, b) return a & b end), ["or"] = wrapped(function(a, b) return a | b end),
        xor = wrapped(function(a, b) return a ~ b end),
    })[name]
end

local function identity(name, type)
    local real = type == "float" or type == "double"
    local low, high = -2147483648, 2147483647
    if type == "uint" then
        low, high = 0, 4294967295
    elseif type == "bool" then
        low, high = 0, 1
    end
    return ({add = real and 0.0 or 0, mul = real and 1.0 or 1, min = real and inf or high, max = real and -inf or low,
        ["and"] = type == "bool" and 1 or wrap(-1, type), ["or"] = 0, xor = 0})[name]
end

local bitwise = {["and"] = true, ["or"] = true, xor = true}

-- An operation that works on a type.
local function operation(d, type)
    if type == "unorm8" then
        return d:pick {"max", "min"} -- its sums are not exact
    end
    local name = d:pick(is_real(type) and {"add", "max", "min"} or {"add", "max", "min", "and", "or", "xor", "mul"})
    return name
end

local function exact_data(type, name)
    return is_real(type) and (name == "add" or name == "mul")
end

-- The result's type of a scan or a segmented reduction.
local function result_type(type, name)
    return type == "bool" and not bitwise[name] and "int" or as(type)
end

local function as_result(value, type)
    return type == "bool" and value ~= 0 or type ~= "bool" and value or false
end

-- ---- the operations

local makers = {}

local all_types = {"int", "float", "uint", "double", "half", "bool", "int8", "uint8", "int16", "uint16", "unorm8"}

local function fold(values, f, first)
    local total = first
    for i, v in ipairs(values) do
        total = (i == 1 and first == nil) and number(v) or f(total, number(v))
    end
    return total
end

local function extreme_place(values, better)
    local at = 1
    for i, v in ipairs(values) do
        local old, new = number(values[at]), number(v)
        if old == old and (better(new, old) or new ~= new) then
            at = i
        end
    end
    return at
end

local function less(a, b) return a < b end
local function greater(a, b) return a > b end

local function variance(values)
    local mean = fold(values, function(a, b) return a + b end, 0.0) / #values
    return fold(values, function(a, b) return a + (b - mean) ^ 2 end, 0.0) / #values
end

-- name -> reference of a list; `exact` needs small data of floats
local reductions = {
    sum = function(values, type) return fold(values, function(a, b) return a + b end, is_real(type) and 0.0 or 0) end,
    min = function(values) return number(values[extreme_place(values, less)]) end,
    max = function(values) return number(values[extreme_place(values, greater)]) end,
    any = function(values) return fold(values, function(a, b) return a or holds(b) end, false) end,
    all = function(values) return fold(values, function(a, b) return a and holds(b) end, true) end,
    count = function(values) return fold(values, function(a, b) return a + (holds(b) and 1 or 0) end, 0) end,
    argmin = function(values) return extreme_place(values, less) end,
    argmax = function(values) return extreme_place(values, greater) end,
    mean = function(values) return fold(values, function(a, b) return a + b end, 0.0) / #values end,
    var = variance, std = function(values) return math.sqrt(variance(values)) end,
    norm = function(values) return math.sqrt(fold(values, function(a, b) return a + b * b end, 0.0)) end,
}
local reduction_names = {"sum", "min", "max", "any", "all", "count", "argmin", "argmax", "mean", "var", "std", "norm"}
local nothing_of_none = {min = true, max = true, mean = true, var = true, std = true, argmin = true, argmax = true}
-- Roots and quotients: within some ulps of the reference in doubles; sums of squares of n numbers lose a little more.
local near = {mean = 2e-6, var = 1e-5, std = 1e-5, norm = 1e-5}
local NEAR = ", function(a, b) return math.abs(a - b) <= %g * math.abs(a) + %g end"

function makers.reduce(d)
    local type, name = d:pick(all_types), d:pick(reduction_names)
    local shape = shape_of(d, d:int(1, 3))
    local small = is_real(type) and (name == "sum" or near[name])
    local s = stream(d, "s", type, shape, small)
    local error_bound = near[name] or type == "unorm8" and name == "sum" and 2e-6
    local tolerance = error_bound and NEAR:format(error_bound, 1e-12) or ""
    local axis = d:chance(1, 2) and d:int(1, #shape)
    if not axis then
        if #shape > 1 and name:find "^arg" then
            return s.lines .. ("check.equal({%s}, {s:get(s:%s())})\n"):format(
                literal(#s.of > 0 and s.of[reductions[name](s.of)]), name)
        end
        local expected = (#s.of > 0 or not nothing_of_none[name]) and reductions[name](s.of, type)
        if #s.of == 0 and nothing_of_none[name] then
            expected = nil
        end
        return s.lines .. ("local r = s:%s()\n"):format(name) .. (expected == nil and "assert(r == nil)\n"
            or ("same(%q, {%s}, {r}%s)\n"):format(name, literal(expected), tolerance))
    end
    local results = {}
    if shape[axis] == 0 and (nothing_of_none[name]) then
        return s.lines .. ("assert(not pcall(s.%s, s, %d))\n"):format(name, axis)
    end
    for k, row in ipairs(rows_along(shape, axis)) do
        local r = reductions[name](taken(s.of, row), type)
        if name:find "^arg" then
            r = r - 1
        elseif name == "sum" and not is_real(type) then
            r = wrap(r, as(type))
        end
        results[k] = r
    end
    local keep = d:chance(1, 3)
    return s.lines .. ("same(%q, %s, s:%s(%d%s)%s)\n"):format(name .. " along " .. axis, list_text(results), name,
        axis == #shape and d:chance(1, 2) and -1 or axis, keep and ", {keep = true}" or "", tolerance)
end

local function scanned(values, f, first, options)
    local made, total = {}, nil
    local from, to, by = 1, #values, 1
    if options.reverse then
        from, to, by = to, from, -1
    end
    for i = from, to, by do
        local v = number(values[i])
        if options.starts and options.starts[i + (options.reverse and 1 or 0)] then
            total = nil
        end
        local next = total == nil and v or (options.reverse and f(v, total) or f(total, v))
        made[i] = options.exclusive and (total == nil and first or total) or next
        total = next
    end
    return made
end

local function cut(d, n)
    local lengths = {}
    local left = n
    while left > 0 do
        local length = math.min(left, d:weighted {{4, d:below(8)}, {1, d:below(400)}})
        if #lengths > 60 then
            length = left
        end
        lengths[#lengths + 1] = length
        left = left - length
    end
    if d:chance(1, 4) then
        lengths[#lengths + 1] = 0
    end
    return lengths
end

local function starts_of(lengths)
    local starts, at = {}, 1
    for _, length in ipairs(lengths) do
        if length > 0 then
            starts[at] = true
        end
        at = at + length
    end
    return starts
end

local function flags_text(starts, n)
    local flags = {}
    for i = 1, n do
        flags[i] = starts[i] == true
    end
    return ("rill.stream('bool', %d, %s)"):format(n, list_text(flags))
end

function makers.scan(d)
    local type = d:pick(all_types)
    local name = operation(d, type)
    local shape = shape_of(d, d:int(1, 2))
    local s = stream(d, "s", type, shape, exact_data(type, name) or name == "mul")
    local result = result_type(type, name)
    local f, first = operator(name, result), identity(name, result)
    local options, words = {}, {}
    for _, word in ipairs {"exclusive", "reverse"} do
        if d:chance(1, 3) then
            options[word] = true
            table.insert(words, word .. " = true")
        end
    end
    local expected = {}
    if #shape > 1 and d:chance(1, 2) then
        local axis = d:int(1, #shape)
        table.insert(words, "axis = " .. axis)
        for _, row in ipairs(rows_along(shape, axis)) do
            local part = scanned(taken(s.of, row), f, first, options)
            for k, place in ipairs(row) do
                expected[place] = part[k]
            end
        end
    else
        if #shape == 1 and d:chance(1, 3) then
            local lengths = cut(d, #s.of)
            options.starts = starts_of(lengths)
            table.insert(words, "segments = " .. (d:chance(1, 2) and #lengths > 0 and list_text(lengths)
                or flags_text(options.starts, #s.of)))
        end
        expected = scanned(s.of, f, first, options)
    end
    for i, v in ipairs(expected) do
        expected[i] = as_result(v, result)
    end
    return s.lines .. ("same('scan', %s, s:scan(%q, {%s}))\n"):format(list_text(expected), name, table.concat(words,
        ", "))
end

function makers.segments(d)
    local type = d:pick(all_types)
    local name = operation(d, type)
    local n = size(d)
    local s = stream(d, "s", type, {n}, exact_data(type, name) or name == "mul")
    local result = result_type(type, name)
    local f, first = operator(name, result), identity(name, result)
    local lengths, expected, at = cut(d, n), {}, 1
    if #lengths == 0 then
        return s.lines .. "assert(#rill.segmented_reduce(s, rill.stream('int', 0)) == 0)\n"
    end
    for k, length in ipairs(lengths) do
        local part = table.move(s.of, at, at + length - 1, 1, {})
        expected[k] = as_result(length == 0 and first or fold(part, f), result)
        at = at + length
    end
    return s.lines .. ("same('segmented_reduce', %s, rill.segmented_reduce(s, %s, %q))\n"):format(list_text(expected),
        list_text(lengths), name)
end

function makers.by_key(d)
    local n = size(d)
    local type, of = d:pick {"int", "float", "uint8", "bool"}, d:pick {"int", "float", "bool", "int8"}
    local name = operation(d, of)
    local keys, s = stream(d, "keys", type, {n}), stream(d, "s", of, {n}, exact_data(of, name) or name == "mul")
    local result = result_type(of, name)
    local f = operator(name, result)
    local heads, totals = {}, {}
    for i, key in ipairs(keys.of) do
        if i == 1 or key ~= keys.of[i - 1] then
            table.insert(heads, key)
            table.insert(totals, number(s.of[i]))
        else
            totals[#totals] = f(totals[#totals], number(s.of[i]))
        end
    end
    for i, v in ipairs(totals) do
        totals[i] = as_result(v, result)
    end
    return keys.lines .. s.lines
        .. ("local k, v = rill.reduce_by_key(keys, s, %q)\nsame('keys', %s, k)\nsame('values', %s, v)\n"):format(
        name, list_text(heads), list_text(totals))
end

function makers.sort(d)
    local type, shape = d:pick(all_types), shape_of(d, d:weighted {{3, 1}, {2, 2}, {1, 3}}, 70000)
    local s = stream(d, "s", type, shape)
    local axis, descending = d:int(1, #shape), d:chance(1, 3)
    local sorted, places = {}, {}
    for _, row in ipairs(rows_along(shape, axis)) do
        local part = taken(s.of, row)
        local order_of = order(part, descending)
        for k, place in ipairs(row) do
            sorted[place], places[place] = part[order_of[k] + 1], order_of[k]
        end
    end
    local options = ("{axis = %d, descending = %s}"):format(axis, descending)
    local kind = d:below(3)
    if kind == 0 then
        return s.lines .. ("same_bits('sort', %s, s:sort %s)\n"):format(list_text(sorted), options)
    elseif kind == 1 then
        return s.lines .. ("same('argsort', %s, rill.argsort(s, %s))\n"):format(list_text(places), options)
    end
    return s.lines .. ([[
local v = rill.iota(%s)
local k, moved = rill.sort_by_key(s, v, %s)
same_bits('keys', %s, k)
same('places', %s, moved)
]]):format(list_text(shape), options, list_text(sorted), list_text((function()
        local flat = {}
        for _, row in ipairs(rows_along(shape, axis)) do
            for _, place in ipairs(row) do
                flat[place] = row[places[place] + 1] - 1
            end
        end
        return flat
    end)()))
end

function makers.top_k(d)
    local type = d:pick(all_types)
    local s = stream(d, "s", type, {size(d, 20000)})
    local k, largest = d:int(0, math.min(#s.of, 50)), d:chance(1, 2)
    local places = order(s.of, largest)
    local best = table.move(places, 1, k, 1, {})
    return s.lines .. ("local v, p = s:top_k(%d, {largest = %s})\nsame('top', %s, v)\nsame('places', %s, p)\n")
        :format(k, largest,
        list_text(pick_places(s.of, best)), list_text(best))
end

local function predicate(d, type)
    if as(type) == "bool" then
        return d:pick {{"x", holds}, {"!x", function(v) return not v end}}
    end
    local k = d:below(9)
    local number_text = is_real(type) and ("%d.0"):format(k) or as(type) == "uint" and k .. "u" or tostring(k)
    return d:pick {
        {"x > " .. number_text, function(v) return v > k end}, {"x == " .. number_text, function(v) return v == k end},
        {"i % 3 == 0", function(_, i) return i % 3 == 0 end}, {"x != " .. number_text, function(v) return v ~= k end},
        {"false", function() return false end}, {"true", function() return true end},
    }
end

function makers.filter(d)
    local type, shape = d:pick(all_types), shape_of(d, d:int(1, 2), 70000)
    local s = stream(d, "s", type, shape)
    local text, f = table.unpack(predicate(d, type))
    local kept, rest, places = {}, {}, {}
    for i, v in ipairs(s.of) do
        local keep = f(v, i - 1)
        table.insert(keep and kept or rest, v)
        if keep then
            table.insert(places, i - 1)
        end
    end
    return s.lines .. ("same_bits('filter', %s, s:filter %q)\nsame('find', %s, s:find %q)\n"):format(list_text(kept),
        text,
        list_text(places), text) .. ("local a, b = s:partition %q\nsame('kept', %s, a)\nsame('rest', %s, b)\n")
            :format(text,
        list_text(kept), list_text(rest))
end

local function same_key(a, b)
    return a == b or a ~= a and b ~= b
end

local function runs(values)
    local heads, lengths = {}, {}
    for i, v in ipairs(values) do
        if i > 1 and same_key(v, heads[#heads]) then
            lengths[#lengths] = lengths[#lengths] + 1
        else
            table.insert(heads, v)
            table.insert(lengths, 1)
        end
    end
    return heads, lengths
end

function makers.runs(d)
    local type = d:pick(all_types)
    local s = stream(d, "s", type, {size(d, 20000)})
    local unique = d:chance(1, 2)
    local heads, lengths = runs(unique and pick_places(s.of, order(s.of)) or s.of)
    return s.lines .. ("local v, n = s:%s()\nsame('values', %s, v)\nsame('lengths', %s, n)\n"):format(unique
        and "unique" or "runs",
        list_text(heads), list_text(lengths))
end

function makers.bincount(d)
    local type = d:pick {"int", "uint", "uint8", "int16"}
    local n = size(d)
    local high = d:pick {3, 20, 120, 2000, 10000}
    if type == "uint8" then
        high = math.min(high, 255)
    end
    local s = source.stream(d, "s", type, {n}, function() return d:below(high + 1) end)
    local minimum = d:below(10)
    local counts, most = {}, -1
    for _, v in ipairs(s.of) do
        most = math.max(most, v)
    end
    for k = 1, math.max(most + 1, minimum) do
        counts[k] = 0
    end
    for _, v in ipairs(s.of) do
        counts[v + 1] = counts[v + 1] + 1
    end
    return s.lines .. ("same('bincount', %s, rill.bincount(s, {minlength = %d}))\n"):format(list_text(counts), minimum)
end

function makers.histogram(d)
    local type = d:pick {"int", "float", "uint", "double", "uint8"}
    local s = stream(d, "s", type, {size(d)})
    local low, width, bins = d:int(-4, 4), d:pick {1, 2, 4, 0.5}, d:pick {4, 1, 2, 16, 64, 1000}
    local clamp = d:chance(1, 3)
    local counts = {}
    for k = 1, bins do
        counts[k] = 0
    end
    for _, v in ipairs(s.of) do
        local k = (v - low) / width
        if v == v and (clamp or k >= 0 and k <= bins) then
            local bin = k >= bins and bins or k < 0 and 1 or (k // 1 | 0) + 1
            counts[bin] = counts[bin] + 1
        end
    end
    return s.lines .. ("same('histogram', %s, s:histogram {bins = %d, min = %s, max = %s, outside = %q})\n")
        :format(list_text(counts),
        bins, literal(low), literal(low + width * bins), clamp and "clamp" or "drop")
end

-- ---- places

local function index_stream(d, name, shape, n, low)
    local type = d:pick {"int", "uint", "float", "int16"}
    return source.stream(d, name, type, shape, function()
        local v = d:weighted {{12, d:int(0, math.max(n - 1, 0))}, {1, n + d:below(9)}, {low and 1 or 0,
            -1 - d:below(9)},
            {1, type == "uint" and d:pick {4294967295, 3000000000, 2147483648} or type == "int" and low
                and d:pick {2147483647, -2147483648} or n}}
        if type == "uint" and v < 0 then
            v = n
        end
        return type == "float" and v + 0.0 or v
    end)
end

local function bounded(i, n, mode)
    if i >= 0 and i < n then
        return i
    elseif n == 0 or mode == "zero" then
        return nil
    elseif mode == "wrap" then
        return i % n
    elseif mode == "mirror" then
        i = i % (2 * n)
        return i < n and i or 2 * n - 1 - i
    end
    return i < 0 and 0 or n - 1
end

function makers.gather(d)
    local type = d:pick(all_types)
    local shape = shape_of(d, d:weighted {{3, 1}, {1, 2}})
    local s = stream(d, "s", type, shape)
    local index = index_stream(d, "index", shape_of(d, d:int(1, 2), 300), #s.of, true)
    local mode = #shape == 1 and d:pick {"clamp", "wrap", "mirror", "zero"} or "clamp"
    local expected = {}
    for k, i in ipairs(index.of) do
        local at = bounded(i // 1 | 0, #s.of, mode)
        expected[k] = at and s.of[at + 1]
        if not at then
            expected[k] = type ~= "bool" and (is_real(type) and 0.0 or 0) or false
        end
    end
    return s.lines .. index.lines .. ("same('gather', %s, rill.gather(s%s, index))\n"):format(list_text(expected),
        mode == "clamp" and "" or (":boundary %q"):format(mode))
end

local function stored(value, type)
    local range = ranges[type]
    if type == "bool" then
        return value ~= 0
    elseif range and type ~= "int" and type ~= "uint" then
        local bits = type:find "8" and 8 or 16
        value = value & ((1 << bits) - 1)
        return range[1] < 0 and value >= 1 << (bits - 1) and value - (1 << bits) or value
    end
    return value
end

function makers.scatter(d)
    local type = d:pick {"int", "float", "uint", "double", "bool", "uint8", "int16", "half"}
    local n, m = size(d, 2000), size(d, 2000)
    local name = d:chance(1, 3) and "set" or operation(d, type)
    local exact = exact_data(type, name) or name == "mul" or type == "half"
    local to = source.stream(d, "to", type, {n}, values_of(d, type, exact), {written = true})
    local index = index_stream(d, "index", {m}, n, true)
    local s = stream(d, "s", type, {m}, exact)
    local expected = table.move(to.of, 1, n, 1, {})
    local f = name ~= "set" and operator(name, as(type) == "bool" and "int" or as(type)) or function(_, v) return v end
    for k, v in ipairs(expected) do
        expected[k] = number(v)
    end
    for k, i in ipairs(index.of) do
        i = i // 1 | 0
        if i >= 0 and i < n then
            expected[i + 1] = f(expected[i + 1], number(s.of[k]))
        end
    end
    for k, v in ipairs(expected) do
        expected[k] = stored(v, type)
    end
    return to.lines .. index.lines .. s.lines
        .. ("rill.scatter(to, index, s, %q)\nsame('scatter', %s, to)\nsame('base', %s, %s)\n"):format(
        name, list_text(expected), list_text(source.written(to, expected)), to.base_name)
end

function makers.gather_op(d)
    local type = d:pick {"int", "uint", "float"}
    local n, m = d:int(1, 40), size(d, 600)
    local name = type == "float" and d:pick {"max", "min"} or d:pick {"add", "max", "min", "and", "or", "xor"}
    local s = source.stream(d, "s", type, {n}, values_of(d, type, true), {written = true})
    local index = index_stream(d, "index", {m}, n, true)
    local f = operator(name, type)
    local after, got = table.move(s.of, 1, n, 1, {}), {}
    for k, i in ipairs(index.of) do
        i = i // 1 | 0
        got[k] = type == "float" and 0.0 or 0
        if i >= 0 and i < n then
            got[k] = after[i + 1]
            after[i + 1] = f(after[i + 1], after[i + 1])
        end
    end
    return s.lines .. index.lines .. ([[
local to = rill.stream(%q, %d)
rill.gather_op(to, index, s, %q)
same('fetched', %s, to)
same('after', %s, s)
]]):format(type, m, name, list_text(got), list_text(after))
end

function makers.search(d)
    local type = d:pick {"int", "float", "uint", "double", "half", "uint8"}
    local s = stream(d, "s", type, {size(d)})
    local of = type
    local values = stream(d, "values", of, shape_of(d, d:int(1, 2), 300))
    local sorted = pick_places(s.of, order(s.of))
    local right = d:chance(1, 2)
    local expected = {}
    for k, v in ipairs(values.of) do
        local count = 0
        for _, e in ipairs(sorted) do
            if before(e, v) or right and not before(v, e) then
                count = count + 1
            end
        end
        expected[k] = count
    end
    return s.lines .. values.lines .. ("same('searchsorted', %s, rill.searchsorted(s:sort(), values, {side = %q}))\n")
        :format(
        list_text(expected), right and "right" or "left")
end

function makers.merge(d)
    local type, descending = d:pick(all_types), d:chance(1, 3)
    local a, b = stream(d, "a", type, {size(d)}), stream(d, "b", type, {size(d)})
    local both = pick_places(a.of, order(a.of, descending))
    table.move(pick_places(b.of, order(b.of, descending)), 1, #b.of, #both + 1, both)
    local options = ("{descending = %s}"):format(descending)
    return a.lines .. b.lines .. ("same_bits('merge', %s, rill.merge(a:sort %s, b:sort %s, %s))\n"):format(
        list_text(pick_places(both, order(both, descending))), options, options, options)
end

function makers.matmul(d)
    local type = d:pick {"float", "int", "double", "uint", "int8"}
    local n, m, k = d:int(1, 20), d:int(1, 20), d:int(1, 40)
    if d:chance(1, 6) then
        n, m, k = d:pick {63, 64, 65, 1}, d:pick {15, 16, 17, 33}, d:pick {64, 65, 7}
    end
    local a, b = stream(d, "a", type, {n, k}, true), stream(d, "b", type, {k, m}, true)
    local expected = {}
    for i = 1, n do
        for j = 1, m do
            local total = is_real(type) and 0.0 or 0
            for l = 1, k do
                total = total + a.of[(i - 1) * k + l] * b.of[(l - 1) * m + j]
            end
            table.insert(expected, is_real(type) and total or wrap(total, as(type)))
        end
    end
    return a.lines .. b.lines .. ("same('matmul', %s, rill.matmul(a, b))\n"):format(list_text(expected))
end

function makers.transpose(d)
    local type = d:pick(all_types)
    local rank = d:int(2, 4)
    local shape, axes, pool = {}, {}, {}
    for k = 1, rank do
        shape[k] = d:chance(1, 4) and d:pick {15, 16, 17, 33} or d:int(1, 6)
        pool[k] = k
    end
    while #pool > 0 do
        table.insert(axes, table.remove(pool, d:int(1, #pool)))
    end
    local s = stream(d, "s", type, shape)
    local made = {}
    for k, axis in ipairs(axes) do
        made[k] = shape[axis]
    end
    local places = source.places(made, shape, function(index)
        local at = {}
        for k, axis in ipairs(axes) do
            at[axis] = index[k]
        end
        return at
    end)
    return s.lines .. ("same_bits('transpose', %s, s:transpose(%s):copy())\n"):format(list_text(taken(s.of, places)),
        list_text(axes))
end

-- ---- random numbers: what must hold of any

function makers.random(d)
    local kind = d:below(3)
    local seed = d:below(1000000)
    if kind == 0 then
        local n = size(d, 20000)
        local all = {}
        for k = 1, n do
            all[k] = k - 1
        end
        return ("same('permutation', %s, rill.permutation(%d, {seed = %d}):sort())\n"):format(list_text(all), n, seed)
    elseif kind == 1 then
        local n = d:int(1, 3000)
        local k = d:int(0, n)
        return ([[
local c = rill.choice(%d, %d, {replace = false, seed = %d})
assert(#c == %d and #c:unique() == %d, "choice without replacement repeats")
assert(#c == 0 or c:min() >= 0 and c:max() < %d)
]]):format(n, k, seed, k, k, n)
    end
    -- The shares of three equal parts, and of the residues by 3, of n draws: within six standard deviations.
    local low, high = table.unpack(d:pick {{0, 3221225471}, {0, 2}, {0, 4294967294}, {5, 3000000007}, {0, 299}})
    local n = math.min(30000, draw.most)
    return ([[
local r = rill.random(%d, {type = "uint", low = %d, high = %d, seed = %d}):values()
local thirds, residues = {0, 0, 0}, {0, 0, 0}
for _, v in ipairs(r) do
    assert(v >= %d and v <= %d, "outside its range")
    local third, residue = (v - %d) * 3 // %d + 1, v %% 3 + 1
    thirds[third], residues[residue] = thirds[third] + 1, residues[residue] + 1
end
for k = 1, 3 do
    local far = 6 * math.sqrt(#r * 2 / 9) + 1
    assert(math.abs(thirds[k] - #r / 3) < far, "third " .. k .. " has too many or too few: biased")
    assert(math.abs(residues[k] - #r / 3) < far, "residue " .. k .. " has too many or too few: biased")
end
]]):format(n, low, high, seed, low, high, low, high - low + 1)
end

-- ---- lengths that only the device knows

function makers.chain(d)
    local type = d:pick {"int", "float", "uint"}
    local s = stream(d, "s", type, {size(d, 20000)}, true)
    local values, text = s.of, "local t = s\n"
    for _ = 1, d:int(1, 4) do
        local kind = d:below(6)
        if kind == 0 then
            local condition, f = table.unpack(predicate(d, type))
            text = text .. ("t = t:filter %q\n"):format(condition)
            local kept = {}
            for i, v in ipairs(values) do
                if f(v, i - 1) then
                    table.insert(kept, v)
                end
            end
            values = kept
        elseif kind == 1 then
            local descending = d:chance(1, 2)
            text = text .. ("t = t:sort {descending = %s}\n"):format(descending)
            values = pick_places(values, order(values, descending))
        elseif kind == 2 then
            text = text .. "t = (t + t):eval()\n"
            local made = {}
            for i, v in ipairs(values) do
                made[i] = type == "float" and v + v or wrap(v + v, type)
            end
            values = made
        elseif kind == 3 then
            text = text .. "t = t:scan 'max'\n"
            values = scanned(values, operator("max", type), nil, {})
        elseif kind == 4 then
            text = text .. "t = t:unique()\n"
            values = runs(pick_places(values, order(values)))
        else
            text = text .. "t = t:map 'x'\n"
        end
    end
    local sum = type == "float" and 0.0 or 0
    for _, v in ipairs(values) do
        sum = sum + v
    end
    return s.lines .. text .. ("same('sum', {%s}, {t:sum()})\nsame('count', {%d}, {#t})\nsame('chain', %s, t)\n")
        :format(literal(sum),
        #values, list_text(values))
end

-- Booleans from binary strings: every word but 0 is true.
function makers.raw_bool(d)
    local n = d:int(1, 60)
    local words, values = {}, {}
    for i = 1, n do
        words[i] = d:pick {0, 1, 2, 4294967295, 2147483648, 256}
        values[i] = words[i] ~= 0
    end
    local places = order(values)
    local heads, lengths = runs(values)
    local count = 0
    for _, v in ipairs(values) do
        count = count + number(v)
    end
    local k = d:int(1, n)
    local best = table.move(order(values, true), 1, k, 1, {})
    return ([[
local words = %s
local s = rill.stream("bool", #words, ("<" .. ("I4"):rep(#words)):pack(table.unpack(words)))
same('values', %s, s)
same('argsort', %s, rill.argsort(s))
same('count', {%d, %d}, {s:count(), s:sum()})
local heads, totals = rill.reduce_by_key(s, rill.stream("int", #words, 1))
same('keys', %s, heads)
same('totals', %s, totals)
local _, p = s:top_k(%d)
same('top_k', %s, p)
local to = rill.stream("bool", 1)
rill.scatter(to, rill.stream("int", #words), s, "add")
same('scatter', {%s}, to:cast "int")
]]):format(list_text(words), list_text(values), list_text(places), count, count, list_text(heads), list_text(lengths),
    k,
        list_text(best), count > 0 and 1 or 0)
end

local kinds = {
    {4, "reduce"}, {3, "scan"}, {2, "segments"}, {1, "by_key"}, {3, "sort"}, {2, "top_k"}, {2, "filter"}, {2, "runs"},
        {1, "bincount"},
    {2, "histogram"}, {2, "gather"}, {3, "scatter"}, {2, "gather_op"}, {1, "search"}, {1, "merge"}, {1, "matmul"}, {1,
        "transpose"},
    {1, "random"}, {2, "chain"}, {1, "raw_bool"},
}

function primitives.scripts(draws)
    local list = {}
    for i, d in ipairs(draws) do
        list[i] = makers[d:weighted(kinds)](d)
    end
    return list
end

return primitives
