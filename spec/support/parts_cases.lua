-- Random cases for reductions of data in parts: streams of all types and shapes, whose elements include NaN, infinities,
-- zeros of both signs, and numbers near both ends of the range of the type.
local rill = require "rill"
local reductions = require "rill.core.reductions"
local tables = require "rill.core.tables"

local cases = {}

-- Compiling the kernels of each type and reduction takes most of the time. In the short run there are few of them: others
-- are computed the same way.
local LONG <const> = os.getenv "RILL_SUITE_LONG"
local NUMBERS <const> = LONG and {"float", "double", "half", "int", "uint", "int8", "uint8", "int16", "uint16", "bool"}
    or {"float", "int16"}
local FEW <const> = {sum = true, max = true, var = true, dot = true, argmin = true}
local COMPARED <const> = {}
for _, row in ipairs(reductions) do
    COMPARED[#COMPARED + 1] = (LONG or FEW[row.name]) and row or nil
end
local LARGEST <const> = {float = 3.4e38, double = 1.79e308, half = 65504}
local LEAST <const> = {float = 1.4e-45, double = 4.9e-324, half = 6e-8}
local SIZES <const> = {1, 1, 2, 3, 5, 8, 17, 33}

-- Functions that return a random number for a floating-point type.
local FLOATS <const> = {
    ordinary = function() return math.random() * 200 - 100 end,
    equal = function() return math.random(-2, 2) * 0.5 end,
    large = function(element) return (math.random() * 2 - 1) * LARGEST[element] end,
    tiny = function(element) return math.random(-9, 9) * LEAST[element] end,
    wide = function(element)
        local range <const> = math.log(LARGEST[element] / 2, 2) // 1
        return (math.random() * 2 - 1) * 2.0 ^ math.random(-range // 1 | 0, range // 1 | 0)
    end,
    special = function(element)
        return ({0 / 0, 1 / 0, -1 / 0, 0.0, -0.0, LARGEST[element], -LARGEST[element], LEAST[element]})[math.random(8)]
    end,
    zeros = function() return math.random(2) == 1 and 0.0 or -0.0 end,
}
local KINDS <const> = tables.keys(FLOATS)

local function whole(element)
    if element == "bool" then
        return math.random(3) > 1
    end
    local signed <const> = not element:find "^u"
    local bits <const> = math.tointeger(element:match "%d+" or 32)
    local least = signed and -(1 << (bits - 1)) or 0
    local most = least + (1 << bits) - 1
    local choice <const> = math.random(4)
    return choice == 1 and least or choice == 2 and most or choice == 3 and math.random(least, most)
        or math.random(signed and -3 or 0, 3)
end

-- Returns a list of random elements of a type of numbers.
local function elements(element, n)
    local first <const>, second <const> = FLOATS[KINDS[math.random(#KINDS)]], FLOATS[KINDS[math.random(#KINDS)]]
    local rare <const>, list <const> = math.random(0, 20), {}
    for i = 1, n do
        if LARGEST[element] then
            list[i] = (math.random(20) <= rare and second or first)(element)
        else
            list[i] = whole(element)
        end
    end
    return list
end

-- Returns a random stream of a shape.
local function stream(element, shape)
    local n <const> = tables.product(shape)
    if n == 0 then
        return rill.stream(element, shape)
    end
    return rill.from(elements(element, n), element):reshape(shape)
end

--- cases.random(empty) returns a case: {type =, shape =, s = a stream, t = another of its type and shape}. `empty`: a size
-- may be 0.
function cases.random(empty)
    local element <const>, shape <const> = NUMBERS[math.random(#NUMBERS)], {}
    for d = 1, math.random(4) do
        shape[d] = SIZES[math.random(#SIZES)]
    end
    if empty and math.random(8) == 1 then
        shape[math.random(#shape)] = 0
    end
    return {type = element, shape = shape, s = stream(element, shape), t = stream(element, shape)}
end

local function bits(x)
    return x ~= x and "nan" or math.type(x) == "float" and ("%a"):format(x) or tostring(x)
end

-- Returns whether a result is that of one stream. The order of the elements may change the last bits of a product.
local function same(name, a, b)
    if bits(a) == bits(b) then
        return true
    end
    local large <const> = 1e300
    return name == "prod" and math.type(a) == "float" and math.type(b) == "float"
        and (math.abs(a - b) <= 1e-12 * math.abs(b) or math.abs(a) > large and math.abs(b) > large
            or math.abs(a) < 1 / large and math.abs(b) < 1 / large)
end

--- cases.compare(where, case, object, other, place) compares reductions of an object with those of case.s. `other`: the
-- second operand of "dot". place(i) returns the indices in the object of element i of case.s. Default: the same indices.
function cases.compare(where, case, object, other, place)
    for _, row in ipairs(COMPARED) do
        local name <const> = row.name
        local expected = table.pack(case.s[name](case.s, row.operands and case.t or nil))
        if row.indices and place and expected[1] then
            expected = table.pack(place(expected[1]))
        end
        local got <const> = table.pack(object[name](object, row.operands and other or nil))
        for i = 1, math.max(expected.n, 1) do
            local a <const>, b <const> = got[i], expected[i]
            if not same(name, a, b) then
                error(("%s:%s of %s[%s]: %s, not %s"):format(where, name, case.type, table.concat(case.shape, "x"),
                    bits(a), bits(b)))
            end
        end
    end
end

return cases
