-- How the elements of a distributed stream are divided: every rank has a box of the whole shape. A cut is a table:
--   shape      the whole shape
--   grid       the numbers of ranks along the dimensions
--   ends       for each dimension, a table of grid[d] + 1 indices: part p (from 0) has the elements ends[d][p + 1] ..
--              ends[d][p + 2] - 1, counted from 0
--   place      the position of this rank in the grid, from 0
--   first, own the first index (from 0) and the sizes of this rank's box
--   units      the sizes of the units: see below
--   aligned    whether all boxes consist of whole units
--
-- A unit is a box of elements, the same for any number of ranks, because it follows from the whole shape alone. Sums
-- are computed unit by unit and then over the units in their order, so that they have the same bits for any number of
-- ranks. Boxes of ranks consist of whole units.
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail

local cut = {}

local LINE_UNITS <const> = 1024                -- of a stream of one dimension
local BOX_UNITS <const> = {1024, 8, 4}         -- along each of the first dimensions of others
local LEAST_SPLIT <const> = 64                 -- elements of a dimension after the first that is divided into units

-- Returns the least power of two that is at least n, so that parts can be coarsened.
local function power_of_two(n)
    local result = 1
    while result < n do
        result = 2 * result
    end
    return result
end

local function unit_sizes(shape)
    local units = {}
    for d, n in ipairs(shape) do
        local most = #shape == 1 and LINE_UNITS or d == 1 and BOX_UNITS[1] or
            n >= LEAST_SPLIT and BOX_UNITS[d] or 1
        units[d] = power_of_two(math.max(1, (n + most - 1) // most))
    end
    return units
end

-- Fills in what follows from shape, grid and ends for this rank.
local function complete(c)
    c.place, c.first, c.own = cut.place(c, wire.rank), {}, {}
    c.size = 1
    for d = 1, #c.shape do
        local low, high = c.ends[d][c.place[d] + 1], c.ends[d][c.place[d] + 2]
        c.first[d], c.own[d] = low, high - low
        c.size = c.size * c.own[d]
    end
    c.units = unit_sizes(c.shape)
    c.aligned = true
    for d, ends in ipairs(c.ends) do
        for p = 2, #ends - 1 do
            c.aligned = c.aligned and (ends[p] % c.units[d] == 0 or ends[p] == c.shape[d])
        end
    end
    return c
end

--- cut.place(c, rank) returns the position of a rank in the grid, from 0.
function cut.place(c, rank)
    local rest, place = rank - 1, {}
    for d = #c.grid, 1, -1 do
        place[d] = rest % c.grid[d]
        rest = rest // c.grid[d]
    end
    return place
end

--- cut.rank(c, place) returns the rank at a position.
function cut.rank(c, place)
    local rank = 0
    for d, n in ipairs(c.grid) do
        rank = rank * n + place[d]
    end
    return rank + 1
end

--- cut.box(c, rank) returns the first and the last indices, from 1, of the box of a rank, and its number of elements.
function cut.box(c, rank)
    local place, first, last, size = cut.place(c, rank), {}, {}, 1
    for d, ends in ipairs(c.ends) do
        first[d], last[d] = ends[place[d] + 1] + 1, ends[place[d] + 2]
        size = size * (last[d] - first[d] + 1)
    end
    return first, last, size
end

-- The ends of the parts of a dimension of n elements: whole units, as even as possible.
local function even(n, unit, parts)
    local units, ends = (n + unit - 1) // unit, {}
    for p = 0, parts do
        ends[p + 1] = math.min(n, units * p // parts * unit)
    end
    return ends
end

--- cut.new(where, shape [, ranks [, multiple]]) returns the standard cut of a shape. `ranks`: the numbers of ranks
-- along the first dimensions; default: all along the first. `multiple`: a power of two of which the ends of parts are
-- multiples. `size`: the number of ranks; default: that of this run.
function cut.new(where, shape, ranks, multiple, size)
    local grid, product = {}, 1
    size, ranks = size or wire.size, tables.whole(ranks)
    for d = 1, #shape do
        grid[d] = ranks and (ranks[d] or 1) or d == 1 and size or 1
        product = product * grid[d]
    end
    if product ~= size or (ranks and #ranks > #shape) then
        fail("%s: option 'ranks': expected numbers whose product is %d, the number of ranks, for at most %d " ..
            "dimension%s, got %s", where, size, #shape, #shape == 1 and "" or "s", errors.told(ranks))
    end
    local c = {shape = tables.copy(shape), grid = grid, ends = {}}
    local units = unit_sizes(shape)
    for d, n in ipairs(shape) do
        if grid[d] > 1 and d > #BOX_UNITS then
            fail("%s: option 'ranks': only the first %d dimensions can be cut", where, #BOX_UNITS)
        elseif d > 1 and grid[d] > 1 and grid[d] > BOX_UNITS[d] then -- the other ranks would have no elements
            fail("%s: option 'ranks': dimension %d can be divided among at most %d ranks, got %d", where, d,
                BOX_UNITS[d], grid[d])
        elseif grid[d] > 1 and d > 1 and n < LEAST_SPLIT then
            fail("%s: option 'ranks': dimension %d has %d elements, only dimensions of at least %d are cut", where,
                d, n,
                LEAST_SPLIT)
        end
        c.ends[d] = even(n, math.max(units[d], multiple or 1), grid[d])
    end
    return complete(c)
end

--- cut.rows(shape, counts) returns the cut along the first dimension in which the ranks have `counts` rows. shape[1]
-- must be their sum.
function cut.rows(shape, counts)
    local c = {shape = tables.copy(shape), grid = {wire.size}, ends = {{0}}}
    for rank, n in ipairs(counts) do
        c.ends[1][rank + 1] = c.ends[1][rank] + n
    end
    for d = 2, #shape do
        c.grid[d], c.ends[d] = 1, {0, shape[d]}
    end
    return complete(c)
end

--- cut.part(ends, i) returns the part, from 0, to which index i (from 0) of a dimension with these ends belongs.
function cut.part(ends, i)
    local low, high = 1, #ends - 1
    while low < high do
        local middle = (low + high + 1) // 2
        if ends[middle] <= i then low = middle else high = middle - 1 end
    end
    return low - 1
end

--- cut.coarse(c, shape, ratio, offset) returns the cut of a coarser grid, whose element i is at position ratio[d] i +
-- offset[d] of dimension d of the grid of c (both from 0): every rank has the elements in its box.
function cut.coarse(c, shape, ratio, offset)
    local coarse = {shape = tables.copy(shape), grid = c.grid, ends = {}}
    for d, n in ipairs(shape) do
        local ends = c.ends[d]
        coarse.ends[d] = {0}
        for p = 2, #ends - 1 do
            coarse.ends[d][p] = math.max(0, math.min(n, math.ceil((ends[p] - offset[d]) / ratio[d])))
        end
        coarse.ends[d][#ends] = n
    end
    return complete(coarse)
end

--- cut.same(a, b) returns whether two cuts give every rank the same box.
function cut.same(a, b)
    if a == b then
        return true
    elseif #a.shape ~= #b.shape then
        return false
    end
    for d, ends in ipairs(a.ends) do
        local others = b.ends[d]
        if #ends ~= #others then
            return false
        end
        for p, index in ipairs(ends) do
            if index ~= others[p] then
                return false
            end
        end
    end
    return true
end

--- cut.is_rows(c) returns whether only the first dimension is cut.
function cut.is_rows(c)
    return c.grid[1] == wire.size
end

--- cut.text(c) returns a description for messages: "100x20 on 2x1 ranks".
function cut.text(c)
    return ("%s on %s rank%s"):format(table.concat(c.shape, "x"), table.concat(c.grid, "x"),
        wire.size == 1 and "" or "s")
end

return cut
