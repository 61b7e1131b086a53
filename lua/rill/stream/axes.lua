-- Arguments that are axes, and views along an axis, for methods of streams.
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local fail <const> = errors.fail
local product <const> = tables.product

local axes = {}

--- axes.one(where, axis, rank) returns an axis from 1 to `rank`. Negative axes count from the end. `where` begins the
-- message for other values: "s:roll: argument #2 'axis'".
function axes.one(where, axis, rank)
    axis = tables.whole(axis)
    local along <const> = math.type(axis) == "integer" and axis < 0 and axis + rank + 1 or axis
    if math.type(axis) ~= "integer" or along < 1 or along > rank then
        fail("%s: expected 1 .. %d, or -1 for the last, got %s", where, rank, errors.told(axis))
    end
    return along
end

--- axes.several(where, list, rank) returns the sorted axes of a non-empty table, from 1 to `rank`, and a table that is
-- true at each of them.
function axes.several(where, list, rank)
    local sorted, seen = {}, {}
    for _, axis in ipairs(tables.whole(list)) do
        local along <const> = math.type(axis) == "integer" and axis < 0 and axis + rank + 1 or axis
        if math.type(axis) ~= "integer" or along < 1 or along > rank or seen[along] then
            fail("%s: expected different axes from 1 to %d, or -1 for the last, got %s", where, rank,
                errors.told(list))
        end
        sorted[#sorted + 1], seen[along] = along, true
    end
    if #sorted == 0 then
        fail("%s: expected a table of axes, got an empty table", where)
    end
    table.sort(sorted)
    return sorted, seen
end

--- axes.reshaped(s, shape) returns a view of s, or of a copy, in another shape.
function axes.reshaped(s, shape)
    local done, view = pcall(s.reshape, s, shape)
    return done and view or s:copy():reshape(shape)
end

--- axes.layered(s, axis) returns a view of s in three dimensions: before an axis, the axis, after it; and the three
-- sizes. For axis nil the elements in row-major order are the axis.
function axes.layered(s, axis)
    local shape <const> = s.shape
    local before, n, after = 1, s.size, 1
    if axis then
        before, n, after = product(shape, axis - 1), shape[axis], product(table.move(shape, axis + 1, #shape, 1, {}))
    end
    return axes.reshaped(s, {before, n, after}), before, n, after
end

--- axes.merged(s, list, seen) returns a view of s, or of a copy, with the axes of axes.several merged to one; the
-- merged axis; and the shapes of a reduction along it, without the axes and with sizes of 1 for them.
function axes.merged(s, list, seen)
    local shape, rank <const> = s.shape, #s.shape
    local order, rest, kept, count = {}, {}, {}, 1
    for d = 1, rank do
        if seen[d] then
            count = count * shape[d]
        else
            order[#order + 1], rest[#rest + 1] = d, shape[d]
        end
        kept[d] = seen[d] and 1 or shape[d]
    end
    local first <const>, new = list[1], table.move(rest, 1, #rest, 1, {})
    if list[#list] - first == #list - 1 then -- adjacent
        table.insert(new, first, count)
        return axes.reshaped(s, new), first, rest, kept
    end
    table.move(list, 1, #list, #order + 1, order)
    new[#new + 1] = count
    return s:transpose(order):copy():reshape(new), #new, rest, kept
end

--- axes.part(s, axis, first, last) returns the view of s with the indices `first` to `last`, 1-based, along an axis.
function axes.part(s, axis, first, last)
    local from, to = {}, {}
    for d, size in ipairs(s.shape) do
        from[d], to[d] = d == axis and first or 1, d == axis and last or size
    end
    return s:domain(from, to)
end

return axes
