-- Lists of active cells for the stationary methods (the GPGPU chapter, 28.7.1, where the depth test excludes cells at
-- rest). A list has the cells whose residual is above their share of the tolerance, and all cells that these can
-- influence before the next list is made. Other cells do not change. On a grid, residuals mark tiles of cells, and
-- marked tiles mark the adjacent tiles. For a matrix, residuals mark a range of rows in each tile of consecutive rows,
-- and ranges spread along the entries between two tiles. So the list for a grid's matrix is not much longer than
-- necessary either, whatever the grid's width.
local rill = require "rill.core.public"
local operator = require "rill.solve.operator"
local slices = require "rill.sparse.slices"
local kernels <const> = require "rill.glsl.template".sections "active_set"

local reach = {}

local BITS <const> = {6, 4, 3, 2} -- log2 of a tile's edge, by the number of dimensions
local SHARE <const> = 0.25 -- of all cells: a longer list takes more time than all cells

--- reach.grid(work, residual) returns a function that makes lists for a grid of 1 to 4 dimensions whose cells depend on
-- adjacent cells only. The function takes a table with the residual's streams by name, d, and `most`, the largest
-- residual of a converged cell. It returns a list of indices, 0-based, or nil if the list would be long. `residual` is
-- a GLSL expression of b and y, or of x, y and d. Fields of work: type, shape, d, every.
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
    local first = residual:find "x" and "x" or "b"
    local mark = operator.with_diagonal(kernels.mark, work.d, work.type, {residual = residual, first = first})
    return function(given)
        tiles:fill(0)
        given.bits, given.counts, given.tiles = bits, counts, tiles
        mark(given)
        for _ = 1, (work.every + edge - 1) // edge do
            kernels.spread:kernel()(numbers, tiles, counts, others)
            tiles, others = others, tiles
        end
        local marked <close> = tiles:find(tiles)
        if marked.size > SHARE * count then
            return nil
        end
        local corners <close> = kernels.corner:kernel()(marked, bits, counts)
        local cells = kernels.cells:kernel()(rill.iota(marked.size << rank * bits), corners, bits, rank, sizes)
        if whole then
            return cells
        end
        local inside = cells:filter(cells:ge(0))
        cells:close()
        return inside
    end
end

-- ---- of rows

local ROWS <const> = slices.ROWS -- rows of a tile
local MANY <const> = 2048 -- a tile that depends on more tiles is always marked

-- Returns, in CSR form, the tiles that each tile of rows depends on, with the least and largest difference between the
-- indices of their rows.
local function joined_tiles(rows, count)
    local csr, of <close> = rows.csr, rows.csr.rows
    local fresh <close> = kernels.fresh:kernel()(of, rows.columns, rill.iota(of.size), rows.offsets, rows.columns, ROWS)
    local kept <close> = of:find(fresh)
    local from <close> = rill.gather(of, kept)
    local to <close> = rill.gather(rows.columns, kept)
    local joined = rill.sparse.coo {
        shape = {count, count}, rows = from // ROWS, columns = to // ROWS, values = rill.stream("float", kept.size, 1),
    }:to "csr"
    local edges <close> = kernels.edge:kernel()(from, to, joined.offsets, joined.columns, ROWS)
    local apart <close> = (from - to):eval()
    local least = rill.stream("int", joined.columns.size, csr.shape[1])
    local most = rill.stream("int", joined.columns.size, -csr.shape[1])
    rill.scatter(least, edges, apart, "min")
    rill.scatter(most, edges, apart, "max")
    return {offsets = joined.offsets, tiles = joined.columns, least = least, most = most}
end

--- reach.rows(work, rows, share) returns a function that makes lists of a matrix's rows. `rows` has csr, offsets and
-- columns. The function takes a table with b, y and `most`, and returns a list of rows, 0-based, and the list of tiles
-- of slices.ROWS rows that it consists of, or nil if the list would have more than `share` of all rows.
function reach.rows(work, rows, share)
    local m = work.shape[1]
    local count = (m + ROWS - 1) // ROWS
    local step, numbers = joined_tiles(rows, count), rill.iota(count)
    local marks, others = rill.stream("ivec2", count), rill.stream("ivec2", count)
    step.tile, step.rows, step.height, step.many = numbers, m, ROWS, MANY
    return function(given)
        kernels.hull:kernel {T = work.type}(numbers, given.b, given.y, given.most, m, ROWS, marks)
        for _ = 1, work.every do
            step.marks, step.result = marks, others
            kernels.reach:kernel()(step)
            marks, others = others, marks
        end
        local tiles = marks:find "x.y >= 0"
        if tiles.size > share * count then
            tiles:close()
            return nil
        end
        local list = kernels.row:kernel()(rill.iota(tiles.size * ROWS), tiles, m, ROWS)
        if m % ROWS == 0 then
            return list, tiles
        end
        local inside = list:filter(list:ge(0))
        list:close()
        return inside, tiles
    end
end

return reach
