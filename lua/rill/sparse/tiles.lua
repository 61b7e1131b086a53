--- A sparse matrix as tiles of four rows by four columns that have entries (block CSR, as in Im and Yelick 2001).
-- Where entries are close together, one index is read for sixteen of them, and a vector is read four elements at a
-- time. The tiles of four rows are a quad. Eight quads are a slice, with as many slots as its longest quad needs, as
-- in slices.lua. Quads are sorted by length. The tiles are a copy of the entries, for matrices that are used more
-- than once.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local entries = require "rill.sparse.rows"
local products = require "rill.sparse.products"
local template = require "rill.glsl.template"
local kernels <const> = template.sections "tiles"

errors.own()

local tiles = {}

local QUADS <const> = 8 -- quads of a slice: SPMV_SLICE / 4 of spmv_words.h
local MOST <const> = (1 << 31) - 1

local KEY <const> = template.new
    "kernel int key(int row<>, int column<>, int width) { return row / 4 * width + column / 4; }"

local PUT <const> = template.new "kernel void put($V value<>, int slot<>, inout $V values[]) { values[slot] = value; }"

local function fill(made, values)
    made.version = select(2, core._leaf(values))
    PUT:kernel {V = values.type}(values, made.slots, made.values)
end

-- Returns the ascending keys of the tiles that have entries: quad * width + group of four columns.
local function keys_of(rows, columns, width)
    local each <close> = KEY:kernel()(rows, columns, width)
    local sorted <close> = each:sort()
    local fresh <close> = kernels.fresh:kernel()(sorted, sorted)
    local heads <close> = sorted:find(fresh)
    return rill.gather(sorted, heads)
end

-- Returns the first slot of each slice, and the end. `lengths`: of the quads; `order`: their permutation.
local function begins_of(lengths, order)
    local quads = lengths.size
    local counts <close> = kernels.places:kernel()(lengths, order, rill.iota(quads // QUADS + 1), quads, QUADS)
    return counts:scan("add", {exclusive = true})
end

--- tiles.make(offsets, columns, values, n, fits) returns the tiles of the rows that begin at `offsets`, with n
-- columns: {begins, columns, values, places}. In `begins` the original index of each quad follows the first slots of
-- the slices. Elements of tiles without an entry are 0. Returns false if fits(slots, begins) is false, or if there
-- are too many tiles.
function tiles.make(offsets, columns, values, n, fits)
    local width = (n + 3) // 4
    local quads = (offsets.size + 4 * QUADS - 2) // (4 * QUADS) * QUADS
    if quads * width > MOST then
        return false
    end
    local rows <close> = entries.rows(offsets, values.size)
    local keys <close> = keys_of(rows, columns, width)
    local owners <close> = (keys // width):eval()
    local firsts <close> = products.offsets(owners, quads)
    local lengths <close> = entries.lengths(firsts)
    local order <close> = rill.argsort(lengths, {descending = true})
    local begins <close> = begins_of(lengths, order)
    local count = begins:get(begins.size)
    if not fits(count, begins) then
        return false
    end
    local at <close> = rill.argsort(order)
    local made = {
        begins = rill.concat {begins, order}, places = count, columns = rill.stream("int", count * QUADS),
        values = rill.stream(values.type, count * QUADS * 16),
        slots = kernels.slot:kernel()(rows, columns, keys, keys.size, firsts, begins, at, width, QUADS),
    }
    kernels.column:kernel()(keys, firsts, begins, at, width, QUADS, made.columns)
    fill(made, values)
    return made
end

--- tiles.refresh(made, values) copies the values again if they were written.
function tiles.refresh(made, values)
    if core._written(values, made.version) then
        fill(made, values)
    end
end

--- tiles.close(made) frees the memory of the tiles.
function tiles.close(made)
    for _, name in ipairs {"begins", "columns", "values", "slots"} do
        made[name]:close()
    end
end

return tiles
