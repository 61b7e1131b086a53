--- rill.sparse: the constructors of sparse matrices. rill.sparse(type, shape, options), called as a function, makes a
-- container of pages.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local entries = require "rill.sparse.rows"
local matrix = require "rill.sparse.matrix"
local fail <const>, make <const>, normal <const> = errors.fail, matrix.make, matrix.normal
local MOST <const>, MOST_SLOTS <const> = matrix.MOST, matrix.MOST_SLOTS

local sparse = {}

local function is_size(value)
    return math.type(value) == "integer" and value >= 0 and value <= MOST
end

local function check_options(name, options, known)
    if type(options) ~= "table" or rill.type(options) then
        fail("rill.sparse.%s: argument #1 'options': expected a table like {shape = {m, n}, ...}, got %s", name,
            rill.type(options) or type(options))
    end
    option.check("rill.sparse." .. name, options, known)
    local shape = options.shape
    if type(shape) ~= "table" or rill.type(shape) or #shape ~= 2 or not is_size(shape[1]) or not is_size(shape[2]) then
        fail("rill.sparse.%s: option 'shape': expected {rows, columns}, up to %d each", name, MOST)
    end
    return shape[1], shape[2]
end

-- Raises an error if an element is outside of 0 .. most - 1; -1 is allowed if `none` is set.
local function check_range(name, key, s, most, none)
    if s.size == 0 then
        return
    end
    local least, largest = s:min(), s:max()
    if least < (none and -1 or 0) or largest >= most then
        local low = least < (none and -1 or 0)
        local where = table.concat({(low and s.argmin or s.argmax)(s)}, ", ")
        fail("rill.sparse.%s: '%s' has %d as element %s: expected 0 .. %d%s", name, key, low and least or largest,
            where, most - 1, none and ", or -1 for an empty slot" or "")
    end
end

-- Returns a copy of an option's stream, or a stream of its table, with `rank` dimensions. Its elements are integers
-- if `whole` is set, else float or double.
local function take(name, key, value, whole, rank, most)
    if type(value) == "table" and not rill.type(value) then
        local done, list
        if next(value) == nil then
            done, list = true, rill.stream(whole and "int" or "float", rank == 2 and {0, 0} or 0)
        else
            done, list = pcall(rill.from, value, whole and "int" or nil)
        end
        if not done then
            fail("rill.sparse.%s: option '%s': %s", name, key, (list:gsub("^.-rill%.from: ", "")))
        end
        value = list
    end
    local other = errors.not_open(value)
    if other then
        fail("rill.sparse.%s: option '%s': expected an open stream or a table, got %s", name, key, other)
    end
    local kind = value.type
    if whole and kind ~= "int" and kind ~= "uint" or not whole and not matrix.REAL[kind] then
        fail("rill.sparse.%s: option '%s': expected elements of %s, got elements of %s", name, key,
            whole and "int" or "float or double", tostring(kind))
    elseif #value.shape ~= rank then
        fail("rill.sparse.%s: option '%s': expected %d dimension%s, got shape %s", name, key, rank,
            rank == 1 and "" or "s", tostring(value.shape))
    end
    if kind == "uint" then
        check_range(name, key, value, most or MOST)
    end
    return whole and value:cast "int" or value:copy()
end

local function check_same(name, one, a, other, b)
    if a.shape ~= b.shape then
        fail("rill.sparse.%s: '%s' has shape %s, '%s' has %s", name, one, tostring(a.shape), other, tostring(b.shape))
    end
end

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
                (lengths:argmin()))
        end
    end
end

--- rill.sparse.csr{shape=, offsets=, columns=, values=}: returns a matrix of entries by rows. Entries with the same
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

--- rill.sparse.coo{shape=, rows=, columns=, values=}: returns a matrix of entries in any order. Entries with the same
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
    return make.coo(m, n, normal(rows, columns, values))
end

--- rill.sparse.ell{shape=, columns=, values=}: returns a matrix with the same number of slots in each row. columns
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

--- rill.sparse.load(path): returns the matrix of a MatrixMarket file, CSR of double.
function sparse.load(path)
    local m, n, rows, columns, values = core._mtx_load(path)
    return make.csr(m, n, normal(rows, columns, values))
end

for name, f in pairs(sparse) do
    sparse[name] = errors.guard(f, "rill.sparse." .. name)
end
errors.strict(sparse, "rill.sparse")
local container = errors.guard(core._sparse)
getmetatable(sparse).__call = function(_, ...)
    return container(...)
end
return sparse
