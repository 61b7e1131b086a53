-- Shared by specs of reductions: the operations, and the permitted differences from reference.lua.
local reference = require "spec.support.reference"

local reduction = {}

reduction.operations = {
    "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count", "argmin", "argmax", "norm", "dot",
}
reduction.scalars_only = {any = true, all = true, count = true, argmin = true, argmax = true}
reduction.exact = {
    min = true, max = true, any = true, all = true, count = true, argmin = true, argmax = true,
}

-- Returns the permitted difference between a result and its reference.
function reduction.tolerance(operation, scalar, list)
    local precision = scalar == "d" and 1e-14 or 2e-7
    local magnitude = 0
    for _, v in ipairs(list) do
        magnitude = magnitude + math.abs(v == true and 1 or tonumber(v) or 0)
    end
    if reduction.exact[operation] then
        return 0
    elseif operation == "sum" then
        return magnitude * precision
    elseif operation == "prod" then
        return math.abs(reference.prod(list)) * precision * #list
    elseif operation == "mean" then
        return magnitude / #list * precision
    end
    return (math.abs(reference[operation](list, list)) + 1e-30) * precision * 8
end

-- Returns the product rounded to float; products of whole numbers are doubles.
function reduction.product(expected, scalar)
    if scalar:find "[iI]" or scalar == "bool" then
        return expected
    elseif scalar ~= "d" and math.abs(expected) > 3.5e38 then
        return expected / 0
    end
    return expected
end

function reduction.assert_near(expected, got, allowed, what)
    local same = expected == got or (expected ~= expected and got ~= got)
    local numbers = type(expected) == "number" and type(got) == "number"
    if not same and not (numbers and math.abs(expected - got) <= allowed) then
        error(("%s: expected %s, got %s"):format(what, tostring(expected), tostring(got)), 2)
    end
end

return reduction
