-- Compares random expressions of the algebra with an evaluator in plain Lua, and operations that use them: eval,
-- reductions, scans, filters, kernels, masks. Floats are restricted to values for which every result is exact, so
-- that rounding and contraction do not matter.
local algebra = require "fuzz.support.algebra"
local draw = require "fuzz.support.draw"
local readers = require "fuzz.support.readers"
local source = require "fuzz.support.source"

local expressions = {batch = 30}

local NAMES = {"bool", "int", "uint", "float", "double"}
local PRECISION, is_whole, wrap, convert = algebra.PRECISION, algebra.is_whole, algebra.wrap, algebra.convert
local measured, exact, meeting, together = algebra.measured, algebra.exact, algebra.meeting, algebra.together
local zip, smaller, larger = algebra.zip, algebra.smaller, algebra.larger

local arithmetic = {
    ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end, ["*"] = function(a,
        b) return a * b end,
    ["//"] = function(a, b)
        if math.type(a) == "integer" then
            return b == 0 and 0 or a // b
        end
        return a // b
    end,
    ["%"] = function(a, b)
        if math.type(a) == "integer" then
            return b == 0 and 0 or a % b
        end
        return a % b
    end,
}

local makers = {}
local node

local function counted(type)
    return type == "bool" and "int" or type
end

function makers.arithmetic(d, depth)
    local name = d:pick {"+", "-", "*", "//", "%"}
    local a, b = node(d, depth - 1), node(d, depth - 1, true)
    if d:chance(1, 4) then
        a, b = b, a
    end
    local type = meeting(a, b)
    if not type then
        return nil
    end
    type = counted(type)
    local x, y = together(type, a, b)
    local divides = name == "//" or name == "%"
    if not x or divides and (a.special or b.special or is_whole(type) and not draw.divides) then
        return nil
    elseif divides and not is_whole(type) then
        for _, v in ipairs(y) do
            if v == 0 then
                return nil
            end
        end
    end
    local step = math.min(a.step, b.step)
    if name == "*" then
        step = a.step * b.step
    elseif name == "//" then
        step = 1
    end
    local values = zip(x, y, arithmetic[name])
    if is_whole(type) then
        for i, v in ipairs(values) do
            values[i] = wrap(v, type)
        end
    end
    return {text = ("(%s %s %s)"):format(a.text, name, b.text), type = type, values = values, step = step,
        special = a.special or b.special}
end

local bits = {
    ["&"] = function(a, b) return a & b end, ["|"] = function(a, b) return a | b end, ["~"] = function(a,
        b) return a ~ b end,
}
local logic = {
    ["&"] = function(a, b) return a and b end, ["|"] = function(a, b) return a or b end, ["~"] = function(a,
        b) return a ~= b end,
}

function makers.bitwise(d, depth)
    local name = d:pick {"&", "|", "~"}
    local a, b = node(d, depth - 1), node(d, depth - 1)
    local type = meeting(a, b)
    if not type or PRECISION[type] then
        return nil
    end
    local x, y = together(type, a, b)
    return x and {text = ("(%s %s %s)"):format(a.text, name, b.text), type = type,
        values = zip(x, y, (type == "bool" and logic or bits)[name])}
end

-- Shifts as in Lua, with 32 bits: logical, a negative count shifts in the other direction, counts of 32 and
-- more give 0.
local function shifted(value, count, type)
    value = value & 0xffffffff
    if count >= 32 or count <= -32 then
        return 0
    end
    return wrap(count >= 0 and value << count or value >> -count, type)
end

function makers.shift(d, depth)
    local left = d:chance(1, 2)
    local a, b = node(d, depth - 1), node(d, depth - 1, true)
    if d:chance(1, 4) then
        a, b = b, a
    end
    if not is_whole(b.type) or not is_whole(a.type) or a.scalar and b.scalar then
        return nil
    end
    -- The result has the type of the shifted operand; a number takes the type of the counts.
    local type = a.scalar and b.type or a.type
    local x = together(type, a)
    return x and {text = ("(%s %s %s)"):format(a.text, left and "<<" or ">>", b.text), type = type,
        values = zip(x, b.values, function(v, n) return shifted(v, left and n or -n, type) end)}
