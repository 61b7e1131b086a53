--- Sparse matrices: tables with streams of their entries. lua/rill/sparse/init.lua checks the arguments of users and
-- calls this file.
local core = require "rill.core"
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local entries = require "rill.sparse.rows"
local products = require "rill.sparse.products"
local recorder = require "rill.core.recorder"
local slices = require "rill.sparse.slices"
local template = require "rill.glsl.template"
local tiles = require "rill.sparse.tiles"
local fail <const> = errors.fail
local kernels <const> = template.sections "matrix"

errors.own()

local MOST <const> = (1 << 31) - 2 -- largest number of rows, columns and entries
local MOST_SLOTS <const> = 32768 -- largest number of slots of a row in ELL, each of which is a trip of a loop

local Matrix <const> = class.define {
    type = "rill.matrix", letter = "A", one = "a matrix", closed = "closed matrix",
    state = function(A) return A._values and A end,
    read = function(field, A, key)
        if not A._values then
            fail("the matrix was closed: it has no '%s'", key)
        end
        return field(A)
    end,
    describe = function(A)
        local count = A.nnz
        return ("matrix<%s>[%dx%d] %s, %d %s"):format(A._values.type, A._m, A._n, A._format, count,
            count == 1 and "entry" or "entries")
    end,
}
local methods <const>, fields <const>, meta <const> = Matrix.methods, Matrix.fields, Matrix.metatable

-- Returns a matrix, which owns its streams `parts`. CSR has _offsets, COO has _rows, and ELL has neither; ELL's
-- streams have the shape {slots, rows rounded up to whole texels}.
local function new(format, rows, columns, parts)
    parts._format, parts._m, parts._n = format, rows, columns
    for _, name in ipairs {"_offsets", "_rows", "_plan", "_count"} do
        parts[name] = parts[name] or false
    end
    return setmetatable(parts, meta)
end

-- Raises an error if a matrix, or one of its streams, is closed. `where`: the function, for messages.
local function check_streams(A, where)
    if not A._values then
        fail("%s: the matrix was closed", where)
    end
    for _, part in ipairs {"values", "columns", "offsets", "rows"} do
        if A["_" .. part] and not core._is_open(A["_" .. part]) then
            fail("%s: the matrix's stream of %s was closed", where, part)
        end
    end
end

local function check_open(A, name)
    Matrix.check(A, name)
    check_streams(A, "A:" .. name)
end

-- Returns the number of slots of ELL that are not empty.
local function count_given(A)
    A._count = A._count or A._columns.size > 0 and A._columns:ge(0):count() or 0
    return A._count
end

-- Returns the view {rows, slots} of an ELL stream {slots, padded rows}.
local function by_rows(A, s)
    local width = s.shape[1]
    return width == 0 and rill.stream(s.type, {A._m, 0}) or A._m == 0 and rill.stream(s.type, {0, width}) or
        s:domain({1, 1}, {width, A._m}):transpose()
end

-- Returns a copy of an ELL stream as a flat stream, row by row.
local function flat_rows(A, s)
    local view <close> = by_rows(A, s)
    local copy <close> = view:copy()
    return copy:reshape(copy.size)
end

-- Returns the number of rows, rounded up to whole texels.
local function whole_texels(m)
    return (m + 3) // 4 * 4
end

for name, field in pairs {
    shape = function(A)
        return setmetatable({A._m, A._n}, getmetatable(A._values.shape))
    end,
    nnz = function(A) return A._format == "ell" and count_given(A) or A._values.size end,
    format = function(A) return A._format end,
    type = function(A) return A._values.type end,
    columns = function(A) return A._format == "ell" and by_rows(A, A._columns) or A._columns end,
    values = function(A) return A._format == "ell" and by_rows(A, A._values) or A._values end,
} do
    fields[name] = field
end

function meta.__newindex(_, key)
    fail("a matrix has no field '%s' to be set: write to its streams, as in A.values:write(...)", tostring(key))
end

