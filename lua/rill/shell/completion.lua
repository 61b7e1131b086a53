-- Completion at the prompt: globals, fields, methods after ':', option names in the table of a call, and paths in
-- strings.
local core = require "rill.core"
local rill = require "rill.core.public"
local reference = require "rill.shell.reference"

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true until
    while]]):gmatch "%l+" do
    keywords[word] = true
end

-- Parses a text up to its end. If the end is inside a quoted string, returns the index of the opening quote; else nil
-- and the indices of the open brackets. Returns nil, nil inside a long string.
local function situation(text)
    local open, at = {}, 1
    while at <= #text do
        local c = text:sub(at, at)
        local level = text:match("^%[(=*)%[", at)
        if text:find("^%-%-", at) and not text:find("^%-%-%[=*%[", at) then
            at = text:find("\n", at, true) or #text
        elseif level then
            local _, stop = text:find("]" .. level .. "]", at, true)
            if not stop then
                return nil, nil -- inside a long string, for example a kernel text
            end
            at = stop
        elseif c == '"' or c == "'" then
            local stop = at
            repeat
                stop = text:find("[\\" .. c .. "]", stop + 1)
                local escaped = stop and text:sub(stop, stop) == "\\"
                stop = escaped and stop + 1 or stop
            until not stop or not escaped
            if not stop then
                return at
            end
            at = stop
        elseif c:find "[%({%[]" then
            open[#open + 1] = at
        elseif c:find "[%)}%]]" then
            open[#open] = nil
        end
        at = at + 1
    end
    return nil, open
end

-- Returns the value of a chain of names such as a.b[1].c, or nil. No function is called.
local function value_of(chain, env)
    local name, rest = chain:match "^([%a_][%w_]*)(.*)$"
    local value = name and env[name]
    while value ~= nil and rest ~= "" do
        local key, after = rest:match "^%.([%a_][%w_]*)(.*)$"
        if not key then
            key, after = rest:match "^%[(%d+)%](.*)$"
            key = key and math.tointeger(key)
        end
        if not key then
            return nil
        end
        local found, item = pcall(function() return value[key] end)
        value, rest = found and item, after
    end
    return value
end

local function add_keys(into, value, functions)
    for key, item in next, value do
        if type(key) == "string" and key:find "^%a[%w_]*$" and (not functions or type(item) == "function") then
            into[key] = true
        end
    end
end

-- Returns the names in a table and in the tables of its __index chain.
local function table_names(value, functions)
    local names = {}
    for _ = 1, 10 do
        if type(value) ~= "table" then
            break
        end
        add_keys(names, value, functions)
        local meta = getmetatable(value)
        value = type(meta) == "table" and rawget(meta, "__index") or nil
    end
    return names
end

local function module_names(prefix)
    local names = {}
    for _, entry in ipairs(reference.entries()) do
        local name = entry.name:match("^" .. prefix .. "%.([%a][%w_]*)")
        names[name or false] = true
    end
    names[false] = nil
    return names
end

-- Returns the names that may follow '.' or ':' after a value.
local function members(value, separator)
    local letter = reference.letters[rill.type(value)]
    if letter then
        local names = {}
        for name, entry in pairs(reference.members(letter)) do
            names[name] = (entry.params ~= nil) == (separator == ":") or nil
        end
        if rill.type(value) == "expression" then
            names.eval = separator == ":" or nil
        elseif rill.type(value) == "frame" and separator == "." then
            for _, name in ipairs(value.names) do
                names[name] = name:find "^[%a_][%w_]*$" and true or nil
            end
        end
        return names
    elseif rawequal(value, rill) then
        local names = module_names "rill"
        add_keys(names, rill)
        return names
    elseif type(value) == "string" then
        return separator == ":" and table_names(string, true) or {}
    elseif type(value) == "userdata" then
        local meta = getmetatable(value)
        return type(meta) == "table" and table_names(rawget(meta, "__index"), separator == ":") or {}
    end
    return table_names(value, separator == ":")
end

-- Returns the option names of the function or kernel that a chain of names refers to.
local function options_of(chain, env)
    local base, separator, name = chain:match "^(.-)([.:]?)([%a_][%w_]*)$"
    if not name then
        return {}
    end
    local value = separator ~= ":" and value_of(chain, env)
    local keys = {}
    if rill.type(value) == "kernel" then
        for _, parameter in ipairs(value.params) do
            keys[parameter.name] = true
        end
        keys.shape, keys.where = true, true
        return keys
    end
    local owner = separator == ":" and reference.letters[rill.type(value_of(base, env))]
    local full = separator == ":" and (owner or "s") .. ":" .. name or chain
    for _, entry in ipairs(reference.entries()) do
        for _, parameter in ipairs(entry.name == full and entry.params or {}) do
            for _, option in ipairs(parameter.options or {}) do
                keys[option.name] = true
            end
        end
    end
    return keys
end

-- Returns the option names if the end of the text is a key in the table of a call; nil elsewhere.
local function option_names(text, open, env)
    local brace = open[#open]
    if not brace or text:sub(brace, brace) ~= "{" or not text:sub(brace):find "[{,;]%s*[%w_]*$" then
        return nil
    end
    local before = text:sub(1, brace - 1):match "^(.-)%s*$"
    if #open > 1 and not before:find "[%w_]$" then
        local call = open[#open - 1]
        before = text:sub(call, call) == "(" and text:sub(1, call - 1) or ""
    end
    return options_of(before:match "[%a_][%w_%.:]*$" or "", env)
end

-- Returns the names that begin with `part`, sorted, each between `head` and `tail`.
local function matching(names, part, head, tail)
    local list = {}
    for name in pairs(names) do
        if name:sub(1, #part) == part then
            list[#list + 1] = head .. name .. (tail or "")
        end
    end
    table.sort(list)
    return list
end

-- Returns the completions of a path. A line editor closes the quote after the only completion, but a path may continue
-- after a directory. So the entries of a directory are returned too, or "." if it is empty.
local function paths(text, quote, from)
    local list = core._paths(text:sub(quote + 1))
    local directory = #list == 1 and list[1]:sub(-1) == "/" and list[1]
    if directory then
        local inside = core._paths(directory)
        table.move(inside, 1, #inside, 2, list)
        list[2] = list[2] or directory .. "."
    end
    local skipped = from - quote - 1 -- bytes of the path before the word
    for i, path in ipairs(list) do
        list[i] = path:sub(skipped + 1)
    end
    return list
end

--- completion(text, from [, env]) returns the list of possible completions of text:sub(from), the last word of a line.
-- Names are looked up in env. Default: _G.
return function(text, from, env)
    env = env or _G
    local quote, open = situation(text)
    if quote then
        return quote < from and paths(text, quote, from) or {}
    elseif not open then
        return {}
    end
    local chain, separator, part = text:match "([%a_][%w_%.:%[%]]*)([.:])([%w_]*)$"
    part = part or text:match "[%w_]*$"
    local head = text:sub(from, #text - #part)
    if chain then
        local value = value_of(chain, env)
        return value ~= nil and matching(members(value, separator), part, head) or {}
    elseif part:find "^%d" or text:sub(1, #text - #part):find "[.:]$" then
        return {}
    end
    local options = option_names(text, open, env)
    local list = options and matching(options, part, head, " = ") or {}
    if #list == 0 and part ~= "" then
        local names = table_names(env)
        for word in pairs(keywords) do
            names[word] = true
        end
        list = matching(names, part, head)
    end
    return list
end
