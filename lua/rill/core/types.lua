-- The built-in element types, as rill.core lists them: name -> {name =, scalar = type of a component, components =,
-- bytes = per element, seen = type in kernels}.
local categories = require "rill.core.categories"
local core = require "rill.core"
local errors = require "rill.core.error"

local types = {list = core._types}

--- types.scalar(name) returns the row of a type with one component; nil for other types.
function types.scalar(name)
    local info = types.list[name]
    return info and info.components == 1 and info or nil
end

--- types.numbers(where, s) returns an open stream of numbers, with booleans as int; raises for any other value.
function types.numbers(where, s)
    s = errors.open(where, s)
    categories.none(s, where)
    if not types.scalar(s.type) then
        errors.fail("%s: expected a stream of numbers, got elements of %s", where, s.type)
    end
    return s.type == "bool" and s:cast "int" or s
end

--- types.seen_scalar(name) returns the scalar type of a type in kernels: "float", "double", "int", "uint" or "bool";
-- nil for structures.
function types.seen_scalar(name)
    local info = types.list[name]
    return info and types.list[info.seen].scalar
end

--- types.is_real(name) returns whether the scalar type in kernels is float or double.
function types.is_real(name)
    local scalar = types.seen_scalar(name)
    return scalar == "float" or scalar == "double"
end

--- types.real_of(...) returns "float" if kernels read the elements of all streams as float, else "double".
function types.real_of(...)
    for _, s in ipairs {...} do
        if types.seen_scalar(s.type) ~= "float" then
            return "double"
        end
    end
    return "float"
end

--- types.as_real(s, real) returns s, or a copy of it in the type `real`, whose elements kernels read as `real`.
function types.as_real(s, real)
    return types.seen_scalar(s.type) == real and s or s:cast(real)
end

--- types.reals(where, s) returns an open stream of numbers, whose elements kernels read as float or double: booleans
-- and integers become doubles.
function types.reals(where, s)
    s = types.numbers(where, s)
    return types.as_real(s, types.real_of(s))
end

return types
