-- Containers of other elements at the same places: c:like, c:cast.
local core = require "rill.core"
local blame = require "rill.support.blame"

local converted = {}

local function check(c, name, ...)
    if core.type(c) ~= "container" then
        blame.fail("c:%s: argument 'c': expected a container, got %s", name, core.type(c) or type(c))
    end
    local count = select("#", ...)
    if count > 1 then
        blame.fail("c:%s: expected at most 1 argument, got %d", name, count)
    end
end

--- c:like([type]): a container of the same kind with elements of a type, or of c's: zeros, which is its default, too. One with pages has none yet.
function converted.like(c, ...)
    check(c, "like", ...)
    return core._like(c, (...) or c.type)
end

--- c:cast(type): its elements, and its default, as s:cast converts them.
function converted.cast(c, ...)
    check(c, "cast", ...)
    local line <close> = core._line(c, c, "c:cast")
    local elements <close> = line:cast(...)
    local made = core._from_line(c, elements)
    local _, default = core._fallback(c)
    if default then
        local element <close> = default:cast(...)
        default:close()
        core._set_fallback(made, element)
    end
    return made
end

for name, f in pairs(converted) do
    converted[name] = blame.guard(f)
end

return converted
