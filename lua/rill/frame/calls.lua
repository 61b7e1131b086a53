-- Calls of functions in expressions over columns. Functions such as floor and mod of integers return integers, since a
-- float does not have all of them, and other functions of integers compute with doubles.
local types = require "rill.core.types"

local calls = {}

-- Functions that return integers unchanged.
local SAME <const> = {floor = true, ceil = true, round = true, roundEven = true, trunc = true}

-- Functions of two integers: the operation of int and of uint. The divisors 0 and -1 give 0.
local DIVIDE <const> = {
    mod = {
        int = "int mod_int_(int a, int b) { int r = a - a / (b == 0 || b == -1 ? 1 : b) * b; " ..
            "return b == 0 || b == -1 ? 0 : r != 0 && (r < 0) != (b < 0) ? r + b : r; }\n",
        uint = "uint mod_uint_(uint a, uint b) { return b == 0u ? 0u : a % b; }\n",
    },
    fmod = {
        int = "int fmod_int_(int a, int b) { return b == 0 || b == -1 ? 0 : a - a / (b == 0 ? 1 : b) * b; }\n",
        uint = "uint fmod_uint_(uint a, uint b) { return b == 0u ? 0u : a % b; }\n",
    },
}

-- Functions whose integers become doubles.
local REAL <const> = {}
for name in ("sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh pow exp log exp2 log2 sqrt " ..
    "inversesqrt fract mix step smoothstep length distance normalize dot cross reflect fma ldexp saturate"):
        gmatch "%S+" do
    REAL[name] = true
end

-- Functions that are written with others: the expression for double and for float.
local WRITTEN <const> = {
    radians = {double = "((%s) * 0.017453292519943295lf)", float = "radians(%s)"},
    degrees = {double = "((%s) * 57.29577951308232lf)", float = "degrees(%s)"},
    log10 = {double = "(log(%s) / 2.302585092994046lf)", float = "(log(%s) / 2.30258509)"},
    saturate = {double = "clamp(%s, 0.0lf, 1.0lf)", float = "saturate(%s)"},
    hypot = {double = "length(dvec2(%s, %s))", float = "length(vec2(%s, %s))", count = 2},
}

--- calls.has(name) returns whether calls.write is needed for calls of a function.
function calls.has(name)
    return SAME[name] or DIVIDE[name] or REAL[name] or WRITTEN[name] or name == "abs" or name == "sign"
end

-- Returns whether a type is int, uint or a vector of them.
local function is_whole(kind)
    return kind ~= nil and (kind == "int" or kind == "uint" or kind:find "^[iu]vec" ~= nil)
end

-- Returns an argument; a double instead of an integer if the real numbers of the expression are doubles.
local function as_real(text, kind, real)
    if real ~= "double" or not is_whole(kind) then
        return text, kind
    end
    local wide = kind:find "vec" and "d" .. kind:sub(2) or "double"
    return ("%s(%s)"):format(wide, text), wide
end

--- calls.write(name, list, kinds, real, helpers) returns the text of a call with a list of arguments, of which `kinds`
-- has the types (nil if not known). `real`: the type of the real numbers in the expression. `helpers`: a table, to
-- which the functions that the text calls are added by name.
function calls.write(name, list, kinds, real, helpers)
    local all = #list > 0
    for i = 1, #list do
        all = all and is_whole(kinds[i])
    end
    if all and #list == 1 and (SAME[name] or name == "abs" and kinds[1]:find "^u") then
        return ("(%s)"):format(list[1])
    elseif all and #list == 1 and name == "sign" and kinds[1] == "uint" then
        return ("min(%s, 1u)"):format(list[1])
    elseif name == "abs" or name == "sign" then
        return ("%s(%s)"):format(name, table.concat(list, ", "))
    elseif all and #list == 2 and DIVIDE[name] and types.scalar(kinds[1]) and types.scalar(kinds[2]) then
        local kind = (kinds[1] == "uint" or kinds[2] == "uint") and "uint" or "int"
        helpers[name .. kind] = DIVIDE[name][kind]
        return ("%s_%s_(%s, %s)"):format(name, kind, list[1], list[2])
    end
    local written = WRITTEN[name]
    local wide = real == "double" and written
    for i = 1, #list do
        if not (name == "ldexp" and i == 2) then
            list[i], kinds[i] = as_real(list[i], kinds[i], real)
        end
        wide = wide and kinds[i] ~= "float" or written and kinds[i] == "double"
    end
    if written and #list == (written.count or 1) and not (kinds[1] or ""):find "vec" then
        return written[wide and "double" or "float"]:format(table.unpack(list))
    end
    return ("%s(%s)"):format(name, table.concat(list, ", "))
end

return calls
