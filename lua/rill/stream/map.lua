-- s:map and c:map: evaluate an expression in x for each element.
local errors = require "rill.core.error"
local core = require "rill.core"
local typename = require "rill.core.typename"

local oneline = require "rill.stream.expression_kernel"
local value_types = oneline.value_types

local constants_of = require "rill.stream.constants"
local lru = require "rill.core.lru"

local find, keep = lru(64) -- declarations and expression -> the kernel for structures

-- The types of an expression in fields of structures, in an order in which the first type to which GLSL converts the
-- expression is its type.
local RESULTS <const> = {
    "bool", "int", "uint", "float", "double", "ivec2", "uvec2", "vec2", "dvec2", "ivec3", "uvec3", "vec3", "dvec3",
    "ivec4", "uvec4", "vec4", "dvec4",
}

-- Returns the kernel that computes an expression in fields of a structure, and the text before the expression; or nil
-- and the message.
local function kernel_of_structures(structures, element, declared, expression)
    local key = structures .. declared .. expression
    local known = find(key)
    if known then
        return known[1], known[2]
    end
    local results, first = table.move(RESULTS, 1, #RESULTS, 1, {}), nil
    for name in structures:gmatch "struct ([%w_]+)" do
        results[#results + 1] = name
    end
    for _, value in ipairs(results) do
        local head = ("%skernel %s map(%s%s x<>) { return ("):format(structures, value, declared, element)
        local kernel, message = oneline.kernel(head, expression, "); }")
        if kernel then
            keep(key, {kernel, head})
            return kernel, head
        end
        first = value == "float" and message or first
    end
    return nil, first
end

-- Returns what to do about an error in an expression whose elements are of type `value`, or an empty text.
local function hint(message, value)
    if message:find "cannot convert %w+ to u?int" or message:find "cannot be assigned to variable of type u?int" then
        return ("\n    the elements are %s: cast the stream first, s:cast \"float\""):format(value)
    elseif message:find "cannot convert %w+ to [diu]?vec%d" then
        return ("\n    the result is %s, as the elements are: an expression such as s.x + s.y has another type"):format(
            value)
    end
    return ""
end

-- Computes s:map for the function `where`. `place`: of a part of a larger stream, see map.placed; false: none.
local function evaluate(where, s, place, expression, constants, ...)
    local function map_error(format, ...)
        errors.fail("%s: %s", where, format:format(...))
    end

    local contained = core._is_open_container(s)
    local element = contained and s.type or typename.element(s)
    if not element then
        map_error("argument 's': expected an open stream, got %s", typename.not_open(s))
    elseif select("#", ...) > 0 then
        map_error("expected at most 2 arguments, got %d", 2 + select("#", ...))
    elseif type(expression) ~= "string" or not expression:find "%S" then
        map_error("argument #1 'expression': expected an expression in x (a string), got %s",
            type(expression) == "string" and "an empty one" or typename.of(expression))
    end
    local wrong = oneline.wrong(expression)
    if wrong then
        map_error("argument #1 'expression': %s: %s", wrong, expression)
    end
    local value = value_types[element] or element
    local scalar <const> = constants_of.scalar(value)
    local seed
    seed, constants = constants_of.seed(expression, constants)
    local arguments, declared = constants_of.declare(where, scalar or "int", constants, { x = "the element" },
        place and place.streams)
    local head, kernel, message
    if scalar then
        head = ("kernel %s map(%s%s x<>) { return ("):format(value, declared, value)
        kernel, message = oneline.kernel(head, expression, "); }")
    else
        local structures = core.type(s) == "expression" and s._declared or core._declare(s)
        kernel, message = kernel_of_structures(structures, element, declared, expression)
        head = message
    end
    if not kernel then
        map_error("%s%s", message, hint(message, value))
    end
    kernel = constants_of.seeded(where, kernel, seed)
    arguments[#arguments + 1] = s
    if contained then -- the default value becomes the value of the expression for it
        return require "rill.algebra.container_result".eval(kernel, arguments, head .. expression, s)
    end
    if not place then
        local mapped = kernel(table.unpack(arguments))
        return mapped
    end
    local named = {part = s.size > 0 and place or nil}
    for i, param in ipairs(kernel.params) do
        named[param.name] = arguments[i]
    end
    local mapped = (place.numbers and core._numbered(kernel, place.numbers) or kernel)(named)
    return mapped
end

--- s:map(expression [, constants]) returns a new stream of the values of a GLSL expression for each element x. Its type
-- is the type of s in kernels (float for half, int for int8). For structures, whose fields are x.name, it is the type
-- of the expression. `constants` is a table of numbers, booleans or tables of 2 to 4 numbers by their names in the
-- expression. Integers are int if the elements are int or structures, uint if they are uint, and float otherwise.
local function stream_map(s, ...)
    return evaluate("s:map", s, false, ...)
end

-- Computes s:map of a part of a larger stream for the function `where`: `place` is the option `part` of launches, with
-- the fields `numbers`, the table of core._numbered if there are several parts, and `streams`: whether constants may be
-- streams of the shape of s.
local function map_placed(where, s, place, ...)
    return evaluate(where, s, place, ...)
end

local function container_map(c, ...)
    return evaluate("c:map", c, false, ...)
end

return {map = stream_map, placed = map_placed, container_map = errors.guard(container_map, "c:map")}
