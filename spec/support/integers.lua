-- Operators on 32-bit integers.
local integers = {}

--- integers.wrap(x): returns x wrapped to 32 bits.
function integers.wrap(x)
    x = x & 0xffffffff
    return x >= 0x80000000 and x - 0x100000000 or x
end

--- integers.operators: the operators of scatters and similar functions.
integers.operators = {
    add = function(a, b) return integers.wrap(a + b) end,
    mul = function(a, b) return integers.wrap(a * b) end,
    min = math.min,
    max = math.max,
    ["and"] = function(a, b) return integers.wrap(a & b) end,
    ["or"] = function(a, b) return integers.wrap(a | b) end,
    xor = function(a, b) return integers.wrap(a ~ b) end,
}

return integers
