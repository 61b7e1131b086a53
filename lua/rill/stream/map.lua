-- s:map and c:map: evaluate an expression in x for each element.
local errors = require "rill.core.error"
local core = require "rill.core"
local typename = require "rill.core.typename"

local oneline = require "rill.stream.expression_kernel"
local value_types = oneline.value_types

local constants_of = require "rill.stream.constants"

local function map_error(level, format, ...)
    error("s:map: " .. format:format(...), level + 1)
end

--- s:map(expression [, constants]) returns a new stream of the values of a GLSL expression for each element x. Its type
-- is the type of s in kernels (float for half, int for int8). `constants` is a table of numbers, booleans or tables of
-- 2 to 4 numbers by their names in the expression. Integers are int if the elements are int, uint if they are uint, and
-- float otherwise.
local function stream_map(s, expression, constants, ...)
    local contained = core._is_open_container(s)
    local element = contained and s.type or typename.element(s)
    if not element then
        map_error(2, "argument 's': expected an open stream, got %s", typename.not_open(s))
    elseif select("#", ...) > 0 then
        map_error(2, "expected at most 2 arguments, got %d", 2 + select("#", ...))
    elseif type(expression) ~= "string" or not expression:find "%S" then
        map_error(2, "argument #1 'expression': expected an expression in x (a string), got %s",
            type(expression) == "string" and "an empty one" or typename.of(expression))
    end
    local wrong = oneline.wrong(expression)
    if wrong then
        map_error(2, "argument #1 'expression': %s: %s", wrong, expression)
    end
    local value = value_types[element] or element
    local scalar = constants_of.scalar(value)
    if not scalar then
        map_error(2, "argument 's': s:map does not accept elements of structure %s; write a kernel", element)
    end
    local arguments, declared = constants_of.declare("s:map", scalar, constants, { x = "the element" })
    local head = ("kernel %s map(%s%s x<>) { return ("):format(value, declared, value)
    local kernel, message = oneline.kernel(head, expression, "); }")
    if not kernel then
        local whole = message:find "implicitly convert return value to u?int"
            or message:find "implicit cast from \"[^\"]*\" to \"u?int\"" -- NVIDIA's
            or message:find "cannot be assigned to variable of type u?int"
        map_error(2, "%s%s", message, whole and ("\n    the elements are %s: cast the stream first, s:cast \"float\"")
            :format(value) or "")
    end
    arguments[#arguments + 1] = s
    if contained then -- the default value becomes the value of the expression for it
        return require "rill.algebra.container_result".eval(kernel, arguments, head .. expression)
    end
    local mapped = kernel(table.unpack(arguments))
    return mapped
end

return {map = stream_map, container_map = errors.guard(stream_map, "c:map", "^s:map%f[:]")}
