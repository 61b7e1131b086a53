-- The text of rill.grad(f, {explain = true}): what a recording keeps.
local core = require "rill.core"
local tables = require "rill.core.tables"

-- Calls f(box) for the streams that an entry keeps.
local function each_box(entry, f)
    for _, kept in pairs(entry.kept) do
        if kept.stream then
            f(kept)
        end
        for _, box in pairs(kept.boxes or {}) do
            f(box)
        end
    end
    for _, input in ipairs(entry.inputs) do
        for _, known in pairs(input and input.leaves or {}) do
            if known.box then
                f(known.box)
            end
        end
    end
end

-- Returns a number of bytes with separators.
local function number(n)
    local text = ("%d"):format(n)
    return (text:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", ""))
end

--- explain(recording, found) returns a table as text: the operations of a recording in the order of their first calls,
-- how often they were called, the bytes that their entries keep, and those that their gradients compute again. Memory
-- counts where it is kept first; that of the arguments, whose places are `found`, does not count.
return function(recording, found)
    local rows, by_name, seen = {}, {}, {}
    for _, place in ipairs(found) do
        seen[place.serial] = true
    end
    local total = {name = "total", calls = 0, kept = 0, again = 0}
    for _, entry in ipairs(recording.entries) do
        local row = by_name[entry.name]
        if not row then
            row = {name = entry.name, calls = 0, kept = 0, again = 0}
            rows[#rows + 1], by_name[entry.name] = row, row
        end
        local kept = entry.states or 0
        each_box(entry, function(box)
            local serial <const> = core._serial(box.stream)
            if serial and not seen[serial] then
                seen[serial] = true
                kept = kept + box.stream.nbytes
            end
        end)
        for _, sum in ipairs {row, total} do
            sum.calls, sum.kept = sum.calls + 1, sum.kept + kept
            sum.again = sum.again + (entry.again or 0)
        end
    end
    rows[#rows + 1] = total
    local cells = {{"operation", "calls", "bytes kept", "bytes computed again"}}
    for _, row in ipairs(rows) do
        cells[#cells + 1] = {row.name, number(row.calls), number(row.kept), number(row.again)}
    end
    return table.concat(tables.columns(cells, function(i) return i == 1 end), "\n")
end
