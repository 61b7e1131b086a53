--- rill.sparse: matrices of which only some elements are kept, and, called, rill.sparse(type, shape, options), containers of pages. A matrix is a
-- table over streams that hold its entries; what it multiplies by is in C (src/primitive/spmv.h).
local core = require "rill.core"
local rill = require "rill"
local blame = require "rill.support.blame"
local entries = require "rill.support.entries"
local later = require "rill.support.later"
local slices = require "rill.support.slices"
local fail <const>, kernel <const> = blame.fail, entries.kernel

local sparse = {}

local MOST <const> = (1 << 31) - 2 -- rows, columns, entries
local MOST_PLACES <const> = 32768 -- of ELL's rows, a trip each

-- ---- matrices

local Matrix = {__name = "rill.matrix"}
local methods = {}

-- A matrix of streams that it owns. Row-wise: offsets; else rows, or neither in ELL, whose streams are {width, rows}.
local function new(format, rows, columns, parts)
    parts._format, parts._m, parts._n = format, rows, columns
    for _, name in ipairs {"_offsets", "_rows", "_plan", "_count"} do
        parts[name] = parts[name] or false
    end
    return setmetatable(parts, Matrix)
end

local function is_matrix(value)
    return getmetatable(value) == Matrix
end

local function check_open(A, name)
    if not is_matrix(A) then
        fail("A:%s: expected a matrix before the colon, got %s", name, rill.type(A) or type(A))
    elseif not A._values then
        fail("A:%s: the matrix was closed", name)
    end
end

-- How many entries of ELL's rows are given.
local function count_given(A)
    A._count = A._count or A._columns.size > 0 and A._columns:ge(0):count() or 0
    return A._count
end

-- {rows, places} of what ELL has as {places, rows and some more}.
local function by_rows(A, s)
    local places = s.shape[1]
    return places == 0 and rill.stream(s.type, {A._m, 0}) or A._m == 0 and rill.stream(s.type, {0, places}) or
        s:domain({1, 1}, {places, A._m}):transpose()
end

-- Rows in whole texels.
local function whole_texels(m)
    return (m + 3) // 4 * 4
end

local fields = {
    shape = function(A)
        return setmetatable({A._m, A._n}, getmetatable(A._values.shape))
    end,
    nnz = function(A) return A._format == "ell" and count_given(A) or A._values.size end,
    format = function(A) return A._format end,
    type = function(A) return A._values.type end,
    columns = function(A) return A._format == "ell" and by_rows(A, A._columns) or A._columns end,
    values = function(A) return A._format == "ell" and by_rows(A, A._values) or A._values end,
}

local function hint(key)
    return later.require "rill.support.nearest".hint("A", key)
end

function Matrix.__index(A, key)
    if methods[key] then
        return methods[key]
    end
    local field = fields[key]
    if not field then
        fail("a matrix has no field or method '%s'%s", tostring(key), hint(key))
    end
    check_open(A, key)
    return field(A)
end

function Matrix.__newindex(_, key)
    fail("a matrix has no field '%s' to be set: write to its streams, as in A.values:write(...)", tostring(key))
end

function Matrix.__tostring(A)
    if not A._values then
        return "closed matrix"
    end
    local count = fields.nnz(A)
    return ("matrix<%s>[%dx%d] %s, %d %s"):format(A._values.type, A._m, A._n, A._format, count,
        count == 1 and "entry" or "entries")
end

-- ---- entries

-- A lower bound, in one program whatever the number of entries.
local FIND <const> = [=[
    kernel int find(int rows[], int row<>, int count) {
        int low = 0, high = count;
        while (low < high) {
            int middle = low + (high - low) / 2;
            bool up = rows[middle] < row;
            low = up ? middle + 1 : low;
            high = up ? high : middle;
        }
        return low;
    }
]=]

-- The number of each row's first entry.
local HEADS <const> = [=[
    kernel void heads(int rows[], int row<>, inout int firsts[]) {
        int k = indexof(row).x;
        if (k == 0 || rows[max(k - 1, 0)] != row) {
            firsts[row] = k;
        }
    }
]=]
local MANY_ROWS <const> = 65536

-- Where the entries of each row begin, of rows that ascend: an empty row's is the next one's.
local function find_offsets(rows, count)
    if count >= MANY_ROWS and rows.size >= count then
        local firsts <close> = rill.stream("int", count + 1, rows.size)
        kernel(HEADS)(rows, rows, firsts)
        return firsts:scan("min", {reverse = true})
    end
    return kernel(FIND)(rows, rill.iota(count + 1), rows.size)
end

