-- Tables of Lua, without a word about rill.
local tables = {}

--- tables.keys(t): the keys of a table of names, a list in order.
function tables.keys(t)
    local list = {}
    for key in pairs(t) do
        list[#list + 1] = key
    end
    table.sort(list)
    return list
end

--- tables.copy(t): a new table with the keys and values of one; `t` may be nil.
function tables.copy(t)
    local copy = {}
    for key, value in pairs(t or {}) do
        copy[key] = value
    end
    return copy
end

--- tables.product(list [, last]): the product of the numbers of a list, or of those up to a place: the elements of a shape.
function tables.product(list, last)
    local product = 1
    for i = 1, last or #list do
        product = product * list[i]
    end
    return product
end

--- tables.columns(rows, is_left): rows of texts as a list of lines, in columns that are two spaces apart. is_left(i): whether column i begins to the left.
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
