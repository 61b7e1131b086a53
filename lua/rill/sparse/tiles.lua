--- A sparse matrix as tiles of four rows by four columns, as far as they hold entries (block CSR, as in Im and Yelick 2001): where entries stand
-- close together an index is read for sixteen of them, and a vector four elements at a time. Tiles of four rows are a quad; eight quads are a slice, each
-- with as many places as its longest quad needs, as in slices.lua. A copy of the entries, for matrices that are used more than once.
local core = require "rill.core"
local rill = require "rill"
local blame = require "rill.support.blame"
local entries = require "rill.sparse.entries"
local products = require "rill.sparse.products"

blame.own()

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
    kernel int places(int offsets[], int slice<>, int quads, int height) {
        int most = 0, end = min((slice + 1) * height, quads);
        for (int quad = slice * height; quad < end; quad++) {
            most = max(most, offsets[quad + 1] - offsets[quad]);
        }
        return most;
    }
]=]
-- Where an entry stands in the tiles' values: by columns of a tile, each the texels of a slice's quads.
local SLOT <const> = [=[
    kernel int slot(int row<>, int column<>, int keys[], int count, int offsets[], int begins[], int width, int height) {
        int quad = row / 4, key = quad * width + column / 4, low = 0, high = count - 1;
        while (low < high) {
            int middle = low + (high - low) / 2;
            bool up = keys[middle] < key;
            low = up ? middle + 1 : low;
            high = up ? high : middle;
        }
        int place = begins[quad / height] + low - offsets[quad];
        return ((place * 4 + column % 4) * height + quad % height) * 4 + row % 4;
    }
]=]
local COLUMN <const> = [=[
    kernel void column(int key<>, int offsets[], int begins[], int width, int height, inout int columns[]) {
        int quad = key / width, place = begins[quad / height] + indexof(key).x - offsets[quad];
        columns[place * height + quad % height] = key % width;
    }
]=]
local PUT <const> = "kernel void put(V value<>, int slot<>, inout V values[]) { values[slot] = value; }"

local function fill(made, values)
    made.version = select(2, core._leaf(values))
    entries.kernel(PUT, {V = values.type})(values, made.slots, made.values)
end

--- tiles.make(offsets, columns, values, n, fits): those of rows that begin at `offsets`, of n columns, {begins, columns, values, places}; false unless fits(places,
-- begins), or where there are too many. What no entry fills is 0.
function tiles.make(offsets, columns, values, n, fits)
    local kernel, width = entries.kernel, (n + 3) // 4
    local quads = (offsets.size + 2) // 4
    if quads * width > MOST then
        return false
    end
    local rows <close> = entries.rows(offsets, values.size)
    local each <close> = kernel(KEY)(rows, columns, width)
    local sorted <close> = each:sort()
    local fresh <close> = kernel(FRESH)(sorted, sorted)
    local heads <close> = sorted:find(fresh)
    local keys <close> = rill.gather(sorted, heads)
    local owners <close> = (keys // width):eval()
    local firsts <close> = products.offsets(owners, quads)
    local counts <close> = kernel(PLACES)(firsts, rill.iota((quads + QUADS - 1) // QUADS + 1), quads, QUADS)
    local begins = counts:scan("add", {exclusive = true})
    local count = begins:get(begins.size)
    if not fits(count, begins) then
        begins:close()
        return false
    end
    local made = {
        begins = begins, places = count, columns = rill.stream("int", count * QUADS),
        values = rill.stream(values.type, count * QUADS * 16),
        slots = kernel(SLOT)(rows, columns, keys, keys.size, firsts, begins, width, QUADS),
    }
    kernel(COLUMN)(keys, firsts, begins, width, QUADS, made.columns)
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
