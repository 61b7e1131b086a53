--- Properties of a sparse matrix that follow from the offsets of its rows, for products.lua, matrix.lua and
-- slices.lua.
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local rill = require "rill.core.public"
local kernels <const> = template.sections "rows"

errors.own()

local entries = {}

--- entries.rows(offsets, count) returns the row of each of `count` entries, the last row that begins at or before
-- the entry.
function entries.rows(offsets, count)
    local firsts <close> = rill.stream("int", count)
    if count == 0 then
        return rill.stream("int", 0)
    end
    kernels.mark:kernel()(offsets, rill.iota(offsets.size - 1), firsts)
    return firsts:scan("max")
end

local LENGTHS <const> = template.new [=[
    kernel int lengths(int offsets[], int row<>) { return offsets[row + 1] - offsets[row]; }
]=]

--- entries.lengths(offsets) returns the lengths of all rows. There must be at least one row.
function entries.lengths(offsets)
    return LENGTHS:kernel()(offsets, rill.iota(offsets.size - 1))
end

return entries
