-- Gathers, scatters, searches, merges, products, transposes.
local data = require "fuzz.support.data"
local reference = require "fuzz.support.reference"
local source = require "fuzz.support.source"

local list_text = source.list
local ranges, as, is_real, values_of, size = data.ranges, data.as, data.is_real, data.values_of, data.size
local shape_of, stream, all_types = data.shape_of, data.stream, data.all_types
local wrap, number, taken, before = reference.wrap, reference.number, reference.taken, reference.before
local order, pick, operator = reference.order, reference.pick, reference.operator
local operation, exact_data = reference.operation, reference.exact_data

local makers = {}

local function index_stream(d, name, shape, n, low)
    local type = d:pick {"int", "uint", "float", "int16"}
    return source.stream(d, name, type, shape, function()
        local v = d:weighted {{12, d:int(0, math.max(n - 1, 0))}, {1, n + d:below(9)}, {low and 1 or 0,
            -1 - d:below(9)},
            {1, type == "uint" and d:pick {4294967295, 3000000000, 2147483648} or type == "int" and low
                and d:pick {2147483647, -2147483648} or n}}
        if type == "uint" and v < 0 then
            v = n
        end
        v = type == "int16" and math.min(v, 32767) or v
        return type == "float" and v + 0.0 or v
    end)
end

local function bounded(i, n, mode)
    if i >= 0 and i < n then
        return i
    elseif n == 0 or mode == "zero" then
        return nil
    elseif mode == "wrap" then
        return i % n
    elseif mode == "mirror" then
        i = i % (2 * n)
        return i < n and i or 2 * n - 1 - i
    end
    return i < 0 and 0 or n - 1
end

