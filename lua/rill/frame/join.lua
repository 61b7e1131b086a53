-- Joins of two tables by equal keys: t:join.
local categories = require "rill.core.categories"
local columns = require "rill.frame.columns"
local frame = require "rill.frame.table"
local match = require "rill.stream.match"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local types = require "rill.core.types"
local fail <const> = errors.fail

local join = {}

local WHERE <const> = "frame:join"
local HOW <const> = {"inner", "left", "outer", "semi", "anti"}

local function is_names(v)
    return type(v) == "string" or option.is_list(v) and #v > 0 or
        option.table[1](v) and v.left ~= nil and v.right ~= nil
end

local KNOWN <const> = {
    on = {is_names, 'a name, a list of names, or {left = names, right = names}', nil, true},
    how = {option.choice(HOW)[1], option.choice(HOW)[2], "inner"},
    suffix = {function(v) return type(v) == "string" and v ~= "" end, "a string that is not empty", "_2"},
    default = {function(v) return type(v) == "number" or type(v) == "boolean" or option.table[1](v) end,
        "a number, a boolean, or a table of them by column"},
    unique = option.default(option.flag, false),
}

-- ---- keys

-- Returns the names of the keys of both tables.
local function key_names(on, a, b)
    local left, right = on, on
    if option.table[1](on) and on[1] == nil then
        left, right = on.left, on.right
    end
    local first = frame.names(WHERE .. ": option 'on': the left table", a, left)
    local second = frame.names(WHERE .. ": option 'on': the right table", b, right)
    if #first ~= #second then
        fail("%s: option 'on': expected as many names on the right as on the left, got %d and %d", WHERE, #second,
            #first)
    end
    return first, second
end

-- Returns the keys of both tables as streams that can be compared.
local function key_columns(a, first, b, second)
    local left, right = {}, {}
    for i, name in ipairs(first) do
        local x, y = a.columns[name], b.columns[second[i]]
        local info, other = types.scalar(x.type), types.scalar(y.type)
        local same = info and other and (info.seen == "bool") == (other.seen == "bool")
        if not same or (categories.of(x) == nil) ~= (categories.of(y) == nil) then
            fail("%s: the key \"%s\" of the left table is %s, and the key \"%s\" of the right table is %s", WHERE, name,
                columns.kind(x), second[i], columns.kind(y))
        elseif categories.of(x) then
            local both = columns.unified {x, y}
            x, y = both[1], both[2]
        end
        left[i], right[i] = x, y
    end
    return left, right
end

-- Returns the keys of a row for messages: name = value, ...
local function told(state, names, row)
    local texts, values = {}, frame.row(state, row + 1)
    for i, name in ipairs(names) do
        local value = values[name]
        texts[i] = ("%s = %s"):format(name, type(value) == "string" and ("%q"):format(value) or
            value == false and categories.of(state.columns[name]) and "missing" or errors.number(value))
    end
    return table.concat(texts, ", ")
end

-- ---- pairs of rows

local function unmatched(at)
    return rill.iota(at.size):find(at:lt(0))
end

-- Raises if the pairs of rows do not fit into memory.
local function check_memory(total, row_bytes, limit)
    local bytes = total * (row_bytes + 16.0)
    if total >= 2 ^ 31 or limit > 0 and bytes > limit then
        fail("%s: the result would have %.0f rows (%.1f GiB), since keys occur several times in both tables: remove "
            .. "them with u:unique, or aggregate first", WHERE, total, bytes / 2 ^ 30)
    end
end

-- Returns the bytes of a row of the result.
local function bytes_of(a, b)
    local bytes = 0
    for _, state in ipairs {a, b} do
        for _, s in pairs(state.columns) do
            bytes = bytes + (state.rows > 0 and s.nbytes // state.rows or 8)
        end
    end
    return bytes
end

-- Returns the rows of the left table (nil: all of them, in order) and of the right one, which are -1 where no row has
-- the key. `keep`: rows of the left table without an equal key remain.
local function pairs_of(a, b, left, right, keep, unique, names)
    local at, repeated = match.find(left, right, {unique = true})
    if not at and unique then
        fail("%s: option 'unique': row %d of the right table has the keys of an earlier row: %s", WHERE, repeated + 1,
            told(b, names, repeated))
    elseif at and keep then
        return nil, at
    elseif at then
        local rows = rill.iota(at.size):find(at:ge(0))
        return rows, rill.gather(at, rows)
    end
    local order, first, count = match.ranges(left, right)
    local total = (keep and rill.max(count, 1) or count):cast "double":sum()
    check_memory(total, bytes_of(a, b), rill.device().limits.memory_bytes or 0)
    return match.pairs(order, first, count, keep)
end

-- ---- columns

-- Returns a column at rows of which some may be -1.
local function taken(s, rows, default, name, some)
    if not some then
        return columns.take(s, rows)
    elseif type(default) == "table" then
        default = default[name]
    end
    local value <const>, lacks <const> = columns.missing(WHERE, name, s, default)
    if lacks then
        fail("%s: column \"%s\" of %s has no value for rows without an equal key: give the option 'default', or cast "
            .. "it to double", WHERE, name, s.type)
    end
    return columns.take_or(s, rows, value)
end

-- Returns the name of a column of the right table in the result.
local function right_name(name, used, suffix)
    if used[name] then
        name = name .. suffix
        if used[name] then
            fail("%s: both tables have a column \"%s\", and \"%s\" exists, too: give another 'suffix'", WHERE,
                name:sub(1, -#suffix - 1), name)
        end
    end
    used[name] = true
    return name
end

--- t:join(u, options) returns a table of the pairs of rows of two tables with equal keys, in the order of t. Options:
-- on (a name, a list of names, or {left =, right =}), how ("inner", "left", "outer", "semi" or "anti". Default:
-- "inner"), suffix (of columns of u whose names t has. Default: "_2"), default (the value of integers in rows without
-- an equal key), unique (true: the keys of u must be different).
function join.join(t, u, options)
    local a <const> = frame.self_of("join", t)
    if not frame.is(u) then
        fail("%s: argument #1 'u': expected a table of rill.frame, got %s", WHERE, errors.told(u))
    end
    local b <const>, o <const> = frame.state(u), option.take(WHERE, options, KNOWN)
    local first, second = key_names(o.on, a, b)
    local left, right = key_columns(a, first, b, second)
    if o.how == "semi" or o.how == "anti" then
        local at <close> = match.find(left, right, {repeats = true})
        return frame.take(a, o.how == "anti" and unmatched(at) or rill.iota(at.size):find(at:ge(0)))
    end
    local keep <const> = o.how ~= "inner"
    local rows, others = pairs_of(a, b, left, right, keep, o.unique, second)
    local some = keep and others.size > 0 and others:min() < 0
    local extra -- rows of the right table without an equal key
    if o.how == "outer" then
        local at <close> = match.find(right, left, {repeats = true})
        extra = unmatched(at)
        extra = extra.size > 0 and extra or nil
    end
    if extra then
        local none <close> = rill.stream("int", extra.size)
        none:fill(-1)
        rows = rill.concat {rows or rill.iota(a.rows):copy(), none}
        others, some = rill.concat {others, extra}, true
    end
    local names, list, used, is_key, key_of = {}, {}, {}, {}, {}
    for i, name in ipairs(first) do
        key_of[name], is_key[second[i]] = second[i], true
    end
    for i, name in ipairs(a.names) do
        local s = a.columns[name]
        names[i], used[name] = name, true
        if extra and key_of[name] then -- the keys of the last rows are those of the right table
            local own = columns.range(rows, 1, rows.size - extra.size)
            list[i] = columns.concat {columns.take(s, own), columns.take(b.columns[key_of[name]], extra)}
        else
            list[i] = not rows and s or taken(s, rows, o.default, name, extra ~= nil)
        end
    end
    for _, name in ipairs(b.names) do
        if not is_key[name] then
            names[#names + 1] = right_name(name, used, o.suffix)
            list[#list + 1] = taken(b.columns[name], others, o.default, name, some)
        end
    end
    return frame.create(names, list)
end

return join