-- Rows, columns and values of all entries, row by row. They may be the matrix's own.
local function triples(A)
    if A._format == "csr" then
        return entries.rows(A._offsets, A._values.size), A._columns, A._values
    elseif A._format == "coo" then
        return A._rows, A._columns, A._values
    end
    local width = A._columns.shape[1]
    local count = A._m * width
    local columns, values = by_rows(A, A._columns):copy():reshape(count), by_rows(A, A._values):copy():reshape(count)
    if count == 0 then
        return rill.stream("int", 0), columns, values
    end
    local numbers <close> = columns:find "x >= 0"
    return kernel("kernel int row(int number<>, int width) { return number / width; }")(numbers, width),
        rill.gather(columns, numbers), rill.gather(values, numbers)
end

local function longest_row(offsets)
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

local PIECES <const> = [=[
    kernel int pieces(int offsets[], int row<>, int rows, int size) {
        int length = row < rows ? offsets[row + 1] - offsets[row] : 0;
        return row < rows ? max(length - 1, 0) / size + 1 : 0; // no sum that passes 2^31
    }
]=]
local BEGINS <const> = [=[
    kernel int begins(int offsets[], int first[], int rows[], int piece<>, int pieces, int size, int count) {
        int row = rows[min(piece, pieces - 1)];
        return piece == pieces ? count : offsets[row] + (piece - first[row]) * size;
    }
]=]

-- Rows longer than others are cut into pieces, so that none stalls the rest: where each piece begins, and the first piece of each row. Nothing
-- where no row is.
local function cut(offsets, count)
    local m, longest = offsets.size - 1, longest_row(offsets)
    local size = m > 0 and piece_size(count, m, longest) or 0
    if longest <= size then
        return {}
    end
    local counts <close> = kernel(PIECES)(offsets, rill.iota(m + 1), m, size)
    local first = counts:scan("add", {exclusive = true})
    local pieces = first:get(m + 1)
    local rows <close> = entries.rows(first, pieces)
    local begins = kernel(BEGINS)(offsets, first, rows, rill.iota(pieces + 1), pieces, size, count)
    return {first = first, begins = begins}
end

-- The slices of a plan, where they pay: from its second product on.
local function sliced(plan, columns, values)
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
    local made = columns and #y.shape == 1 and sliced(plan, columns, values)
    if made then
        core._spmv(made.begins, made.columns, made.values, x, y, made.order)
    else
        core._spmv(plan.begins or plan.offsets, columns, values, x, y)
    end
end

-- Into y the products of x, which has y's type, with the entries of each row: columns nil: with ones, entry k in column k. The plan keeps
-- what pieces of rows sum up to, of one vector of each type.
local function multiply_rows(plan, columns, values, x, y)
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

-- The sums of runs of neighbours.
local function sum_runs(begins, values)
    local plan = cut(begins, values.size)
    plan.offsets = begins
    local sums = rill.stream(values.type, begins.size - 1)
    multiply_rows(plan, nil, nil, values, sums)
    return sums
end

--- Streams of another format than the matrix has are made when they are asked for.
function fields.rows(A)
    return (triples(A))
end

--- The same.
function fields.offsets(A)
    return A._offsets or find_offsets(triples(A), A._m)
end

-- 2 where an entry stands before the one before it, 1 at the same place, else 0.
local ORDER <const> = [=[
    kernel int order(int rows[], int columns[], int r<>, int c<>) {
        int k = indexof(r).x, before = max(k - 1, 0), s = rows[before], d = columns[before];
        return k == 0 || s < r || (s == r && d < c) ? 0 : s == r && d == c ? 1 : 2;
    }
]=]

-- The entries in order, row by row; those of one place are added. `ascending`: those of any row have ascending columns already.
local function normal(rows, columns, values, ascending)
    local count = values.size
    if count < 2 then
        return rows, columns, values
    end
    local order = kernel(ORDER)(rows, columns, rows, columns)
    local worst = order:max()
    if worst == 2 then
        local by_column = not ascending and rill.argsort(columns)
        local by_row = rill.argsort(by_column and rill.gather(rows, by_column) or rows)
        local numbers <close> = by_column and rill.gather(by_column, by_row) or by_row
        rows, columns, values = rill.gather(rows, numbers), rill.gather(columns, numbers), rill.gather(values, numbers)
        order = kernel(ORDER)(rows, columns, rows, columns)
        worst = order:max()
    end
    if worst == 1 then
        local heads <close> = order:find(order:ne(1))
        local begins <close> = rill.concat {heads, rill.stream("int", 1, count)}
        rows, columns, values = rill.gather(rows, heads), rill.gather(columns, heads), sum_runs(begins, values)
    end
    return rows, columns, values
