-- rill.concat: joins streams.
local categories = require "rill.core.categories"
local rill = require "rill.core.public"
local core = require "rill.core"
local tables = require "rill.core.tables"
local typename = require "rill.core.typename"

local concat = {}

--- rill.concat(list [, axis]) returns a new stream of the streams in a list, joined along an axis. Default: 1; -1 is
-- the last one. All streams must have the same type, and the same shape except for that axis.
function concat.concat(list, axis)
    local listed <const> = type(list) == "table" and not rill.type(list)
    if not listed or #list == 0 then
        error(("rill.concat: argument #1 'list': expected a table of streams, such as {s, t}, got %s"):format(
            listed and "an empty table" or typename.of(list)), 2)
    end
    list = table.move(list, 1, #list, 1, {})
    for i, s in ipairs(list) do
        if rill.type(s) == "expression" then
            s = s:eval()
            list[i] = s
        end
        if not typename.element(s) then
            local what = "rill.concat: argument #1 'list': item %d: expected an open stream, got %s"
            error(what:format(i, type(s) == "number" and "a number: rill.from makes a stream of numbers" or
                typename.not_open(s)), 2)
        end
    end
    local first = list[1]
    local shape = first.shape
    axis = tables.whole(axis) or 1
    local along = math.type(axis) == "integer" and axis < 0 and axis + #shape + 1 or axis
    if math.type(axis) ~= "integer" or along < 1 or along > #shape then
        error(("rill.concat: argument #2 'axis': expected 1 .. %d, got %s"):format(#shape, tostring(axis)), 2)
    end
    local total = 0
    for i, s in ipairs(list) do
        local own = s.shape
        total = total + (own[along] or 0)
        own[along] = shape[along]
        if own ~= shape or s.type ~= first.type then
            local what = ("stream<%s>[%s] does not fit stream<%s>[%s] along axis %d"):format(
                s.type, s.shape, first.type, shape, along)
            error(("rill.concat: argument #1 'list': item %d: %s"):format(i, what), 2)
        elseif categories.of(first) and categories.of(s) and not categories.same(first, s) then
            error(("rill.concat: argument #1 'list': item %d: the categories have different names, so their codes do "
                .. "not fit together: t:concat(u) joins tables"):format(i), 2)
        end
    end
    shape[along] = total
    local result = core._sized(first, shape)
    local from, to = {}, {}
    for d = 1, #shape do
        from[d], to[d] = 1, shape[d]
    end
    for _, s in ipairs(list) do
        to[along] = from[along] + s.shape[along] - 1
        if s.size > 0 then
            result:write(s, from, to)
        end
        from[along] = to[along] + 1
    end
    return result
end

return concat
