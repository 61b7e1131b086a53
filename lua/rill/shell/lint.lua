--- lint(path) returns the errors and notes of the kernel texts in a file, without running anything. A Lua script is
-- searched for strings that are passed to functions named `kernel` and `program`; another file is one kernel text, in
-- Brook's dialect if its name ends in ".br". Returns the number of errors, and the messages: "file:line:column: error:
-- sentence".
local core = require "rill.core"

-- Calls found(text, line, from, last) for each string of a Lua script: its value, the line of its first character, and
-- the positions of its delimiters.
local function each_string(script, found)
    local at, counted, line = 1, 1, 1 -- `line` is the line of position `counted`
    while true do
        local from = script:find("[%[\"'%-]", at)
        if not from then
            return
        end
        local comment = script:match("^%-%-()", from)
        local level = script:match("^%[(=*)%[", comment or from)
        local last
        if level then
            last = select(2, script:find("]" .. level .. "]", from, true))
        elseif comment then
            last = script:find("\n", from, true)
        elseif script:find("^[\"']", from) then
            local quote, to = script:sub(from, from), from + 1
            while to <= #script and script:sub(to, to) ~= quote do
                to = to + (script:sub(to, to) == "\\" and 2 or 1)
            end
            last = to
        else
            last = from
        end
        last = last or #script
        local value = not comment and last > from and load("return " .. script:sub(from, last))
        if value then
            local first = from + (level and #level + 2 or 1)
            first = level and script:match("^\r?\n()", first) or first
            line = line + select(2, script:sub(counted, first - 1):gsub("\n", ""))
            counted = first
            found(value(), line, from, last)
        end
        at = last + 1
    end
end

-- Calls found(text, line, brook) for each kernel text.
local function each_text(path, content, found)
    if not path:find "%.lua$" then
        return found(content, 1, path:find "%.br$" ~= nil)
    end
    each_string(content, function(text, line, from, last)
        local called = content:sub(math.max(from - 100, 1), from - 1):match "([%a_][%w_]*)%s*%(?%s*$"
        local joined = content:find("^%s*%.%.", last + 1) -- a part of a text
        if (called == "kernel" or called == "program") and not joined then
            found(text, line, content:find("^%s*,%s*{[^}]*dialect%s*=%s*[\"']brook[\"']", last + 1) ~= nil)
        end
    end)
end

return function(path)
    local file, reason = io.open(path, "rb")
    if not file then
        error("rill: " .. reason, 0)
    end
    local content = file:read "a"
    file:close()
    local errors, messages = 0, {}
    each_text(path, content, function(text, line, brook)
        local done, list = pcall(core._lint, text, path, line, brook)
        for _, message in ipairs(done and list or {list}) do
            errors = errors + (message:find ": note: " and 0 or 1)
            messages[#messages + 1] = message:match "^[^\n]*"
        end
    end)
    return errors, messages
end