end

-- A matrix of entries in order.
local make = {}

--- make.coo(m, n, rows, columns, values): the entries themselves.
function make.coo(m, n, rows, columns, values)
    return new("coo", m, n, {_rows = rows, _columns = columns, _values = values})
end

--- make.csr: the same by rows.
function make.csr(m, n, rows, columns, values)
    return new("csr", m, n, {_offsets = find_offsets(rows, m), _columns = columns, _values = values})
end

local SPREAD <const> = [=[
    kernel void spread(int row<>, int column<>, V value<>, int k<>, int offsets[], int pitch, inout int columns[],
        inout V values[]) {
        int at = (k - offsets[row]) * pitch + row;
        columns[at] = column;
        values[at] = value;
    }
]=]

--- make.ell: the same with places for each row.
function make.ell(m, n, rows, columns, values)
    local offsets = find_offsets(rows, m)
    local width, pitch = longest_row(offsets), whole_texels(m)
    if width * pitch > MOST or width > MOST_PLACES then
        fail("A:to: in ELL all rows are as long as the longest, %d, which makes %d elements of %d entries: " ..
            "take \"csr\"", width, width * pitch, values.size)
    end
    local places = rill.stream("int", {width, pitch}, -1)
    local spread = rill.stream(values.type, {width, pitch})
    if values.size > 0 then
        kernel(SPREAD, {V = values.type})(rows, columns, values, rill.iota(values.size), offsets, pitch,
            places:reshape(width * pitch), spread:reshape(width * pitch))
    end
    return new("ell", m, n, {_columns = places, _values = spread})
end

-- ---- multiplying

-- What stays as long as the places of entries do.
local function rows_of(A)
    local plan = A._plan
    if not plan then
        local offsets = A._offsets or find_offsets(A._rows, A._m)
        plan = cut(offsets, A._values.size)
        plan.offsets = offsets
        A._plan = plan
    end
    return plan
end

local ELL <const> = [=[
    kernel void ell(int columns[][], V values[][], T x[][], int width, out T y<>) {
        int row = indexof(y).y, j = indexof(y).x;
        T sum = T(0);
        for (int k = 0; k < width; k++) {
            int c = columns[k][row];
            sum += c < 0 ? T(0) : T(values[k][row]) * x[c][j];
        }
        y = sum;
    }
]=]

-- Into y, dense. x has y's type.
local function multiply(A, x, y)
    local width = y.shape[2]
    if A._format == "ell" and not width then
        core._spmv(nil, A._columns, A._values, x, y)
        return
    elseif A._format == "ell" then
        kernel(ELL, {V = A._values.type, T = y.type})(A._columns, A._values, x, A._columns.shape[1], y)
        return
    end
    multiply_rows(rows_of(A), A._columns, A._values, x, y)
end

local REAL <const> = {float = true, double = true}

-- Refuses a y that A x can't be written to.
local function check_result(A, x, y, type)
    if rill.type(y) ~= "stream" or blame.not_open(y) then
        fail("A:multiply: argument #2 'y': expected an open stream, which is written, got %s",
            blame.not_open(y) or rill.type(y))
    elseif y.type ~= type then
        fail("A:multiply: argument #2 'y': expected elements of %s, got elements of %s", type, tostring(y.type))
    elseif #y.shape ~= #x.shape or y.shape[1] ~= A._m or y.shape[2] ~= x.shape[2] then
        fail("A:multiply: A is %d x %d, x has shape %s: y has %s, not %d%s", A._m, A._n, tostring(x.shape),
            tostring(y.shape), A._m, x.shape[2] and "x" .. x.shape[2] or "")
    end
    return y
end

--- A:multiply(x [, y]): the product with a vector or with a matrix, a new stream, or written into y, which is returned; then nothing is allocated.
function methods.multiply(A, x, y)
    check_open(A, "multiply")
    local other = blame.not_open(x)
    if other then
        fail("A:multiply: argument #1 'x': expected an open stream, got %s", other)
    end
    x = rill.type(x) == "expression" and x:eval() or x
    local shape = x.shape
    if not REAL[x.type] then
        fail("A:multiply: argument #1 'x': expected elements of float or double, got elements of %s", tostring(x.type))
    elseif #shape > 2 then
        fail("A:multiply: argument #1 'x': expected a vector or a matrix, got a stream of shape %s", tostring(shape))
    elseif shape[1] ~= A._n then
        fail(#shape == 1 and "A:multiply: A is %d x %d, x has %d elements" or "A:multiply: A is %d x %d, X is %d x %d",
            A._m, A._n, shape[1], shape[2])
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

