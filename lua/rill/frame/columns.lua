-- Columns of tables: streams of one dimension, and categories, which are streams of codes with names. Makes columns
-- from lists and streams, and converts columns so that they can be joined or compared.
local categories = require "rill.core.categories"
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail
local kernels <const> = template.sections "frame"

local columns = {}

local MISSING <const> = categories.MISSING
local MOST <const> = 2 ^ 31

-- ---- categories

--- columns.category(codes, set) returns a new category of the codes of a stream of uint, which is marked itself.
columns.category = categories.mark

--- columns.recoded(s, map, set) returns a new category with the codes map[code + 1] of a category; `map` is a list of
-- codes. Missing values stay missing.
function columns.recoded(s, map, set)
    local result = rill.stream("uint", s.size)
    if #map > 0 and s.size > 0 then
        local codes <close> = rill.stream("uint", #map, map)
        kernels.recode:kernel()(s, codes, #map, result)
    elseif s.size > 0 then
        result:fill(MISSING)
    end
    return columns.category(result, set)
end

--- columns.compacted(s) returns a category with the same elements and only the names that occur.
function columns.compacted(s)
    local set <const> = categories.of(s)
    local occurrences = #set.list > 0 and s.size > 0 and rill.bincount(rill.min(s, #set.list):eval(), {
        minlength = #set.list + 1}):values() or {}
    local names, map = {}, {}
    for i, name in ipairs(set.list) do
        if (occurrences[i] or 0) > 0 then
            names[#names + 1] = name
        end
        map[i] = math.max(#names - 1, 0)
    end
    return #names == #set.list and s or columns.recoded(s, map, categories.set(names))
end

-- Returns a sorted set of the names of a list, and a list of the new codes.
local function sorted_set(list)
    local sorted = table.move(list, 1, #list, 1, {})
    table.sort(sorted)
    local set, map = categories.set(sorted), {}
    for i, name in ipairs(list) do
        map[i] = categories.code(set, name)
    end
    return set, map
end

--- columns.named(codes, list) returns a category of codes and their names, with the names sorted.
function columns.named(codes, list)
    local set = categories.set(list)
    if set.sorted then
        return columns.category(codes, set)
    end
    local sorted, map = sorted_set(list)
    return columns.recoded(codes, map, sorted)
end

--- columns.of_texts(list, names) returns a category of a list of strings; false is a missing value. Default of `names`:
-- the different strings, sorted. Returns nil and a string that is not in `names`.
function columns.of_texts(list, names)
    local known, codes, order = {}, {}, names or {}
    for i, name in ipairs(order) do
        known[name] = i - 1
    end
    for i, text in ipairs(list) do
        local code = text == false and MISSING or known[text]
        if not code then
            if names then
                return nil, text
            end
            code = #order
            order[code + 1], known[text] = text, code
        end
        codes[i] = code
    end
    local s <const> = rill.stream("uint", #codes, #codes > 0 and codes or nil)
    return names and columns.category(s, categories.set(names)) or columns.named(s, order)
end

--- columns.texts(s) returns the list of the strings of a category; missing values are `missing`.
function columns.texts(s, missing)
    local list, texts = categories.of(s).list, {}
    for i, code in ipairs(s.size > 0 and s:values() or {}) do
        local text = list[code + 1]
        if text == nil then
            text = missing
        end
        texts[i] = text
    end
    return texts
end

-- Returns the names of two ascending lists in ascending order.
local function merged(a, b)
    local names, i, j = {}, 1, 1
    while a[i] and b[j] do
        local x, y = a[i], b[j]
        if x == y then
            names[#names + 1], i, j = x, i + 1, j + 1
        elseif x < y then
            names[#names + 1], i = x, i + 1
        else
            names[#names + 1], j = y, j + 1
        end
    end
    table.move(a, i, #a, #names + 1, names)
    return table.move(b, j, #b, #names + 1, names)
end

-- Returns the ascending names of categories whose names ascend.
local function merged_names(list)
    local lists = {}
    for i, s in ipairs(list) do
        lists[i] = categories.of(s).list
    end
    while #lists > 1 do -- neighbors are merged, so that a name is copied once for each doubling
        local next_lists = {}
        for i = 1, #lists, 2 do
            next_lists[#next_lists + 1] = lists[i + 1] and merged(lists[i], lists[i + 1]) or lists[i]
        end
        lists = next_lists
    end
    return lists[1]
end

-- Returns the codes of ascending names in a list that contains them and ascends.
local function codes_in(names, list)
    local codes, at = {}, 1
    for i, name in ipairs(names) do
        while list[at] ~= name do
            at = at + 1
        end
        codes[i] = at - 1
    end
    return codes
end

--- columns.unified(list) returns categories with the same elements as a list of categories and one set of names, which
-- is the second result. The names are sorted if those of all categories are; else the new names of each follow.
function columns.unified(list)
    local first, same, sorted = categories.of(list[1]), true, true
    for _, s in ipairs(list) do
        local set = categories.of(s)
        same, sorted = same and set == first, sorted and set.sorted
    end
    if same then
        return list, first
    end
    if sorted then
        local set, result = categories.set(merged_names(list)), {}
        for i, s in ipairs(list) do
            result[i] = columns.recoded(s, codes_in(categories.of(s).list, set.list), set)
        end
        return result, set
    end
    local names, known = {}, {}
    for _, s in ipairs(list) do
        for _, name in ipairs(categories.of(s).list) do
            if not known[name] then
                names[#names + 1], known[name] = name, true
            end
        end
    end
    local set, result = categories.set(names), {}
    for i, s in ipairs(list) do
        local map = {}
        for code, name in ipairs(categories.of(s).list) do
            map[code] = categories.code(set, name)
        end
        result[i] = columns.recoded(s, map, set)
    end
    return result, set
end

-- ---- lists

-- Raises if a number is an integer that no double is equal to.
local function check_exact(where, name, number)
    if math.type(number) == "integer" and math.tointeger(number + 0.0) ~= number then
        fail("%s: column \"%s\": no double is equal to %d: write it as a string, or as a float to round it", where,
            name, number)
    end
end

-- Returns what a list contains: "text", "bool", "int", "double"; nil and the item that does not fit.
local function content_of(list)
    local text, number, whole, truth, absent = false, false, true, false, false
    for i, item in ipairs(list) do
        local kind = math.type(item)
        if type(item) == "string" then
            text = true
        elseif kind then
            number, whole = true, whole and kind == "integer" and item >= -MOST and item < MOST
        elseif item == false then
            absent = true
        elseif item == true then
            truth = true
        else
            return nil, i
        end
        if text and number or truth and (text or number) then
            return nil, i
        end
    end
    if text then
        return "text"
    elseif number then
        return whole and not absent and "int" or "double"
    end
    return (truth or absent) and "bool" or "double"
end

local function of_list(where, name, list)
    if not option.is_list(list) then
        fail("%s: column \"%s\": expected a list without holes, got %s; write false for a missing value", where, name,
            errors.told(list))
    end
    local content, wrong = content_of(list)
    if not content then
        fail("%s: column \"%s\": expected only numbers, only strings or only booleans, got %s at index %d", where, name,
            errors.told(list[wrong]), wrong)
    elseif content == "text" then
        return columns.of_texts(list)
    elseif content == "double" then
        local numbers = {}
        for i, item in ipairs(list) do
            check_exact(where, name, item)
            numbers[i] = item or 0 / 0
        end
        list = numbers
    end
    return rill.stream(content, #list, #list > 0 and list or nil)
end

--- columns.new(where, name, value, rows) returns a column of a value: a stream or an expression of one dimension, a
-- category, a list of numbers, strings or booleans, or one number, string or boolean for all rows. `rows`: the number
-- of rows; nil if it is not known.
function columns.new(where, name, value, rows)
    local kind = type(value)
    if rows and (kind == "number" or kind == "boolean" or kind == "string") then
        check_exact(where, name, value)
        local one <close> = rill.from({kind == "string" and 0 or value}, kind == "string" and "uint" or
            kind == "boolean" and "bool" or math.type(value) == "integer" and value >= -MOST and value < MOST and
            "int" or "double")
        local s = core._sized(one, {rows})
        s:fill(kind == "string" and 0 or value)
        return kind == "string" and columns.category(s, categories.set {value}) or s
    elseif option.table[1](value) then
        return of_list(where, name, value)
    end
    local s = errors.open(where, value, ("column \"%s\": expected a stream or a list, got %%s"):format(name))
    local shape <const> = s.shape
    if #shape ~= 1 then
        fail("%s: column \"%s\": expected one dimension, got shape %s; reshape it, or use its parts s[1], s[2] ...",
            where, name, shape)
    end
    return s
end

-- ---- parts of columns

-- Returns a column with the names of another column.
local function named_as(result, s)
    local set = categories.of(s)
    return set and columns.category(result, set) or result
end
columns.named_as = named_as

--- columns.range(s, first, last) returns the rows first to last (1-based) of a column, a view.
function columns.range(s, first, last)
    return named_as(last < first and core._sized(s, {0}) or s:domain(first, last), s)
end

--- columns.take(s, indices) returns the rows of a column at a stream of 0-based indices.
function columns.take(s, indices)
    return named_as(s.size == 0 and core._sized(s, {0}) or rill.gather(s, indices), s)
end

--- columns.missing(where, name, s, default) returns the argument `default` of columns.take_or for a column: nil if it
-- has missing values, else the option `default` in the type of its elements. Returns nil and true if the column
-- requires a value and the option is nil.
function columns.missing(where, name, s, default)
    local info = types.list[s.type]
    local scalar = info and types.seen_scalar(s.type)
    if categories.of(s) or scalar == "float" or scalar == "double" then
        return nil
    elseif default == nil then
        return nil, true
    end
    local value
    if scalar == "bool" then
        value = default ~= false and default ~= 0
    else
        value = tables.whole(type(default) == "boolean" and (default and 1 or 0) or default)
        if not scalar or math.type(value) ~= "integer" or not pcall(rill.from, {value}, s.type) then
            fail("%s: option 'default': %s does not fit column \"%s\" of %s", where, errors.told(default), name, s.type)
        end
    end
    return value
end

--- columns.take_or(s, indices, default) returns the rows of a column at indices. For an index of -1 the value is
-- missing: NaN, or a number `default`, which integers and booleans require.
function columns.take_or(s, indices, default)
    local set, info = categories.of(s), types.list[s.type]
    local result = core._sized(s, indices.shape)
    if result.size == 0 then
        return named_as(result, s)
    end
    local declared = core._declare(s)
    local value = declared == "" and info.seen or s.type
    local source = s.size > 0 and s or core._sized(s, {1})
    local kernel = kernels.take_or:kernel {declared = declared, T = value, scalar = info and types.seen_scalar(s.type),
        missing = set and "4294967295u" or default == nil and ("%s(uintBitsToFloat(0x7fc00000u))"):format(value) or nil,
        given = not set and default ~= nil}
    if set or default == nil then
        kernel(source, indices, result)
    else
        kernel(source, indices, default, result)
    end
    return named_as(result, s)
end

-- ---- types

--- columns.kind(s) returns the name of the type of a column: "category", or the type of its elements.
function columns.kind(s)
    return categories.of(s) and "category" or s.type
end

--- columns.is_number(s) returns whether the elements of a column are numbers.
function columns.is_number(s)
    local info = types.scalar(s.type)
    return info ~= nil and not categories.of(s) and info.seen ~= "bool"
end

--- columns.is_float(s) returns whether kernels read the elements of a column as float or double.
function columns.is_float(s)
    return types.scalar(s.type) ~= nil and types.is_real(s.type) and not categories.of(s)
end

-- Returns the columns of a list that have rows, or the first one: columns without rows have the type of the others.
local function with_rows(list)
    local some = {}
    for _, s in ipairs(list) do
        some[#some + 1] = s.size > 0 and s or nil
    end
    return #some > 0 and some or {list[1]}
end

--- columns.common(list) returns columns of one type with the same elements as a list of columns; nil if there is none.
-- An int or uint and another type of number become double.
function columns.common(list)
    local category, plain, kind = 0, true, nil
    for _, s in ipairs(list) do
        category = category + (categories.of(s) and 1 or 0)
        plain = plain and s.type == list[1].type
    end
    if category > 0 then
        if category < #list then
            return nil
        end
        return (columns.unified(list))
    elseif plain then
        return list
    end
    for _, s in ipairs(list) do
        local seen = types.scalar(s.type) and types.seen_scalar(s.type)
        if not seen or (seen == "bool") ~= ((kind or seen) == "bool") then
            return nil
        elseif not kind or kind == seen then
            kind = seen
        else
            kind = "double"
        end
    end
    local result = {}
    for i, s in ipairs(list) do
        result[i] = s.type == kind and s or s:cast(kind)
    end
    return result
end

--- columns.concat(list) returns one column of the rows of a list of columns; nil if their types do not fit. The types
-- of columns without rows need not fit.
function columns.concat(list)
    local same = columns.common(list) or columns.common(with_rows(list))
    return same and named_as(rill.concat(same), same[1])
end

return columns
