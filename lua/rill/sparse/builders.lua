--- rill.sparse.eye, diags, kron and from_dense: matrices that are computed from numbers, diagonals and other matrices.
local rill = require "rill.core.public"
local arguments = require "rill.sparse.arguments"
local entries = require "rill.sparse.rows"
local errors = require "rill.core.error"
local matrix = require "rill.sparse.matrix"
local option = require "rill.core.options"
local products = require "rill.sparse.products"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local fail <const>, MOST <const> = errors.fail, matrix.MOST
local kernels <const> = template.sections "algebra"

errors.own()

local builders = {}

--- rill.sparse.eye(n [, type]) returns the n by n identity, CSR. Default of `type`: "float".
function builders.eye(n, type, ...)
    errors.none("rill.sparse.eye", 3, 2, (...))
    type, n = type == nil and "float" or type, tables.whole(n)
    if not arguments.is_size(n) then
        fail("rill.sparse.eye: argument #1 'n': expected a whole number from 0 to %d, got %s", MOST, errors.told(n))
    elseif not matrix.REAL[type] then
        fail('rill.sparse.eye: argument #2 \'type\': expected "float" or "double", got %s', errors.told(type))
    end
    return matrix.new("csr", n, n, {_offsets = rill.iota(n + 1), _columns = rill.iota(n),
        _values = rill.stream(type, n, 1)})
end

-- ---- diagonals

