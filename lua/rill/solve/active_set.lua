-- Active lists of the stationary methods (the GPGPU chapter, 28.7.1, where the depth test keeps cells at rest out): those whose residual is above what is
-- asked of each, and all that they may reach until the list is made anew. What is not on it stays as it is. In a grid residuals mark tiles of neighbours,
-- which mark those beside them. Of a matrix they mark a range in each tile of rows in a row, and ranges move as the entries between two tiles say: so
-- lists are hardly longer than they must be in a grid's matrix as well, whatever the grid's width.
local rill = require "rill.core.public"
local operator = require "rill.solve.operator"
local slices = require "rill.sparse.slices"
local kernel <const> = operator.kernel

local reach = {}

local BITS <const> = {6, 4, 3, 2} -- of a tile's edge, by dimensions
local SHARE <const> = 0.25 -- of all, above which a list takes longer than all

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

--- reach.grid(work, residual): what makes lists of a grid of 1 to 4 dimensions, whose cells ask those beside them: called with the residual's streams by
-- name, d and `most`, it returns one, numbers from 0; nil where many are on it. `residual`: in GLSL, of b and y, or of x, y and d. Fields of
-- work: type, shape, d, every.
function reach.grid(work, residual)
    local counts, sizes, count, whole = {1, 1, 1, 1}, {1, 1, 1, 1}, 1, true
    local rank = #work.shape
    local bits = BITS[rank]
    local edge = 1 << bits
    for d = 1, rank do
        sizes[d] = work.shape[rank + 1 - d]
        counts[d] = (sizes[d] + edge - 1) // edge
        count, whole = count * counts[d], whole and sizes[d] % edge == 0
    end
    local tiles, others, numbers = rill.stream("float", count), rill.stream("float", count), rill.iota(count)
    local parameters = residual:find "x" and "T x<>, T y<>" or "T b<>, T y<>"
    local text = MARK:gsub("PARAMETERS", parameters):gsub("RESIDUAL", residual)
    local mark = operator.with_diagonal(text, work.d, work.type)
    return function(given)
        tiles:fill(0)
        given.bits, given.counts, given.tiles = bits, counts, tiles
        mark(given)
        for _ = 1, (work.every + edge - 1) // edge do
            kernel(SPREAD, {})(numbers, tiles, counts, others)
            tiles, others = others, tiles
        end
        local marked <close> = tiles:find(tiles)
        if marked.size > SHARE * count then
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

-- ---- of rows

local ROWS <const> = slices.ROWS -- of a tile
local MANY <const> = 2048 -- tiles that one asks, beyond which it is always marked

-- Which of a tile's rows are marked: the first and the last.
local HULL <const> = [=[
    kernel ivec2 hull(int tile<>, T b[], T y[], T most, int rows, int height) {
        ivec2 found = ivec2(0, -1);
        for (int k = 0; k < height; k++) {
            int row = tile * height + k, at = min(row, rows - 1);
            if (row < rows && !(abs(b[at] - y[at]) <= most)) {
                found = ivec2(found.y < 0 ? row : found.x, row);
            }
        }
        return found;
    }
]=]
-- Of entries of neighbouring rows that stand alike, and join the same tiles, the first will do.
local FRESH <const> = [=[
    kernel bool fresh(int row<>, int column<>, int k<>, int offsets[], int columns[], int height) {
        int first = offsets[row], before = row % height > 0 ? offsets[row - 1] + (k - first) : first;
        int other = columns[min(before, k)];
        return before >= first || other - (row - 1) != column - row || other / height != column / height;
    }
]=]
-- Where, in the list of tiles that a tile asks, an entry's stands.
local EDGE <const> = [=[
    kernel int edge(int row<>, int column<>, int offsets[], int tiles[], int height) {
        int low = offsets[row / height], high = offsets[row / height + 1] - 1;
        while (low < high) {
            int middle = low + (high - low) / 2;
            bool up = tiles[middle] < column / height;
            low = up ? middle + 1 : low;
            high = up ? high : middle;
        }
        return low;
    }
]=]
-- The rows of a tile that an iteration reaches from marked ones: those of another tile, moved as far as entries between the two go.
local REACH <const> = [=[
    kernel ivec2 reach(int tile<>, ivec2 marks[], int offsets[], int tiles[], int least[], int most[], int rows, int height, int many) {
        int first = tile * height, last = min(first + height - 1, rows - 1);
        int begin = offsets[tile], count = offsets[tile + 1] - begin;
        ivec2 found = count > many ? ivec2(first, last) : marks[tile];
        for (int e = begin; e < begin + min(count, many); e++) {
            ivec2 from = marks[tiles[e]];
            ivec2 to = ivec2(max(from.x + least[e], first), min(from.y + most[e], last));
            if (from.y >= 0 && to.x <= to.y) {
                found = found.y < 0 ? to : ivec2(min(found.x, to.x), max(found.y, to.y));
            }
        }
        return found;
    }
]=]
local ROW <const> = [=[
    kernel int row(int n<>, int tiles[], int rows, int height) {
        int row = tiles[n / height] * height + n % height;
        return row < rows ? row : -1;
    }
]=]

-- Which tiles of rows ask which, and how far the rows of the two are apart at least and at most.
local function joined_tiles(rows, count)
    local csr, of <close> = rows.csr, rows.csr.rows
    local fresh <close> = kernel(FRESH, {})(of, rows.columns, rill.iota(of.size), rows.offsets, rows.columns, ROWS)
    local kept <close> = of:find(fresh)
    local from <close> = rill.gather(of, kept)
    local to <close> = rill.gather(rows.columns, kept)
    local joined = rill.sparse.coo {
        shape = {count, count}, rows = from // ROWS, columns = to // ROWS, values = rill.stream("float", kept.size, 1),
    }:to "csr"
    local edges <close> = kernel(EDGE, {})(from, to, joined.offsets, joined.columns, ROWS)
    local apart <close> = (from - to):eval()
    local least = rill.stream("int", joined.columns.size, csr.shape[1])
    local most = rill.stream("int", joined.columns.size, -csr.shape[1])
    rill.scatter(least, edges, apart, "min")
    rill.scatter(most, edges, apart, "max")
    return {offsets = joined.offsets, tiles = joined.columns, least = least, most = most}
end

--- reach.rows(work, rows, share): what makes lists of a matrix's rows, {csr, offsets, columns}: called with b, y and `most` by name, it returns one, and the tiles
-- of slices.ROWS rows that it is of; nil where more than a share of all are on it.
function reach.rows(work, rows, share)
    local m = work.shape[1]
    local count = (m + ROWS - 1) // ROWS
    local step, numbers = joined_tiles(rows, count), rill.iota(count)
    local marks, others = rill.stream("ivec2", count), rill.stream("ivec2", count)
    step.tile, step.rows, step.height, step.many = numbers, m, ROWS, MANY
    return function(given)
        kernel(HULL, {T = work.type})(numbers, given.b, given.y, given.most, m, ROWS, marks)
        for _ = 1, work.every do
            step.marks, step.result = marks, others
            kernel(REACH, {})(step)
            marks, others = others, marks
        end
        local tiles = marks:find "x.y >= 0"
        if tiles.size > share * count then
            tiles:close()
            return nil
        end
        local list = kernel(ROW, {})(rill.iota(tiles.size * ROWS), tiles, m, ROWS)
        if m % ROWS == 0 then
            return list, tiles
        end
        local inside = list:filter(list:ge(0))
        list:close()
        return inside, tiles
    end
end

return reach
