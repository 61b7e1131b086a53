-- JSON for the specs that drive browsers. Objects and arrays are tables; null is nil, and json.empty an empty array.
local json = {empty = {}}

local escapes <const> = {['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t"}

--- Returns the JSON text of a value. A table is an array if it has an element 1, else an object.
function json.encode(value)
    if type(value) == "string" then
        return '"' .. value:gsub('[%c"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
    elseif type(value) ~= "table" then
        return tostring(value)
    end
    local parts = {}
    if value[1] ~= nil or value == json.empty then
        for i, item in ipairs(value) do parts[i] = json.encode(item) end
        return "[" .. table.concat(parts, ",") .. "]"
    end
    for name, item in pairs(value) do parts[#parts + 1] = json.encode(name) .. ":" .. json.encode(item) end
    return "{" .. table.concat(parts, ",") .. "}"
end

local plain <const> = {b = "\b", f = "\f", n = "\n", r = "\r", t = "\t"}
local constants <const> = {["true"] = true, ["false"] = false}
local read

local function read_string(text, at)
    local parts = {}
    while true do
        local part, stop = text:match('^([^"\\]*)(["\\])', at)
        parts[#parts + 1] = part
        at = at + #part + 1
        if stop == '"' then return table.concat(parts), at end
        local c = text:sub(at, at)
        at = at + 1
        if c == "u" then
            local code = tonumber(text:sub(at, at + 3), 16)
            at = at + 4
            local low = code >= 0xD800 and code < 0xDC00 and tonumber(text:match("^\\u(%x%x%x%x)", at) or "", 16)
            if low then
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                at = at + 6
            end
            parts[#parts + 1] = utf8.char(code)
        else
            parts[#parts + 1] = plain[c] or c
        end
    end
end

-- Returns the value at `at` and the position after it.
function read(text, at)
    at = text:find("%S", at)
    local c = text:sub(at, at)
    if c == '"' then return read_string(text, at + 1) end
    if c ~= "{" and c ~= "[" then
        local word = text:match("^[%w.+-]+", at)
        local value = constants[word]
        if value == nil then value = tonumber(word) end
        return value, at + #word
    end
    local result, close = {}, c == "{" and "}" or "]"
    at = text:find("%S", at + 1)
    while text:sub(at, at) ~= close do
        local name = #result + 1
        if c == "{" then
            name, at = read_string(text, at + 1)
            at = text:find(":", at, true) + 1
        end
        result[name], at = read(text, at)
        at = text:find("[^%s,]", at)
    end
    return result, at + 1
end

--- Returns the value of a JSON text, which must be correct.
function json.decode(text)
    return (read(text, 1))
end

return json
