--- rill.sparse: the constructors of sparse matrices. rill.sparse(type, shape, options), called as a function, makes a
-- container of pages.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local arguments = require "rill.sparse.arguments"
local lazy = require "rill.core.lazy"
local entries = require "rill.sparse.rows"
local matrix = require "rill.sparse.matrix"
local recorder = require "rill.core.recorder"
local fail <const>, make <const>, normal <const> = errors.fail, matrix.make, matrix.normal
local MOST_SLOTS <const> = matrix.MOST_SLOTS
local check_options <const>, check_range <const> = arguments.options, arguments.range
local take <const>, check_same <const> = arguments.take, arguments.same

local sparse = {}

local function check_offsets(offsets, m, count)
    if offsets.size ~= m + 1 then
        fail("rill.sparse.csr: 'offsets' has %d elements: %d rows need %d", offsets.size, m, m + 1)
    elseif offsets:get(1) ~= 0 or offsets:get(m + 1) ~= count then
        fail("rill.sparse.csr: 'offsets' goes from %d to %d: expected 0 to %d, the number of entries", offsets:get(1),
            offsets:get(m + 1), count)
    elseif m > 0 then
        local lengths <close> = entries.lengths(offsets)
        if lengths:min() < 0 then
            fail("rill.sparse.csr: 'offsets' decreases after element %d: expected offsets that do not decrease",
                (lengths:lt(0):argmax()))
        end
    end
end

--- rill.sparse.csr{shape=, offsets=, columns=, values=} returns a matrix of entries by rows. Entries with the same
-- row and column are added in products.
function sparse.csr(options)
    local m, n = check_options("csr", options, {shape = true, offsets = true, columns = true, values = true})
    local offsets = take("csr", "offsets", options.offsets, true, 1)
    local columns = take("csr", "columns", options.columns, true, 1, n)
    local values = take("csr", "values", options.values, false, 1)
    check_same("csr", "columns", columns, "values", values)
    check_offsets(offsets, m, values.size)
    check_range("csr", "columns", columns, n)
    return matrix.new("csr", m, n, {_offsets = offsets, _columns = columns, _values = values})
end

--- rill.sparse.coo{shape=, rows=, columns=, values=} returns a matrix of entries in any order. Entries with the same
-- row and column are added.
function sparse.coo(options)
    local m, n = check_options("coo", options, {shape = true, rows = true, columns = true, values = true})
    local rows = take("coo", "rows", options.rows, true, 1, m)
    local columns = take("coo", "columns", options.columns, true, 1, n)
    local values = take("coo", "values", options.values, false, 1)
    check_same("coo", "rows", rows, "values", values)
    check_same("coo", "columns", columns, "values", values)
    check_range("coo", "rows", rows, m)
    check_range("coo", "columns", columns, n)
    return make.coo(m, n, normal(rows, columns, values, m, n))
end

--- rill.sparse.ell{shape=, columns=, values=} returns a matrix with the same number of slots in each row. columns
-- and values have the shape {rows, slots}. Column -1 marks an empty slot.
function sparse.ell(options)
    local m, n = check_options("ell", options, {shape = true, columns = true, values = true})
    local columns = take("ell", "columns", options.columns, true, 2, n)
    local values = take("ell", "values", options.values, false, 2)
    check_same("ell", "columns", columns, "values", values)
    if columns.shape[1] ~= m then
        fail("rill.sparse.ell: 'columns' has shape %s: expected %d rows", tostring(columns.shape), m)
    end
    check_range("ell", "columns", columns, n, true)
    local width, pitch = columns.shape[2], matrix.whole_texels(m)
    if width > MOST_SLOTS then
        fail("rill.sparse.ell: rows have %d slots: expected at most %d; use csr", width, MOST_SLOTS)
    end
    local slots, spread = rill.stream("int", {width, pitch}, -1), rill.stream(values.type, {width, pitch})
    if columns.size > 0 then
        slots:domain({1, 1}, {width, m}):write(columns:transpose())
        spread:domain({1, 1}, {width, m}):write(values:transpose())
    end
    return matrix.new("ell", m, n, {_columns = slots, _values = spread})
end

--- rill.sparse.load(path) returns the matrix of a MatrixMarket file, CSR of double.
function sparse.load(path)
    local m, n, rows, columns, values = core._mtx_load(path)
    return make.csr(m, n, normal(rows, columns, values, m, n))
end

for _, name in ipairs {"eye", "diags", "kron", "from_dense"} do
    sparse[name] = lazy.call("rill.sparse.builders", name)
end
for _, name in ipairs {"add", "sub", "mul", "div", "unm"} do
    matrix.metatable["__" .. name] = lazy.call("rill.sparse.algebra", name)
end
matrix.hooks.product = lazy.call("rill.sparse.algebra", "product")
for name, f in pairs(sparse) do
    sparse[name] = recorder.wrap("rill.sparse." .. name, errors.guard(f, "rill.sparse." .. name))
end
errors.strict(sparse, "rill.sparse")
local container = errors.guard(core._sparse)
getmetatable(sparse).__call = function(_, ...)
    return container(...)
end
return sparse