local function check_shape(where, shape)
    shape = option.table[1](shape) and tables.whole(shape) or shape
    if not (option.table[1](shape) and #shape == 2 and arguments.is_size(shape[1]) and arguments.is_size(shape[2])) then
        fail("%s: argument #3 'shape': expected {rows, columns}, up to %d each, got %s", where, MOST,
            errors.told(shape))
    end
    return shape[1], shape[2]
end

-- Returns the lists of diagonals and of offsets: an integer instead of the list of offsets means one diagonal.
local function lists_of(where, diagonals, offsets)
    offsets = offsets == nil and 0 or tables.whole(offsets)
    if math.type(offsets) == "integer" then
        diagonals, offsets = {diagonals}, {offsets}
    end
    if not option.table[1](offsets) or not option.table[1](diagonals) then
        fail("%s: expected a table of diagonals and a table of their offsets, or one diagonal and its offset, got " ..
            "%s and %s", where, errors.told(diagonals), errors.told(offsets))
    elseif #diagonals ~= #offsets or #offsets == 0 then
        fail("%s: there are %d diagonals and %d offsets: expected one offset per diagonal", where, #diagonals, #offsets)
    end
    local seen = {}
    for k, offset in ipairs(offsets) do
        if math.type(offset) ~= "integer" or math.abs(offset) > MOST then
            fail("%s: argument #2 'offsets': item %d: expected a whole number, got %s", where, k, errors.told(offset))
        elseif seen[offset] then
            fail("%s: argument #2 'offsets': diagonal %d is listed twice", where, offset)
        end
        seen[offset] = true
    end
    return diagonals, offsets
end

--- rill.sparse.diags(diagonals [, offsets [, shape]]) returns a CSR matrix with the given diagonals. diagonals: a table
-- of streams, tables and numbers. A number fills the diagonal, for which `shape` is required. offsets: the diagonal of
-- each, 0 for the main diagonal, above 0 for those above it. With an integer as `offsets` (default: 0) `diagonals` is
-- one diagonal. Default of `shape`: the square matrix in which the first diagonal fits. Zeros are left out.
function builders.diags(diagonals, offsets, shape, ...)
    local where <const> = "rill.sparse.diags"
    errors.none(where, 4, 3, (...))
    diagonals, offsets = lists_of(where, diagonals, offsets)
    local m, n
    if shape ~= nil then
        m, n = check_shape(where, shape)
    end
    local rows, columns, values, type = {}, {}, {}, "float"
    for k, offset in ipairs(offsets) do
        local given = diagonals[k]
        if math.type(given) and not m then
            fail("%s: argument #1 'diagonals': item %d is a number: expected a stream or a table, or the argument " ..
                "'shape'", where, k)
        end
        local what <const> = ("argument #1 'diagonals': item %d"):format(k)
        local s = not math.type(given) and arguments.take("diags", what, given, false, 1) or nil
        m, n = m or s.size + math.abs(offset), n or s.size + math.abs(offset)
        if offset < -m or offset > n then
            fail("%s: argument #2 'offsets': a matrix of %d x %d has no diagonal %d", where, m, n, offset)
        end
        local size <const> = math.min(m + math.min(offset, 0), n - math.max(offset, 0))
        s = s or rill.stream("float", size, given)
        if s.size ~= size then
            fail("%s: argument #1 'diagonals': item %d has %d elements: diagonal %d of a matrix of %d x %d has %d",
                where, k, s.size, offset, m, n, size)
        end
        type = s.type == "double" and "double" or type
        local i = rill.iota(size)
        rows[k], columns[k], values[k] = (i + math.max(-offset, 0)):eval(), (i + math.max(offset, 0)):eval(), s
    end
    for k, s in ipairs(values) do
        values[k] = s:cast(type)
    end
    rows, columns, values = matrix.nonzero(rill.concat(rows), rill.concat(columns), rill.concat(values))
    return matrix.make.csr(m, n, matrix.normal(rows, columns, values, m, n))
end

-- ---- Kronecker products

--- rill.sparse.kron(A, B) returns the Kronecker product: the blocks a B for each element a of A. CSR, or COO if A is
-- COO. Every pair of entries gives an entry.
function builders.kron(A, B, ...)
    local where <const> = "rill.sparse.kron"
    errors.none(where, 3, 2, (...))
    for k = 1, 2 do
        local M = ({A, B})[k]
        if not matrix.is(M) then
            fail("%s: argument #%d '%s': expected a sparse matrix, got %s", where, k, k == 1 and "A" or "B",
                errors.told(M))
        end
        matrix.check(M, where)
    end
    local m, n <const> = A.shape[1] * B.shape[1], A.shape[2] * B.shape[2]
    local ar, ac, av = A:_entries()
    local br, bc, bv = B:_entries()
    local count <const> = av.size * bv.size
    if m > MOST or n > MOST or count > MOST then
        fail("%s: the result would be %d x %d with %d entries: expected up to %d each", where, m, n, count, MOST)
    end
    local type <const> = (av.type == "double" or bv.type == "double") and "double" or "float"
    local rows, columns, values = rill.stream("int", 0), rill.stream("int", 0), rill.stream(type, 0)
    if count > 0 then
        local ao <close> = products.offsets(ar, A.shape[1])
        local bo <close> = products.offsets(br, B.shape[1])
        local begins <close> = kernels.begins:kernel()(rill.iota(m + 1), ao, bo, B.shape[1], m, bv.size)
        rows = entries.rows(begins, count)
        columns, values = kernels.kron:kernel {V = av.type, W = bv.type, T = type}(rows, begins, B.shape[1], B.shape[2],
            ao, ac, av, bo, bc, bv)
    end
    return matrix.make[A.format == "coo" and "coo" or "csr"](m, n, rows, columns, values)
end

-- ---- dense matrices

local PLACE <const> = template.new [[
    kernel void place(int at<>, int n, out int row<>, out int column<>) { row = at / n; column = at - row * n; }
]]
local LARGE <const> = template.new "kernel bool large($V x<>, $V tolerance) { return !(abs(x) <= tolerance); }"

--- rill.sparse.from_dense(matrix [, tolerance]) returns the CSR matrix of the elements of a dense matrix, a stream or a
-- table, whose absolute value is above `tolerance`, and of NaN. Default of `tolerance`: 0.
function builders.from_dense(given, tolerance, ...)
    errors.none("rill.sparse.from_dense", 3, 2, (...))
    tolerance = tolerance == nil and 0 or tolerance
    if not option.not_negative[1](tolerance) then
        fail("rill.sparse.from_dense: argument #2 'tolerance': expected a number, 0 or more, got %s",
            errors.told(tolerance))
    end
    local s <close> = arguments.take("from_dense", "argument #1 'matrix'", given, false, 2)
    local m, n <const> = table.unpack(s.shape)
    if s.size == 0 then
        return matrix.make.csr(m, n, rill.stream("int", 0), rill.stream("int", 0), rill.stream(s.type, 0))
    end
    local flat <close> = s:reshape(s.size)
    local mask <close> = LARGE:kernel {V = s.type}(flat, tolerance)
    local at <close> = mask:find(mask)
    local rows <close>, columns = PLACE:kernel()(at, n)
    return matrix.make.csr(m, n, rows, columns, rill.gather(flat, at))
end

for name, f in pairs(builders) do
    builders[name] = errors.guard(f, "rill.sparse." .. name)
end

return builders
