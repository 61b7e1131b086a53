-- The cache of the compiled kernels of all templates. If it is full, the program that was used longest ago is removed.
-- If its text is used again it is not compiled again, since rill.core finds the device's programs by their text.
local core = require "rill.core"
local lru = require "rill.core.lru"

local program_cache = {}

--- program_cache.LIMIT: the largest number of programs in the cache.
program_cache.LIMIT = 256

local find, keep = lru(program_cache.LIMIT)

-- Runs in a chunk with the template's name, so that messages about the text do not contain the name of this file.
local CALL <const> = "local make, text = ... local made = make(text) return made"

-- Returns the errors of a kernel text with the lines of the files from which the lines of the expanded text come.
local function placed(message, template, values)
    local name, number
    local lines = {}
    for line in message:gmatch "[^\n]+" do
        local at, rest = line:match "kernel text:(%d+)(:.*)$"
        if at then
            name, number = template:origin(values, tonumber(at))
            line = ("%s:%d%s"):format(name, number, rest:gsub("%(line (%d+)%)", function(other)
                return ("(line %d)"):format(select(2, template:origin(values, tonumber(other))))
            end))
        end
        lines[#lines + 1] = number and line:gsub("^ *%d+ | ", ("%5d | "):format(number), 1) or line
    end
    return table.concat(lines, "\n")
end

--- program_cache.get(key, how, template, values) returns core.kernel or core.program (`how`: "kernel" or "program") of
-- a template's text. The result is cached under `key`.
function program_cache.get(key, how, template, values)
    local known = find(key)
    if known then
        return known
    end
    local name = ("=%s:%d"):format(template:place())
    local done, made = pcall(load(CALL, name), core[how], template:text(values))
    if not done then
        error(type(made) == "string" and placed(made, template, values) or made, 0)
    end
    for _, kernel in pairs(how == "kernel" and {made} or made) do
        if core.type(kernel) == "kernel" then
            core._library(kernel)
        end
    end
    keep(key, made)
    return made
end

return program_cache
