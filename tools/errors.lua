-- Checks that the error catalog is complete: errors.lua [--list], run in the root of the tree.
--
-- Messages are the formats in calls that set, raise or prefix an error, in src/ and lua/rill/, and literals in Lua
-- that begin with "expected". The argument of binding_argument counts as "expected ..., got ...". Words that are
-- inserted into a format do not count. The catalog, docs/errors.md, has tables whose first column contains
-- messages in code, one or more per row. `...` in it matches anything, such as the value of a directive like %s. A
-- message may have the prefix "FUNCTION: ". Fails, and names each case, if a message matches no row, or a row
-- matches no message. --list prints the messages instead.
local files = require "tools.site.files"

local HOLE = "\1" -- marks a part that varies
local QUOTE = "\3" -- a quotation mark inside a literal

-- Returns whether literals in calls of the function are messages: its name contains "error", "argument" or the like.
local function is_raising(name)
    name = name:lower()
    return name:match "error" or name:match "message_add" or name:match "raise" or name:match "fail"
        or name:match "fault" or name:match "refuse"
        or name:match "problem" or name:match "^miss" or name:match "^binding_argument"
end

local messages, places = {}, {} -- texts in order; text -> "file:line"

local function normal(literal)
    local text = literal:gsub("\\n", "\n"):gsub(QUOTE, '"'):gsub("%%%%", "\2")
    text = text:gsub("%%[-+ #0]*[%d*]*%.?[%d*]*[hlzjtIL]*[%a]", HOLE):gsub("\2", "%%")
    return (text:gsub("\n.*", ""):gsub(" $", ""))
end

-- Returns whether the text contains words besides its holes.
local function says_something(text)
    local words = 0
    for _ in text:gsub("^[%w_.:]+: ", ""):gsub(HOLE, " "):gmatch "%a%a+" do words = words + 1 end
    return words >= 2
end

