-- Containers of other elements at the same places: c:like, c:cast.
local core = require "rill.core"
local errors = require "rill.core.error"
local typename = require "rill.core.typename"

local converted = {}

local function check(c, name, ...)
    if not core._is_open_container(c) then
        errors.fail("c:%s: argument 'c': expected a container, got %s", name, typename.told(c))
    end
    local count = select("#", ...)
    if count > 1 then
        errors.fail("c:%s: expected at most 1 argument, got %d", name, count)
    end
end

--- c:like([type]): a container of the same kind with elements of a type, or of c's: zeros, which is its default, too. One with pages has none yet.
function converted.like(c, ...)
    check(c, "like", ...)
    return core._like(c, (...) or c.type)
end

-- Its elements converted, an eighth after the other where they are many.
local function in_parts(c, ...)
    local count = core._partial(c, "c:cast") and core._line_parts(c, "c:cast") or 1
    local made
    for k = 1, count do
        local part <close> = count > 1 and core._line_part(c, k, count, "c:cast") or nil
        local line <close> = core._line(c, c, "c:cast", part)
        local elements <close> = line:cast(...)
        if part then
            made = made or core._mapped_like(c, elements.type)
            core._put_line(made, part, elements)
        else
            made = core._from_line(c, elements)
        end
    end
    return made
end

--- c:cast(type): its elements, and its default, as s:cast converts them.
function converted.cast(c, ...)
    check(c, "cast", ...)
    local made = in_parts(c, ...)
    local _, default = core._fallback(c)
    if default then
        local element <close> = default:cast(...)
        default:close()
        core._set_fallback(made, element)
    end
    return made
end

for name, f in pairs(converted) do
    converted[name] = errors.guard(f, "c:" .. name, "^s:" .. name .. "%f[:]")
end

return converted
