-- Formats values other than streams for the prompt. Tables are formatted by Penlight's printer, within limits of depth
-- and length.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"

local DEPTH <const> = 4     -- tables inside tables
local ITEMS <const> = 40    -- of one table
local TOTAL <const> = 400   -- of all tables in a value
local STRING <const> = 2000 -- bytes of a text

local pretty = {}

-- Returns a text in double quotes, in which everything except printable UTF-8 is escaped.
local function quoted(text)
    local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
    local parts, at = {}, 1
    while at <= #text do
        local good = utf8.len(text, at, at) and text:match("^" .. utf8.charpattern, at)
        local char = good or text:sub(at, at)
        if escapes[char] then
            char = escapes[char]
        elseif not good or char:find "^[%c\127]" or char:find "^\u{80}" then
            char = char:gsub(".", function(c) return ("\\x%02X"):format(c:byte()) end)
        end
        parts[#parts + 1], at = char, at + (good and #good or 1)
    end
    return '"' .. table.concat(parts) .. '"'
end

--- pretty.printable(text) returns the text with control characters and invalid UTF-8 escaped. Line breaks and tabs are
-- kept.
function pretty.printable(text)
    return (quoted(text):sub(2, -2):gsub('\\(["\\nt])', { ['"'] = '"', ["\\"] = "\\", n = "\n", t = "\t" }))
end

-- Returns a string in quotes; text of several lines is returned unquoted.
local function string_text(text)
    local rest = #text - STRING
    if rest > 0 then
        text = text:sub(1, (utf8.offset(text, 0, STRING + 1) or STRING + 1) - 1)
    end
    local shown = text:find "\n" and utf8.len(text) and not text:find "[^%g%s\128-\255]" and text or quoted(text)
    return rest > 0 and ("%s ... (%d bytes)"):format(shown, #text + rest) or shown
end

local function has_text(value)
    local meta = getmetatable(value)
    return meta == "rill.map" or type(meta) == "table" and rawget(meta, "__tostring") ~= nil
end

-- Returns a placeholder for a value that Penlight cannot write, or not in the desired form. It is replaced in
-- Penlight's text.
local function mark(state, text)
    state.marks[#state.marks + 1] = text
    return ("rill@%d@"):format(#state.marks)
end

-- Returns the text of a value inside a table. Of a stream it is only type and shape, so that nothing is read back.
local function short(value)
    local kind = rill.type(value)
    if kind == "expression" or core._is_open(value) then
        return ("%s<%s>[%s]"):format(kind, value.type, tostring(value.shape))
    elseif kind == "stream" then
        return "closed stream"
    end
    return pretty.printable(errors.number(value))
end

local IDENTIFIER <const> = "^[%a_][%w_]*$"
local trimmed

-- Returns a key for Penlight: a number or a short name, or a placeholder for any other key.
local function key_of(key, state)
    if type(key) == "number" or type(key) == "string" and #key <= 60 and key:find(IDENTIFIER) then
        return key
    end
    return mark(state, type(key) == "string" and string_text(key) or short(key))
end

-- Returns a copy of the fields of a table, list items first, up to the limits. A placeholder gives the number of
-- omitted fields. The second result is whether the table is a list without tables in it.
local function fields_of(value, depth, state)
    local copy, count, left, flat = {}, 0, 0, true
    local length = rawlen(value)
    local function take(key, item)
        if count >= ITEMS or state.total >= TOTAL then
            left = left + 1
            return
        end
        count, state.total = count + 1, state.total + 1
        flat = flat and type(item) ~= "table"
        copy[key_of(key, state)] = trimmed(item, depth + 1, state)
    end
    for i = 1, length do
        take(i, rawget(value, i))
    end
    local keys = {}
    for key in next, value do
        if math.type(key) ~= "integer" or key < 1 or key > length then
            keys[#keys + 1] = key
        end
    end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do
        take(key, rawget(value, key))
    end
    if left > 0 then
        local text = mark(state, ("... %d more"):format(left))
        copy[#keys == 0 and #copy + 1 or text] = text
    end
    return copy, flat and #keys == 0
end

-- Returns Penlight's text of a table of numbers and placeholders, with the placeholders replaced. If `space` is "" the
-- text is one line.
local function written(state, value, space)
    local text = state.printer.write(value, space)
    if space == "" then
        text = text:gsub(",", ", "):gsub("=", " = "):gsub("^{(.+)}$", "{ %1 }")
    end
    -- a note about omitted fields has the same placeholder as key and value
    text = text:gsub('%["rill@(%d+)@"%]%s*=%s*"rill@(%d+)@"', function(key, item)
        key, item = state.marks[tonumber(key)], state.marks[tonumber(item)]
        return key == item and key:find "^%.%.%." and key or ("[%s] = %s"):format(key, item)
    end)
    return (text:gsub('"rill@(%d+)@"', function(number) return state.marks[tonumber(number)] end))
end

-- Returns a list of numbers and texts in lines of at most `width` characters.
local function list_text(state, copy, width, indent)
    local lines, line = {}, nil
    for i, item in ipairs(copy) do
        local number = type(item) == "string" and item:match "^rill@(%d+)@$"
        local text = (number and state.marks[tonumber(number)] or tostring(item)) .. (i < #copy and "," or "")
        if line and #indent + 2 + #line + 1 + #text <= width then
            line = line .. " " .. text
        else
            lines[#lines + 1] = line
            line = text
        end
    end
    lines[#lines + 1] = line
    return ("{\n%s  %s\n%s}"):format(indent, table.concat(lines, "\n" .. indent .. "  "), indent)
end

-- Returns what Penlight has to write for a table: a placeholder if one line is enough or the table is a plain list,
-- else a copy.
local function trimmed_table(value, depth, state)
    state.open[value] = true
    local copy, list = fields_of(value, depth, state)
    state.open[value] = nil
    local line, indent = written(state, copy, ""), ("  "):rep(depth)
    if not line:find "\n" and #line + #indent + (depth > 0 and 20 or 0) <= state.width then
        return mark(state, line)
    elseif list then
        return mark(state, list_text(state, copy, state.width, indent))
    end
    return copy
end

trimmed = function(value, depth, state)
    if type(value) == "string" then
        return mark(state, string_text(value))
    elseif type(value) ~= "table" or rill.type(value) == "expression" then
        return math.type(value) and value == value and value or mark(state, short(value))
    elseif state.open[value] then
        return mark(state, "<cycle>")
    elseif next(value) == nil then
        return mark(state, "{}")
    elseif has_text(value) then
        return mark(state, pretty.printable(tostring(value)))
    elseif depth >= DEPTH then
        return mark(state, "{...}")
    end
    return trimmed_table(value, depth, state)
end

local function table_text(value, width)
    local found, printer = pcall(require, "pl.pretty")
    if not found then
        return tostring(value) .. "  (install lua-penlight to see the contents of tables)"
    end
    local state = { marks = {}, open = {}, total = 0, width = width, printer = printer }
    local copy = trimmed(value, 0, state)
    return type(copy) == "table" and written(state, copy, "  ") or state.marks[#state.marks]
end

--- pretty.text(value, width) returns the text that the prompt prints for a value; one line if it fits the width.
function pretty.text(value, width)
    if type(value) == "string" then
        return string_text(value)
    elseif rawequal(value, rill) then
        return ("rill %s: ?rill lists its names"):format(rill._VERSION)
    elseif type(value) == "table" and not has_text(value) then
        return table_text(value, width)
    end
    return pretty.printable(errors.number(value))
end

return pretty
