-- rill.linalg.qr, svd and eigh. Matrices of up to 4 x 4 elements are decomposed on the device, one by each invocation;
-- larger ones by the host, in doubles (src/linalg/dense).
local core = require "rill.core"
local rill = require "rill.core.public"
local arguments = require "rill.linalg.arguments"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local kernels <const> = require "rill.glsl.template".sections "small"

local decompose = {}

local SMALL <const> = 4

-- Returns whether matrices are decomposed by the host, which refuses those that a gradient depends on.
local function by_host(a, most, least)
    return most > SMALL or least == 0 or recorder.on and recorder.tracks(a)
end

-- Returns a batch as {matrices, rows, columns}, and a copy that must be closed if the view has no such shape.
local function as_list(a, m, n)
    local shape <const> = {tables.product(a.shape, #a.shape - 2), m, n}
    local done, list = pcall(a.reshape, a, shape)
    if done then
        return list
    end
    local copy <const> = a:copy()
    return copy:reshape(shape), copy
end

-- Returns the values that both kernels of matrices with k columns need.
local function kernel_values(a, size, k, vectors)
    local prefix <const> = a.type == "double" and "d" or ""
    return {T = a.type, M = prefix .. "mat" .. size, V = prefix .. "vec" .. size, k = k, vectors = vectors}
end

-- Runs a kernel for each matrix of a batch. outputs: shapes of a matrix's results, the last one is {} for one number.
-- Returns the results.
local function run(kernel, a, m, n, outputs)
    local list <const>, copy <const> = as_list(a, m, n)
    local count <const>, lead <const>, flat <const>, results <const> = list.shape[1], arguments.leading(a), {}, {}
    for i, shape in ipairs(outputs) do
        flat[i] = rill.stream(a.type, {count, table.unpack(shape)})
        results[i] = flat[i]:reshape(arguments.extended(lead, table.unpack(shape)))
    end
    if count > 0 then
        flat[#flat + 1] = rill.iter("int", {count}, 0, 0)
        kernel(list, table.unpack(flat))
    end
    if copy then
        copy:close()
    end
    return table.unpack(results)
end

-- Runs a kernel of `eliminate` for a batch of small matrices. outputs: new streams with an element for each matrix, or
-- with the elements of all matrices.
local function eliminate(a, n, inverse, ...)
    local list <const>, copy <const> = as_list(a, n, n)
    kernels.eliminate:kernel {
        T = a.type, W = inverse and a.type or "double", k = n, size = n * n, inverse = inverse,
    }(list, ...)
    if copy then
        copy:close()
    end
end

local MIDDLE <const> = 128 -- rows of the largest matrices that the host inverts

--- decompose.is_small(a) returns whether decompose.inverse and decompose.determinants take a batch of square matrices.
function decompose.is_small(a)
    return a.size > 0 and a.shape[#a.shape] <= MIDDLE and not (recorder.on and recorder.tracks(a))
end

--- decompose.inverse(where, a) returns the inverses of matrices, or nil, the first matrix that is singular, and its
-- pivot that is 0.
function decompose.inverse(where, a)
    local n <const>, count <const> = a.shape[#a.shape], tables.product(a.shape, #a.shape - 2)
    if n > SMALL then
        return core._dense(where, "inverse", a)
    end
    local result <const>, pivots <close> = rill.stream(a.type, {count, n, n}), rill.stream("int", count)
    eliminate(a, n, true, result, pivots)
    if pivots:max() > 0 then
        local at <const> = pivots:gt(0):argmax()
        return nil, at, pivots:get(at)
    end
    return result:reshape(a.shape)
end

--- decompose.determinants(where, a) returns streams of double with an element for each matrix: the determinant, its
-- sign, and the logarithm of its absolute value.
function decompose.determinants(where, a)
    local n <const>, count <const> = a.shape[#a.shape], tables.product(a.shape, #a.shape - 2)
    if n > SMALL then
        return core._dense(where, "determinant", a)
    end
    local value <const>, sign <const>, logarithm <const> = rill.stream("double", count), rill.stream("double", count),
        rill.stream("double", count)
    eliminate(a, n, false, value, sign, logarithm)
    return value, sign, logarithm
end

--- decompose.qr(a) returns q and r for a = q r.
function decompose.qr(a)
    a = arguments.matrix("rill.linalg.qr", a)
    return core._dense("rill.linalg.qr", "qr", a)
end

--- decompose.singular(where, a, vectors) returns u, the values s and v of a checked batch; only s, as the second
-- result, unless `vectors`.
function decompose.singular(where, a, vectors)
    local m <const>, n <const> = a.shape[#a.shape - 1], a.shape[#a.shape]
    local most <const>, k <const> = math.max(m, n), math.min(m, n)
    if by_host(a, most, k) then
        return core._dense(where, "svd", a, vectors)
    end
    local values <const> = kernel_values(a, math.max(most, 2), k, vectors)
    values.rows, values.columns, values.most, values.wide = m, n, most, m < n
    local s <const>, u <const>, v <const> = run(kernels.svd:kernel(values), a, m, n,
        vectors and {{k}, {m, k}, {n, k}} or {{k}})
    return u, s, v
end

local VECTORS <const> = {vectors = option.default(option.flag, true)}

--- decompose.svd(a [, options]) returns u, s and v for a = u diag(s) v'; only s with vectors = false.
function decompose.svd(a, options)
    a = arguments.matrix("rill.linalg.svd", a)
    local given <const> = option.take("rill.linalg.svd", options, VECTORS)
    local u <const>, s <const>, v <const> = decompose.singular("rill.linalg.svd", a, given.vectors)
    if given.vectors then
        return u, s, v
    end
    return s
end

--- decompose.eigh(a [, options]) returns the eigenvalues and eigenvectors of symmetric matrices; only the eigenvalues
-- with vectors = false.
function decompose.eigh(a, options)
    local n
    a, n = arguments.matrix("rill.linalg.eigh", a, true)
    local given <const> = option.take("rill.linalg.eigh", options, VECTORS)
    local values, vectors
    if n < 2 or by_host(a, n, n) then
        values, vectors = core._dense("rill.linalg.eigh", "eigen", a, given.vectors)
    else
        values, vectors = run(kernels.eigen:kernel(kernel_values(a, n, n, given.vectors)), a, n, n,
            given.vectors and {{n}, {n, n}} or {{n}})
    end
    if given.vectors then
        return values, vectors
    end
    return values
end

return decompose