function makers.gather(d)
    local type = d:pick(all_types)
    local shape = shape_of(d, d:weighted {{3, 1}, {1, 2}})
    local s = stream(d, "s", type, shape)
    local index = index_stream(d, "index", shape_of(d, d:int(1, 2), 300), #s.of, true)
    local mode = #shape == 1 and d:pick {"clamp", "wrap", "mirror", "zero"} or "clamp"
    local expected = {}
    for k, i in ipairs(index.of) do
        local at = bounded(i // 1 | 0, #s.of, mode)
        expected[k] = at and s.of[at + 1]
        if not at then
            expected[k] = type ~= "bool" and (is_real(type) and 0.0 or 0) or false
        end
    end
    return s.lines .. index.lines .. ("same('gather', %s, rill.gather(s%s, index))\n"):format(list_text(expected),
        mode == "clamp" and "" or (":boundary %q"):format(mode))
end

-- Rounds to nearest even, as stores of `half` do.
local function half(value)
    local step = 2.0 ^ -24
    while step * 2048 <= math.abs(value) and step <= 32 do
        step = step * 2
    end
    local below = value / step // 1
    local above = value / step - below
    local rounded = above > 0.5 or above == 0.5 and below % 2 == 1
    value = (rounded and below + 1 or below) * step
    return math.abs(value) > 65504 and value * math.huge or value
end

local function stored(value, type)
    local range = ranges[type]
    if type == "bool" then
        return value ~= 0
    elseif type == "half" then
        return half(value)
    elseif range and type ~= "int" and type ~= "uint" then
        local bits = type:find "8" and 8 or 16
        value = value & ((1 << bits) - 1)
        return range[1] < 0 and value >= 1 << (bits - 1) and value - (1 << bits) or value
    end
    return value
end

function makers.scatter(d)
    local type = d:pick {"int", "float", "uint", "double", "bool", "uint8", "int16", "half"}
    local n, m = size(d, 2000), size(d, 2000)
    local name = d:chance(1, 3) and "set" or operation(d, type)
    local exact = exact_data(type, name) or name == "mul" or type == "half"
    local to = source.stream(d, "to", type, {n}, values_of(d, type, exact), {written = true})
    local index = index_stream(d, "index", {m}, n, true)
    local s = stream(d, "s", type, {m}, exact)
    local expected = table.move(to.of, 1, n, 1, {})
    local f = name ~= "set" and operator(name, as(type) == "bool" and "int" or as(type)) or function(_, v) return v end
    for k, v in ipairs(expected) do
        expected[k] = number(v)
    end
    for k, i in ipairs(index.of) do
        i = i // 1 | 0
        if i >= 0 and i < n then
            expected[i + 1] = f(expected[i + 1], number(s.of[k]))
        end
    end
    for k, v in ipairs(expected) do
        expected[k] = stored(v, type)
    end
    return to.lines .. index.lines .. s.lines
        .. ("rill.scatter(to, index, s, %q)\nsame('scatter', %s, to)\nsame('base', %s, %s)\n"):format(
        name, list_text(expected), list_text(source.written(to, expected)), to.base_name)
end

function makers.gather_op(d)
    local type = d:pick {"int", "uint", "float"}
    local n, m = d:int(1, 40), size(d, 600)
    local name = type == "float" and d:pick {"max", "min"} or d:pick {"add", "max", "min", "and", "or", "xor"}
    local s = source.stream(d, "s", type, {n}, values_of(d, type, true), {written = true})
    local index = index_stream(d, "index", {m}, n, true)
    local f = operator(name, type)
    local after, got = table.move(s.of, 1, n, 1, {}), {}
    for k, i in ipairs(index.of) do
        i = i // 1 | 0
        got[k] = type == "float" and 0.0 or 0
        if i >= 0 and i < n then
            got[k] = after[i + 1]
            after[i + 1] = f(after[i + 1], after[i + 1])
        end
    end
    return s.lines .. index.lines .. ([[
local to = rill.stream(%q, %d)
rill.gather_op(to, index, s, %q)
same('fetched', %s, to)
same('after', %s, s)
]]):format(type, m, name, list_text(got), list_text(after))
end

function makers.search(d)
    local type = d:pick {"int", "float", "uint", "double", "half", "uint8"}
    local s = stream(d, "s", type, {size(d)})
    local of = type
    local values = stream(d, "values", of, shape_of(d, d:int(1, 2), 300))
    local sorted = pick(s.of, order(s.of))
    local right = d:chance(1, 2)
    local expected = {}
    for k, v in ipairs(values.of) do
        local count = 0
        for _, e in ipairs(sorted) do
            if before(e, v) or right and not before(v, e) then
                count = count + 1
            end
        end
        expected[k] = count
    end
    return s.lines .. values.lines .. ("same('searchsorted', %s, rill.searchsorted(s:sort(), values, {side = %q}))\n")
        :format(
        list_text(expected), right and "right" or "left")
end

function makers.merge(d)
    local type, descending = d:pick(all_types), d:chance(1, 3)
    local a, b = stream(d, "a", type, {size(d)}), stream(d, "b", type, {size(d)})
    local both = pick(a.of, order(a.of, descending))
    table.move(pick(b.of, order(b.of, descending)), 1, #b.of, #both + 1, both)
    local options = ("{descending = %s}"):format(descending)
    return a.lines .. b.lines .. ("same_bits('merge', %s, rill.merge(a:sort %s, b:sort %s, %s))\n"):format(
        list_text(pick(both, order(both, descending))), options, options, options)
end

function makers.matmul(d)
    local type = d:pick {"float", "int", "double", "uint", "int8"}
    local n, m, k = d:int(1, 20), d:int(1, 20), d:int(1, 40)
    if d:chance(1, 6) then
        n, m, k = d:pick {63, 64, 65, 1}, d:pick {15, 16, 17, 33}, d:pick {64, 65, 7}
    end
    local a, b = stream(d, "a", type, {n, k}, true), stream(d, "b", type, {k, m}, true)
    local expected = {}
    for i = 1, n do
        for j = 1, m do
            local total = is_real(type) and 0.0 or 0
            for l = 1, k do
                total = total + a.of[(i - 1) * k + l] * b.of[(l - 1) * m + j]
            end
            table.insert(expected, is_real(type) and total or wrap(total, as(type)))
        end
    end
    return a.lines .. b.lines .. ("same('matmul', %s, rill.matmul(a, b))\n"):format(list_text(expected))
end

function makers.transpose(d)
    local type = d:pick(all_types)
    local rank = d:int(2, 4)
    local shape, axes, pool = {}, {}, {}
    for k = 1, rank do
        shape[k] = d:chance(1, 4) and d:pick {15, 16, 17, 33} or d:int(1, 6)
        pool[k] = k
    end
    while #pool > 0 do
        table.insert(axes, table.remove(pool, d:int(1, #pool)))
    end
    local s = stream(d, "s", type, shape)
    local made = {}
    for k, axis in ipairs(axes) do
        made[k] = shape[axis]
    end
    local places = source.places(made, shape, function(index)
        local at = {}
        for k, axis in ipairs(axes) do
            at[axis] = index[k]
        end
        return at
    end)
    return s.lines .. ("same_bits('transpose', %s, s:transpose(%s):copy())\n"):format(list_text(taken(s.of, places)),
        list_text(axes))
end

return makers
