-- Sorts by several keys, lookups, sets, pairs of equal rows, quantiles by key.
local data = require "fuzz.support.data"
local reference = require "fuzz.support.reference"
local source = require "fuzz.support.source"

local literal, list_text = source.literal, source.list
local as, is_real, size, stream, all_types = data.as, data.is_real, data.size, data.stream, data.all_types
local before, order, pick = reference.before, reference.order, reference.pick

local makers = {}

-- Returns a key of tables of Lua that is the same for equal values.
local function word(v)
    if type(v) == "boolean" then
        v = v and 1 or 0
    end
    return v ~= v and "nan" or v == 0 and "0" or ("%.17g"):format(v)
end

local function row_word(lists, i)
    local words = {}
    for k, list in ipairs(lists) do
        words[k] = word(list[i])
    end
    return table.concat(words, " ")
end

-- Returns the text of the streams NAME1, NAME2 ... of n elements, their names, and the lists of their values.
local function columns(d, name, types, n)
    local lines, names, lists = {}, {}, {}
    for k, kind in ipairs(types) do
        names[k] = name .. k
        local s = stream(d, names[k], kind, {n})
        lines[k], lists[k] = s.lines, s.of
    end
    return table.concat(lines), "{" .. table.concat(names, ", ") .. "}", lists
end

local function types_of(d)
    return d:many(1, 4, 2, function() return d:pick(all_types) end)
end

function makers.lexsort(d)
    local types, n = types_of(d), size(d, 4000)
    local lines, names, lists = columns(d, "s", types, n)
    local descending, texts, indices = {}, {}, {}
    for k in ipairs(types) do
        descending[k] = d:chance(1, 3)
        texts[k] = tostring(descending[k])
    end
    for i = 1, n do
        indices[i] = i - 1
    end
    table.sort(indices, function(a, b)
        for k, list in ipairs(lists) do
            local x, y = list[a + 1], list[b + 1]
            if before(x, y, descending[k]) then return true end
            if before(y, x, descending[k]) then return false end
        end
        return a < b
    end)
    return lines .. ("same('lexsort', %s, rill.lexsort(%s, {descending = {%s}}))\n"):format(list_text(indices), names,
        table.concat(texts, ", "))
end

-- Returns lists of types for the columns of keys and of a table.
local function pairs_of_types(d)
    local types, others = types_of(d), {}
    for k, kind in ipairs(types) do
        others[k] = d:chance(1, 3) and d:pick(all_types) or kind
    end
    return types, others
end

function makers.match(d)
    local types, others = pairs_of_types(d)
    local n, m, keep = size(d, 300), size(d, 3000), d:chance(1, 2)
    local lines, names, lists = columns(d, "t", types, n)
    local key_lines, key_names, key_lists = columns(d, "s", others, m)
    local rows, left, right, found = {}, {}, {}, {}
    for i = 1, n do
        local w = row_word(lists, i)
        rows[w] = rows[w] or {}
        table.insert(rows[w], i - 1)
    end
    for i = 1, m do
        local all = rows[row_word(key_lists, i)]
        found[i] = all ~= nil
        for _, row in ipairs(all or keep and {-1} or {}) do
            left[#left + 1], right[#right + 1] = i - 1, row
        end
        if #left > 20000 then
            return makers.lexsort(d)
        end
    end
    return lines .. key_lines .. ([[
local match = require "rill.stream.match"
local at = match.find(%s, %s, {repeats = true})
same('find', %s, at:ge(0):eval())
local order, first, count = match.ranges(%s, %s)
local left, right = match.pairs(order, first, count, %s)
same('left', %s, left)
same('right', %s, right)
]]):format(key_names, names, list_text(found), key_names, names, keep, list_text(left), list_text(right))
end

function makers.lookup(d)
    local kind, n, m = d:pick(all_types), size(d, 2000), size(d, 2000)
    local t, s = stream(d, "t", kind, {n}), stream(d, "s", d:chance(1, 3) and d:pick(all_types) or kind, {m})
    local v = stream(d, "v", d:pick {"float", "int", "double", "uint8"}, {n})
    local rows, repeated, values = {}, nil, {}
    for i = 1, n do
        local w = word(t.of[i])
        repeated = repeated or rows[w] and i
        rows[w] = rows[w] or i
    end
    local lines = t.lines .. s.lines .. v.lines
    if repeated then
        return lines .. ([[
local done, message = pcall(rill.lookup, s, t, v, 1)
assert(not done and message:find("occurs more than once: element %d ", 1, true), message)
]]):format(repeated)
    end
    for i = 1, m do
        local row = rows[word(s.of[i])]
        values[i] = row and v.of[row]
        if not row then
            values[i] = math.type(v.of[1]) == "float" and 1.0 or 1
        end
    end
    return lines .. ("same('lookup', %s, rill.lookup(s, t, v, 1))\n"):format(list_text(values))
end

function makers.sets(d)
    local kind = d:pick(all_types)
    local s, t = stream(d, "s", kind, {size(d, 4000)}), stream(d, "t", kind, {size(d, 4000)})
    local in_s, in_t, inside = {}, {}, {}
    for _, v in ipairs(t.of) do
        in_t[word(v)] = v
    end
    for i, v in ipairs(s.of) do
        in_s[word(v)], inside[i] = v, in_t[word(v)] ~= nil
    end
    local sets = {union = {}, intersect = {}, difference = {}}
    local function add(name, v)
        table.insert(sets[name], v)
    end
    for w, v in pairs(in_s) do
        add("union", v)
        add(in_t[w] ~= nil and "intersect" or "difference", v)
    end
    for w, v in pairs(in_t) do
        if in_s[w] == nil then
            add("union", v)
        end
    end
    local name = d:pick {"union", "intersect", "difference"}
    local set = sets[name]
    return s.lines .. t.lines .. ("same('isin', %s, s:isin(t))\nsame('%s', %s, rill.%s(s, t))\n"):format(
        list_text(inside), name, list_text(pick(set, order(set))), name)
end

function makers.quantiles_by_key(d)
    local kind, n = d:pick(all_types), size(d, 3000)
    local k, v = stream(d, "k", d:pick {"int", "uint8", "float"}, {n}), stream(d, "v", kind, {n})
    local q, keys, expected, from = d:pick {0, 1, 0.5, 0.25, 0.3}, {}, {}, 1
    local real = is_real(kind) or as(kind) == "float"
    for i = 1, n do
        if i == n or k.of[i] ~= k.of[i + 1] then -- NaN is a run of its own
            local own = {}
            for j = from, i do
                local x = v.of[j]
                own[#own + 1] = x == true and 1 or x == false and 0 or x
            end
            keys[#keys + 1], from = k.of[i], i + 1
            local sorted = pick(own, order(own))
            local at = q * (#sorted - 1)
            local low = at // 1 | 0
            local a, b, t = sorted[low + 1], sorted[math.min(low + 2, #sorted)], at - low
            local last = sorted[#sorted]
            local value = (t == 0 or a == b) and a or math.abs(a) == math.huge and a + b
                or math.abs(b) == math.huge and a + b or t < 0.5 and a + t * (b - a) or b - (1 - t) * (b - a)
            expected[#expected + 1] = last ~= last and last or value + 0.0
            if as(kind) == "float" and real then
                expected[#expected] = string.unpack("<f", string.pack("<f", expected[#expected]))
            end
        end
    end
    return k.lines .. v.lines .. ([[
local keys, values = rill.quantile_by_key(k, v, %s)
same('keys', %s, keys)
same('quantiles', %s, values)
]]):format(literal(q), list_text(keys), list_text(expected))
end

return makers