for name, sign in pairs {idiv = "//", mod = "%", pow = "^"} do
    meta["__" .. name] = function()
        fail("a matrix has no operator '%s': A.values are its entries", sign)
    end
end

function meta.__len()
    fail("a matrix has no length: A.shape[1] is the number of rows, A.nnz the number of entries")
end

local ROW <const> = template.new "kernel int row(int number<>, int width) { return number / width; }"

-- Returns the rows, columns and values of all entries, row by row. They may be streams of the matrix.
local function triples(A)
    if A._format == "csr" then
        return entries.rows(A._offsets, A._values.size), A._columns, A._values
    elseif A._format == "coo" then
        return A._rows, A._columns, A._values
    end
    local width = A._columns.shape[1]
    if A._m * width == 0 then
        return rill.stream("int", 0), rill.stream("int", 0), rill.stream(A._values.type, 0)
    end
    local columns <close> = flat_rows(A, A._columns)
    local values <close> = flat_rows(A, A._values)
    local numbers <close> = columns:find "x >= 0"
    return ROW:kernel()(numbers, width),
        rill.gather(columns, numbers), rill.gather(values, numbers)
end

--- A.rows: returns the row of each entry. It is computed if the format does not store it.
function fields.rows(A)
    return (triples(A))
end

--- A.offsets: returns the index of the first entry of each row, and the end. It is computed if the format does not
-- store it.
function fields.offsets(A)
    return A._offsets or products.offsets(triples(A), A._m)
end

-- The largest element of ORDER: 0 if the entries are in order and no two have the same row and column, 1 if some have.
local function disorder(rows, columns)
    local order <close> = kernels.order:kernel()(rows, columns, rows, columns)
    return order:max()
end

-- Returns the entries ordered by row and column. The sorts are stable. m, n: the shape of the matrix, if it is known.
local function ordered(rows, columns, values, m, n)
    local sorted, numbers
    if n and m * n <= 1 << 32 then
        local keys <close> = kernels.keys:kernel()(rows, columns, n)
        numbers = rill.argsort(keys)
        sorted = rill.gather(rows, numbers)
    else
        local by_column <close> = rill.argsort(columns)
        local keys <close> = rill.gather(rows, by_column)
        sorted, numbers = rill.sort_by_key(keys, by_column)
    end
    local given <close> = numbers
    return sorted, rill.gather(columns, given), rill.gather(values, given)
end

-- Returns the entries ordered by row and column. Entries with the same row and column are added. May return its
-- arguments. m, n: the shape of the matrix, if it is known.
local function normal(rows, columns, values, m, n)
    local count = values.size
    if count < 2 then
        return rows, columns, values
    end
    local worst, given = disorder(rows, columns), values
    if worst == 2 then
        rows, columns, values = ordered(rows, columns, values, m, n)
        worst = disorder(rows, columns)
    end
    if worst == 1 then
        local order <close> = kernels.order:kernel()(rows, columns, rows, columns)
        local heads <close> = order:find(order:ne(1))
        local last <close> = rill.stream("int", 1, count)
        local begins <close> = rill.concat {heads, last}
        local all <const> = {rows, columns, values}
        rows, columns, values = rill.gather(rows, heads), rill.gather(columns, heads), products.sums(begins, values)
        for _, s in ipairs(rawequal(all[3], given) and {} or all) do
            s:close()
        end
    end
    return rows, columns, values
end

-- Returns entries without those whose value is 0.
local function nonzero(rows, columns, values)
    local at <close> = values:find "x != 0"
    if at.size == values.size then
        return rows, columns, values
    end
    return rill.gather(rows, at), rill.gather(columns, at), rill.gather(values, at)
end

-- Constructors of matrices from entries in order.
local make = {}

--- make.coo(m, n, rows, columns, values) returns a COO matrix, which owns the streams.
function make.coo(m, n, rows, columns, values)
    return new("coo", m, n, {_rows = rows, _columns = columns, _values = values})
end

