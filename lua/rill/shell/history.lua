-- The history of the prompt: a text file, one entry a line, line ends within an entry written as \n. What can't be read or written is
-- left alone without a word: a prompt needs no home.
local core = require "rill.core"

local KEPT <const> = 1000       -- entries read and kept
local LONGEST <const> = 1 << 16 -- bytes of an entry
local FILE_BYTES <const> = 1 << 20

local history = {}

--- history.path(): $XDG_STATE_HOME/rill/history, below ~/.local/state unless set; nil without a home.
function history.path()
    local state, home = os.getenv "XDG_STATE_HOME", os.getenv "HOME"
    if state and state:sub(1, 1) == "/" then -- relative ones are to be ignored
        return state .. "/rill/history"
    end
    return home and home ~= "" and home .. "/.local/state/rill/history" or nil
end

local function encoded(entry)
    return (entry:gsub("\\", "\\\\"):gsub("\n", "\\n"))
end

local function decoded(line)
    return (line:gsub("\\(.)", function(c) return c == "n" and "\n" or c == "\\" and "\\" or nil end))
end

local function sane(line)
    return line ~= "" and #line <= LONGEST and utf8.len(line) ~= nil and not line:find "[%c\127]"
end

-- The sane lines of a file's last megabyte.
local function lines_of(path)
    local lines = {}
    local file = io.open(path, "rb")
    local size = file and file:seek "end"
    if not size then
        return lines, 0
    end
    file:seek("set", math.max(size - FILE_BYTES, 0))
    local text = file:read "a" or ""
    file:close()
    for line in text:gmatch "[^\n]+" do
        lines[#lines + 1] = sane(line) and line or nil
    end
    return lines, size
end

-- The file again with its last entries only.
local function rewrite(path, lines)
    local file = io.open(path .. ".new", "wb")
    if not file then
        return
    end
    local written = file:write(table.concat(lines, "\n"), "\n")
    if file:close() and written then
        os.rename(path .. ".new", path)
    else
        os.remove(path .. ".new")
    end
end

--- history.load(path): the last entries, oldest first. A file that has grown long is cut.
function history.load(path)
    local lines, size = lines_of(path)
    if #lines > KEPT then
        lines = table.move(lines, #lines - KEPT + 1, #lines, 1, {})
    end
    if size > FILE_BYTES then
        rewrite(path, lines)
    end
    local entries = {}
    for i, line in ipairs(lines) do
        entries[i] = decoded(line)
    end
    return entries
end

--- history.append(path, entry): at once, so that a session that dies, or another one beside it, loses nothing.
function history.append(path, entry)
    local line = encoded(entry)
    if not sane(line) or not core._make_directory(path:match "^(.*)/") then
        return
    end
    local file = io.open(path, "ab")
    if file then
        file:write(line, "\n")
        file:close()
    end
end

return history