local function add(text, place)
    text = normal(text)
    if says_something(text) and not places[text] then
        messages[#messages + 1], places[text] = text, place
    end
end

local function line_of(text, at)
    return select(2, text:sub(1, at):gsub("\n", "")) + 1
end

-- Concatenates adjacent literals: "a" "b" in C (a macro between them, like PRId64, is a hole), "a" .. "b" in Lua.
local function join_literals(code)
    code = code:gsub('"%s*PRI[%w]+%s*"', "s"):gsub('"%s*PRI[%w]+', 's"')
    code = code:gsub('"%s*%.%.%s*"', "")
    return (code:gsub('"%s*\n%s*"', ""):gsub('" "', ""))
end

-- Returns the texts of the arguments of a call "(a, b(c, d), e)". Commas and brackets in quotes do not count.
local function arguments(call)
    local list, depth, start, quoted, at = {}, 0, 2, false, 2
    while at < #call do
        local c = call:sub(at, at)
        if c == '"' then
            quoted = not quoted
        elseif not quoted and c:match "[%(%[{]" then
            depth = depth + 1
        elseif not quoted and c:match "[%)%]}]" then
            depth = depth - 1
        elseif not quoted and c == "," and depth == 0 then
            list[#list + 1] = call:sub(start, at - 1)
            start = at + 1
        end
        at = at + 1
    end
    list[#list + 1] = call:sub(start, #call - 1)
    return list
end

-- Returns the literals of an expression that may be messages: those with a space.
local function literals(text)
    local list = {}
    for literal in text:gmatch '"([^"]*)"' do
        if literal:match "%S%s+%S" then list[#list + 1] = literal end
    end
    return list
end

-- Returns the call whose parenthesis opens at `at`. Parentheses in quotes do not count.
local function whole_call(code, at)
    local depth, quoted, i = 0, false, at
    while i <= #code do
        local c = code:sub(i, i)
        if c == '"' then
            quoted = not quoted
        elseif not quoted and c == "(" then
            depth = depth + 1
        elseif not quoted and c == ")" then
            depth = depth - 1
            if depth == 0 then return code:sub(at, i) end
        end
        i = i + 1
    end
    return ""
end

-- Adds the literals of the first argument that has literals.
local function add_call(call, place)
    for _, argument in ipairs(arguments(join_literals(call))) do
        local found = literals(argument:gsub(":format%b()", ""))
        for _, literal in ipairs(found) do add(literal, place) end
        if #found > 0 then return end
    end
end

-- Returns code in which every quotation mark opens or closes a literal.
local function plain_quotes(code)
    return (code:gsub("\\\\", "/"):gsub('\\"', QUOTE):gsub("'\"'", "' '"))
end

-- Returns C code without comments, with the same number of lines.
local function strip_comments(code)
    local parts, at = {}, 1
    while true do
        local first = code:find('["/]', at)
        if not first then break end
        local _, last = code:find('^"[^"]*"', first)
        local _, ends = code:find("^/%*.-%*/", first)
        parts[#parts + 1] = code:sub(at, first - 1)
        parts[#parts + 1] = ends and code:sub(first, ends):gsub("[^\n]", " ") or code:sub(first, last or first)
        at = (ends or last or first) + 1
    end
    return table.concat(parts) .. code:sub(at)
end

local function scan_c(path)
    local code = strip_comments(plain_quotes(files.read(path)))
    for at, name, open in code:gmatch "()([%w_]+)()%(" do
        local call = is_raising(name) and whole_call(code, open) or ""
        local place = is_raising(name) and ("%s:%d"):format(path, line_of(code, at))
        if name == "binding_argument" then
            local list = arguments(join_literals(call))
            for _, literal in ipairs(literals(list[#list])) do
                add("%s: argument #%d '%s': expected " .. literal .. ", got %s", place)
            end
        elseif is_raising(name) then
            add_call(call, place)
        end
    end
    for at, literal in code:gmatch '()"(error: [^"\n]*)"' do add(literal, ("%s:%d"):format(path, line_of(code, at))) end
end

local function scan_lua(path)
    local code = plain_quotes(files.read(path)):gsub("%-%-[^\n]*", "")
    for at, name, open in code:gmatch "()([%w_]+)()%(" do
        if is_raising(name) then add_call(whole_call(code, open), ("%s:%d"):format(path, line_of(code, at))) end
    end
    for at, literal in join_literals(code):gmatch '()"([^"\n]*expected [^"\n]*)"' do
        add(literal, ("%s:%d"):format(path, line_of(code, math.min(at, #code))))
    end
end

local function collect()
    for _, path in ipairs(files.lines "find src -name '*.c' -o -name '*.h' | LC_ALL=C sort") do scan_c(path) end
    for _, path in ipairs(files.tree("lua/rill", "*.lua")) do scan_lua(path) end
end

-- Returns the rows of the catalog: {line=, text=, pattern=}.
local function catalog()
    local rows, number = {}, 0
    for line in (files.read "docs/errors.md" .. "\n"):gmatch "([^\n]*)\n" do
        number = number + 1
        local cell = line:match "^|(.-[^\\])|"
        for text in (cell or ""):gmatch "`([^`]+)`" do
            local pattern = text:gsub("\\|", "|"):gsub("%p", "%%%0"):gsub("%%%.%%%.%%%.", ".*")
            rows[#rows + 1] = {line = number, text = text, pattern = "^" .. pattern .. "$"}
        end
    end
    return rows
end

-- Prefixes of messages: a function, or the argument or option that the message is about.
local prefixes = {"^[^ ]+: ", "^argument [^:]*: ", "^option [^:]*: "}

-- Returns whether the row matches the message, with or without its prefix.
local function stands_for(row, text)
    if text:match(row.pattern) then return true end
    for _, prefix in ipairs(prefixes) do
        local rest, n = text:gsub(prefix, "")
        if n > 0 and stands_for(row, rest) then return true end
    end
    return false
end

local function check()
    local rows, faults = catalog(), 0
    for _, text in ipairs(messages) do
        local found = false
        for _, row in ipairs(rows) do
            if stands_for(row, text) then found, row.used = true, true end
        end
        if not found then
            faults = faults + 1
            print(("%s: not in docs/errors.md: %s"):format(places[text], (text:gsub(HOLE, "..."))))
        end
    end
    for _, row in ipairs(rows) do
        if not row.used then
            faults = faults + 1
            print(("docs/errors.md:%d: no such message: %s"):format(row.line, row.text))
        end
    end
    local outcome = faults == 0 and "errors: ok, %d messages in %d rows" or "errors: %d messages, %d rows, %d faults"
    print(outcome:format(#messages, #rows, faults))
    return faults == 0
end

collect()
if arg[1] == "--list" then
    for _, text in ipairs(messages) do
        print(places[text] .. ": " .. text:gsub(HOLE, "..."))
    end
else
    os.exit(check())
end
