-- Determines the capabilities of the terminal from environment variables alone. No query is sent to the terminal, since
-- the program would wait for a reply that a pipe or a slow line does not give.
local core = require "rill.core"

local terminal = {}

local function variable(name)
    local value = os.getenv(name)
    return value ~= "" and value or nil
end

-- Returns the image protocol of the terminal, or nil. Inside tmux and screen the variables may name the outer terminal,
-- but images do not work.
local function pictures(term)
    if variable "TMUX" or variable "STY" or term:find "^tmux" or term:find "^screen" then
        return nil
    end
    local program = variable "TERM_PROGRAM"
    if term:find "kitty" or term:find "ghostty" or variable "KITTY_WINDOW_ID" then
        return "kitty"
    elseif program == "iTerm.app" or program == "WezTerm" or variable "LC_TERMINAL" == "iTerm2" then
        return "iterm"
    end
end

local function colors(term)
    local depth = variable "COLORTERM"
    if depth == "truecolor" or depth == "24bit" or term:find "direct" or term:find "kitty" or term:find "ghostty" then
        return "true"
    end
    return term:find "256" and "256" or not term:find "^vt%d" and "16" or nil
end

-- Returns whether the terminal can show characters other than ASCII. A vt100 and the Linux console cannot, as their
-- fonts have no braille, nor a terminal whose locale names another character set.
local function unicode(term)
    if term:find "^vt%d" or term == "linux" then
        return false
    end
    local locale = variable "LC_ALL" or variable "LC_CTYPE" or variable "LANG" or ""
    local charset = locale:match "%.([^@]*)"
    return not charset or charset:lower():gsub("%W", "") == "utf8"
end

--- terminal.look() returns a table: columns and lines; cell, the size of a character in pixels {width, height}; shown,
-- whether standard output is a terminal; and if it is, its capabilities: unicode (boolean), colors ("true", "256" or
-- "16") and pictures ("kitty" or "iterm").
function terminal.look()
    local shown, columns, lines, width, height = core._terminal()
    local term = variable "TERM"
    local able = { columns = columns, lines = lines, shown = shown,
        cell = { width > 0 and width or 8, height > 0 and height or 16 } }
    if shown and term and term ~= "dumb" then
        able.unicode = unicode(term)
        if not variable "NO_COLOR" then
            able.colors, able.pictures = colors(term), pictures(term)
        end
    end
    return able
end

-- The levels of the 6 x 6 x 6 colors with the codes 16 to 231. The grays 8, 18, 28 ... have the codes 232 to 255.
local LEVELS = { [0] = 0, 95, 135, 175, 215, 255 }

local function level(v)
    return v < 48 and 0 or v < 115 and 1 or (v - 35) // 40
end

local function distance(r, g, b, red, green, blue)
    return (r - red) ^ 2 + (g - green) ^ 2 + (b - blue) ^ 2
end

local function code_256(r, g, b)
    local x, y, z = level(r), level(g), level(b)
    local step = math.min(math.max((r + g + b) // 3 - 3, 0) // 10, 23)
    local gray = 8 + 10 * step
    if distance(r, g, b, gray, gray, gray) < distance(r, g, b, LEVELS[x], LEVELS[y], LEVELS[z]) then
        return 232 + step
    end
    return 16 + 36 * x + 6 * y + z
end

-- Returns the code of the nearest of the six bright colors that every terminal has, 91 to 96, or 97 for gray.
local function code_16(r, g, b)
    local half = (math.max(r, g, b) + math.min(r, g, b)) / 2
    local code = (r > half and 1 or 0) + (g > half and 2 or 0) + (b > half and 4 or 0)
    return 90 + (code == 0 and 7 or code)
end

--- terminal.color(depth, r, g, b, background) returns the parameters of an escape sequence that selects a color
-- (components from 0 to 255), of the character or of its background.
function terminal.color(depth, r, g, b, background)
    if depth == "true" then
        return ("%d;2;%d;%d;%d"):format(background and 48 or 38, r, g, b)
    elseif depth == "256" then
        return ("%d;5;%d"):format(background and 48 or 38, code_256(r, g, b))
    end
    return tostring(code_16(r, g, b) + (background and 10 or 0))
end

return terminal