--- make.csr(m, n, rows, columns, values) returns a CSR matrix, which owns columns and values.
function make.csr(m, n, rows, columns, values)
    return new("csr", m, n, {_offsets = products.offsets(rows, m), _columns = columns, _values = values})
end

--- make.ell(m, n, rows, columns, values) returns an ELL matrix with copies of the entries.
make.ell = recorder.wrap("rill.sparse ell", function(m, n, rows, columns, values)
    local offsets <close> = products.offsets(rows, m)
    local width, pitch = products.longest(offsets), whole_texels(m)
    if width * pitch > MOST or width > MOST_SLOTS then
        fail("A:to: in ELL every row has as many slots as the longest row, %d, so that %d entries need %d elements: " ..
            "use \"csr\"", width, values.size, width * pitch)
    end
    local slots = rill.stream("int", {width, pitch}, -1)
    local spread = rill.stream(values.type, {width, pitch})
    if values.size > 0 then
        local flat_slots <close> = slots:reshape(width * pitch)
        local flat_spread <close> = spread:reshape(width * pitch)
        kernels.spread:kernel {V = values.type}(rows, columns, values, rill.iota(values.size), offsets, pitch,
            flat_slots, flat_spread)
    end
    return new("ell", m, n, {_columns = slots, _values = spread})
end)

-- ---- multiplying

-- Returns the plan of products, which is cached. It is valid as long as the structure of the matrix does not change.
local function rows_of(A)
    local plan = A._plan
    if not plan then
        local offsets = A._offsets or products.offsets(A._rows, A._m)
        plan = products.plan(offsets, A._values.size)
        plan.type, A._plan = A._values.type, plan
    end
    return plan
end

-- Writes A x to the dense stream y. x has the type of y.
local function multiply(A, x, y)
    local width = y.shape[2]
    if A._format == "ell" and not width then
        core._spmv(nil, A._columns, A._values, x, y)
        return
    elseif A._format == "ell" then
        kernels.ell:kernel {V = A._values.type, T = y.type}(A._columns, A._values, x, A._columns.shape[1], y)
        return
    end
    products.rows(rows_of(A), A._columns, A._values, x, y)
end

local REAL <const> = {float = true, double = true}

-- Raises an error if A x cannot be written to y; else returns y.
local function check_result(A, x, y, type)
    if rill.type(y) ~= "stream" or errors.not_open(y) then
        fail("A:multiply: argument #2 'y': expected an open stream, which is written, got %s",
            errors.not_open(y) or rill.type(y))
    elseif y.type ~= type then
        fail("A:multiply: argument #2 'y': expected elements of %s, got elements of %s", type, tostring(y.type))
    elseif #y.shape ~= #x.shape or y.shape[1] ~= A._m or y.shape[2] ~= x.shape[2] then
        fail("A:multiply: A is %d x %d, x has shape %s: y has %s, not %d%s", A._m, A._n, tostring(x.shape),
            tostring(y.shape), A._m, x.shape[2] and "x" .. x.shape[2] or "")
    end
    return y
end

local hooks <const> = {} -- product(A, B, where): the product of sparse matrices; rill.sparse.init sets it

