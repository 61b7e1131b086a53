-- Values of the algebra in plain Lua: types, the common type of operands, the values that a type represents exactly.
--
-- A node has: text (Lua), type, values (one per element of the case's shape), largest (maximum magnitude), step (all
-- values are multiples of it), special (it may contain infinities, NaN or -0), scalar (the value of a Lua number).

local WIDTH = {bool = 1, int = 2, uint = 3, float = 4, double = 5}
local PRECISION = {float = 2.0 ^ 24, double = 2.0 ^ 53}

local function wrap(value, type)
    value = value & 0xffffffff
    return type == "int" and value >= 1 << 31 and value - (1 << 32) or value
end

local function convert(value, type)
    if type == "bool" then
        return value ~= 0 and value ~= false
    elseif value == true or value == false then
        value = value and 1 or 0
    end
    if type == "float" or type == "double" then
        return value + 0.0
    end
    return wrap(value // 1 | 0, type)
end

local function measured(node)
    local largest = 0
    for _, v in ipairs(node.values) do
        if type(v) == "number" and v == v and math.abs(v) ~= math.huge then
            largest = math.max(largest, math.abs(v))
        elseif type(v) == "number" then
            node.special = true
        end
    end
    node.largest = largest
    node.step = node.step or 1
    return node
end

-- Returns whether the type represents every value exactly.
local function exact(node)
    return not PRECISION[node.type] or node.largest / node.step < PRECISION[node.type]
end

-- Returns the common type of two operands. Numbers do not widen, except that a float with integers gives floats.
local function meeting(a, b)
    if a.scalar and b.scalar then
        return nil
    end
    local function least(node, other)
        if not node.scalar then
            return node.type
        elseif node.type == "float" then
            return WIDTH[other.type] < WIDTH.float and "float" or other.type
        end
        return other.type == "bool" and "int" or other.type
    end
    local x, y = least(a, b), least(b, a)
    return WIDTH[x] > WIDTH[y] and x or y
end

-- Returns the operands in a common type as lists of values, or nil if a value would be rounded or does not fit.
local function together(type, ...)
    local lists = {}
    for k, node in ipairs {...} do
        if node.type ~= type and node.type == "int" and (type == "uint") then
            if node.scalar and node.scalar < 0 then
                return nil
            end
        end
        if PRECISION[type] and node.largest / math.min(node.step, 1) >= PRECISION[type] then
            return nil
        end
        lists[k] = {}
        for i, v in ipairs(node.values) do
            lists[k][i] = convert(v, type)
        end
    end
    return table.unpack(lists)
end

local function zip(a, b, f)
    local made = {}
    for i = 1, #a do
        made[i] = f(a[i], b[i])
    end
    return made
end

local function is_whole(type)
    return type == "int" or type == "uint"
end

local function smaller(a, b)
    return a ~= a and a or b ~= b and b or math.min(a, b)
end

local function larger(a, b)
    return a ~= a and a or b ~= b and b or math.max(a, b)
end

return {PRECISION = PRECISION, wrap = wrap, convert = convert, measured = measured, exact = exact, meeting = meeting,
    together = together, zip = zip, is_whole = is_whole, smaller = smaller, larger = larger}
