--- rill.csv: files of columns, with values that are separated by commas, tabs or another character.
local categories = require "rill.core.categories"
local core = require "rill.core"
local rill = require "rill"
local lazy = require "rill.core.lazy"
local errors = require "rill.core.error"
local frame_columns = lazy.module "rill.frame.columns"
local frame_table = lazy.module "rill.frame.table"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local fail <const> = errors.fail

local csv = {}
local LOAD <const>, SAVE <const> = "rill.csv.load", "rill.csv.save"
local TYPES <const> = {
    "double", "float", "half", "unorm8", "int", "uint", "int8", "uint8", "int16", "uint16", "bool", "text",
}

local function is_character(v)
    return type(v) == "string" and #v == 1 and not v:find "[%w%.+\"\r\n\0-]"
end

local is_type = option.words(TYPES)[1]
local type_words <const> = '"double", "float", "int", "uint", "bool", "text" or another scalar type'
local delimiter <const> = {is_character, "one character that is not a letter, digit, quote, point, sign or line end"}
local decimal <const> = option.choice({".", ","}, ".")

local function is_words(v)
    for _, word in ipairs(option.is_list(v) and v or {false}) do
        if type(word) ~= "string" or word == "" or word:find("\0", 1, true) then
            return false
        end
    end
    return true
end

