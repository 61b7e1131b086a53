--- Sums and products of sparse matrices: the operators + - * / of matrices.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local entries = require "rill.sparse.rows"
local matrix = require "rill.sparse.matrix"
local products = require "rill.sparse.products"
local recorder = require "rill.core.recorder"
local fail <const>, nonzero <const> = errors.fail, matrix.nonzero
local kernels <const> = require "rill.glsl.template".sections "algebra"

errors.own()

local algebra = {}

local MOST_PRODUCTS <const> = 1 << 22 -- products of one pass of a matrix product, which take about 50 bytes each

local function told(value)
    return matrix.is(value) and "a matrix" or errors.told(value)
end

-- Returns the wider type of two matrices.
local function wider(A, B)
    return (A.type == "double" or B.type == "double") and "double" or "float"
end

-- Returns a matrix of entries in order, in the format of A; in CSR if that is ELL.
local function made(A, m, n, rows, columns, values)
    if values.size > matrix.MOST then
        fail("A * B: the result would have %d entries, but a matrix has at most %d", values.size, matrix.MOST)
    end
    return matrix.make[A.format == "coo" and "coo" or "csr"](m, n, rows, columns, values)
end

-- Returns a copy of the matrix whose values are f(values), which is 0 for 0 and finite values.
local function mapped(A, f)
    local result = A:cast(A.type)
    local values <const> = result._values
    if values.size > 0 and A.format == "ell" then -- unused slots stay 0, also if the result of f is not finite
        values:write(rill.where(result._columns:ge(0), f(values), 0))
    elseif values.size > 0 then
        values:write(f(values))
    end
    return result
end

-- Closes the streams of a list of rows, columns and values, except those of another list.
local function close_unless(list, kept)
    for k, s in ipairs(list) do
        if s ~= kept[k] then
            s:close()
        end
    end
end

-- Returns entries without the zeros, and closes the given ones unless they are the result.
local function without_zeros(list)
    local result <const> = {nonzero(table.unpack(list))}
    close_unless(list, result)
    return table.unpack(result)
end

-- Returns a list of no rows, columns and values.
local function no_entries(type)
    return {rill.stream("int", 0), rill.stream("int", 0), rill.stream(type, 0)}
end

-- Returns scale a + other b, where a and b are lists of rows, columns and values in order.
local function merged(a, b, m, scale, other, type)
    local size <const> = a[3].size + b[3].size
    local rows, columns = rill.stream("int", size), rill.stream("int", size)
    local values = rill.stream(type, size)
    local function place(one, two, s, o, second)
        local offsets <close> = products.offsets(two[1], m)
        kernels.merge:kernel {V = one[3].type, W = two[3].type, T = type}(one[1], one[2], one[3], offsets, two[2],
            two[3], s, o, second, rows, columns, values)
    end
    place(a, b, scale, other, 0)
    place(b, a, other, scale, 1)
    return without_zeros {rows, columns, values}
end

-- Returns A + sign B. Entries that are 0 are left out, as in scipy.
local function sum(where, A, B, sign)
    if not matrix.is(A) or not matrix.is(B) then
        fail("%s: expected two sparse matrices, got %s and %s%s", where, told(A), told(B),
            (core._is_open(A) or core._is_open(B)) and ": A:dense() is a stream" or "")
    end
    local m, n <const> = table.unpack(A.shape)
    if m ~= B.shape[1] or n ~= B.shape[2] then
        fail("%s: A is %d x %d, B is %d x %d: expected equal shapes", where, m, n, table.unpack(B.shape))
    end
    local a, b, type <const> = {A:_entries()}, {B:_entries()}, wider(A, B)
    if a[3].size == 0 or b[3].size == 0 then
        local one, scale = a[3].size == 0 and b or a, a[3].size == 0 and sign or 1
        local all <const> = {one[1]:copy(), one[2]:copy(), (one[3]:cast(type) * scale):eval()}
        return made(A, m, n, without_zeros(all))
    end
    return made(A, m, n, merged(a, b, m, 1, sign, type))
end

--- A + B returns the sum of two matrices of one shape.
algebra.add = recorder.wrap("A + B", function(A, B) return sum("A + B", A, B, 1) end)

--- A - B returns the difference of two matrices of one shape.
algebra.sub = recorder.wrap("A - B", function(A, B) return sum("A - B", A, B, -1) end)

--- -A returns the negative of a matrix.
function algebra.unm(A)
    return mapped(A, function(values) return -values end)
end

--- A / s returns a matrix divided by a number.
function algebra.div(A, s)
    if type(s) ~= "number" then
        fail("A / s: expected a matrix and a number, got %s and %s", told(A), told(s))
    end
    return mapped(A, function(values) return values / s end)
end

-- ---- products

-- Sorts the products of each of m rows by column, if no row is long. Sorts are stable. first: the row of A of row 0.
local function arrange(p, columns, values, first, m)
    local base <const> = p.row_before:get(first + 1)
    local ends <close> = (p.row_before:domain(first + 1, first + m + 1) - base):cast "int"
    if products.longest(ends) > matrix.MOST_ARRANGED then
        return
    end
    local begins <close> = ends:domain(1, m)
    matrix.arrange:kernel {V = p.type}(begins, ends, columns, values)
end

