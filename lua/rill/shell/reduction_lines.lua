-- The lines of the reference about reductions.
local reductions = require "rill.core.reductions"

local lines = {}

--- lines.streams() returns the lines of the methods of streams.
function lines.streams()
    local list = {}
    for i, row in ipairs(reductions) do
        local axis <const> = (row.indices or row.operands) and "integer" or "integer|integer[]"
        list[i] = ("s:%s(%saxis?: %s, options?: {keep?: boolean%s}): value -- returns %s, or a stream of those along "
            .. "an axis%s%s\n"):format(row.name, row.operands and "t: source, " or "", axis,
            row.options and ", " .. row.options or "", row.text, row.indices and ", 0-based, as int" or "",
            row.remark and ". " .. row.remark or "")
    end
    return table.concat(list)
end

--- lines.whole(letter, other) returns the lines of the methods of data in parts. `other`: the type of a second operand.
function lines.whole(letter, other)
    local list = {}
    for i, row in ipairs(reductions) do
        list[i] = ("%s:%s(%s): %s -- returns %s%s\n"):format(letter, row.name,
            row.operands and "other: " .. other or "", row.result, row.text, row.remark and ". " .. row.remark or "")
    end
    return table.concat(list)
end

return lines
