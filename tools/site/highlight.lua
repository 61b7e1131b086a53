-- Adds syntax colors to Lua code of the manual, and to the kernel text in its long strings: highlight(code) -> HTML.
-- Classes: k keyword, s string, c comment, o output (the text after `-->`).
local reference = require "rill.shell.reference"

local function set(words)
    local list = {}
    for word in words:gmatch "%S+" do
        list[word] = true
    end
    return list
end

local lua_words = set [[and break do else elseif end false for function goto if in local nil not or repeat return then true
    until while]]
local kernel_words = set [[kernel push shared struct typedef const if else for while do return
    break continue void bool int uint float double half vec2 vec3 vec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 dvec2 dvec3 dvec4 mat2
    mat3 mat4 float2 float3 float4 int2 int3 int4 indexof sizeof_stream sizeof_list
    sample_corners spacingof true false]]
for _, entry in ipairs(reference.entries()) do
    local word = entry.form and entry.form:match "^(%l+) T name" -- keywords of parameters
    if word then
        kernel_words[word] = true
    end
end

local entities = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}

local function escape(text)
    return (text:gsub('[&<>"]', entities))
end

local function span(class, text)
    return ('<span class="%s">%s</span>'):format(class, escape(text))
end

-- Kernel text: words and comments.
local function kernel_text(text)
    local parts, at = {}, 1
    while at <= #text do
        local word = text:match("^[%a_][%w_]*", at)
        local comment = text:match("^//[^\n]*", at)
        local taken = word or comment or text:sub(at, at)
        if comment then
            parts[#parts + 1] = span("c", comment)
        else
            parts[#parts + 1] = word and kernel_words[word] and span("k", word) or escape(taken)
        end
        at = at + #taken
    end
    return table.concat(parts)
end

local function long_string(text)
    if not text:match "%f[%a]kernel%s" and not text:match "%f[%a]reduce%s" then
        return span("s", text)
    end
    local open, body, close = text:match "^(%[=*%[)(.*)(%]=*%])$"
    return span("s", open) .. kernel_text(body) .. span("s", close)
end

-- Returns the token at a position: its text and its HTML.
local function token(code, at)
    local level = code:match("^%[(=*)%[", at)
    local comment = code:match("^%-%-[^\n]*", at)
    local quote = code:match("^[\"']", at)
    local word = code:match("^[%a_][%w_]*", at)
    if level then
        local last = select(2, code:find("]" .. level .. "]", at, true)) or #code
        local text = code:sub(at, last)
        return text, long_string(text)
    elseif comment then
        return comment, span(comment:match "^%-%->" and "o" or "c", comment)
    elseif quote then
        local last = at + 1
        while last < #code and code:sub(last, last) ~= quote and code:sub(last, last) ~= "\n" do
            last = last + (code:sub(last, last) == "\\" and 2 or 1)
        end
        local text = code:sub(at, last)
        local shown = text:match "^.kernel%s" and kernel_text(text) or span("s", text)
        return text, shown
    elseif word then
        return word, lua_words[word] and span("k", word) or escape(word)
    end
    return code:sub(at, at), escape(code:sub(at, at))
end

return function(code)
    local parts, at = {}, 1
    while at <= #code do
        local text, html = token(code, at)
        parts[#parts + 1] = html
        at = at + #text
    end
    return table.concat(parts)
end
