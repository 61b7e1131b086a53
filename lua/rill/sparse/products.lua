--- Products of the rows of a sparse matrix with vectors, and sums over rows. Long rows are divided into pieces, and
-- matrices that are used again get slices on the family cpu. The multiplication is in C (src/linalg/spmv.h).
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

-- Divides rows of more than `size` entries into pieces. Returns the first entry of each piece, and the first piece of
-- each row.
local function divide(offsets, count, size)
    local m = offsets.size - 1
    local counts <close> = kernels.pieces:kernel()(offsets, rill.iota(m + 1), m, size)
    local first = counts:scan("add", {exclusive = true})
    local pieces = first:get(m + 1)
    local rows <close> = entries.rows(first, pieces)
    local begins = kernels.begins:kernel()(offsets, first, rows, rill.iota(pieces + 1), pieces, size, count)
    return begins, first
end

-- Family gpu: entries of the longest row that one group of invocations processes, least entries of a piece of 32
-- invocations, and the most pieces of a row.
local MOST_WHOLE <const>, PIECE <const>, MOST_PARTS <const> = 4096, 1024, 16384

-- Sets the pieces of the rows of more than plan.limit entries, for products with vectors on the family gpu.
local function add_pieces(plan)
    local offsets, limit = plan.offsets, plan.limit
    local size = math.max(PIECE, (plan.longest + MOST_PARTS - 1) // MOST_PARTS)
    local lengths <close> = entries.lengths(offsets)
    local rows <close> = lengths:find(lengths:gt(limit))
    local count = rows.size
    local numbers <const> = rill.iota(count + 1)
    local counts <close> = kernels.long_pieces:kernel()(offsets, rows, numbers, count, size)
    local first <close> = counts:scan("add", {exclusive = true})
    local several <close> = kernels.several:kernel()(counts)
    local parts <close> = several:scan("add", {exclusive = true})
    local pieces, partial = first:get(count + 1), parts:get(count + 1)
    local which <close> = entries.rows(first, pieces)
    plan.pieces = kernels.long_begins:kernel()(offsets, rows, first, several, parts, which, rill.iota(pieces), size)
    plan.partial = partial
    if partial > 0 then
        local found <close> = several:find(several:gt(0))
        local begins <close> = rill.gather(parts, found)
        local last <close> = rill.stream("int", 1, partial)
        plan.divided, plan.firsts = rill.gather(rows, found), rill.concat {begins, last}
    end
end

--- products.plan(offsets, count) returns the plan of products. Rows that are much longer than others are divided into
-- pieces, so that they do not stall the others. `long`: there are such rows. Family cpu: `begins` is then the first
-- entry of each piece, and `first` the first piece of each row. Family gpu: `limit` is the length of the longest row
-- that is not long. products.rows adds the fields of long rows of spmv.h, for products with vectors; `partial` is the
-- number of partial sums.
function products.plan(offsets, count)
    local m, longest = offsets.size - 1, products.longest(offsets)
    local size = m > 0 and piece_size(count, m, longest) or 0
    local plan = {offsets = offsets, count = count, longest = longest, size = size}
    if core._family(offsets) == "gpu" then
        plan.limit = m > 0 and math.min(math.max(LEAST_PIECE, 4 * ((count + m - 1) // m)), MOST_WHOLE) or 0
        plan.long = longest > plan.limit
        return plan
    end
    plan.long = longest > size
    if plan.long then
        plan.begins, plan.first = divide(offsets, count, size)
    end
    return plan
end

--- products.close(plan) frees the streams of a plan.
function products.close(plan)
    for _, name in ipairs {"offsets", "first", "begins", "float", "double", "pieces", "firsts", "divided"} do
        if plan[name] then
            plan[name]:close()
        end
    end
    if plan.sums then
        products.close(plan.sums)
    end
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

-- Products with matrices on the family gpu: the rows are divided into pieces, whose sums are the rows of another
-- product without values, whose rows are divided, too.
local function multiply_wide(plan, columns, values, x, y)
    if plan.longest <= plan.size then
        core._spmv(plan.offsets, columns, values, x, y)
        return
    end
    if not plan.begins then
        plan.begins, plan.first = divide(plan.offsets, plan.count, plan.size)
        plan.sums = products.plan(plan.first, plan.begins.size - 1)
    end
    local partial <close> = rill.stream(y.type, {plan.begins.size - 1, y.shape[2]})
    core._spmv(plan.begins, columns, values, x, partial)
    multiply_wide(plan.sums, nil, nil, partial, y)
end

--- products.rows(plan, columns, values, x, y) writes the products of the rows with x to y. x has the type of y.
-- columns nil: sums of rows of x (entry k is 1 and has the column k). The plan caches the sums of pieces, for one
-- vector of each type.
function products.rows(plan, columns, values, x, y)
    if plan.limit and #y.shape > 1 then
        multiply_wide(plan, columns, values, x, y)
        return
    elseif plan.limit and plan.long then
        if not plan.pieces then
            add_pieces(plan)
        end
        plan[y.type] = plan[y.type] or plan.partial > 0 and rill.stream(y.type, plan.partial) or nil
        core._spmv(plan.offsets, columns, values, x, y, nil, nil, plan.limit, plan.pieces, plan[y.type], plan.firsts,
            plan.divided)
        return
    elseif not plan.begins then
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

--- products.usual(plan, type, columns, values, x, y, count) writes the product with x, of `count` elements, to y, and
-- returns y, if x and y are contiguous vectors of a type for which products.rows was called before. y nil: returns a
-- new stream. Returns nil in other cases, in which nothing is done. It costs less time than products.rows and the
-- checks of its arguments.
function products.usual(plan, type, columns, values, x, y, count)
    if not plan.limit or plan.long and not (plan.pieces and (plan.partial == 0 or plan[type])) then
        return nil
    end
    local result = core._spmv_usual(plan.offsets, columns, values, x, y, nil, nil, plan.limit, plan.pieces, plan[type],
        plan.firsts, plan.divided, count)
    return result and (y or result) or nil
end

--- products.sums(begins, values) returns the sums of runs of neighbors, which begin at `begins`.
products.sums = recorder.wrap("rill.sparse sums", function(begins, values)
    local plan = products.plan(begins, values.size)
    local sums = rill.stream(values.type, begins.size - 1)
    products.rows(plan, nil, nil, values, sums)
    return sums
end)

return products
