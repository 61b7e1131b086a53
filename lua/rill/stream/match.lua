-- Searches of rows of keys in tables of keys, for lookups, set operations and joins. If the keys of the table are
-- whole numbers in a small range, an array has the row of each of them. Otherwise the hashes of the table's keys are
-- sorted, and an array has the position of the first hash with the same leading bits. Both do not depend on the order
-- in which invocations run.
local rill = require "rill.core.public"
local held = require "rill.core.scope"
local lexsort = require "rill.stream.lexsort"
local template = require "rill.glsl.template"
local types = require "rill.core.types"

local match = {}

local kernels <const> = template.sections "match"
local FEW <const> = 1 << 16       -- an array has at least this number of elements ...
local LARGEST <const> = 1 << 28   -- and at most this one,
local ELEMENTS_PER_KEY <const> = 2 -- or this many for each key
local MOST_BITS <const> = 26      -- leading bits of hashes

-- Returns the type in which keys of two streams are compared: "uint" (the bits of ints), "float" or "double".
local function compared_as(s, t)
    local a <const>, b <const> = types.seen_scalar(s.type), types.seen_scalar(t.type)
    if a == "float" and b == "float" then
        return a
    end
    local whole <const> = a == b or a == "bool" or b == "bool"
    return whole and not types.is_real(s.type) and not types.is_real(t.type) and "uint" or "double"
end

-- ---- arrays

-- Returns the least element of a column and the difference to the largest one, if all elements are whole.
local function range_of(s)
    if types.is_real(s.type) and s:ne(rill.floor(s)):any() then -- NaN is not equal to itself
        return nil
    end
    local least <const>, most <const> = s:min(), s:max()
    if type(least) == "boolean" then
        return least and 1 or 0, (most and 1 or 0) - (least and 1 or 0)
    end
    return least, most - least
end

