--- Products of the rows of a sparse matrix with vectors, and sums over rows. Long rows are divided into pieces, and
-- matrices that are used again get slices. The multiplication is in C (src/linalg/spmv.h).
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local entries = require "rill.sparse.rows"
local recorder = require "rill.core.recorder"
local slices = require "rill.sparse.slices"
local kernels <const> = require "rill.glsl.template".sections "products"

errors.own()

local products = {}

local MANY_ROWS <const> = 65536

--- products.offsets(rows, count) returns the index of the first entry of each of `count` rows, and the end. `rows`
-- is ascending. An empty row has the index of the next row.
function products.offsets(rows, count)
    if count >= MANY_ROWS and rows.size >= count then
        local firsts <close> = rill.stream("int", count + 1, rows.size)
        kernels.heads:kernel()(rows, rows, firsts)
        return firsts:scan("min", {reverse = true})
    end
    return kernels.find:kernel()(rows, rill.iota(count + 1), rows.size)
end

--- products.longest(offsets) returns the number of entries of the longest row.
function products.longest(offsets)
    if offsets.size == 1 then
        return 0
    end
    local lengths <close> = entries.lengths(offsets)
    return lengths:max()
end

local LEAST_PIECE <const>, MOST_PIECES <const>, MANY <const> = 64, 8192, 4096
local LONGEST <const> = 131072 -- SPMV_LONGEST of spmv.h

-- Returns the largest number of entries of one invocation: a few times the mean, less if there are few rows, and more
-- if the longest row would have too many pieces.
local function piece_size(count, m, longest)
    local size = math.max(LEAST_PIECE, 4 * ((count + m - 1) // m))
    if m < MANY then
        size = math.min(size, math.max(LEAST_PIECE, count // MANY))
    end
    return math.min(math.max(size, (longest + MOST_PIECES - 1) // MOST_PIECES), LONGEST)
end

--- products.plan(offsets, count) returns the plan of products. Rows that are much longer than others are divided
-- into pieces, so that they do not stall the others: `begins` is the first entry of each piece, and `first` the first
-- piece of each row. Both are nil if no row is long.
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

--- products.sliced(plan, columns, values) returns the slices of a plan from its second product on, if they pay; else
-- false or nil.
function products.sliced(plan, columns, values)
    if plan.slices == nil and plan.used then
        plan.slices = core._family(values) == "cpu" and slices.make(plan.begins or plan.offsets, columns, values)
    elseif plan.slices then
        slices.refresh(plan.slices, columns, values)
    end
    plan.used = true
    return plan.slices
end

-- Multiplies rows or pieces. The sums are the same with and without slices.
local function multiply_whole(plan, columns, values, x, y)
    local made = columns and #y.shape == 1 and products.sliced(plan, columns, values)
    if made then
        core._spmv(made.begins, made.columns, made.values, x, y, made.order)
    else
        core._spmv(plan.begins or plan.offsets, columns, values, x, y)
    end
end

--- products.rows(plan, columns, values, x, y) writes the products of the rows with x to y. x has the type of y.
-- columns nil: sums of rows of x (entry k is 1 and has the column k). The plan caches the sums of pieces, for one
-- vector of each type.
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

--- products.sums(begins, values) returns the sums of runs of neighbors, which begin at `begins`.
products.sums = recorder.wrap("rill.sparse sums", function(begins, values)
    local plan = products.plan(begins, values.size)
    local sums = rill.stream(values.type, begins.size - 1)
    products.rows(plan, nil, nil, values, sums)
    return sums
end)

return products
