-- Operations on tables in plain Lua, by loops over rows: the reference of fuzz/case/frames.lua.
local reference = {}

local NAN <const> = 0 / 0

local function is_real(kind)
    return kind == "double" or kind == "float"
end

local function number(value)
    return type(value) == "boolean" and (value and 1 or 0) or value
end

local function absent(kind, value)
    return value ~= value or kind == "category" and value == false
end

-- Returns a value by which equal elements are equal.
local function key(kind, value)
    if absent(kind, value) then
        return "missing"
    end
    return type(value) == "string" and "s" .. value or type(value) == "boolean" and tostring(value) or
        ("%.17g"):format(value + 0.0 == 0 and 0 or value)
end

local function keys_of(t, names, i)
    local parts = {}
    for k, name in ipairs(names) do
        local text = key(t.kinds[name], t.values[name][i])
        parts[k] = #text .. ":" .. text
    end
    return table.concat(parts)
end

-- Returns a table of the rows at 1-based indices.
local function take(t, rows)
    local result = {names = t.names, kinds = t.kinds, values = {}, rows = #rows}
    for _, name in ipairs(t.names) do
        local list = {}
        for i, row in ipairs(rows) do
            list[i] = t.values[name][row]
        end
        result.values[name] = list
    end
    return result
end

-- Returns -1, 0 or 1. Missing values are last in both directions.
local function compare(kind, a, b, down)
    local none, other = absent(kind, a), absent(kind, b)
    if none or other then
        return none == other and 0 or none and 1 or -1
    end
    a, b = number(a), number(b)
    local order = a == b and 0 or a < b and -1 or 1
    return down and -order or order
end

local function sorted(t, names, down, rows)
    local place = {}
    for i, row in ipairs(rows) do
        place[row] = i
    end
    table.sort(rows, function(i, j)
        for k, name in ipairs(names) do
            local order = compare(t.kinds[name], t.values[name][i], t.values[name][j], down and down[k])
            if order ~= 0 then
                return order < 0
            end
        end
        return place[i] < place[j]
    end)
    return rows
end

local function all_rows(t)
    local rows = {}
    for i = 1, t.rows do
        rows[i] = i
    end
    return rows
end

local run = {}

-- ---- rows

local function holds(t, i, test)
    local name, operator, b = table.unpack(test)
    local a = t.values[name][i]
    if operator == "missing" then
        return absent(t.kinds[name], a)
    elseif operator == "is" then
        return a
    elseif absent(t.kinds[name], a) then
        return operator == "!="
    elseif operator == "==" then
        return a == b
    elseif operator == "!=" then
        return a ~= b
    elseif operator == "<" then
        return a < b
    elseif operator == "<=" then
        return a <= b
    end
    return operator == ">" and a > b or operator == ">=" and a >= b
end

function run.filter(t, o)
    local rows = {}
    for i = 1, t.rows do
        local any, all = false, true -- `and` binds tighter than `or`
        for k, term in ipairs(o.terms) do
            if k > 1 and term.join == "or" then
                any, all = any or all, true
            end
            local value = holds(t, i, term.test)
            all = all and value ~= term.negated
        end
        rows[#rows + 1] = (any or all) and i or nil
    end
    return take(t, rows)
end

local RANK <const> = {int8 = 1, int = 1, uint16 = 2, uint = 2, float = 3, double = 4}
local SEEN <const> = {"int", "uint", "float", "double"}

function run.with(t, o)
    local kind = SEEN[math.max(RANK[t.kinds[o.left]], RANK[t.kinds[o.right]])]
    local list = {}
    local function operand(v)
        return kind == "float" and ("f"):unpack(("f"):pack(v)) or kind == "double" and v + 0.0 or v
    end
    for i = 1, t.rows do
        local a, b = operand(t.values[o.left][i]), operand(t.values[o.right][i])
        local v = o.operator == "+" and a + b or o.operator == "-" and a - b or a * b
        if kind == "int" then
            v = (v + (1 << 31)) % (1 << 32) - (1 << 31)
        elseif kind == "uint" then
            v = v % (1 << 32)
        end
        list[i] = operand(v)
    end
    local result = {names = table.move(t.names, 1, #t.names, 1, {}), kinds = {}, values = {}, rows = t.rows}
    for _, name in ipairs(t.names) do
        result.kinds[name], result.values[name] = t.kinds[name], t.values[name]
    end
    if not t.kinds[o.name] then
        result.names[#result.names + 1] = o.name
    end
    result.kinds[o.name], result.values[o.name] = kind, list
    return result
end

function run.sort(t, o)
    return take(t, sorted(t, o.names, o.down, all_rows(t)))
end

function run.unique(t, o)
    local rows, seen = {}, {}
    for i = 1, t.rows do
        local text = keys_of(t, o.names, i)
        rows[#rows + 1] = not seen[text] and i or nil
        seen[text] = true
    end
    return take(t, rows)
end

function run.rows(t, o)
    local rows = {}
    for i = o.first, o.last do
        rows[#rows + 1] = i
    end
    return take(t, rows)
end

function run.take(t, o)
    local rows = {}
    for i, at in ipairs(o.indices) do
        rows[i] = at + 1
    end
    return take(t, rows)
end

-- ---- groups

-- Returns a list of groups, lists of rows, in the order of their keys.
local function groups_of(t, names)
    local groups, first, seen = {}, {}, {}
    for i = 1, t.rows do
        local text = keys_of(t, names, i)
        if not seen[text] then
            seen[text] = {}
            first[#first + 1], groups[i] = i, seen[text]
        end
        table.insert(seen[text], i)
    end
    local list = {}
    for k, i in ipairs(sorted(t, names, nil, first)) do
        list[k] = groups[i]
    end
    return list
end

local function quantile(list, q)
    table.sort(list)
    local at = q * (#list - 1)
    local low = math.floor(at)
    local a, b, s = list[low + 1], list[math.min(low + 2, #list)], at - low
    if s == 0 or a == b then
        return a + 0.0
    elseif math.abs(a) == math.huge or math.abs(b) == math.huge then
        return a + b
    end
    return s < 0.5 and a + (b - a) * s or b - (b - a) * (1 - s)
end

local function aggregate(f, kind, list, q)
    local x, n, seen, distinct = {}, 0, {}, 0
    for _, v in ipairs(list) do
        if not absent(kind, v) then
            n = n + 1
            x[n] = v
            local text = key(kind, v)
            distinct, seen[text] = distinct + (seen[text] and 0 or 1), true
        end
    end
    if f == "count" then
        return n, "int"
    elseif f == "nunique" then
        return distinct, "int"
    elseif f == "first" or f == "last" then
        local v = x[f == "first" and 1 or n]
        if v == nil then
            v = kind ~= "category" and NAN
        end
        return v, kind
    elseif f == "any" or f == "all" then
        local any, all = false, true
        for _, v in ipairs(x) do
            any, all = any or number(v) ~= 0, all and number(v) ~= 0
        end
        return f == "any" and any or f == "all" and all, "bool"
    end
    local y, sum = {}, 0.0
    for i, v in ipairs(x) do
        y[i] = number(v)
        sum = sum + y[i]
    end
    if f == "min" or f == "max" then
        table.sort(y)
        local v = f == "min" and y[1] or y[n]
        if kind == "bool" and v ~= nil then
            v = v == 1
        elseif v == nil then
            v = NAN
        end
        return v, kind
    elseif f == "median" or f == "quantile" then
        return n > 0 and quantile(y, f == "median" and 0.5 or q) or NAN, kind == "float" and kind or "double"
    elseif f == "sum" then
        return sum, "double"
    elseif f == "mean" then
        return n > 0 and sum / n or NAN, "double"
    end
    local squares = 0.0
    for _, v in ipairs(y) do
        squares = squares + (v - sum / n) ^ 2
    end
    local var = n > 1 and squares / (n - 1) or NAN
    return f == "var" and var or math.sqrt(var), "double"
end

local function values_at(list, rows)
    local values = {}
    for i, row in ipairs(rows) do
        values[i] = list[row]
    end
    return values
end

function run.group(t, o)
    local groups, first = groups_of(t, o.keys), {}
    for i, rows in ipairs(groups) do
        first[i] = rows[1]
    end
    local result = take({names = o.keys, kinds = t.kinds, values = t.values}, first)
    result.names, result.kinds = table.move(o.keys, 1, #o.keys, 1, {}), {}
    for _, name in ipairs(o.keys) do
        result.kinds[name] = t.kinds[name]
    end
    for _, a in ipairs(o.list) do
        local kind, list = a.column and t.kinds[a.column], {}
        local _, of = aggregate(a.f, kind, {}, a.q)
        for i, rows in ipairs(groups) do
            if a.column then
                list[i] = (aggregate(a.f, kind, values_at(t.values[a.column], rows), a.q))
            else
                list[i] = #rows
            end
        end
        result.names[#result.names + 1] = a.name
        result.kinds[a.name], result.values[a.name] = a.column and of or "int", list
    end
    return result
end

-- ---- joins and other forms

-- Returns the value of a row without an equal key.
local function unmatched(kind, default)
    if kind == "category" then
        return false
    elseif is_real(kind) then
        return NAN
    end
    return kind == "bool" and default ~= 0 or kind ~= "bool" and default
end

local function common(a, b)
    if a == b then
        return a
    end
    local x, y = SEEN[RANK[a] or 0], SEEN[RANK[b] or 0]
    return x == y and x or "double"
end

function run.join(t, o)
    local u, places, pairs_of, used = o.table, {}, {}, {}
    for j = 1, u.rows do
        local text = keys_of(u, o.right, j)
        places[text] = places[text] or {}
        table.insert(places[text], j)
    end
    for i = 1, t.rows do
        local found = places[keys_of(t, o.left, i)]
        if o.how == "semi" or o.how == "anti" then
            pairs_of[#pairs_of + 1] = (found ~= nil) == (o.how == "semi") and i or nil
        else
            for _, j in ipairs(found or {}) do
                pairs_of[#pairs_of + 1], used[j] = {i, j}, true
            end
            if not found and o.how ~= "inner" then
                pairs_of[#pairs_of + 1] = {i}
            end
        end
    end
    if o.how == "semi" or o.how == "anti" then
        return take(t, pairs_of)
    end
    local extra = 0
    for j = 1, o.how == "outer" and u.rows or 0 do
        if not used[j] then
            pairs_of[#pairs_of + 1], extra = {nil, j}, extra + 1
        end
    end
    local result, right, is_key = {names = {}, kinds = {}, values = {}, rows = #pairs_of}, {}, {}
    for k, name in ipairs(o.left) do
        right[name], is_key[o.right[k]] = o.right[k], true
    end
    local function add(name, kind, f)
        result.names[#result.names + 1], result.kinds[name] = name, kind
        local list = {}
        for i, pair in ipairs(pairs_of) do
            list[i] = f(pair[1], pair[2])
        end
        result.values[name] = list
    end
    for _, name in ipairs(t.names) do
        local key_name, kind = right[name], t.kinds[name]
        add(name, extra > 0 and key_name and common(kind, u.kinds[key_name]) or kind, function(i, j)
            if i then
                return t.values[name][i]
            elseif key_name then
                return u.values[key_name][j]
            end
            return unmatched(kind, o.default)
        end)
    end
    for _, name in ipairs(u.names) do
        if not is_key[name] then
            local kind = u.kinds[name]
            add(t.kinds[name] and name .. "_2" or name, kind, function(_, j)
                if j then
                    return u.values[name][j]
                end
                return unmatched(kind, o.default)
            end)
        end
    end
    return result
end

function run.concat(t, o)
    local result = {names = t.names, kinds = {}, values = {}, rows = t.rows + o.table.rows}
    for _, name in ipairs(t.names) do
        local list = table.move(t.values[name], 1, t.rows, 1, {})
        table.move(o.table.values[name], 1, o.table.rows, t.rows + 1, list)
        result.kinds[name], result.values[name] = common(t.kinds[name], o.table.kinds[name]), list
    end
    return result
end

local function text_of(kind, value)
    if absent(kind, value) then
        return "missing"
    elseif type(value) == "number" then
        return math.tointeger(value) and ("%d"):format(value) or ("%.14g"):format(value)
    end
    return tostring(value)
end

--- Returns nil if the names of the columns would not be different.
function run.pivot(t, o)
    local rows, wide = groups_of(t, {o.index}), groups_of(t, {o.columns})
    local result = run.group(t, {keys = {o.index}, list = {}})
    local kind, of = t.kinds[o.values], {}
    for k, column in ipairs(wide) do
        for _, i in ipairs(column) do
            of[i] = k
        end
    end
    local _, found = aggregate(o.f, kind, {})
    for k, column in ipairs(wide) do
        local name = text_of(t.kinds[o.columns], t.values[o.columns][column[1]])
        name = name == "" and "c" .. k or name
        if result.kinds[name] then
            return nil
        end
        local list = {}
        for r, group in ipairs(rows) do
            local values = {}
            for _, i in ipairs(group) do
                values[#values + 1] = of[i] == k and {t.values[o.values][i]} or nil
            end
            for i, v in ipairs(values) do
                values[i] = v[1]
            end
            if #values == 0 then
                list[r] = unmatched(found, o.f == "count" and 7 or o.default)
            else
                list[r] = (aggregate(o.f, kind, values))
            end
        end
        result.names[#result.names + 1] = name
        result.kinds[name], result.values[name] = found, list
    end
    return result
end

function run.melt(t, o)
    local kind = t.kinds[o.values[1]]
    for _, name in ipairs(o.values) do
        if kind ~= t.kinds[name] then
            kind = common(SEEN[RANK[kind]], SEEN[RANK[t.kinds[name]]])
        end
    end
    local id, variable, value = {}, {}, {}
    for _, name in ipairs(o.values) do
        for i = 1, t.rows do
            id[#id + 1], variable[#variable + 1] = t.values[o.id][i], name
            value[#value + 1] = t.values[name][i]
        end
    end
    return {names = {o.id, "variable", "value"}, kinds = {[o.id] = t.kinds[o.id], variable = "category", value = kind},
        values = {[o.id] = id, variable = variable, value = value}, rows = #id}
end

--- Returns the table after an operation; nil if the operation is not possible.
function reference.run(t, o)
    return run[o.op](t, o)
end

-- ---- comparison

local function near(a, b, exact)
    if type(a) ~= "number" or type(b) ~= "number" then
        return a == b
    end
    return a == b or a ~= a and b ~= b or not exact and math.abs(a - b) <= 1e-9 * math.max(1, math.abs(a), math.abs(b))
end

--- Raises if a table of rill differs from a list of {name, kind, values}.
function reference.check(t, list)
    local names = table.concat(t.names, "|")
    local wanted = {}
    for i, column in ipairs(list) do
        wanted[i] = column[1]
    end
    if names ~= table.concat(wanted, "|") then
        error(("columns %s, expected %s"):format(names, table.concat(wanted, "|")), 0)
    end
    local lists = t:table()
    for _, column in ipairs(list) do
        local name, kind, values = table.unpack(column)
        local own = t.types[name]
        if own ~= kind then
            error(("column %q is %s, expected %s"):format(name, own, kind), 0)
        elseif #lists[name] ~= #values then
            error(("column %q has %d rows, expected %d"):format(name, #lists[name], #values), 0)
        end
        for i, value in ipairs(values) do
            local got = lists[name][i]
            if not near(got, value, kind ~= "double") then
                error(("row %d of column %q is %s, expected %s"):format(i, name, tostring(got), tostring(value)), 0)
            end
        end
    end
end

return reference