--- A:multiply(x [, y]) returns the product with a vector or a matrix, a new stream, or y, into which it is written.
-- With y nothing is allocated, except by the first two products and to convert a float x to double. The product with a
-- sparse matrix x is a sparse matrix.
function methods.multiply(A, x, y)
    local used = getmetatable(A) == meta and A._plan
    local product = used and products.usual(used, used.type, A._columns, A._values, x, y, A._n)
    if product then
        return product
    end
    check_open(A, "multiply")
    if Matrix.is(x) then
        check_streams(x, "A:multiply: argument #1 'x'")
        if y ~= nil then
            fail("A:multiply: argument #2 'y': expected none, as the product of two sparse matrices is a new matrix")
        end
        return hooks.product(A, x, "A:multiply")
    end
    x = errors.open("A:multiply: argument #1 'x'", x)
    local shape = x.shape
    if not REAL[x.type] then
        fail("A:multiply: argument #1 'x': expected elements of float or double, got elements of %s", tostring(x.type))
    elseif #shape > 2 then
        fail("A:multiply: argument #1 'x': expected a vector or a matrix, got a stream of shape %s%s", tostring(shape),
            errors.reshaped("x", x, {A._n}))
    elseif shape[1] ~= A._n then
        if #shape == 1 then
            fail("A:multiply: A is %d x %d, x has %d elements", A._m, A._n, shape[1])
        end
        fail("A:multiply: A is %d x %d, X is %d x %d%s", A._m, A._n, shape[1], shape[2],
            errors.reshaped("x", x, {A._n}))
    end
    local type = (A._values.type == "double" or x.type == "double") and "double" or "float"
    local given = y ~= nil and check_result(A, x, y, type)
    y = given or rill.stream(type, #shape == 1 and A._m or {A._m, shape[2]})
    if y.size > 0 and A._values.size > 0 and x.size > 0 then
        multiply(A, x.type == type and x or x:cast(type), y)
    elseif given then
        y:fill(0)
    end
    return y
end

--- A:_entries() returns the rows, columns and values of all entries, ordered by row and column, without two of the
-- same row and column. They may be streams of the matrix.
function methods._entries(A)
    local rows, columns, values = triples(A)
    return normal(rows, columns, values, A._m, A._n)
end

--- A:_product() returns a function(x, y) that writes A x into y, for many products. The caller checks sizes and
-- types. The values of the matrix must not change.
function methods._product(A)
    check_open(A, "multiply")
    local columns, values, plan = A._columns, A._values, A._format ~= "ell" and rows_of(A)
    if values.size == 0 then
        return function(_, y)
            y:fill(0)
        end
    end
    if plan then
        plan.used = true -- a product follows
    end
    if plan and plan.long then
        return function(x, y)
            products.rows(plan, columns, values, x, y)
        end
    end
    local spmv, made = core._spmv, plan and products.sliced(plan, columns, values)
    local offsets, order = plan and plan.offsets or nil, made and made.order or nil
    if made then
        offsets, columns, values = made.begins, made.columns, made.values
    end
    return function(x, y)
        spmv(offsets, columns, values, x, y, order)
    end
end

--- A:_dot_product(x, y) returns a function(x, y, dots, dot, stop) that writes A x into y as _product does, and parts of
-- the dot product of x and y into the stream `dots` (SparseRows in spmv.h), and the number of parts; nil if it cannot.
-- x and y are contiguous vectors of one type. A is square.
function methods._dot_product(A, x, y)
    check_open(A, "multiply")
    local columns, values, plan = A._columns, A._values, A._format ~= "ell" and rows_of(A)
    if values.size == 0 or plan and plan.long then
        return nil
    end
    local offsets, multiply_dot = plan and plan.offsets or nil, core._spmv_dots
    local count = multiply_dot(offsets, columns, values, x, y)
    return count > 0 and function(from, to, dots, dot, stop)
        multiply_dot(offsets, columns, values, from, to, dots, dot, stop)
    end or nil, count
end

--- A:_slices() returns the slices of a CSR or COO matrix for products with some of them, if they hold the rows in
-- order; else nil.
function methods._slices(A)
    local plan = A._format ~= "ell" and A._values.size > 0 and rows_of(A)
    if not plan or plan.long then
        return nil
    end
    plan.used = true -- a product follows
    local made = products.sliced(plan, A._columns, A._values)
    return made and made.ordered and made or nil
end

-- Returns what create(plan, fits) returns for the rows of a CSR or COO matrix, cached under a name, or nil.
-- refresh(made) updates the values of a cached one.
local function kept(A, name, fits, create, refresh)
    local plan = A._format ~= "ell" and A._m > 0 and A._values.size > 0 and rows_of(A)
    if not plan then
        return nil
    elseif plan[name] == nil then
        plan[name] = create(plan, function(slots, begins)
            return fits(slots, begins, A._values.size)
        end)
    elseif plan[name] then
        refresh(plan[name])
    end
    return plan[name] or nil
end

--- A:_plain(fits) returns slices of all rows of a CSR or COO matrix in order, cached; nil for ELL, or if fits(slots,
-- begins, entries) is false.
function methods._plain(A, fits)
    return kept(A, "plain", fits, function(plan, fit)
        return slices.plain(plan.offsets, A._columns, A._values, fit)
    end, function(made)
        slices.refresh(made, A._columns, A._values)
    end)
end

--- A:_tiles(fits) returns the tiles of a CSR or COO matrix, cached; nil for ELL, or if fits(slots, begins, entries)
-- is false.
function methods._tiles(A, fits)
    return kept(A, "tiles", fits, function(plan, fit)
        return tiles.make(plan.offsets, A._columns, A._values, A._n, fit)
    end, function(made)
        tiles.refresh(made, A._values)
    end)
end

-- ---- other methods

-- Returns whether a stream belongs to a matrix.
local function own(A, s)
    return rawequal(s, A._columns) or rawequal(s, A._values) or rawequal(s, A._rows)
end

-- Returns a matrix of entries in order that were derived from A. Copies streams that are A's; closes the others, and
-- `temporary` ones, unless the result has them.
local function made_of(A, format, m, n, temporary, ...)
    local given, left = {...}, {}
    for i, s in ipairs(given) do
        given[i] = own(A, s) and s:copy() or s
        left[s], left[given[i]] = true, true
    end
    for _, s in ipairs(temporary) do
        left[s] = true
    end
    local result = make[format](m, n, table.unpack(given))
    for s in pairs(left) do
        if not own(A, s) and not own(result, s) then
            s:close()
        end
    end
    return result
end

-- Counts entries by column. `place` then stores them in the order in which the atomic additions happen.
local COUNT <const> = template.new [=[
    kernel void count(int column<>, inout int counts[]) { atomicAdd(counts[column], 1); }
]=]

local MOST_ARRANGED <const> = 32 -- most entries of a column: the time of an insertion sort grows with the square
local MANY_COUNTED <const> = 65536 -- least entries: with fewer, the launches of a sort take no longer

-- Returns the entries of the transpose if no column is long: offsets, columns and values; else nil.
local function transposed_by_counts(A, rows, columns, values)
    local count = values.size
    if count < MANY_COUNTED or count > MOST_ARRANGED * A._n then
        return nil
    end
    local counts <close> = rill.stream("int", A._n + 1, 0)
    COUNT:kernel()(columns, counts)
    if counts:max() > MOST_ARRANGED then
        return nil
    end
    local offsets, next <close> = counts:scan {exclusive = true}, counts:scan {exclusive = true}
    local r, v = rill.stream("int", count), rill.stream(values.type, count)
    kernels.place:kernel {V = values.type}(columns, rows, values, next, r, v)
    local begins <close> = offsets:domain(1, A._n)
    kernels.arrange:kernel {V = values.type}(begins, offsets, r, v)
    return offsets, r, v
end

--- A:transpose() returns the transpose, a new matrix of the same format.
function methods.transpose(A)
    check_open(A, "transpose")
    local rows, columns, values = triples(A)
    if values.size < 2 or disorder(rows, columns) > 0 then
        return made_of(A, A._format, A._n, A._m, {rows, columns, values},
            normal(columns, rows, values, A._n, A._m))
    end
    local offsets, r, v = transposed_by_counts(A, rows, columns, values)
    if offsets and A._format == "csr" then
        rows:close()
        return new("csr", A._n, A._m, {_offsets = offsets, _columns = r, _values = v})
    elseif offsets then
        local expanded = entries.rows(offsets, v.size)
        offsets:close()
        return made_of(A, A._format, A._n, A._m, {rows, columns, values}, expanded, r, v)
    end
    -- The sort is stable, so entries of one column stay in the order of their rows.
    local numbers <close> = rill.argsort(columns)
    return made_of(A, A._format, A._n, A._m, {rows, columns, values}, rill.gather(columns, numbers),
        rill.gather(rows, numbers), rill.gather(values, numbers))
end

--- A:to(format) returns a copy of the matrix in the format "csr", "coo" or "ell".
function methods.to(A, format)
    check_open(A, "to")
    if not make[format] then
        fail("A:to: argument #1 'format': expected \"csr\", \"coo\" or \"ell\", got %s", tostring(format))
    end
    local rows, columns, values = triples(A)
    return made_of(A, format, A._m, A._n, {rows, columns, values},
        normal(rows, columns, values, A._m, A._n))
end

local DIAGONAL <const> = template.new [=[
    kernel void diagonal(int row<>, int column<>, $V value<>, inout $V d[]) { if (row == column) { d[row] = value; } }
]=]
local DENSE <const> = template.new [=[
    kernel void dense(int row<>, int column<>, $V value<>, int width, inout $V d[]) { d[row * width + column] = value; }
]=]

--- A:cast(type) returns a copy with values of "float" or "double".
function methods.cast(A, type)
    check_open(A, "cast")
    if not REAL[type] then
        fail("A:cast: argument #1 'type': expected \"float\" or \"double\", got %s", tostring(type))
    end
    return new(A._format, A._m, A._n, {_offsets = A._offsets and A._offsets:copy(), _rows = A._rows and A._rows:copy(),
        _columns = A._columns:copy(), _values = A._values:cast(type)})
end

--- A:diagonal() returns the elements i, i as a new stream.
function methods.diagonal(A)
    check_open(A, "diagonal")
    local rows, columns, values = A:_entries()
    local d = rill.stream(values.type, math.min(A._m, A._n))
    if values.size > 0 then
        DIAGONAL:kernel {V = values.type}(rows, columns, values, d)
    end
    return d
end

--- A:dense() returns all elements as a new stream of two dimensions.
function methods.dense(A)
    check_open(A, "dense")
    if A._m * A._n > MOST then
        fail("A:dense: %d x %d elements are more than a stream can have", A._m, A._n)
    end
    local d = rill.stream(A._values.type, {A._m, A._n})
    local rows, columns, values = A:_entries()
    if values.size > 0 then
        DENSE:kernel {V = values.type}(rows, columns, values, A._n, d:reshape(d.size))
    end
    return d
end

--- A:save(path) writes a MatrixMarket file, "coordinate real general".
function methods.save(A, path)
    check_open(A, "save")
    local rows, columns, values = A:_entries()
    core._mtx_save(path, A._m, A._n, rows, columns, values:cast "double", values.type == "float")
end

--- A:close() frees the memory of the matrix at once.
function methods.close(A)
    if not Matrix.is(A) then
        Matrix.check(A, "close")
    end
    local plan = A._plan or {}
    for _, made in ipairs {plan.slices or false, plan.plain or false} do
        if made then
            slices.close(made)
        end
    end
    if plan.tiles then
        tiles.close(plan.tiles)
    end
    products.close(plan)
    for _, s in ipairs {A._offsets, A._rows, A._columns, A._values} do
        if s then
            s:close()
        end
    end
    A._offsets, A._rows, A._columns, A._values, A._plan = false, false, false, false, false
end

for _, functions in ipairs {methods, fields} do
    for name, f in pairs(functions) do
        functions[name] = errors.guard(f, (functions == fields and "A." or "A:") .. name)
    end
end
for _, name in ipairs {"multiply", "dense", "diagonal"} do
    methods[name] = recorder.wrap("A:" .. name, methods[name])
end
recorder.parts["matrix"] = function(A) return A._values end
meta.__close = methods.close

return {is = Matrix.is, check = check_streams, new = new, make = make, normal = normal, nonzero = nonzero,
    metatable = meta, hooks = hooks, arrange = kernels.arrange, MOST_ARRANGED = MOST_ARRANGED,
    whole_texels = whole_texels, REAL = REAL, MOST = MOST, MOST_SLOTS = MOST_SLOTS}