--- A:_product(): a function(x, y) that writes A x into y, for many vectors of fitting size and type that were checked before; the values must stay.
function methods._product(A)
    check_open(A, "multiply")
    local columns, values, plan = A._columns, A._values, A._format ~= "ell" and rows_of(A)
    if values.size == 0 then
        return function(_, y)
            y:fill(0)
        end
    end
    if plan then
        plan.used = true -- will be
    end
    if plan and plan.begins then
        return function(x, y)
            multiply_rows(plan, columns, values, x, y)
        end
    end
    local spmv, made = core._spmv, plan and sliced(plan, columns, values)
    local offsets, order = plan and plan.offsets or nil, made and made.order or nil
    if made then
        offsets, columns, values = made.begins, made.columns, made.values
    end
    return function(x, y)
        spmv(offsets, columns, values, x, y, order)
    end
end

-- ---- other methods

--- A:transpose(): the transpose, a new matrix of the same format.
function methods.transpose(A)
    check_open(A, "transpose")
    local rows, columns, values = triples(A)
    local r, c, v = normal(columns, rows, values, true)
    return make[A._format](A._n, A._m, r == A._columns and r:copy() or r, c == A._rows and c:copy() or c,
        v == A._values and v:copy() or v)
end

-- Whether a stream is among a matrix's own.
local function own(A, s)
    return rawequal(s, A._columns) or rawequal(s, A._values) or rawequal(s, A._rows)
end

--- A:to(format): the same matrix as "csr", "coo" or "ell"; a copy, where it has that format.
function methods.to(A, format)
    check_open(A, "to")
    if not make[format] then
        fail("A:to: argument #1 'format': expected \"csr\", \"coo\" or \"ell\", got %s", tostring(format))
    end
    local rows, columns, values = triples(A)
    rows, columns, values = normal(rows, columns, values)
    return make[format](A._m, A._n, own(A, rows) and rows:copy() or rows, own(A, columns) and columns:copy() or columns,
        own(A, values) and values:copy() or values)
end

local DIAGONAL <const> = [=[
    kernel void diagonal(int row<>, int column<>, V value<>, inout V d[]) { if (row == column) { d[row] = value; } }
]=]
local DENSE <const> = [=[
    kernel void dense(int row<>, int column<>, V value<>, int width, inout V d[]) { d[row * width + column] = value; }
]=]

--- A:cast(type): a copy whose values are of "float" or "double".
function methods.cast(A, type)
    check_open(A, "cast")
    if not REAL[type] then
        fail("A:cast: argument #1 'type': expected \"float\" or \"double\", got %s", tostring(type))
    end
    return new(A._format, A._m, A._n, {_offsets = A._offsets and A._offsets:copy(), _rows = A._rows and A._rows:copy(),
        _columns = A._columns:copy(), _values = A._values:cast(type)})
end

--- A:diagonal(): the elements i, i as a new stream.
function methods.diagonal(A)
    check_open(A, "diagonal")
    local rows, columns, values = normal(triples(A))
    local d = rill.stream(values.type, math.min(A._m, A._n))
    if values.size > 0 then
        kernel(DIAGONAL, {V = values.type})(rows, columns, values, d)
    end
    return d
end

--- A:dense(): all elements as a new stream of two dimensions.
function methods.dense(A)
    check_open(A, "dense")
    if A._m * A._n > MOST then
        fail("A:dense: %d x %d elements are more than a stream can have", A._m, A._n)
    end
    local d = rill.stream(A._values.type, {A._m, A._n})
    local rows, columns, values = normal(triples(A))
    if values.size > 0 then
        kernel(DENSE, {V = values.type})(rows, columns, values, A._n, d:reshape(d.size))
    end
    return d
end

--- A:save(path): writes a MatrixMarket file, "coordinate real general".
function methods.save(A, path)
    check_open(A, "save")
    local rows, columns, values = normal(triples(A))
    core._mtx_save(path, A._m, A._n, rows, columns, values:cast "double", values.type == "float")
end

--- A:close(): frees its memory at once.
function methods.close(A)
    if not is_matrix(A) then
        fail("A:close: expected a matrix before the colon, got %s", rill.type(A) or type(A))
    end
    local plan = A._plan or {}
    if plan.slices then
        slices.close(plan.slices)
    end
    for _, s in ipairs {A._offsets, A._rows, A._columns, A._values, plan.offsets or false, plan.first or false,
        plan.begins or false, plan.float or false, plan.double or false} do
        if s then
            s:close()
        end
    end
    A._offsets, A._rows, A._columns, A._values, A._plan = false, false, false, false, false
end

