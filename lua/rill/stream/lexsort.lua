-- rill.lexsort: the order of rows by several keys. The keys are packed into words of at most 32 bits, each with the
-- bits that its range needs. The words are sorted from the last to the first by stable radix sorts.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail

local lexsort = {}

local PACK <const> = template.file "lexsort"
local WORD <const> = (1 << 32) - 1
local MANY <const> = 1 << 16 -- rows for which it is worthwhile to look for the range of whole floats

-- The ranges of packed integer types and booleans.
local RANGES <const> = {
    bool = {0, 1}, int8 = {-128, 127}, uint8 = {0, 255}, int16 = {-32768, 32767}, uint16 = {0, 65535},
}

-- Returns the number of bits of the codes 0 .. most.
local function bits_of(most)
    local bits = 0
    while most >> bits > 0 do
        bits = bits + 1
    end
    return bits
end

-- Returns the least number of a column of floats or doubles and the difference to the largest one, without NaN, if all
-- are whole and the difference is less than 2^32 - 1; else nil.
local function whole_range(s)
    local nan <const> = rill.isnan(s)
    local number <const> = rill.where(nan, 0, s)
    if s.size < MANY or number:ne(rill.floor(number)):any() then
        return nil
    end
    local least <const>, largest <const> = rill.where(nan, math.huge, s):min(), rill.where(nan, -math.huge, s):max()
    if largest < least then -- all are NaN
        return 0, 0
    elseif largest - least < WORD then
        return least, largest - least
    end
end

-- Returns the fields of a column, the most significant one first: {s =, type =, code = GLSL of the code of x, base =,
-- most =, bits =}.
local function fields_of(column)
    local s <const>, down <const> = column.s, column.descending and "true" or "false"
    local seen <const> = types.seen_scalar(s.type)
    local function field(code, bits, base, most)
        return {s = s, type = seen, unit = "uint", code = code, bits = bits, base = base or 0, most = most or 0}
    end
    local least, most
    if types.is_real(s.type) then
        least, most = whole_range(s)
    end
    if least then
        local code <const> = column.descending and "most_$x - 1u - uint(double($x) - base_$x)" or
            "uint(double($x) - base_$x)"
        local whole <const> = most // 1 | 0
        local own <const> = field(("isnan($x) ? most_$x : %s"):format(code), bits_of(whole + 1), least, whole + 1)
        own.unit = "double"
        return {own}
    elseif seen == "float" then
        return {field(("float_code($x, %s)"):format(down), 32)}
    elseif seen == "double" then
        return {
            field(("double_code($x, %s).y"):format(down), 32), field(("double_code($x, %s).x"):format(down), 32),
        }
    elseif column.limit then -- codes from `limit` on are missing, and last
        local code <const> = column.descending and "uint($x) >= most_$x ? most_$x : most_$x - 1u - uint($x)" or
            "min(uint($x), most_$x)"
        return {field(code, bits_of(column.limit), 0, column.limit)}
    end
    local range <const> = RANGES[s.type] or {s:min(), s:max()}
    if column.descending then
        return {field("base_$x - uint($x)", bits_of(range[2] - range[1]), range[2] & WORD)}
    end
    return {field("uint($x) - base_$x", bits_of(range[2] - range[1]), range[1] & WORD)}
end

