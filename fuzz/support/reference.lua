-- Shared by references of primitives, on plain Lua lists.
local data = require "fuzz.support.data"

local as, is_real = data.as, data.is_real
local inf = math.huge

local function wrap(value, type)
    value = value & 0xffffffff
    return type ~= "uint" and value >= 1 << 31 and value - (1 << 32) or value
end

local function number(v)
    return v == true and 1 or v == false and 0 or v
end

local function holds(v)
    return v ~= false and v ~= 0
end

-- Returns the rows along an axis: a list of lists of flat indices, in row-major order of the other axes.
local function rows_along(shape, axis)
    local inner, outer = 1, 1
    for k, n in ipairs(shape) do
        inner, outer = k > axis and inner * n or inner, k < axis and outer * n or outer
    end
    local rows = {}
    for o = 0, outer - 1 do
        for i = 1, inner do
            local row = {}
            for k = 0, shape[axis] - 1 do
                row[k + 1] = (o * shape[axis] + k) * inner + i
            end
            rows[#rows + 1] = row
        end
    end
    return rows
end

local function taken(values, indices)
    local made = {}
    for i, index in ipairs(indices) do
        made[i] = values[index]
    end
    return made
end

local function before(a, b, descending)
    a, b = number(a), number(b)
    if a ~= a or b ~= b then
        return a == a and b ~= b
    end
    return descending and a > b or not descending and a < b
end

-- Returns 0-based indices in stable order, by merging, because table.sort is not stable.
local function order(values, descending)
    local indices = {}
    for i = 1, #values do
        indices[i] = i - 1
    end
    table.sort(indices, function(a, b)
        local x, y = values[a + 1], values[b + 1]
        if before(x, y, descending) then
            return true
        end
        return not before(y, x, descending) and a < b
    end)
    return indices
end

local function pick(values, indices)
    local made = {}
    for i, index in ipairs(indices) do
        made[i] = values[index + 1]
    end
    return made
end

-- name -> operator on values as kernels see them, by type
local function operator(name, type)
    local whole = type == "int" or type == "uint" or type == "bool"
    local function wrapped(f)
        return function(a, b) return whole and wrap(f(a, b), type) or f(a, b) end
    end
    return ({
        add = wrapped(function(a, b) return a + b end), mul = wrapped(function(a, b) return a * b end),
        min = function(a, b) return a ~= a and a or b ~= b and b or math.min(a, b) end,
        max = function(a, b) return a ~= a and a or b ~= b and b or math.max(a, b) end,
        ["and"] = wrapped(function(a, b) return a & b end), ["or"] = wrapped(function(a, b) return a | b end),
        xor = wrapped(function(a, b) return a ~ b end),
    })[name]
end

local function identity(name, type)
    local real = type == "float" or type == "double"
    local low, high = -2147483648, 2147483647
    if type == "uint" then
        low, high = 0, 4294967295
    elseif type == "bool" then
        low, high = 0, 1
    end
    return ({add = real and 0.0 or 0, mul = real and 1.0 or 1, min = real and inf or high, max = real and -inf or low,
        ["and"] = type == "bool" and 1 or wrap(-1, type), ["or"] = 0, xor = 0})[name]
end

local bitwise = {["and"] = true, ["or"] = true, xor = true}

-- Returns an operation that works for a type.
local function operation(d, type)
    if type == "unorm8" then
        return d:pick {"max", "min"} -- its sums are not exact
    end
    local name = d:pick(is_real(type) and {"add", "max", "min"} or {"add", "max", "min", "and", "or", "xor", "mul"})
    return name
end

local function exact_data(type, name)
    return is_real(type) and (name == "add" or name == "mul")
end

-- Returns the type of the result of a scan or a segmented reduction.
local function result_type(type, name)
    return type == "bool" and not bitwise[name] and "int" or as(type)
end

local function as_result(value, type)
    return type == "bool" and value ~= 0 or type ~= "bool" and value or false
end

local function fold(values, f, first)
    local total = first
    for i, v in ipairs(values) do
        total = (i == 1 and first == nil) and number(v) or f(total, number(v))
    end
    return total
end

local function scanned(values, f, first, options)
    local made, total = {}, nil
    local from, to, by = 1, #values, 1
    if options.reverse then
        from, to, by = to, from, -1
    end
    for i = from, to, by do
        local v = number(values[i])
        if options.starts and options.starts[i + (options.reverse and 1 or 0)] then
            total = nil
        end
        local next = total == nil and v or (options.reverse and f(v, total) or f(total, v))
        made[i] = options.exclusive and (total == nil and first or total) or next
        total = next
    end
    return made
end

local function same_key(a, b)
    return a == b or a ~= a and b ~= b
end

local function runs(values)
    local heads, lengths = {}, {}
    for i, v in ipairs(values) do
        if i > 1 and same_key(v, heads[#heads]) then
            lengths[#lengths] = lengths[#lengths] + 1
        else
            table.insert(heads, v)
            table.insert(lengths, 1)
        end
    end
    return heads, lengths
end

local function predicate(d, type)
    if as(type) == "bool" then
        return d:pick {{"x", holds}, {"!x", function(v) return not v end}}
    end
    local k = d:below(9)
    local number_text = is_real(type) and ("%d.0"):format(k) or as(type) == "uint" and k .. "u" or tostring(k)
    return d:pick {
        {"x > " .. number_text, function(v) return v > k end}, {"x == " .. number_text, function(v) return v == k end},
        {"i % 3 == 0", function(_, i) return i % 3 == 0 end}, {"x != " .. number_text, function(v) return v ~= k end},
        {"false", function() return false end}, {"true", function() return true end},
    }
end

return {
    wrap = wrap, number = number, holds = holds, rows_along = rows_along, taken = taken,
    before = before, order = order, pick = pick, operator = operator, identity = identity,
    operation = operation, exact_data = exact_data, result_type = result_type, as_result = as_result, fold = fold,
    scanned = scanned, runs = runs, predicate = predicate,
}
