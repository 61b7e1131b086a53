--- What is known of a sparse matrix' entries by where its rows begin, for products.lua, matrix.lua and slices.lua beside this file.
local errors = require "rill.core.error"
local rill = require "rill.core.public"

errors.own()

local entries = {}

local made = {}

--- A kernel of a text in which T or V stands for the type `types`; made once.
function entries.kernel(text, types)
    local full = types and text:gsub("%f[%w_][TV]%f[^%w_]", types) or text
    made[full] = made[full] or rill.kernel(full)
    return made[full]
end

local MARK <const> = [=[
    kernel void mark(int offsets[], int row<>, inout int firsts[]) {
        int first = offsets[row];
        if (offsets[row + 1] > first) {
            firsts[first] = row;
        }
    }
]=]

--- The row of each of `count` entries: the last row that began.
function entries.rows(offsets, count)
    local firsts <close> = rill.stream("int", count)
    if count == 0 then
        return rill.stream("int", 0)
    end
    entries.kernel(MARK)(offsets, rill.iota(offsets.size - 1), firsts)
    return firsts:scan("max")
end

local LENGTHS <const> = [=[
    kernel int lengths(int offsets[], int row<>) { return offsets[row + 1] - offsets[row]; }
]=]

--- The lengths of all rows, one at least.
function entries.lengths(offsets)
    return entries.kernel(LENGTHS)(offsets, rill.iota(offsets.size - 1))
end

return entries
