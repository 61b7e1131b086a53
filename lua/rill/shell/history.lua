-- The history of the prompt: a text file with one entry per line. Line breaks within an entry are written as \n. If the
-- file cannot be read or written, the prompt works without a history and reports nothing.
local core = require "rill.core"

local KEPT <const> = 1000       -- the largest number of entries that are read and kept
local LONGEST <const> = 1 << 16 -- bytes of an entry, at most
local FILE_BYTES <const> = 1 << 20

local history = {}

--- history.path() returns $XDG_STATE_HOME/rill/history. Default of the directory: ~/.local/state. Returns nil if HOME
-- is not set either.
function history.path()
    local state, home = os.getenv "XDG_STATE_HOME", os.getenv "HOME"
    if state and state:sub(1, 1) == "/" then -- the XDG specification says to ignore relative paths
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

-- Returns the valid lines in the last megabyte of a file, and the size of the file.
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

-- Replaces the file by one with these lines.
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

--- history.load(path) returns the last entries, oldest first. A file that has grown too long is shortened.
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

--- history.append(path, entry) writes an entry at once, so that no entry is lost if the session crashes or another
-- session runs at the same time.
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