-- Divides fields into words: returns a list of lists of fields, and their bits. The last word first.
local function words_of(fields)
    local words, free = {}, 0
    for k = #fields, 1, -1 do
        local f <const> = fields[k]
        if f.bits > free then
            words[#words + 1], free = {bits = 0}, 32
        end
        if f.bits > 0 then -- a key with one value orders nothing
            local word <const> = words[#words]
            f.shift, word.bits, free = word.bits, word.bits + f.bits, free - f.bits
            table.insert(word, 1, f)
        end
    end
    return words
end

-- Returns a new stream of the packed fields of a word, in the smallest type for its bits: a sort takes one pass for
-- each byte.
local function packed(word, n)
    local out <const> = word.bits <= 8 and "uint8" or word.bits <= 16 and "uint16" or "uint"
    local values, given = {fields = {}, float = false, double = false}, {r = rill.stream(out, n)}
    for k, f in ipairs(word) do
        local name <const> = "x" .. k
        values.fields[k] = {type = f.type, unit = f.unit, name = name, code = f.code:gsub("%$x", name)}
        values.float, values.double = values.float or f.type == "float", values.double or f.type == "double"
        given[name], given["base_" .. name], given["most_" .. name] = f.s, f.base, f.most
        given["shift_" .. name] = f.shift
    end
    return PACK:kernel(values)(given)
end

--- lexsort.order(columns) returns an int stream of the 0-based indices of rows in the order of columns, the first of
-- which is the primary key: a list of {s = stream of one dimension with scalar elements, descending = boolean, limit =
-- number}. All streams have the same size. NaN is last. `limit`: s has codes 0 .. limit - 1 (uint), and all other codes
-- are missing values, which are last. Waits for the device if a range of numbers is needed.
function lexsort.order(columns)
    local n <const> = columns[1].s.size
    local fields = {}
    if n > 0 and (#columns > 1 or columns[1].limit or n >= MANY and types.is_real(columns[1].s.type)) then
        for _, column in ipairs(columns) do
            table.move(fields_of(column), 1, 2, #fields + 1, fields)
        end
    end
    local order
    for _, word in ipairs(words_of(fields)) do
        local keys <close> = packed(word, n)
        if not order then
            order = rill.argsort(keys)
        else
            local before <close> = order
            local moved <close> = rill.gather(keys, before)
            order = core._sort_keyed(moved, before)
        end
    end
    return core._set_indices(order or rill.argsort(columns[1].s, {descending = columns[1].descending}), true)
end

--- lexsort.columns(where, name, list) returns a list of the open streams of a list of keys: of one dimension, the same
-- size, and types with an order. Raises for other values, with an error that begins with `where`.
function lexsort.columns(where, name, list)
    local place <const> = ("%s: argument %s"):format(where, name)
    if not option.is_list(list) or #list == 0 then
        fail("%s: expected a table of streams, such as {s, t}, got %s", place, errors.told(list))
    end
    local columns = {}
    for k, value in ipairs(list) do
        local s <const> = errors.open(("%s: item %d"):format(place, k), value)
        if not types.scalar(s.type) then
            fail("%s: item %d: elements of type %s have no order: take a component of each, like s.x", place, k,
                s.type)
        elseif #s.shape ~= 1 then
            fail("%s: item %d: expected a stream of one dimension, got shape %s", place, k, s.shape)
        elseif k > 1 and s.size ~= columns[1].size then
            fail("%s: item %d: expected %d elements as in item 1, got %d", place, k, columns[1].size, s.size)
        end
        columns[k] = s
    end
    return columns
end

local OPTIONS <const> = {descending = {option.some(option.flag[1]), "a boolean, or a table of one per key", false}}

--- rill.lexsort(keys [, {descending =}]) returns an int stream of the 0-based indices that sort rows by several keys: a
-- table of streams of scalars, of one dimension and the same size. The first key is the primary one; elements that are
-- equal in all keys keep their order. `descending` is a boolean, or a table of one per key. Default: false. NaN is
-- last.
lexsort.lexsort = errors.guard(function(keys, options, ...)
    local where <const> = "rill.lexsort"
    errors.none(where, 3, 2, (...))
    local columns <const> = lexsort.columns(where, "#1 'keys'", keys)
    local down <const> = option.take(where, options, OPTIONS).descending
    if type(down) == "table" and #down ~= #columns then
        fail("%s: option 'descending': expected one boolean for each of %d keys, got %d", where, #columns, #down)
    end
    for k, s in ipairs(columns) do
        columns[k] = {s = s, descending = type(down) == "table" and down[k] or down == true}
    end
    return lexsort.order(columns)
end, "rill.lexsort")

return lexsort