-- Returns the ranges of the columns of a table if an array over them has at most `limit` elements: a list of {least,
-- most, step}, and the number of elements.
local function ranges_of(columns, limit)
    local ranges, size = {}, 1
    for k, s in ipairs(columns) do
        local least, most = range_of(s)
        if not least or most ~= most or most >= limit or size * (most + 1) > limit then
            return nil
        end
        ranges[k] = {least = least, most = most // 1 | 0, step = size}
        size = size * ranges[k].most + size
    end
    return ranges, size
end

-- Returns the codes of rows of keys in the ranges.
local function codes_of(columns, ranges, double)
    local given, list = {r = rill.stream("int", columns[1].size)}, {}
    for k, s in ipairs(columns) do
        local name <const>, r <const> = "x" .. k, ranges[k]
        list[k] = {name = name, type = types.seen_scalar(s.type), unit = double and "double" or "uint"}
        given[name], given["most_" .. name], given["step_" .. name] = s, r.most, r.step
        given["least_" .. name] = double and r.least or r.least // 1 & 0xffffffff
    end
    return kernels.codes:kernel {columns = list, double = double}(given)
end

-- Returns the rows of codes. `rows`: the row of each code.
local function picked(codes, rows, missing)
    return kernels.pick:kernel() {code = codes, rows = rows, missing = missing}
end

-- Returns the 0-based index of the first row whose code an earlier row has, too.
local function first_repeated(codes, numbers, size)
    local rows <close> = rill.stream("int", size, codes.size)
    rill.scatter(rows, codes, numbers, "min")
    local first <close> = picked(codes, rows, -1)
    local later <close> = first:ne(numbers):eval()
    return later:argmax() - 1
end

local function find_in_array(keys, columns, options, ranges, size, double)
    local own <close> = held {rows = rill.stream("int", size, -1), numbers = rill.iota(columns[1].size)}
    own.codes = codes_of(columns, ranges, double)
    rill.scatter(own.rows, own.codes, own.numbers)
    if options.unique then
        own.last = picked(own.codes, own.rows, -1)
        if own.last:ne(own.numbers):any() then
            return nil, first_repeated(own.codes, own.numbers, size)
        end
    end
    own.found = codes_of(keys, ranges, double)
    return picked(own.found, own.rows, options.missing or -1)
end

-- ---- hashes

local FORMS <const> = {
    uint = {"uint($)"}, float = {"float_word($)"}, double = {"double_words(double($)).x", "double_words(double($)).y"},
}

-- Returns the values of the kernels of hashes: the columns, and the words into which they are converted.
local function words_of(columns, kinds)
    local values <const> = {columns = {}, words = {}}
    local words <const> = values.words
    for k, s in ipairs(columns) do
        local name <const>, kind <const> = "x" .. k, kinds[k]
        values.columns[k] = {name = name, type = types.seen_scalar(s.type)}
        for _, form in ipairs(FORMS[kind]) do
            words[#words + 1] = {name = "w" .. #words + 1, code = (form:gsub("%$", name))}
        end
    end
    values.others = table.move(words, 2, #words, 1, {})
    values.compared = #words > 1 and words or {} -- the hash of one word determines it
    return values
end

-- Adds the columns to the arguments of a kernel.
local function named(columns, given)
    for k, s in ipairs(columns) do
        given["x" .. k] = s
    end
    return given
end

-- Returns the hashes of the rows of a table in ascending order, and the rows and words in this order.
local function sorted_hashes(columns, values)
    local n <const> = columns[1].size
    local given <const>, made <close> = named(columns, {h = rill.stream("uint", n)}), held {}
    made.h = given.h
    for _, w in ipairs(values.compared) do
        made[w.name] = rill.stream("uint", n)
        given["of_" .. w.name] = made[w.name]
    end
    kernels.hash:kernel(values)(given)
    local numbers <close>, own = rill.iota(n):copy(), {}
    own.h, own.rows = rill.sort_by_key(made.h, numbers)
    for _, w in ipairs(values.compared) do
        own["of_" .. w.name] = rill.gather(made[w.name], own.rows)
    end
    return held(own)
end

-- Removes the rows that are equal to an earlier one. With `unique` returns the 0-based index of the first of them.
local function remove_repeated(own, values, unique)
    local given <const> = {h = own.h, r = rill.stream("int", own.h.size)}
    for _, w in ipairs(values.compared) do
        given["of_" .. w.name] = own["of_" .. w.name]
    end
    local repeated <close> = kernels.repeated:kernel {compared = values.compared}(given)
    if not repeated:any() then
        return nil
    elseif unique then
        local rows <close> = own.rows:filter(repeated)
        return rows:min()
    end
    local first <close> = repeated:eq(0):eval()
    for key, s in pairs(own) do
        own[key] = s:filter(first)
        s:close()
    end
end

local function find_by_hash(keys, columns, options, kinds)
    local own <close> = sorted_hashes(columns, words_of(columns, kinds))
    local row = (options.unique or options.repeats) and remove_repeated(own, words_of(columns, kinds), options.unique)
    if row then
        return nil, row
    end
    local bits = 1
    while bits < MOST_BITS and 1 << bits < 2 * own.h.size do
        bits = bits + 1
    end
    local first <close> = rill.stream("int", 1 << bits, -1)
    kernels.place:kernel()(own.h, 32 - bits, first)
    local values <const> = words_of(keys, kinds)
    local given <const> = named(keys, {
        hashes = own.h, rows = own.rows, first = first, shift = 32 - bits, count = own.h.size,
        missing = options.missing or -1, r = rill.stream("int", keys[1].size),
    })
    for _, w in ipairs(values.compared) do
        given["of_" .. w.name] = own["of_" .. w.name]
    end
    return kernels.find:kernel(values)(given)
end

--- match.find(keys, columns [, options]) returns, for each row of `keys`, the 0-based index of the row of the table
-- `columns` with equal values: an int stream. Both are lists of streams of scalars, as many as the other, whose streams
-- have one dimension and the same size. Numbers of different types are compared by their values. NaN is equal to NaN.
-- Options: `missing`, the index of keys that the table does not have (default: -1); `unique`: the result is nil and the
-- 0-based index of a row if this row of the table is equal to an earlier one; `repeats`: rows of the table may be
-- equal, and the index of any of them is returned. Without both, rows of the table must differ. Waits for the device.
function match.find(keys, columns, options)
    options = options or {}
    local n <const>, size <const> = columns[1].size, keys[1].size
    if n == 0 or size == 0 and not options.unique then
        return rill.stream("int", size, options.missing or -1)
    end
    local kinds, double = {}, false
    for k, s in ipairs(keys) do
        kinds[k] = compared_as(s, columns[k])
        double = double or kinds[k] ~= "uint"
    end
    local ranges, total = ranges_of(columns, math.min(LARGEST, math.max(FEW, ELEMENTS_PER_KEY * (n + size))))
    if ranges then
        return find_in_array(keys, columns, options, ranges, total, double)
    end
    return find_by_hash(keys, columns, options, kinds)
end

--- match.heads(columns) returns an int stream that is 1 in each row that differs from the row before it: the first rows
-- of groups, if the rows are sorted. 0 and -0 are equal, and NaN is equal to NaN.
function match.heads(columns)
    local kinds = {}
    for k, s in ipairs(columns) do
        kinds[k] = compared_as(s, s)
    end
    local values <const> = words_of(columns, kinds)
    for _, w in ipairs(values.words) do
        w.before = w.code:gsub("x%d+", "%0[-1]")
        w.code = w.code:gsub("x%d+", "%0[0]")
    end
    return kernels.heads:kernel(values)(named(columns, {r = rill.stream("int", columns[1].size)}))
end

--- match.ranges(keys, columns) returns, for each row of `keys`, the rows of a table with equal values, which may be
-- several: three int streams, `order`, `first` and `count`. Row i of the keys is equal to the rows order[first[i]] ..
-- order[first[i] + count[i] - 1] of the table, which are in ascending order. The arguments are those of match.find.
function match.ranges(keys, columns)
    local list, own <close> = {}, held {}
    for k, s in ipairs(columns) do
        list[k] = {s = s}
    end
    local order <const>, n <const> = lexsort.order(list), columns[1].size
    if n == 0 or keys[1].size == 0 then
        return order, rill.stream("int", keys[1].size), rill.stream("int", keys[1].size)
    end
    local distinct <const> = {}
    for k, s in ipairs(columns) do
        own[k] = rill.gather(s, order)
        list[k] = own[k]
    end
    own.heads = match.heads(list)
    own.starts = own.heads:find(own.heads)
    for k, s in ipairs(list) do
        own["distinct" .. k] = rill.gather(s, own.starts)
        distinct[k] = own["distinct" .. k]
    end
    own.at = match.find(keys, distinct)
    return order, kernels.ranges:kernel()(own.at, own.starts, own.starts.size, n)
end

--- match.pairs(order, first, count [, keep]) returns all pairs of equal rows that match.ranges describes, two int
-- streams of 0-based indices: the rows of the keys, ascending, and the rows of the table. `keep`: a key without an
-- equal row has one pair, with -1 as the row of the table. Returns nil and the number of pairs if it is 2^31 or more.
function match.pairs(order, first, count, keep)
    local own <close> = held {}
    own.counts = keep and rill.max(count, 1):eval() or count:copy()
    local total <const> = count.size > 0 and own.counts:cast "double":sum() // 1 | 0 or 0
    if total >= 1 << 31 then
        return nil, total
    end
    local rows <const>, found <const> = rill.stream("int", total), rill.stream("int", total)
    if total > 0 then
        own.ends = own.counts:scan()
        own.marks = rill.stream("int", total)
        kernels.mark:kernel()(own.ends, own.counts, own.marks)
        rows:write(own.marks:scan "max")
        kernels.pairs:kernel() {
            row = rows, ends = own.ends, counts = own.counts, count = count, first = first, order = order,
            found = found,
        }
    end
    return rows, found
end

return match
