-- The lines of the reference about reductions, of the rows of core._reductions.
local core = require "rill.core"

local lines = {}

local function ended(text)
    return text ~= "" and ". " .. text or ""
end

--- lines.streams() returns the lines of the methods of streams.
function lines.streams()
    local list = {}
    for i, row in ipairs(core._reductions) do
        local one <const> = row.result == "integer ..."
        list[i] = ("s:%s(%saxis?: %s, options?: {keep?: boolean%s}): value -- returns %s, or a stream of those along "
            .. "an axis%s\n"):format(row.name, row.name == "dot" and "t: source, " or "",
            (one or row.name == "dot") and "integer" or "integer|integer[]",
            row.options ~= "" and ", " .. row.options or "", row.text, ended(row.remark))
    end
    return table.concat(list)
end

--- lines.whole(letter, other) returns the lines of the methods of data in parts. `other`: the type of a second operand.
function lines.whole(letter, other)
    local list = {}
    for i, row in ipairs(core._reductions) do
        local kept <const> = row.remark:find "NaN" and row.remark or ""
        local operand <const> = row.name == "dot" and "other: " .. other or ""
        list[i] = ("%s:%s(%s): %s -- returns %s%s\n"):format(letter, row.name, operand, row.result, row.text,
            ended(kept))
    end
    return table.concat(list)
end

return lines
