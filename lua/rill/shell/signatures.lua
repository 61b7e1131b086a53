-- Parses the lines of reference.lua: `signature -- description`.
local signatures = {}

-- Splits a text at the separators outside of brackets.
local function split(text, separator)
    local pieces, depth, from = {}, 0, 1
    for at = 1, #text do
        local c = text:sub(at, at)
        if c:find "[%({]" then
            depth = depth + 1
        elseif c:find "[%)}]" then
            depth = depth - 1
        elseif c == separator and depth == 0 then
            pieces[#pieces + 1] = text:sub(from, at - 1):match "^%s*(.-)%s*$"
            from = at + 1
        end
    end
    local last = text:sub(from):match "^%s*(.-)%s*$"
    if last ~= "" then
        pieces[#pieces + 1] = last
    end
    return pieces
end

-- Parses "a: integer, b?: {x?: number}" to a list of {name=, type=, optional=, options= for tables of options}.
local function parameters(text)
    local list = {}
    for _, piece in ipairs(split(text, ",")) do
        local name, optional, kind = piece:match "^([%w_%.]+)(%??):%s*(.+)$"
        assert(name, piece)
        local options = kind:match "{(.*)}"
        list[#list + 1] = {
            name = name, type = kind, optional = optional ~= "", options = options and parameters(options),
        }
    end
    return list
end

--- signatures.entry(line, page) returns the entry of a line: see reference.entries.
function signatures.entry(line, page)
    local signature, summary = line:match "^(.-) %-%- (.*)$"
    local name, inside, rest = signature:match "^([%w_%.:]+)(%b())(.*)$"
    local entry = { signature = signature, summary = summary, page = page }
    if name then
        entry.name, entry.params = name, parameters(inside:sub(2, -2))
        entry.returns = split(rest:match "^:%s*(.*)$" or "", ",")
    else
        entry.name, entry.type = signature:match "^([%w_%.]+):%s*(.+)$"
    end
    return entry
end

--- signatures.lines(prefix, text) returns the reference lines of a list of functions, whose lines are `name file
-- signature -- description`.
function signatures.lines(prefix, text)
    return (text:gsub("([%w_]+) [%w_]+ (%([^\n]*\n)", prefix .. "%1%2"))
end

return signatures