local LOADS <const> = {
    header = option.flag, delimiter = delimiter, decimal = decimal, skip = option.number(0, 1 << 53, 0),
    quote = {function(v) return v == false or type(v) == "string" and #v == 1 and not v:find "[%w\r\n\0]" end,
        "one character, or false", '"'},
    comment = {function(v) return type(v) == "string" and #v == 1 and not v:find "[\r\n\0]" end, "one character"},
    missing = {function(v) return v == false or is_words(v) end, "a table of words, or false", {}},
    columns = {option.some(function(v) return type(v) == "string" or math.type(v) == "integer" end),
        "a name, an index from 1, or a table of them"},
    type = {function(v) return is_type(v) or option.table[1](v) end, type_words .. ", or a table of types by name"},
    frame = option.default(option.flag, false),
}
local SAVES <const> = {
    header = option.default(option.flag, true), delimiter = delimiter, decimal = decimal,
    digits = option.number(0, 17, 0), missing = {function(v) return type(v) == "string" end, "a string", "nan"},
}

local function is_tsv(path)
    return type(path) == "string" and path:lower():find "%.tsv$" ~= nil
end

-- Raises if two of the characters that separate are equal.
local function check_different(where, options, first, second)
    if options[first] and options[first] == options[second] then
        fail("%s: options '%s' and '%s': expected different characters, both are %q", where, first, second,
            options[first])
    end
end

-- Returns the names of columns from the fields of the first row: a name that is empty is replaced by "c" and the index
-- of the column; "_2", "_3" ... is appended to repeated names.
local function names_of(fields, header)
    local names, used = {}, {}
    for i, field in ipairs(fields) do
        local name = header and field ~= "" and field or "c" .. i
        local unique, n = name, (used[name] or 1) + 1
        while used[unique] do
            unique, used[name], n = name .. "_" .. n, n, n + 1
        end
        names[i], used[unique] = unique, used[unique] or 1
    end
    return names
end

local function shown(names)
    local list = table.concat(names, ", ", 1, math.min(#names, 12))
    return #names > 12 and list .. ", ..." or list
end

-- Returns the index of a column that an option names.
local function find(key, column, names, places)
    local place = math.type(column) == "integer" and names[column] and column or places[column]
    if not place then
        fail("%s: option '%s': the file has no column %s: its %d columns are %s", LOAD, key,
            type(column) == "string" and ('"%s"'):format(column) or errors.told(column), #names, shown(names))
    end
    return place
end

-- Returns the indices of the columns to read, in the order of the result, and the type of each column of the file.
local function choose(options, names)
    local places, chosen, types, kinds = {}, {}, {}, options.type
    for i, name in ipairs(names) do
        places[name], types[i] = i, false
    end
    local columns = options.columns or names
    for n, column in ipairs(type(columns) == "table" and columns or {columns}) do
        chosen[n] = columns == names and n or find("columns", column, names, places)
        types[chosen[n]] = type(kinds) == "string" and kinds or "auto"
    end
    for column, kind in pairs(type(kinds) == "table" and kinds or {}) do
        local place = find("type", column, names, places)
        if not is_type(kind) then
            fail("%s: option 'type': expected %s for column \"%s\", got %s", LOAD, type_words, names[place],
                errors.told(kind))
        end
        types[place] = types[place] and kind
    end
    return chosen, types
end

--- rill.csv.load(path [, options]) reads the columns of a text file and returns them in a table, by name and by index;
-- `names` is the list of names. A column is a stream of double, with NaN for missing values; a column with a value that
-- is neither a number nor missing is a table of strings. Options: header, delimiter, quote, decimal, comment, skip,
-- missing (false: only empty fields are missing values), columns, type, frame (true: returns a table of rill.frame, in
-- which columns of text, and columns with a text in quotes, are categories).
function csv.load(path, options)
    options = option.take(LOAD, options, LOADS)
    options.delimiter = options.delimiter or is_tsv(path) and "\t" or nil
    check_different(LOAD, options, "delimiter", "decimal")
    check_different(LOAD, options, "delimiter", "quote")
    local missing <const> = options.missing
    local words <const> = missing and table.concat(missing, "\0") .. (#missing > 0 and "\0" or "") .. "\0"
    local file <close>, fields, header = core._csv_open(path, options.delimiter or "", options.quote or "",
        options.decimal, options.comment or "", options.skip, words)
    if options.header ~= nil then
        header = options.header
    end
    local names <const> = names_of(fields, header)
    local chosen, types = choose(options, names)
    local columns, texts = core._csv_read(file, header, types, path, options.frame)
    local result = {names = {}}
    for n, place in ipairs(chosen) do
        local name = names[place]
        if texts[place] then
            columns[place], texts[place] = frame_columns.named(columns[place], texts[place]), nil
        end
        result[n], result.names[n] = columns[place], name
        result[name] = result[name] or columns[place]
    end
    return options.frame and frame_table.new(LOAD, result) or result
end

local function is_text(list)
    for _, item in ipairs(list) do
        if type(item) ~= "string" then
            return false
        end
    end
    return #list > 0
end

-- Returns a column as a table of strings, the table of a category, or a stream of numbers, and its length.
local function column_of(name, value)
    if option.table[1](value) then
        if is_text(value) then
            return value, #value
        end
        local done, s = pcall(rill.from, value, "double")
        if not done and #value > 0 then
            fail("%s: column \"%s\": expected only strings or only numbers", SAVE, name)
        end
        value = done and s or rill.stream("double", 0)
    end
    local set <const> = categories.of(value)
    if set then
        return {codes = value, names = set.list}, value.size
    end
    local s = errors.open(SAVE, value, ("column \"%s\": expected a stream or a table, got %%s"):format(name))
    if #s.shape ~= 1 or not is_type(s.type) then
        fail("%s: column \"%s\": expected a stream of numbers with one dimension, got elements of %s, shape %s%s", SAVE,
            name, tostring(s.type), tostring(s.shape), #s.shape == 1 and "; save its components s.x, s.y ..." or "")
    end
    return s, s.size
end

--- rill.csv.save(path, columns [, options]) writes columns of the same length, each a stream of numbers, a table of
-- numbers or a table of strings. `columns` maps names to columns; its field `names` lists the names in their order.
-- Default of `names`: sorted. Without names: the columns 1 to #columns. Options: header, delimiter, decimal, digits,
-- missing.
function csv.save(path, columns, options)
    options = option.take(SAVE, options, SAVES)
    options.delimiter = options.delimiter or is_tsv(path) and "\t" or options.decimal == "," and ";" or ","
    check_different(SAVE, options, "delimiter", "decimal")
    if not option.table[1](columns) then
        fail("%s: argument #2 'columns': expected a table of columns, got %s", SAVE, errors.told(columns))
    end
    local names, list, rows, seen = tables.order(columns, "c%d", 1), {}, nil, {}
    for i, name in ipairs(names) do
        if name == "" or seen[name] then
            fail("%s: argument #2 'columns': expected different names that are not empty, got \"%s\"%s; " ..
                "rill.csv.load would read another name", SAVE, name, seen[name] and " twice" or "")
        end
        seen[name] = true
        local value = columns[name]
        if value == nil or value == names then
            value = columns[i]
        end
        if type(name) ~= "string" or value == nil then
            fail("%s: argument #2 'columns': 'names' lists %s, which is not a column", SAVE, errors.told(name))
        end
        local column, size = column_of(name, value)
        list[i] = column
        rows = rows or size
        if size ~= rows then
            fail("%s: column \"%s\" has %d row%s, but column \"%s\" has %d", SAVE, name, size, size == 1 and "" or "s",
                names[1], rows)
        end
    end
    if #list == 0 then
        fail("%s: argument #2 'columns': expected at least one column, got %s", SAVE, errors.told(columns))
    end
    core._csv_save(path, names, list, rows, options.delimiter, options.decimal, options.digits, options.missing,
        options.header)
end

for name, f in pairs(csv) do
    csv[name] = errors.guard(f, "rill.csv." .. name)
end
return errors.strict(csv, "rill.csv")
