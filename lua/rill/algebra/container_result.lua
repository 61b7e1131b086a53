-- Evaluates expressions with containers. The result is a container like the first one. Its default is the value of
-- the expression for the defaults of the containers.
local core = require "rill.core"
local errors = require "rill.core.error"
local lru = require "rill.core.lru"
errors.own()

local ofcontainers = {}

local KEPT_DEFAULTS <const> = 64
local find_default, keep_default = lru(KEPT_DEFAULTS) -- kernel, constants and defaults as text -> the packed element

-- Returns a constant argument as text.
local function text_of(value)
    if type(value) == "table" then
        local parts = {}
        for i, number in ipairs(value) do
            parts[i] = text_of(number)
        end
        return table.concat(parts, ",")
    end
    return ("%q"):format(value)
end

-- Returns the arguments with each container replaced by a stream of its default, and the key of the result, which is
-- nil if there are streams among the arguments. Returns nil if a container has no default.
local function default_arguments(arguments, number)
    local list, key, known = {}, {number}, number ~= nil
    for i, argument in ipairs(arguments) do
        local kind = core.type(argument)
        list[i] = argument
        if kind == "container" then
            key[#key + 1], list[i] = core._fallback(argument)
            if not list[i] then
                return nil
            end
        elseif kind then
            known = false
        else
            key[#key + 1] = text_of(argument)
        end
    end
    return list, known and table.concat(key, ";")
end

-- Sets the default of a container. The device computes it as it computes elements. The results are cached if `number`
-- is given.
local function set_default(container, kernel, arguments, number)
    local list, key = default_arguments(arguments, number)
    if not list then
        return
    end
    local element = key and find_default(key)
    if element then
        core._set_fallback(container, element)
        return
    end
    element = core._set_fallback(container, kernel(table.unpack(list)))
    if key then
        keep_default(key, element)
    end
end

--- ofcontainers.eval(kernel, arguments, number, first, solid) returns the values of an expression as a new container
-- like `first`. `number`: the serial number of the kernel. `solid`: streams with the shape of the container are among
-- the arguments, so every element has a value.
function ofcontainers.eval(kernel, arguments, number, first, solid)
    local params = kernel.params
    local result = params[#params]
    local made = core._like(first, result.type, solid)
    local named, random = {over = solid and first:range() or nil}, {}
    kernel = core._numbered(kernel, random) -- also for the default
    for k, param in ipairs(params) do
        named[param.name] = arguments[k]
    end
    if not solid then
        -- Before pages are allocated, which are filled with the default.
        set_default(made, kernel, arguments, not core._is_random(kernel) and number or nil)
    end
    named[result.name] = made
    kernel(named)
    core._count_numbers(random)
    return core._inherit(made, table.unpack(arguments))
end

return ofcontainers