for _, functions in ipairs {methods, fields} do
    for name, f in pairs(functions) do
        functions[name] = blame.guard(f, (functions == fields and "A." or "A:") .. name)
    end
end
Matrix.__close = methods.close

-- ---- constructors

local function is_size(value)
    return math.type(value) == "integer" and value >= 0 and value <= MOST
end

local function check_options(name, options, known)
    if type(options) ~= "table" or rill.type(options) then
        fail("rill.sparse.%s: argument #1 'options': expected a table like {shape = {m, n}, ...}, got %s", name,
            rill.type(options) or type(options))
    end
    for key in pairs(options) do
        if not known[key] then
            fail("rill.sparse.%s: unknown option '%s'", name, tostring(key))
        end
    end
    local shape = options.shape
    if type(shape) ~= "table" or #shape ~= 2 or not is_size(shape[1]) or not is_size(shape[2]) then
        fail("rill.sparse.%s: option 'shape': expected {rows, columns}, up to %d each", name, MOST)
    end
    return shape[1], shape[2]
end

-- Refuses what lies outside of 0 .. most - 1, but -1 where `none`.
local function check_range(name, key, s, most, none)
    if s.size == 0 then
        return
    end
    local least, largest = s:min(), s:max()
    if least < (none and -1 or 0) or largest >= most then
        local low = least < (none and -1 or 0)
        local where = table.concat({(low and s.argmin or s.argmax)(s)}, ", ")
        fail("rill.sparse.%s: '%s' has %d as element %s: expected 0 .. %d%s", name, key, low and least or largest,
            where, most - 1, none and ", or -1 where a row has no more" or "")
    end
end

-- A copy of an option's stream, or the stream of a table: of whole numbers, or of floats and doubles.
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
    local other = blame.not_open(value)
    if other then
        fail("rill.sparse.%s: option '%s': expected an open stream or a table, got %s", name, key, other)
    end
    local kind = value.type
    if whole and kind ~= "int" and kind ~= "uint" or not whole and not REAL[kind] then
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
            fail("rill.sparse.csr: 'offsets' falls behind element %d: it must not decrease", (lengths:argmin()))
        end
    end
end

--- rill.sparse.csr{shape=, offsets=, columns=, values=}: a matrix by rows. Entries of one place are added.
function sparse.csr(options)
    local m, n = check_options("csr", options, {shape = true, offsets = true, columns = true, values = true})
    local offsets = take("csr", "offsets", options.offsets, true, 1)
    local columns = take("csr", "columns", options.columns, true, 1, n)
    local values = take("csr", "values", options.values, false, 1)
    check_same("csr", "columns", columns, "values", values)
    check_offsets(offsets, m, values.size)
    check_range("csr", "columns", columns, n)
    return new("csr", m, n, {_offsets = offsets, _columns = columns, _values = values})
end

--- rill.sparse.coo{shape=, rows=, columns=, values=}: a matrix of entries in any order; those of one place are added.
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

--- rill.sparse.ell{shape=, columns=, values=}: a matrix whose rows have as many places each, columns and values of shape {rows, places}; column
-- -1: there is nothing.
function sparse.ell(options)
    local m, n = check_options("ell", options, {shape = true, columns = true, values = true})
    local columns = take("ell", "columns", options.columns, true, 2, n)
    local values = take("ell", "values", options.values, false, 2)
    check_same("ell", "columns", columns, "values", values)
    if columns.shape[1] ~= m then
        fail("rill.sparse.ell: 'columns' has shape %s: %d rows are expected", tostring(columns.shape), m)
    end
    check_range("ell", "columns", columns, n, true)
    local width, pitch = columns.shape[2], whole_texels(m)
    if width > MOST_PLACES then
        fail("rill.sparse.ell: rows of %d places are longer than %d: take csr", width, MOST_PLACES)
    end
    local places, spread = rill.stream("int", {width, pitch}, -1), rill.stream(values.type, {width, pitch})
    if columns.size > 0 then
        places:domain({1, 1}, {width, m}):write(columns:transpose())
        spread:domain({1, 1}, {width, m}):write(values:transpose())
    end
    return new("ell", m, n, {_columns = places, _values = spread})
end

--- rill.sparse.load(path): the matrix of a MatrixMarket file, csr of double.
function sparse.load(path)
    local m, n, rows, columns, values = core._mtx_load(path)
    return make.csr(m, n, normal(rows, columns, values))
end

for name, f in pairs(sparse) do
    sparse[name] = blame.guard(f, "rill.sparse." .. name)
end
blame.strict(sparse, "rill.sparse")
local container = blame.guard(core._sparse)
getmetatable(sparse).__call = function(_, ...)
    return container(...)
end
return sparse