-- Returns the entries of the product of the entries `first` to `last` - 1 of A with B: each is multiplied by the row of
-- B with the number of its column; the products are sorted, and those of one element are added. Rows are counted from
-- `from`; there are m of them. `p` has the entries a and b of the matrices, the offsets of b's rows, the number of
-- columns n, the type, and the number of products `before` each entry of A, and `row_before` each row.
local function expanded(p, first, last, from, m)
    local base <const> = p.before:get(first + 1)
    local begins <close> = (p.before:domain(first + 1, last + 1) - base):cast "int"
    local entry <close> = entries.rows(begins, begins:get(last - first + 1))
    local a, b = p.a, p.b
    local kernel <const> = kernels.expand:kernel {V = a[3].type, W = b[3].type, T = p.type}
    local all <const> = {kernel(entry, begins, first, from, a[1], a[2], a[3], p.offsets, b[2], b[3])}
    if m > 1 then
        arrange(p, all[2], all[3], from, m)
    end
    local result <const> = {matrix.normal(all[1], all[2], all[3], m, p.n)}
    close_unless(all, result)
    return result
end

-- Returns the last index (0-based) up to which `before` grows by at most MOST_PRODUCTS after index i; at least i + 1.
local function reach(before, i)
    local most <const> = before:get(i + 1) + MOST_PRODUCTS
    return math.max(rill.searchsorted(before, most, {side = "right"}) - 1, i + 1)
end

-- Returns the product of row `row`, the entries `first` to `last` - 1 of A, in passes.
local function row_product(p, row, first, last)
    local total
    while first < last do
        local next = math.min(reach(p.before, first), last)
        local part = expanded(p, first, next, row, 1)
        if total and part[3].size > 0 then
            local both <const> = {merged(total, part, 1, 1, 1, p.type)}
            close_unless(total, both)
            close_unless(part, both)
            total = both[3].size > 0 and both or nil
        elseif part[3].size > 0 then
            total = part
        end
        first = next
    end
    return total
end

-- Returns the list of rows, columns and values of the product, in passes of whole rows.
local function in_passes(p, m)
    local first_entry <const>, before <const> = p.first_entry, p.row_before
    local parts, row = {{}, {}, {}}, 0
    while row < m do
        local next = math.min(reach(before, row), m)
        local first, last = first_entry:get(row + 1), first_entry:get(next + 1)
        local count <const> = before:get(next + 1) - before:get(row + 1)
        local part = count > MOST_PRODUCTS and row_product(p, row, first, last) or
            count > 0 and expanded(p, first, last, row, next - row)
        if part and part[3].size > 0 then
            parts[1][#parts[1] + 1] = (part[1] + row):eval()
            part[1]:close()
            parts[2][#parts[2] + 1] = part[2]
            parts[3][#parts[3] + 1] = part[3]
        end
        row = next
    end
    local size = 0
    for _, values in ipairs(parts[3]) do
        size = size + values.size
    end
    if size > matrix.MOST then
        fail("A * B: the result would have %d entries, but a matrix has at most %d", size, matrix.MOST)
    end
    local all = size == 0 and no_entries(p.type) or {}
    for k, list in ipairs(size > 0 and parts or {}) do
        all[k] = rill.concat(list)
        close_unless(list, {})
    end
    return all
end

--- algebra.product(A, B, where) returns the product of two sparse matrices (expand, sort, compress: S. Dalton, L. Olson
-- and N. Bell, Optimizing sparse matrix-matrix multiplication for the GPU, 2015). Sums that are 0 are left out, as in
-- scipy. `where`: the name for messages.
algebra.product = recorder.wrap("A * B", function(A, B, where)
    local m, n <const> = A.shape[1], B.shape[2]
    if A.shape[2] ~= B.shape[1] then
        fail("%s: A is %d x %d, B is %d x %d: expected as many rows of B as columns of A", where, m, A.shape[2],
            B.shape[1], n)
    end
    local p = {a = {A:_entries()}, b = {B:_entries()}, n = n, type = wider(A, B)}
    local count <const> = p.a[3].size
    local function none()
        return made(A, m, n, table.unpack(no_entries(p.type)))
    end
    if count == 0 or p.b[3].size == 0 then
        return none()
    end
    p.offsets = products.offsets(p.b[1], B.shape[1])
    local counts <close> = kernels.counts:kernel()(p.a[2], p.offsets):cast "double"
    local last <close> = rill.stream("double", 1)
    p.before = rill.concat {counts, last}:scan {exclusive = true}
    local total <const> = p.before:get(count + 1)
    if total == 0 then
        return none()
    end
    p.first_entry = products.offsets(p.a[1], m)
    p.row_before = rill.gather(p.before, p.first_entry)
    if total <= MOST_PRODUCTS then
        return made(A, m, n, without_zeros(expanded(p, 0, count, 0, m)))
    end
    return made(A, m, n, without_zeros(in_passes(p, m)))
end)

--- A * B returns the product of two sparse matrices, of a matrix and a number, or A:multiply(B) for a stream B.
function algebra.mul(A, B)
    if matrix.is(A) and matrix.is(B) then
        return algebra.product(A, B, "A * B")
    elseif matrix.is(A) and not errors.not_open(B) then
        return A:multiply(B)
    elseif type(A) == "number" or type(B) == "number" then
        local s <const> = type(A) == "number" and A or B
        return mapped(matrix.is(A) and A or B, function(values) return values * s end)
    end
    fail("A * B: expected a sparse matrix and a number, a stream or a sparse matrix, got %s and %s", told(A), told(B))
end

for name, where in pairs {add = "A + B", sub = "A - B", mul = "A * B", div = "A / s", unm = "-A"} do
    local f <const> = algebra[name]
    algebra[name] = errors.guard(function(A, B)
        if matrix.is(A) then
            matrix.check(A, where)
        end
        if matrix.is(B) then
            matrix.check(B, where)
        end
        return f(A, B)
    end, where)
end

return algebra
