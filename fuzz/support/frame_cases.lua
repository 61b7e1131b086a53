-- Random tables and operations on them: data that fuzz/case/frames.lua and fuzz/pandas.lua convert to programs. A table
-- is {names = (list), kinds = (by name), values = (lists by name), rows =}. NaN is a missing number, and false a missing
-- text. An operation is a table with the field `op`.
local cases = {}

local KINDS <const> = {"double", "int", "category", "bool", "float", "uint", "int8", "uint16"}
local TEXTS <const> = {
    "a", "b", "", "ab", "B", "\xc3\xa9", "a b", "'", "\"", "\\", "\n", "\0", ",", "\xff", "%d", "nan", "-1", "x\0y",
}
local NAMES <const> = {
    "x", "y", "z", "key", "a b", "head", "not", "\xc3\xa9t\xc3\xa9", "c1_", "float", "'q'", "1", "-x",
}
local AGGREGATES <const> = {
    "count", "sum", "mean", "min", "max", "var", "std", "median", "quantile", "first", "last", "nunique", "any", "all",
}
local OF_TEXTS <const> = {"count", "first", "last", "nunique"}

-- Returns a list of n values of a kind. `special`: whether infinities may occur.
local function values_of(d, kind, n, special)
    local list, mode = {}, d:int(0, 3)
    local missing = d:chance(1, 2)
    local base = d:int(0, 1) * 1000003
    for i = 1, n do
        local v = mode == 1 and 1 or mode == 2 and i or d:int(0, mode == 3 and 100 or 3)
        if kind == "category" then
            local text = TEXTS[v % #TEXTS + 1]
            list[i] = not (missing and d:chance(1, 4)) and (mode == 2 and text .. v or text)
        elseif kind == "bool" then
            list[i] = v % 2 == 1
        elseif kind == "double" or kind == "float" then
            list[i] = (v - 2) * (base > 0 and 4096.0 or 0.25)
            if missing and d:chance(1, 4) then
                list[i] = special and d:pick {0 / 0, -0.0, 1 / 0, -1 / 0} or 0 / 0
            end
        elseif kind == "uint" then
            list[i] = v * (base + 1) % 4000000000
        elseif kind == "int" then
            list[i] = (v - 2) * (base + 1)
        else
            list[i] = v % 100 - (kind == "int8" and 50 or 0)
        end
    end
    return list
end

local function rows_of(d)
    return d:weighted {{10, d:int(0, 3)}, {20, d:int(4, 40)}, {1, d:int(200, 600)}}
end

-- Returns a random table.
function cases.table(d, special, rows)
    local n = rows or rows_of(d)
    local t = {names = {}, kinds = {}, values = {}, rows = n}
    for _ = 1, d:int(2, 5) do
        local name = d:pick(NAMES)
        if not t.kinds[name] then
            t.names[#t.names + 1] = name
            t.kinds[name] = d:pick(KINDS)
            t.values[name] = values_of(d, t.kinds[name], n, special)
        end
    end
    return t
end

local function is_number(kind)
    return kind ~= "category" and kind ~= "bool"
end

-- Returns some different names of a table that pass a test; nil if there are none.
local function some(d, t, most, test)
    local list, chosen = {}, {}
    for _, name in ipairs(t.names) do
        list[#list + 1] = (not test or test(t.kinds[name])) and name or nil
    end
    for _ = 1, math.min(d:int(1, most), #list) do
        chosen[#chosen + 1] = table.remove(list, d:int(1, #list))
    end
    return #chosen > 0 and chosen or nil
end

local make = {}

-- A comparison: {column, operator, value}; of a bool column and of missing values: {column, "is"} and {column,
-- "missing"}.
local function comparison(d, t)
    local name = d:pick(t.names)
    local kind, list = t.kinds[name], t.values[name]
    local value = #list > 0 and list[d:int(1, #list)]
    if d:chance(1, 6) then
        return {name, "missing"}
    elseif kind == "bool" then
        return {name, "is"}
    elseif kind == "category" then
        value = value or d:pick(TEXTS)
    elseif not value or value ~= value or value == math.huge or value == -math.huge then
        value = kind == "double" and 0.5 or 1
    end
    return {name, d:pick {"==", "!=", "<", "<=", ">", ">="}, value}
end

function make.filter(d, t)
    local terms = {}
    for i = 1, d:int(1, 3) do
        terms[i] = {negated = d:chance(1, 4), join = d:pick {"and", "or"}, test = comparison(d, t)}
    end
    return {op = "filter", terms = terms}
end

function make.with(d, t)
    local names = some(d, t, 2, is_number)
    if not names then
        return nil
    end
    return {op = "with", name = d:pick {"new", names[1]}, left = names[1], operator = d:pick {"+", "-", "*"},
        right = names[2] or names[1]}
end

function make.sort(d, t)
    local names, down = some(d, t, 3), {}
    for i in ipairs(names) do
        down[i] = d:chance(1, 3)
    end
    return {op = "sort", names = names, down = down}
end

function make.unique(d, t)
    return {op = "unique", names = some(d, t, 3)}
end

function make.group(d, t)
    local keys, list = some(d, t, d:int(1, 3)), {}
    for _, name in ipairs(keys) do
        if name:find "^r%d" then
            return nil -- a result has this name
        end
    end
    for i = 1, d:int(1, 6) do
        local name = d:pick(t.names)
        local f = d:pick(t.kinds[name] == "category" and OF_TEXTS or AGGREGATES)
        list[i] = {name = "r" .. i, f = f, column = not (f == "count" and d:chance(1, 2)) and name or nil,
            q = d:pick {0.5, 0, 1, 0.25, 0.9}}
    end
    return {op = "group", keys = keys, list = list}
end

function make.join(d, t, special)
    local u = cases.table(d, special, d:int(0, 30))
    local on = some(d, t, 2)
    local right = {}
    for i, name in ipairs(on) do -- keys of the same kind of values
        local kind, own = t.kinds[name], "k" .. i
        if is_number(kind) and kind ~= "float" then
            kind = d:pick {kind, "double"}
        end
        u.names[#u.names + 1], u.kinds[own], right[i] = own, kind, own
        local values = values_of(d, kind, u.rows, special)
        for k = 1, u.rows do
            local v = t.rows > 0 and d:chance(2, 3) and t.values[name][d:int(1, t.rows)]
            if v or v == false and t.rows > 0 and kind == "bool" then
                values[k] = kind == "double" and v + 0.0 or v
            end
        end
        u.values[own] = values
    end
    for _, name in ipairs(u.names) do
        if t.kinds[name .. "_2"] then
            return nil
        end
    end
    return {op = "join", table = u, left = on, right = right, how = d:pick {"inner", "left", "outer", "semi", "anti"},
        default = 7}
end

function make.concat(d, t, special)
    local u = {names = {}, kinds = {}, values = {}, rows = d:int(0, 20)}
    for _, name in ipairs(t.names) do
        local kind = t.kinds[name]
        kind = is_number(kind) and d:pick {kind, "double"} or kind
        u.names[#u.names + 1], u.kinds[name] = name, kind
        u.values[name] = values_of(d, kind, u.rows, special)
    end
    return {op = "concat", table = u}
end

function make.pivot(d, t)
    local names = some(d, t, 3)
    if #names < 3 then
        return nil
    end
    return {op = "pivot", index = names[1], columns = names[2], values = names[3],
        f = d:pick(t.kinds[names[3]] == "category" and OF_TEXTS or {"sum", "count", "max", "first", "mean"}),
        default = 7}
end

function make.melt(d, t)
    local id = d:pick(t.names)
    local values = some(d, t, 3, is_number)
    if not values or id == "variable" or id == "value" then
        return nil
    end
    for _, name in ipairs(values) do
        if name == id then
            return nil
        end
    end
    return {op = "melt", id = id, values = values}
end

function make.rows(d, t)
    local first = d:int(1, t.rows + 1)
    return {op = "rows", first = first, last = d:int(first - 1, t.rows)}
end

function make.take(d, t)
    local list = {}
    for i = 1, t.rows > 0 and d:int(0, 8) or 0 do
        list[i] = d:int(0, t.rows - 1)
    end
    return {op = "take", indices = list}
end

local OPERATIONS <const> = {
    "filter", "sort", "group", "join", "unique", "with", "concat", "pivot", "melt", "rows", "take",
}

--- Returns a random operation on a table.
function cases.operation(d, t, special)
    local name = d:pick(OPERATIONS)
    return #t.names > 0 and make[name](d, t, special) or nil
end

-- ---- texts of rill

local function quoted(text)
    return ("%q"):format(text):gsub("\\\n", "\\n")
end

-- Returns a number or another value as an expression of Lua.
function cases.literal(value)
    if type(value) == "string" then
        return quoted(value)
    elseif type(value) ~= "number" then
        return tostring(value)
    elseif value ~= value then
        return "0/0"
    elseif value == math.huge or value == -math.huge then
        return value > 0 and "1/0" or "-1/0"
    end
    return math.type(value) == "integer" and ("%d"):format(value) or ("%.17g"):format(value) .. (value % 1 == 0 and
        not ("%.17g"):format(value):find "e" and ".0" or "")
end

local function literals(list)
    local texts = {}
    for i, value in ipairs(list) do
        texts[i] = cases.literal(value)
    end
    return "{" .. table.concat(texts, ", ") .. "}"
end
cases.literals = literals

--- Returns the expression of Lua that makes a table of rill.
function cases.text(t)
    local parts = {}
    for i, name in ipairs(t.names) do
        local kind, list = t.kinds[name], literals(t.values[name])
        local column = kind == "category" and ("rill.frame.category(%s)"):format(list) or t.rows == 0 and
            ("rill.stream(%q, 0)"):format(kind) or ("rill.from(%s, %q)"):format(list, kind)
        parts[i] = ("{%s, %s}"):format(quoted(name), column)
    end
    return ("rill.frame {%s}"):format(table.concat(parts, ", "))
end

-- Returns the text of a condition, and the table of its constants.
local function condition(terms)
    local parts, constants = {}, {}
    for i, term in ipairs(terms) do
        local name, operator, value = table.unpack(term.test)
        local text = ("`%s`"):format(name)
        if operator == "missing" then
            text = ("missing(%s)"):format(text)
        elseif operator ~= "is" then
            constants[#constants + 1] = ("k%d = %s"):format(i, cases.literal(value))
            text = ("%s %s k%d"):format(text, operator, i)
        end
        parts[#parts + 1] = i > 1 and term.join or nil
        parts[#parts + 1] = (term.negated and "not " or "") .. text
    end
    return table.concat(parts, " "), ("{%s}"):format(table.concat(constants, ", "))
end

local texts = {}

function texts.filter(o)
    local text, constants = condition(o.terms)
    return ("t:filter(%s, %s)"):format(quoted(text), constants)
end

function texts.with(o)
    return ("t:with {{%s, %s}}"):format(quoted(o.name), quoted(("`%s` %s `%s`"):format(o.left, o.operator, o.right)))
end

function texts.sort(o)
    local list = {}
    for i, name in ipairs(o.names) do
        list[i] = name:find "^[x-]" and ("{%s, descending = %s}"):format(quoted(name), o.down[i]) or
            quoted((o.down[i] and "-" or "") .. name)
    end
    return ("t:sort {%s}"):format(table.concat(list, ", "))
end

function texts.unique(o)
    return ("t:unique %s"):format(literals(o.names))
end

function texts.group(o)
    local list = {}
    for i, a in ipairs(o.list) do
        list[i] = ("{%s, {%s, %s, %s}}"):format(quoted(a.name), quoted(a.f), a.column and quoted(a.column) or "nil",
            a.f == "quantile" and a.q or "nil")
    end
    return ("t:group(%s):aggregate {%s}"):format(literals(o.keys), table.concat(list, ", "))
end

function texts.join(o)
    return ("t:join(%s, {on = {left = %s, right = %s}, how = %q, default = %d})"):format(cases.text(o.table),
        literals(o.left), literals(o.right), o.how, o.default)
end

function texts.concat(o)
    return ("t:concat(%s)"):format(cases.text(o.table))
end

function texts.pivot(o)
    return ("t:pivot {index = %s, columns = %s, values = %s, with = %q, default = %d}"):format(quoted(o.index),
        quoted(o.columns), quoted(o.values), o.f, o.default)
end

function texts.melt(o)
    return ("t:melt {id = %s, values = %s}"):format(quoted(o.id), literals(o.values))
end

function texts.rows(o)
    return ("t:rows(%d, %d)"):format(o.first, o.last)
end

function texts.take(o)
    return ("t:take %s"):format(literals(o.indices))
end

--- Returns the expression of Lua that applies an operation to the table t of rill.
function cases.call(o)
    return texts[o.op](o)
end

return cases
