-- Containers of another element type: c:like and c:cast.
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

--- c:like([type]) returns a container of the same kind, filled with zeros, with default 0. Default of
--- type: c's type. If it has pages, none is mapped yet.
function converted.like(c, ...)
    check(c, "like", ...)
    return core._inherit(core._like(c, (...) or c.type), c)
end

-- Converts the elements, in eighths if there are many.
local function in_parts(c, ...)
    local count = core._partial(c, "c:cast") and core._line_parts(c, "c:cast") or 1
    local made
    for k = 1, count do
        local part <close> = count > 1 and core._line_part(c, k, count, "c:cast") or nil
        local line <close> = core._line(c, c, "c:cast", part)
        local elements <close> = core._cast(line, (...), "c:cast")
        if part then
            made = made or core._mapped_like(c, elements.type)
            core._put_line(made, part, elements)
        else
            made = core._from_line(c, elements)
        end
    end
    return made
end

--- c:cast(type) returns a container that is mapped like c, with the elements and the default converted as
--- by s:cast.
function converted.cast(c, ...)
    check(c, "cast", ...)
    local made = in_parts(c, ...)
    local _, default = core._fallback(c)
    if default then
        local element <close> = core._cast(default, (...), "c:cast")
        default:close()
        core._set_fallback(made, element)
    end
    return core._inherit(made, c)
end

for name, f in pairs(converted) do
    converted[name] = errors.guard(f, "c:" .. name)
end

return converted
