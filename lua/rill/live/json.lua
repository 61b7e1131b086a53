-- JSON texts, for the headers of messages.

local json = {}

local ESCAPES <const> = {['"'] = '\\"', ["\\"] = "\\\\", ["<"] = "\\u003c", [">"] = "\\u003e", ["&"] = "\\u0026"}

local function escaped(character)
    return ESCAPES[character] or ("\\u%04x"):format(character:byte())
end

--- json.text(value) returns a text in quotes. Bytes that are not UTF-8 become question marks.
function json.text(value)
    local parts, from = {}, 1
    local length, at = utf8.len(value)
    while not length do
        parts[#parts + 1] = value:sub(from, at - 1)
        from = at + 1
        length, at = utf8.len(value, from)
    end
    if from > 1 then
        parts[#parts + 1] = value:sub(from)
        value = table.concat(parts, "?")
    end
    return '"' .. value:gsub('[%c"\\<>&\127]', escaped) .. '"'
end

--- json.number(value [, digits]) returns a number of at most `digits` significant digits (default: 9), or null if it is
-- not finite.
function json.number(value, digits)
    if value ~= value or value - value ~= 0 then
        return "null"
    end
    return ((digits and "%." .. digits .. "g" or "%.9g"):format(value):gsub(",", "."))
end

--- json.exact(value) returns a number with as many digits as it needs; null if it is not finite.
function json.exact(value)
    local text = json.number(value, 15)
    return text ~= "null" and tonumber(text) ~= value and json.number(value, 17) or text
end

--- json.list(values) returns an array of values, which are encoded already.
function json.list(values)
    return "[" .. table.concat(values, ",") .. "]"
end

--- json.value(value) returns a boolean, a number or a text.
function json.value(value)
    local kind = type(value)
    return kind == "boolean" and tostring(value) or kind == "number" and json.exact(value) or json.text(value)
end

--- json.object(...) returns an object of names, each followed by its value, which is encoded already; pairs whose value
-- is nil or false are left out.
function json.object(...)
    local members = {}
    for i = 1, select("#", ...), 2 do
        local name, value = select(i, ...)
        if value then
            members[#members + 1] = json.text(name) .. ":" .. value
        end
    end
    return "{" .. table.concat(members, ",") .. "}"
end

return json
