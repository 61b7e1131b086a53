-- Gradients of products with sparse matrices, with respect to the vector and to the values of the entries.
local core = require "rill.core"
local rill = require "rill.core.public"
local entries = require "rill.sparse.rows"
local errors = require "rill.core.error"
local matrix = require "rill.sparse.matrix"
local places = require "rill.grad.places"
local products = require "rill.sparse.products"
local tape = require "rill.grad.tape"
local template = require "rill.glsl.template"

local sparse = {}

local NAME <const> = "A:multiply"

-- ---- patterns: rows, columns (one for each stored value), of matrices of equal structure

local patterns <const> = setmetatable({}, {__mode = "k"}) -- matrix -> its pattern

local ROW <const> = template.new "kernel int row(int number<>, int pitch) { return number % pitch; }"

-- Returns the rows and columns of the stored values of a matrix in one dimension. The column of an empty slot is -1.
local function indices_of(A)
    if A._format ~= "ell" then
        return A._format == "csr" and entries.rows(A._offsets, A._values.size) or A._rows, A._columns
    end
    local count <const> = A._columns.size
    if count == 0 then
        return rill.stream("int", 0), rill.stream("int", 0)
    end
    return ROW:kernel()(rill.iota(count), A._columns.shape[2]), A._columns:reshape(count)
end

-- Returns a stream with the elements of a stream, which stays open when that is closed.
local function held(s)
    return s and (core._leaf(s))
end

-- Returns the pattern of a matrix: m, n, format, rows, columns, the shape of the values, and `parts`, the streams of
-- the structure. `turn` adds those of the transpose: `order` (the stored values by column), `down` (the offsets) and
-- `across` (the columns).
local function pattern_of(A)
    local p = patterns[A]
    if not p then
        local rows <const>, columns <const> = indices_of(A)
        p = {m = A._m, n = A._n, format = A._format, rows = held(rows), columns = held(columns),
            shape = A._values.shape,
            parts = {_offsets = held(A._offsets), _rows = held(A._rows), _columns = held(A._columns)}}
        patterns[A] = p
    end
    return p
end

-- Adds the order of the transpose to a pattern.
local function turn(p)
    local order = rill.argsort(p.columns)
    local skipped <const> = p.format == "ell" and p.columns.size > 0 and p.columns:lt(0):count() or 0
    if skipped > 0 then
        order = order:domain(skipped + 1, order.size):copy()
    end
    p.order, p.across = order, rill.gather(p.rows, order)
    p.down = products.offsets(rill.gather(p.columns, order), p.n)
end

-- Returns a matrix with a pattern and other values, or its transpose.
local function filled(p, values, transposed)
    if not transposed then
        return matrix.new(p.format, p.m, p.n, {_offsets = p.parts._offsets, _rows = p.parts._rows,
            _columns = p.parts._columns, _values = values})
    elseif not p.order then
        tape.suspended(turn, p)
    end
    local flat <const> = #values.shape > 1 and values:reshape(values.size) or values
    return matrix.new("csr", p.n, p.m, {_offsets = p.down, _columns = p.across, _values = rill.gather(flat, p.order)})
end

-- ---- products. The adjoints of each consist of the other

local product, sampled

local SAMPLED <const> = template.new [=[
    kernel void sampled(int row<>, int column<>, $V u[][], $V v[][], int width, out $V r<>) {
        $V sum = $V(0);
        for (int k = 0; k < width && column >= 0; k++) { sum += u[row][k] * v[column][k]; }
        r = sum;
    }
]=]

-- Returns a stream of one or two dimensions as a matrix.
local function as_matrix(s, type)
    s = s.type == type and s or s:cast(type)
    return #s.shape == 2 and s or s:reshape {s.size, 1}
end

-- Returns the sums over k of u[row, k] v[column, k] for all stored values of a pattern, in the wider type.
local function sample(p, u, v)
    local type <const> = (u.type == "double" or v.type == "double") and "double" or "float"
    if p.columns.size == 0 then
        return rill.stream(type, p.shape)
    end
    u, v = as_matrix(u, type), as_matrix(v, type)
    local values <const> = SAMPLED:kernel {V = type}(p.rows, p.columns, u, v, u.shape[2])
    return #p.shape > 1 and values:reshape(p.shape) or values
end

