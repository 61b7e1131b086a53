-- Types and arithmetic of the kernel language, for the programs of fuzz/support/program.lua. A value is a number, a
-- boolean, or a list: of the components of a vector, the columns of a matrix, the elements of an array, the fields of a
-- structure. What has no defined result on all devices raises types.undefined: the element is not compared.
local types = {undefined = {}}

local SMALLEST <const> = {float = 2.0 ^ -126, double = 2.0 ^ -1022}
local PREFIX <const> = {int = "i", uint = "u", float = "", double = "d", bool = "b"}

-- ---- types: one table for each type

local made = {}

local function intern(name, make)
    made[name] = made[name] or make
    made[name].name = name
    return made[name]
end

function types.vector(base, rows)
    return intern(rows == 1 and base or PREFIX[base] .. "vec" .. rows, {kind = rows == 1 and "scalar" or "vector",
        base = base, n = rows})
end

function types.scalar(base)
    return types.vector(base, 1)
end

function types.matrix(columns, rows)
    return intern(columns == rows and "mat" .. columns or ("mat%dx%d"):format(columns, rows), {kind = "matrix",
        base = "float", n = columns, rows = rows})
end

-- The name is that of GLSL: the lengths of arrays of arrays, outer first, follow the type of the elements.
function types.array(of, n)
    local element, lengths = of.name:match "^([^%[]*)(.*)$"
    of.arrays = of.arrays or {}
    of.arrays[n] = of.arrays[n] or {kind = "array", of = of, n = n, name = ("%s[%d]%s"):format(element, n, lengths)}
    return of.arrays[n]
end

function types.structure(name, fields)
    return {kind = "structure", name = name, fields = fields, n = #fields}
end

-- The type of part i of a value.
function types.part(type, i)
    if type.kind == "vector" then
        return types.scalar(type.base)
    elseif type.kind == "matrix" then
        return types.vector("float", type.rows)
    end
    return type.kind == "array" and type.of or type.fields[i].type
end

-- ---- values

function types.copy(value)
    if type(value) ~= "table" then
        return value
    end
    local list = {}
    for i, part in ipairs(value) do
        list[i] = types.copy(part)
    end
    return list
end

local function undefined()
    error(types.undefined, 0)
end

local function finite(x, base)
    local size = x < 0 and -x or x
    if size ~= size or size == math.huge or (size > 0 and size < SMALLEST[base]) then
        undefined()
    end
    return x
end

local rounded = {
    int = function(x) return ((x + 0x80000000) & 0xffffffff) - 0x80000000 end,
    uint = function(x) return x & 0xffffffff end,
    float = function(x)
        finite(x, "double")
        return finite(string.unpack("f", string.pack("f", x)), "float")
    end,
    double = function(x) return finite(x, "double") end,
}
types.rounded = rounded

local function divide(a, b)
    if b == 0 or (a == -0x80000000 and b == -1) then
        undefined()
    end
    local q = math.abs(a) // math.abs(b)
    return (a < 0) ~= (b < 0) and -q or q
end

local function shift(b)
    if b < 0 or b > 31 then
        undefined()
    end
    return b
end

local whole = {
    ["+"] = function(a, b) return a + b end,
    ["-"] = function(a, b) return a - b end,
    ["*"] = function(a, b) return a * b end,
    ["/"] = divide,
    ["%"] = function(a, b) return a - divide(a, b) * b end,
    ["&"] = function(a, b) return a & b end,
    ["|"] = function(a, b) return a | b end,
    ["^"] = function(a, b) return a ~ b end,
    ["<<"] = function(a, b) return a << shift(b) end,
    [">>"] = function(a, b) return a // (1 << shift(b)) end,
    min = math.min, max = math.max,
}
local real = {
    ["+"] = whole["+"], ["-"] = whole["-"], ["*"] = whole["*"],
    ["/"] = function(a, b) return b == 0 and undefined() or a / b end,
    min = math.min, max = math.max,
}
local compare = {
    ["<"] = function(a, b) return a < b end,
    ["<="] = function(a, b) return a <= b end,
    [">"] = function(a, b) return a > b end,
    [">="] = function(a, b) return a >= b end,
}
types.compare = compare

-- Returns the function of two scalars of a base for an operator whose result has the same base.
function types.operation(op, base)
    local f, round = (base == "int" or base == "uint") and whole[op] or real[op], rounded[base]
    return function(a, b)
        return round(f(a, b))
    end
end

local one = {
    ["-"] = function(a) return -a end,
    ["~"] = function(a) return ~a end,
    abs = function(a) return a < 0 and -a or a end,
    floor = function(a) return math.floor(a) + 0.0 end,
    sqrt = function(a) return a < 0 and undefined() or math.sqrt(a) end,
}

function types.operation_of_one(op, base)
    if op == "!" then
        return function(a) return not a end
    end
    local f, round = one[op], rounded[base]
    return function(a)
        return round(f(a))
    end
end

function types.equal(a, b)
    if type(a) ~= "table" then
        return a == b
    end
    for i, part in ipairs(a) do
        if not types.equal(part, b[i]) then
            return false
        end
    end
    return true
end

-- Converts a scalar.
function types.convert(value, from, to)
    if from == to then
        return value
    elseif to == "bool" then
        return value ~= 0
    elseif from == "bool" then
        value = value and 1 or 0
        from = "int"
    end
    if to == "float" or to == "double" then
        return rounded[to](value + 0.0)
    elseif from == "float" or from == "double" then
        local low, high = to == "int" and -2147483648.0 or -0.0, to == "int" and 2147483647.0 or 4294967295.0
        if value < low or value > high then
            undefined()
        end
        return math.tointeger(value < 0 and math.ceil(value) or math.floor(value))
    end
    return rounded[to](value)
end

-- ---- bits

-- Adds the bits of a value to a sum, as types.mixing does in a kernel. Zeros of both signs are the same.
function types.mix(sum, value, type)
    if type.kind == "scalar" then
        local base, low, high = type.base, value, nil
        if base == "bool" then
            low = value and 1 or 0
        elseif base == "float" then
            low = string.unpack("<I4", string.pack("<f", value == 0 and 0.0 or value))
        elseif base == "double" then
            low, high = string.unpack("<I4I4", string.pack("<d", value == 0 and 0.0 or value))
        end
        sum = (sum * 31 + low) & 0xffffffff
        return high and (sum * 31 + high) & 0xffffffff or sum
    end
    for i = 1, type.n do
        sum = types.mix(sum, value[i], types.part(type, i))
    end
    return sum
end

-- Functions of the kernel that add the bits of a scalar to a sum.
types.MIXING = [[
uint mixed(uint sum, uint x) { return sum * 31u + x; }
uint mixed_int(uint sum, int x) { return mixed(sum, uint(x)); }
uint mixed_uint(uint sum, uint x) { return mixed(sum, x); }
uint mixed_bool(uint sum, bool x) { return mixed(sum, x ? 1u : 0u); }
uint mixed_float(uint sum, float x) { return mixed(sum, x == 0.0 ? 0u : floatBitsToUint(x)); }
]]
types.MIXING_DOUBLE = [[
uint mixed_double(uint sum, double x) {
    uvec2 u = unpackDouble2x32(x);
    return x == 0.0lf ? mixed(mixed(sum, 0u), 0u) : mixed(mixed(sum, u.x), u.y);
}
]]

return types
