-- Operations on Lua tables that are independent of rill.
local tables = {}

--- tables.whole(value) returns a float with an integer value as an integer, a table without a metatable with such
-- floats as a new table of integers, and other values unchanged. Functions convert arguments that must be integers with
-- it before they check them. Tables in tables in tables are unchanged.
function tables.whole(value, depth)
    depth = depth or 0
    if type(value) == "number" then
        return math.tointeger(value) or value
    elseif type(value) ~= "table" or getmetatable(value) or depth > 1 then
        return value
    end
    local list = {}
    for key, item in pairs(value) do
        list[key] = tables.whole(item, depth + 1)
    end
    return list
end

--- tables.precedes(a, b) returns whether a list of indices precedes another of the same length in row-major order.
function tables.precedes(a, b)
    for d, i in ipairs(a) do
        if i ~= b[d] then
            return i < b[d]
        end
    end
    return false
end

--- tables.keys(t) returns the sorted list of the keys of a table of names.
function tables.keys(t)
    local list = {}
    for key in pairs(t) do
        list[#list + 1] = key
    end
    table.sort(list)
    return list
end

--- tables.copy(t) returns a shallow copy of a table; an empty table if `t` is nil.
function tables.copy(t)
    local copy = {}
    for key, value in pairs(t or {}) do
        copy[key] = value
    end
    return copy
end

--- tables.product(list [, last]) returns the product of the numbers list[1] to list[last], for example the number of
-- elements of a shape. Default of `last`: #list.
function tables.product(list, last)
    local product = 1
    for i = 1, last or #list do
        product = product * list[i]
    end
    return product
end

--- tables.order(t, format, first) returns the names of the values in a table, in their order: t.names if it is a list,
-- else the sorted string keys. A table without string keys gets one name for each item, from a format and the number of
-- the first item.
function tables.order(t, format, first)
    if type(t.names) == "table" and not getmetatable(t.names) then
        return t.names
    end
    local names = {}
    for key in pairs(t) do
        names[#names + 1] = type(key) == "string" and key or nil
    end
    table.sort(names)
    for i = 1, #names == 0 and #t or 0 do
        names[i] = format:format(i - 1 + first)
    end
    return names
end

--- tables.columns(rows, is_left) returns rows of texts as a list of lines, in columns that are separated by two spaces.
-- is_left(i): whether column i is aligned to the left.
function tables.columns(rows, is_left)
    local widths, lines = {}, {}
    for _, row in ipairs(rows) do
        for i, text in ipairs(row) do
            widths[i] = math.max(widths[i] or 0, #text)
        end
    end
    for n, row in ipairs(rows) do
        local cells = {}
        for i, text in ipairs(row) do
            local space = (" "):rep(widths[i] - #text)
            cells[i] = is_left(i) and text .. space or space .. text
        end
        lines[n] = table.concat(cells, "  "):gsub(" +$", "")
    end
    return lines
end

return tables
