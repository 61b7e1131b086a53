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

-- Returns the message of the kernel compiler with the line of the file from which the line of the expanded text comes.
local function placed(message, template, values)
    local line, rest = message:match "kernel text:(%d+): (.*)$"
    if not line then
        return message
    end
    local name, number = template:origin(values, tonumber(line))
    rest = rest:gsub("\n *%d+ | ", ("\n%5d | "):format(number), 1)
    return ("%s:%d: %s"):format(name, number, rest)
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
    keep(key, made)
    return made
end

return program_cache
