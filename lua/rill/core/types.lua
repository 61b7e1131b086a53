-- The types of elements that are no structures, as rill.core lists them: name -> {name =, scalar = of one component, components =, bytes = of
-- an element, seen = the type kernels see}.
local core = require "rill.core"

local types = {list = core._types}

--- The row of a type of one number or boolean; nil of other types.
function types.scalar(name)
    local info = types.list[name]
    return info and info.components == 1 and info or nil
end

--- The scalar that kernels see of a type: "float", "double", "int", "uint" or "bool"; nil of structures.
function types.seen_scalar(name)
    local info = types.list[name]
    return info and types.list[info.seen].scalar
end

--- Whether its numbers have a fraction.
function types.is_real(name)
    local scalar = types.seen_scalar(name)
    return scalar == "float" or scalar == "double"
end

return types
