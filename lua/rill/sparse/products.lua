--- Products of a sparse matrix' rows with vectors, and sums over rows: long rows are cut into pieces, rows used again are sliced. What multiplies is
-- in C (src/linalg/spmv.h); lua/rill/sparse/matrix.lua says what the rows are.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local entries = require "rill.sparse.rows"
local slices = require "rill.sparse.slices"
local kernels <const> = require "rill.glsl.template".sections "products"

errors.own()

local products = {}

local MANY_ROWS <const> = 65536

--- Where the entries of each row begin, of rows that ascend: an empty row's is the next one's.
function products.offsets(rows, count)
    if count >= MANY_ROWS and rows.size >= count then
        local firsts <close> = rill.stream("int", count + 1, rows.size)
        kernels.heads:kernel()(rows, rows, firsts)
        return firsts:scan("min", {reverse = true})
    end
    return kernels.find:kernel()(rows, rill.iota(count + 1), rows.size)
end

--- How many entries the longest row has.
function products.longest(offsets)
    if offsets.size == 1 then
        return 0
    end
    local lengths <close> = entries.lengths(offsets)
    return lengths:max()
end

local LEAST_PIECE <const>, MOST_PIECES <const>, MANY <const> = 64, 8192, 4096
local LONGEST <const> = 131072 -- SPMV_LONGEST of spmv.h

-- Entries that one invocation takes at most: a few times the mean, less where there are few rows, more where the pieces of the longest row
-- would be too many for another.
local function piece_size(count, m, longest)
    local size = math.max(LEAST_PIECE, 4 * ((count + m - 1) // m))
    if m < MANY then
        size = math.min(size, math.max(LEAST_PIECE, count // MANY))
    end
    return math.min(math.max(size, (longest + MOST_PIECES - 1) // MOST_PIECES), LONGEST)
end

--- The plan of rows that begin at `offsets`. Rows longer than others are cut into pieces, so that none stalls the rest: where each piece begins, and
-- the first piece of each row; no pieces where no row is long.
function products.plan(offsets, count)
    local m, longest = offsets.size - 1, products.longest(offsets)
    local size = m > 0 and piece_size(count, m, longest) or 0
    if longest <= size then
        return {offsets = offsets}
    end
    local counts <close> = kernels.pieces:kernel()(offsets, rill.iota(m + 1), m, size)
    local first = counts:scan("add", {exclusive = true})
    local pieces = first:get(m + 1)
    local rows <close> = entries.rows(first, pieces)
    local begins = kernels.begins:kernel()(offsets, first, rows, rill.iota(pieces + 1), pieces, size, count)
    return {offsets = offsets, first = first, begins = begins}
end

--- The slices of a plan, where they pay: from its second product on.
function products.sliced(plan, columns, values)
    if plan.slices == nil and plan.used then
        plan.slices = core._family(values) == "cpu" and slices.make(plan.begins or plan.offsets, columns, values)
    elseif plan.slices then
        slices.refresh(plan.slices, columns, values)
    end
    plan.used = true
    return plan.slices
end

-- The same sums whether rows are in slices or not.
local function multiply_whole(plan, columns, values, x, y)
    local made = columns and #y.shape == 1 and products.sliced(plan, columns, values)
    if made then
        core._spmv(made.begins, made.columns, made.values, x, y, made.order)
    else
        core._spmv(plan.begins or plan.offsets, columns, values, x, y)
    end
end

--- Into y the products of x, which has y's type, with the entries of each row: columns nil: with ones, entry k in column k. The plan keeps
-- what pieces of rows sum up to, of one vector of each type.
function products.rows(plan, columns, values, x, y)
    if not plan.begins then
        multiply_whole(plan, columns, values, x, y)
        return
    end
    local partial = plan[y.type]
    if not partial or #y.shape > 1 then
        partial = rill.stream(y.type, {plan.begins.size - 1, y.shape[2]})
    end
    multiply_whole(plan, columns, values, x, partial)
    core._spmv(plan.first, nil, nil, partial, y)
    if #y.shape > 1 then
        partial:close()
    else
        plan[y.type] = partial
    end
end

--- The sums of runs of neighbours.
function products.sums(begins, values)
    local plan = products.plan(begins, values.size)
    local sums = rill.stream(values.type, begins.size - 1)
    products.rows(plan, nil, nil, values, sums)
    return sums
end

return products
