-- Active lists of the stationary methods (the GPGPU chapter, 28.7.1, where the depth test keeps cells at rest out): those whose residual is above what is
-- asked of each, and all that they may reach until the list is made anew. What is not on it stays as it is. Residuals mark tiles of
-- neighbours in the grid, or of rows in a row; tiles mark those beside them, or those that the matrix joins them to.
local rill = require "rill"
local operator = require "rill.solve.operator"
local kernel <const> = operator.kernel

local reach = {}

local BITS <const> = {6, 4, 3, 2} -- of a tile's edge, by dimensions
local SHARE <const> = {grid = 0.25, rows = 0.4} -- of all, above which a list takes longer than all

-- NaN is above all.
local MARK <const> = [=[
    kernel void mark(PARAMETERS, DIAGONAL, T most, int bits, ivec4 counts, inout float tiles[]) {
        if (!(RESIDUAL <= most)) {
            ivec4 t = indexof(y) >> bits;
            tiles[((t.w * counts.z + t.z) * counts.y + t.y) * counts.x + t.x] = 1.0;
        }
    }
]=]
local SPREAD <const> = [=[
    kernel float spread(int tile<>, float tiles[], ivec4 counts) {
        ivec4 t = ivec4(tile, tile / counts.x, tile / (counts.x * counts.y), tile / (counts.x * counts.y * counts.z)) % counts;
        ivec4 low = max(t - 1, 0), high = min(t + 1, counts - 1);
        float most = 0.0;
        for (int w = low.w; w <= high.w; w++)
            for (int z = low.z; z <= high.z; z++)
                for (int y = low.y; y <= high.y; y++)
                    for (int x = low.x; x <= high.x; x++)
                        most = max(most, tiles[((w * counts.z + z) * counts.y + y) * counts.x + x]);
        return most;
    }
]=]
local CORNER <const> = [=[
    kernel ivec4 corner(int tile<>, int bits, ivec4 counts) {
        return ivec4(tile, tile / counts.x, tile / (counts.x * counts.y), tile / (counts.x * counts.y * counts.z)) % counts << bits;
    }
]=]
-- The numbers of tiles' cells, tile by tile; -1 outside of the shape.
local CELLS <const> = [=[
    kernel int cell(int n<>, ivec4 corners[], int bits, int rank, ivec4 sizes) {
        int mask = (1 << bits) - 1;
        ivec4 inside = ivec4(n, n >> bits, n >> (2 * bits), n >> (3 * bits)) & mask;
        ivec4 p = corners[n >> (rank * bits)] + ivec4(inside.x, rank > 1 ? inside.y : 0, rank > 2 ? inside.z : 0, rank > 3 ? inside.w : 0);
        return any(greaterThanEqual(p, sizes)) ? -1 : ((p.w * sizes.z + p.z) * sizes.y + p.y) * sizes.x + p.x;
    }
]=]

-- What makes lists: called with the residual's streams by name, d and `most`, it returns one, numbers from 0; nil where nearly all are on it. `spread`:
-- writes into one stream of tiles what those of another reach.
local function maker(work, residual, share, spread)
    local counts, sizes, count, whole = {1, 1, 1, 1}, {1, 1, 1, 1}, 1, true
    local rank = #work.shape
    local bits = BITS[rank]
    local edge = 1 << bits
    for d = 1, rank do
        sizes[d] = work.shape[rank + 1 - d]
        counts[d] = (sizes[d] + edge - 1) // edge
        count, whole = count * counts[d], whole and sizes[d] % edge == 0
    end
    local tiles, others = rill.stream("float", count), rill.stream("float", count)
    local parameters = residual:find "x" and "T x<>, T y<>" or "T b<>, T y<>"
    local text = MARK:gsub("PARAMETERS", parameters):gsub("RESIDUAL", residual)
    local mark = operator.with_diagonal(text, work.d, work.type)
    return function(given)
        tiles:fill(0)
        given.bits, given.counts, given.tiles = bits, counts, tiles
        mark(given)
        tiles, others = spread(tiles, others, counts)
        local marked <close> = tiles:find(tiles)
        if marked.size > share * count then
            return nil
        end
        local corners <close> = kernel(CORNER, {})(marked, bits, counts)
        local cells = kernel(CELLS, {})(rill.iota(marked.size << rank * bits), corners, bits, rank, sizes)
        if whole then
            return cells
        end
        local inside = cells:filter(cells:ge(0))
        cells:close()
        return inside
    end
end

--- reach.grid(work, residual): makes lists of a grid of 1 to 4 dimensions, whose cells ask those beside them. `residual`: in GLSL, of b and y, or of x,
-- y and d. Fields of work: type, shape, d, every.
function reach.grid(work, residual)
    local edge = 1 << BITS[#work.shape]
    return maker(work, residual, SHARE.grid, function(tiles, others, counts)
        for _ = 1, (work.every + edge - 1) // edge do
            kernel(SPREAD, {})(rill.iota(tiles.size), tiles, counts, others)
            tiles, others = others, tiles
        end
        return tiles, others
    end)
end

--- reach.rows(work, residual, rows): the same of a matrix's rows: {csr, columns}.
function reach.rows(work, residual, rows)
    local edge = 1 << BITS[1]
    local count = (work.shape[1] + edge - 1) // edge
    local joined = rill.sparse.coo {
        shape = {count, count}, rows = rows.csr.rows // edge, columns = rows.columns // edge,
        values = rill.stream("float", rows.columns.size, 1),
    }:to "csr"
    joined.values:fill(1)
    return maker(work, residual, SHARE.rows, function(tiles, others)
        for _ = 1, work.every do
            joined:multiply(tiles, others)
            tiles, others = others, tiles
        end
        return tiles, others
    end)
end

return reach
