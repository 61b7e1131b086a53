--- A sparse matrix as tiles of four rows by four columns, as far as they hold entries (block CSR, as in Im and Yelick 2001): where entries stand
-- close together an index is read for sixteen of them, and a vector four elements at a time. Tiles of four rows are a quad; eight quads are a slice, each
-- with as many places as its longest quad needs, as in slices.lua; quads are sorted by length. A copy of the entries, for matrices that are used more than once.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local entries = require "rill.sparse.rows"
local products = require "rill.sparse.products"

errors.own()

local tiles = {}

local QUADS <const> = 8 -- of a slice: SPMV_SLICE / 4 of spmv_words.h
local MOST <const> = (1 << 31) - 1

local KEY <const> = "kernel int key(int row<>, int column<>, int width) { return row / 4 * width + column / 4; }"
local FRESH <const> = [=[
    kernel bool fresh(int keys[], int key<>) {
        int k = indexof(key).x;
        return k == 0 || keys[max(k - 1, 0)] != key;
    }
]=]
local PLACES <const> = [=[
    kernel int places(int lengths[], int order[], int slice<>, int quads, int height) {
        return slice * height < quads ? lengths[order[slice * height]] : 0;
    }
]=]
-- Where an entry stands in the tiles' values: by columns of a tile, each the texels of a slice's quads.
local SLOT <const> = [=[
    kernel int slot(int row<>, int column<>, int keys[], int count, int offsets[], int begins[], int at[],
        int width, int height) {
        int quad = row / 4, key = quad * width + column / 4, low = 0, high = count - 1;
        while (low < high) {
            int middle = low + (high - low) / 2;
            bool up = keys[middle] < key;
            low = up ? middle + 1 : low;
            high = up ? high : middle;
        }
        int n = at[quad], place = begins[n / height] + low - offsets[quad];
        return ((place * 4 + column % 4) * height + n % height) * 4 + row % 4;
    }
]=]
local COLUMN <const> = [=[
    kernel void column(int key<>, int offsets[], int begins[], int at[], int width, int height, inout int columns[]) {
        int quad = key / width, n = at[quad], place = begins[n / height] + indexof(key).x - offsets[quad];
        columns[place * height + n % height] = key % width;
    }
]=]
local PUT <const> = "kernel void put(V value<>, int slot<>, inout V values[]) { values[slot] = value; }"

local function fill(made, values)
    made.version = select(2, core._leaf(values))
    entries.kernel(PUT, {V = values.type})(values, made.slots, made.values)
end

-- The numbers of the tiles that hold entries, in order: quad * width + four columns.
local function keys_of(rows, columns, width)
    local each <close> = entries.kernel(KEY)(rows, columns, width)
    local sorted <close> = each:sort()
    local fresh <close> = entries.kernel(FRESH)(sorted, sorted)
    local heads <close> = sorted:find(fresh)
    return rill.gather(sorted, heads)
end

-- Where each slice's places begin, and where they end, of quads of such lengths in an order.
local function begins_of(lengths, order)
    local quads = lengths.size
    local counts <close> = entries.kernel(PLACES)(lengths, order, rill.iota(quads // QUADS + 1), quads, QUADS)
    return counts:scan("add", {exclusive = true})
end

--- tiles.make(offsets, columns, values, n, fits): those of rows that begin at `offsets`, of n columns, {begins, columns, values, places}; behind `begins` of all slices
-- stands which quad is which. False unless fits(places, begins), or where there are too many. What no entry fills is 0.
function tiles.make(offsets, columns, values, n, fits)
    local kernel, width = entries.kernel, (n + 3) // 4
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
        slots = kernel(SLOT)(rows, columns, keys, keys.size, firsts, begins, at, width, QUADS),
    }
    kernel(COLUMN)(keys, firsts, begins, at, width, QUADS, made.columns)
    fill(made, values)
    return made
end

--- tiles.refresh(made, values): takes over values that were written.
function tiles.refresh(made, values)
    if core._written(values, made.version) then
        fill(made, values)
    end
end

--- tiles.close(made): frees their memory.
function tiles.close(made)
    for _, name in ipairs {"begins", "columns", "values", "slots"} do
        made[name]:close()
    end
end

return tiles