--- sampled(p, u, v) returns sample(p, u, v), and records it.
function sampled(p, u, v)
    u, v = places.stream(u), places.stream(v)
    local result <const> = tape.suspended(sample, p, u, v)
    tape.record(NAME, {u, v}, {result}, {u = u, v = v}, function(kept, g)
        return product(p, g, kept.v, false), product(p, g, kept.u, true)
    end)
    return result
end

-- Records the product y of a matrix, or its transpose, with x.
local function record(p, values, x, transposed, y, entry)
    entry = entry or tape.begin(NAME, {x, values}, {x = x, values = values})
    tape.complete(entry, {y}, function(kept, g)
        local of_x <const> = product(p, kept.values, g, not transposed)
        if transposed then
            return of_x, sampled(p, kept.x, g)
        end
        return of_x, sampled(p, g, kept.x)
    end)
    return y
end

--- product(p, values, x, transposed) returns the product of a matrix of a pattern, or its transpose, with x, and
-- records it.
function product(p, values, x, transposed)
    values, x = places.stream(values), places.stream(x)
    local A <const> = tape.suspended(filled, p, values, transposed)
    return record(p, values, x, transposed, tape.suspended(matrix.metatable.__index(A, "multiply"), A, x))
end

--- sparse.pattern(A) returns a function(values, transposed) that returns the matrix A, or its transpose, with other
-- values.
function sparse.pattern(A)
    local p <const> = pattern_of(A)
    return function(values, transposed)
        return filled(p, values, transposed)
    end
end

tape.rule(NAME, function(call, A, x, y, ...)
    if matrix.is(x) then
        return call.f(A, x, y, ...)
    end
    x = places.stream(x)
    local p <const> = tape.suspended(pattern_of, A)
    local entry <const> = call:begin({x, A._values}, {x = x, values = A._values})
    if y ~= nil then
        call:writes(y)
    end
    return record(p, A._values, x, false, call:run(A, x, y, ...), entry)
end, 3)

-- Sums of runs of neighbors, by which entries of equal row and column are added.
tape.rule("rill.sparse sums", function(call, begins, values)
    local result <const> = call:run(begins, values)
    local size <const> = values.size
    call:record({values}, {result}, {begins = begins}, function(kept, g)
        return rill.gather(g, tape.suspended(entries.rows, kept.begins, size))
    end)
    return result
end)

-- A matrix in the format ELL of entries in order.
tape.rule("rill.sparse ell", function(call, m, n, rows, columns, values)
    local A <const> = call:run(m, n, rows, columns, values)
    local count <const>, pitch <const> = values.size, A._values.shape[2]
    call:record({values}, {A._values}, {rows = rows}, function(kept, g)
        local begins <const> = tape.suspended(products.offsets, kept.rows, m)
        local slots <const> = rill.iota(count) - rill.gather(begins, kept.rows)
        local flat <const> = places.stream(g)
        return rill.gather(flat:reshape(flat.size), (slots * pitch + kept.rows):eval())
    end)
    return A
end)

tape.rule("A:dense", function(call, A, ...)
    local result <const> = call:run(A, ...)
    local p <const>, values <const> = tape.suspended(pattern_of, A), A._values
    call:record({values}, {result}, {}, function(_, g)
        local at <const> = p.rows * p.n + p.columns
        local taken <const> = rill.gather(places.stream(g):reshape(p.m * p.n), at:eval())
        return rill.where(p.columns:ge(0), taken, 0):eval():reshape(p.shape)
    end)
    return result
end)

tape.rule("A:diagonal", function(call, A, ...)
    local result <const> = call:run(A, ...)
    local p <const>, values <const> = tape.suspended(pattern_of, A), A._values
    local least <const> = #result - 1
    call:record({values}, {result}, {}, function(_, g)
        local taken <const> = rill.gather(places.stream(g), rill.min(p.rows, least):eval())
        return rill.where(p.columns:eq(p.rows), taken, 0):eval():reshape(p.shape)
    end)
    return result
end)

-- Functions whose results have no entries that are 0: the derivative with respect to these entries would be missing.
for name, remedy in pairs {
    ["A + B"] = "add the products with a vector", ["A - B"] = "subtract the products with a vector",
    ["A * B"] = "multiply the vector by both, A:multiply(B:multiply(x))",
    ["rill.sparse.from_dense"] = "pass the values to rill.sparse.coo", ["rill.sparse.diags"] =
    "pass the values to rill.sparse.coo",
} do
    tape.rule(name, function()
        errors.fail("%s: its result has no entries that are 0, and so no gradient: %s", name, remedy)
    end)
end

return sparse