end

local orders = {
    lt = function(a, b) return a < b end, le = function(a, b) return a <= b end, gt = function(a, b) return a > b end,
    ge = function(a, b) return a >= b end, eq = function(a, b) return a == b end, ne = function(a, b) return a ~= b end,
}

function makers.compare(d, depth)
    local name = d:pick {"lt", "le", "gt", "ge", "eq", "ne"}
    local a, b = node(d, depth - 1), node(d, depth - 1, true)
    local type = not a.scalar and meeting(a, b)
    if not type then
        return nil
    end
    local x, y = together(counted(type), a, b)
    return x and {text = ("%s:%s(%s)"):format(a.text, name, b.text), type = "bool", values = zip(x, y, orders[name])}
end

local function even(x)
    local low = x // 1
    local rest = x - low
    return rest > 0.5 and low + 1 or rest < 0.5 and low or low % 2 == 0 and low or low + 1
end

-- name -> function of a number, the step of its results ("same", or a number), whether it accepts special values
local unary = {
    ["rill.abs"] = {math.abs, "same", true}, ["rill.floor"] = {function(v) return v // 1 end, 1},
    ["rill.ceil"] = {function(v) return -(-v // 1) end, 1},
    ["rill.trunc"] = {function(v) return v < 0 and -(-v // 1) or v // 1 end, 1}, ["rill.round"] = {even, 1},
    ["-"] = {function(v) return -v end, "same", true},
    ["rill.sign"] = {function(v) return v > 0 and 1 or v < 0 and -1 or 0 end, 1},
}
local unary_names = {"-", "rill.abs", "rill.floor", "rill.ceil", "rill.trunc", "rill.round", "rill.sign"}

function makers.unary(d, depth)
    local a = node(d, depth - 1)
    if a.scalar then
        return nil
    end
    if a.type == "bool" or d:chance(1, 6) then
        if PRECISION[a.type] then
            return {text = ("rill.isnan(%s)"):format(a.text), type = "bool",
                values = zip(a.values, a.values, function(v) return v ~= v end)}
        end
        local logical = a.type == "bool"
        return {text = ("(~%s)"):format(a.text), type = a.type, values = zip(a.values, a.values, function(v)
            return logical and not v or not logical and wrap(~v, a.type)
        end)}
    end
    local name = d:pick(unary_names)
    local f, step, special = table.unpack(unary[name])
    if a.special and not special then
        return nil
    end
    local values = zip(a.values, a.values, function(v)
        v = f(v)
        return PRECISION[a.type] and v + 0.0 or wrap(v // 1 | 0, a.type)
    end)
    return {text = (name == "-" and "(-%s)" or name .. "(%s)"):format(a.text), type = a.type, values = values,
        step = step == "same" and a.step or 1, special = a.special}
end

function makers.extreme(d, depth)
    local least = d:chance(1, 2)
    local a, b = node(d, depth - 1), node(d, depth - 1, true)
    local type = meeting(a, b)
    if not type then
        return nil
    end
    local x, y = together(counted(type), a, b)
    return x and {text = ("rill.%s(%s, %s)"):format(least and "min" or "max", a.text, b.text), type = counted(type),
        values = zip(x, y, least and smaller or larger), step = math.min(a.step, b.step), special = a.special
            or b.special}
end

function makers.where(d, depth)
    local condition, a, b = node(d, depth - 1), node(d, depth - 1), node(d, depth - 1, true)
    local type = meeting(a, b)
    if not type or condition.scalar then
        return nil
    end
    local x, y = together(type, a, b)
    if not x then
        return nil
    end
    local values = {}
    for i, c in ipairs(condition.values) do
        values[i] = convert(c, "bool") and x[i] or not convert(c, "bool") and y[i]
    end
    return {text = ("rill.where(%s, %s, %s)"):format(condition.text, a.text, b.text), type = type, values = values,
        step = math.min(a.step, b.step), special = a.special or b.special}
end

function makers.fma(d, depth)
    local a, b, c = node(d, depth - 1), node(d, depth - 1), node(d, depth - 1)
    if a.scalar or b.scalar or c.scalar or a.type ~= b.type or b.type ~= c.type or a.type == "bool" then
        return nil
    end
    local values = {}
    for i, v in ipairs(a.values) do
        values[i] = v * b.values[i] + c.values[i]
        if is_whole(a.type) then
            values[i] = wrap(values[i], a.type)
        end
    end
    return {text = ("rill.fma(%s, %s, %s)"):format(a.text, b.text, c.text), type = a.type, values = values,
        step = math.min(a.step * b.step, c.step), special = a.special or b.special or c.special}
end

local kinds = {
    {5, "arithmetic"}, {2, "compare"}, {2, "unary"}, {2, "extreme"}, {2, "bitwise"}, {2, "shift"}, {2, "where"}, {1,
        "fma"},
}

-- ---- leaves

local function value_of(type, d, special)
    if type == "bool" then
        return d:chance(1, 2)
    elseif PRECISION[type] then
        if special and d:chance(1, 6) then
            return d:pick {0 / 0, math.huge, -math.huge, -0.0}
        end
        return (d:weighted {{3, 1}, {2, -1}}) * d:below(40) / 4
    elseif d:chance(1, 5) then
        return type == "int" and d:pick {2147483647, -2147483648, -1, 65536} or d:pick {4294967295, 2147483648,
            2147483647}
    end
    return type == "int" and d:weighted {{2, 1}, {1, -1}} * d:below(40) or d:below(40)
end

local function number(d, case)
    if d:chance(1, 2) then
        local value = d:weighted {{4, d:below(10)}, {2, -d:below(10)}, {1, d:int(28, 36)}}
        return {text = value < 0 and ("(%d)"):format(value) or tostring(value), type = "int", scalar = value,
            values = case.repeated(value)}
    end
    local value = d:weighted {{2, 1}, {1, -1}} * d:below(20) / 4
    return {text = ("(%s)"):format(source.literal(value)), type = "float", scalar = value,
        values = case.repeated(value), step = 0.25}
end

local current

local function leaf(d, may_be_number)
    if may_be_number and d:chance(1, 2) then
        return measured(number(d, current))
    end
    return d:pick(current.streams)
end

function node(d, depth, may_be_number)
    if depth > 0 and d:chance(3, 4) then
        local made = makers[d:weighted(kinds)](d, depth)
        if made and exact(measured(made)) then
            return made
        end
    end
    return leaf(d, may_be_number)
end

-- Returns a stream that broadcasts to the case's shape: sizes may be 1, leading dimensions may be missing.
local function add_stream(d, case, k)
    local shape, from = {}, 1
    if k > 1 and #case.shape > 1 and d:chance(1, 6) then
        from = 2
    end
    for axis = from, #case.shape do
        shape[#shape + 1] = k > 1 and d:chance(1, 8) and 1 or case.shape[axis]
    end
    local type = d:pick(NAMES)
    local stored = type == "float" and d:chance(1, 6) and "half" or type == "int" and d:chance(1, 8) and "int16" or type
    local special = d:chance(1, 6)
    local stream = source.stream(d, "x" .. k, stored, shape, function()
        local value = value_of(type, d, special)
        return stored == "int16" and math.max(-32768, math.min(32767, value)) or value
    end)
    local values = {}
    local map = source.places(case.shape, shape, function(index)
        local at = {}
        for axis, n in ipairs(shape) do
            at[axis] = n == 1 and 0 or index[axis + from - 1]
        end
        return at
    end)
    for e, place in ipairs(map) do
        values[e] = stream.of[place]
    end
    case.full["x" .. k] = #shape == #case.shape and source.size(shape) == source.size(case.shape)
    table.insert(case.lines, stream.lines)
    table.insert(case.streams, measured {text = "x" .. k, type = type, values = values, step = PRECISION[type]
        and 0.25 or 1,
        special = special and PRECISION[type] ~= nil})
end

-- ---- additional checks

-- Functions of the device, compared with their reference within the errors stated in docs/algebra.md.
local functions = {
    {"exp2", function(v) return 2.0 ^ v end}, {"exp", math.exp}, {"log", math.log}, {"log2",
        function(v) return math.log(v, 2) end},
    {"sqrt", math.sqrt}, {"sin", math.sin}, {"cos", math.cos}, {"atan", math.atan}, {"asin", math.asin}, {"acos",
        math.acos},
    {"fract", function(v) return v - v // 1 end},
}

local alone = {}

function alone.functions(d)
    local type, row = d:pick {"float", "double"}, d:pick(functions)
    local values, expected = {}, {}
    for i = 1, d:int(1, 9) do
        local v = d:weighted {{4, d:below(400) / 64}, {2, 1 + (d:below(200) - 100) / 2 ^ d:int(10, 22)}, {1, 0 / 0},
            {1, -d:below(400) / 64}}
        values[i], expected[i] = v, row[2](v)
    end
    local relative, absolute = type == "float" and 4e-6 or 1e-11, type == "float" and 1e-6 or 1e-13
    -- Logarithms near 1, where the result approaches 0, keep their relative precision.
    if row[1]:find "^log" then
        absolute = 1e-30
    end
    return ([[
local y = rill.from(%s, %q)
same(%q, %s, rill.%s(y), function(a, b)
    return a == b or a ~= a and b ~= b or math.abs(a - b) <= %g * math.abs(a) + %g
end)
]]):format(source.list(values), type, row[1], source.list(expected), row[1], relative, absolute)
end

-- The remainder of a division is between 0 and the divisor, whatever their magnitudes.
function alone.remainder(d)
    local a, b = {}, {}
    for i = 1, d:int(1, 9) do
        a[i] = (d:chance(1, 2) and -1 or 1) * (1.0 + d:below(1000) / 1024) * 10.0 ^ d:int(0, 38)
        b[i] = (1.0 + d:below(1000) / 1024) * 10.0 ^ -d:int(0, 30)
    end
    return ([[
local a, b = rill.from(%s), rill.from(%s)
local r = (a %% b):values()
for i, m in ipairs(b:values()) do
    assert(r[i] >= 0 and r[i] <= m, ("%%g %%%% %%g is %%g"):format(a[i], m, r[i]))
end
]]):format(source.list(a), source.list(b))
end

local reader_names = {"eval", "write", "sum", "extremes", "count", "scan", "mask", "kernel", "close"}

local function script(d)
    if d:chance(1, 8) then
        return alone[d:pick {"functions", "remainder"}](d)
    end
    local shape = d:weighted {{3, {d:pick {4, 1, 2, 3, 7, 8, 17, 65, 0}}}, {1, {d:pick {2, 1, 3}, d:pick {3, 4, 9}}}}
    local case = {shape = shape, streams = {}, lines = {}, full = {}}
    function case.repeated(value)
        local list = {}
        for i = 1, source.size(shape) do
            list[i] = value
        end
        return list
    end
    current = case
    for k = 1, #d:many(1, 4, 2, function() return true end) do
        add_stream(d, case, k)
    end
    local root = node(d, 5)
    local full
    for name in root.text:gmatch "%f[%w]x%d" do -- 0x1p-2 is a number
        full = full or case.full[name]
    end
    if not full or root.text:find "^x%d$" then
        local stream = case.streams[1]
        return table.concat(case.lines) .. ("same('copy', %s, x1:copy())\n"):format(source.list(stream.values))
    end
    local read = readers[d:pick(reader_names)](d, root, case) or readers.eval(d, root, case)
    return table.concat(case.lines) .. ("local e = %s\n"):format(root.text) .. read
end

function expressions.scripts(draws)
    local list = {}
    for i, d in ipairs(draws) do
        list[i] = script(d)
    end
    return list
end

return expressions
