-- rill.tril, triu, diagonal, kron, tensordot, inner and vdot: parts and products of matrices, as in numpy.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail

local matrices = {}

-- Returns an open stream of numbers, booleans or vectors with at least two dimensions.
local function matrix(where, s)
    s = errors.open(where .. ": argument #1 's'", s)
    if not types.list[s.type] then
        fail("%s: argument #1 's': expected numbers, vectors or booleans, got %s", where, s.type)
    elseif #s.shape < 2 then
        fail("%s: argument #1 's': expected at least two dimensions, got shape %s", where, s.shape)
    end
    return s
end

local TRIANGLE <const> = template.new [[
    kernel void triangle($T s<>, int k, out $T r<>) {
        ivec4 p = indexof(s);
        r = p.x - p.y $compare k ? s : $T(0);
    }
]]

local function triangle(where, compare, s, k)
    s = matrix(where, s)
    k = k == nil and 0 or tables.whole(k)
    if math.type(k) ~= "integer" or math.abs(k) >= 1 << 31 then
        fail("%s: argument #2 'k': expected a whole number, got %s", where, errors.told(k))
    end
    local result <const> = core._sized(s, s.shape)
    if s.size > 0 then
        TRIANGLE:kernel {T = types.list[s.type].seen, compare = compare}(s, k, result)
    end
    return result
end

--- rill.tril(s [, k]) returns a new stream of the lower triangles of the matrices in the last two dimensions: zeros
-- above diagonal k, which is above (> 0) or below (< 0) the main one. Default of `k`: 0.
function matrices.tril(s, k, ...)
    errors.none("rill.tril", 3, 2, (...))
    return triangle("rill.tril", "<=", s, k)
end

--- rill.triu(s [, k]) returns a new stream of the upper triangles: zeros below diagonal k. See rill.tril.
function matrices.triu(s, k, ...)
    errors.none("rill.triu", 3, 2, (...))
    return triangle("rill.triu", ">=", s, k)
end

--- rill.diagonal(s [, {offset =, axes =}]) returns the diagonal of a matrix, a new stream. If s has more dimensions,
-- the diagonals are along the two dimensions `axes`, and become the last dimension of the result. `offset`: the
-- diagonal, above (> 0) or below (< 0) the main one. Defaults: 0, {1, 2}.
function matrices.diagonal(s, options, ...)
    errors.none("rill.diagonal", 3, 2, (...))
    s = matrix("rill.diagonal", s)
    local o <const> = option.take("rill.diagonal", options, {
        offset = {function(v) return math.type(v) == "integer" end, "a whole number", 0},
        axes = {function(v) return option.table[1](v) and #v == 2 end, "a table of two axes", {1, 2}},
    })
    local place <const>, rank <const> = "rill.diagonal: option 'axes'", #s.shape
    local first <const>, second <const> = axes.one(place, o.axes[1], rank), axes.one(place, o.axes[2], rank)
    if first == second then
        fail("%s: expected two different axes, got %s", place, errors.told(o.axes))
    end
    local order, new = {}, {}
    for d, size in ipairs(s.shape) do
        if d ~= first and d ~= second then
            order[#order + 1], new[#new + 1] = d, size
        end
    end
    order[#order + 1], order[#order + 2] = first, second
    local rows <const>, columns <const>, steps = s.shape[first], s.shape[second], {}
    local row <const>, column <const> = math.max(-o.offset, 0), math.max(o.offset, 0)
    local n <const> = math.max(math.min(rows - row, columns - column), 0)
    if n == 0 or s.size == 0 then
        new[#new + 1] = n
        return core._sized(s, new)
    end
    local from, to = {}, {}
    for d, size in ipairs(new) do
        from[d], to[d], steps[d] = 1, size, 1
    end
    local last <const> = #new + 1
    from[last] = row * columns + column + 1
    to[last], steps[last] = from[last] + (n - 1) * (columns + 1), columns + 1
    new[last] = rows * columns
    return axes.reshaped(s:transpose(order), new):domain(from, to):stride(table.unpack(steps)):copy()
end

-- ---- products

local function factors(where, a, b)
    return types.numbers(where .. ": argument #1 'a'", a), types.numbers(where .. ": argument #2 'b'", b)
end

-- Returns the shape with leading ones, so that it has `rank` dimensions.
local function padded(shape, rank)
    local list = {}
    for d = 1, rank do
        list[d] = shape[d - rank + #shape] or 1
    end
    return list
end

--- rill.kron(a, b) returns the Kronecker product, a new stream whose sizes are the products of those of a and b: each
-- element of a multiplied by all of b. a and b have at most 4 dimensions.
function matrices.kron(a, b, ...)
    errors.none("rill.kron", 3, 2, (...))
    a, b = factors("rill.kron", a, b)
    local rank <const> = math.max(#a.shape, #b.shape)
    if rank > 4 then
        fail("rill.kron: expected at most 4 dimensions, got shapes %s and %s", a.shape, b.shape)
    end
    local of_a <const>, of_b <const> = padded(a.shape, rank), padded(b.shape, rank)
    local left, right, new = {}, {}, {}
    for d = 1, rank do
        left[2 * d - 1], left[2 * d], right[2 * d - 1], right[2 * d] = of_a[d], 1, 1, of_b[d]
        new[d] = of_a[d] * of_b[d]
    end
    errors.fits("rill.kron", new)
    return (axes.reshaped(a, left) * axes.reshaped(b, right)):eval():reshape(new)
end

-- Returns the letters of a stream's dimensions; those of `shared` (axis -> letter) are given.
local function letters(rank, shared, first)
    local list = {}
    for d = 1, rank do
        list[d] = shared[d] or string.char(first:byte() + d - 1)
    end
    return table.concat(list)
end

-- Returns the sum of products over pairs of axes.
local function contracted(where, a, b, of_a, of_b)
    local rank <const> = #a.shape + #b.shape - 2 * #of_a
    if rank > 8 then
        fail("%s: the result would have %d dimensions, but the limit is 8", where, rank)
    end
    local shared_a, shared_b = {}, {}
    for k, axis in ipairs(of_a) do
        shared_a[axis], shared_b[of_b[k]] = ("tuvwxyz"):sub(k, k), ("tuvwxyz"):sub(k, k)
    end
    local left <const>, right <const> = letters(#a.shape, shared_a, "A"), letters(#b.shape, shared_b, "a")
    return rill.einsum(("%s,%s->%s%s"):format(left, right, left:gsub("[t-z]", ""), (right:gsub("[t-z]", ""))), a, b)
end

local function axis_list(place, value, rank)
    local list, seen = {}, {}
    for k, axis in ipairs(option.table[1](value) and value or {value}) do
        list[k] = axes.one(place, axis, rank)
        if seen[list[k]] then
            fail("%s: expected different axes, got %s", place, errors.told(value))
        end
        seen[list[k]] = true
    end
    return list
end

--- rill.tensordot(a, b [, axes]) returns the sum of products over pairs of dimensions, a new stream with the other
-- dimensions of a and then of b, or a number if there are none. `axes`: a whole number n from 0 to 7 (the last n
-- dimensions of a and the first n of b, in order), or a table {of a, of b} of two axes or two tables of axes.
-- Default: 2. The sum is computed by rill.einsum.
function matrices.tensordot(a, b, pairs_of, ...)
    local where <const> = "rill.tensordot"
    errors.none(where, 4, 3, (...))
    a, b = factors(where, a, b)
    local place <const> = where .. ": argument #3 'axes'"
    pairs_of = pairs_of == nil and 2 or tables.whole(pairs_of)
    local of_a, of_b = {}, {}
    if option.table[1](pairs_of) and #pairs_of == 2 then
        of_a, of_b = axis_list(place, pairs_of[1], #a.shape), axis_list(place, pairs_of[2], #b.shape)
    elseif math.type(pairs_of) == "integer" and pairs_of >= 0 and pairs_of <= math.min(#a.shape, #b.shape, 7) then
        for k = 1, pairs_of do
            of_a[k], of_b[k] = #a.shape - pairs_of + k, k
        end
    else
        fail("%s: expected a whole number from 0 to the smaller rank, or a table {axes of a, axes of b}, got %s", place,
            errors.told(pairs_of))
    end
    if #of_a ~= #of_b or #of_a > 7 then
        fail("%s: expected as many axes of a as of b, at most 7, got %s", place, errors.told(pairs_of))
    end
    for k, axis in ipairs(of_a) do
        if a.shape[axis] ~= b.shape[of_b[k]] then
            fail("%s: axis %d of a has size %d, but axis %d of b has size %d", where, axis, a.shape[axis], of_b[k],
                b.shape[of_b[k]])
        end
    end
    return contracted(where, a, b, of_a, of_b)
end

--- rill.inner(a, b) returns the sums of products over the last dimensions of a and b, which have the same size: a new
-- stream with the other dimensions of a and then of b, or a number for streams of one dimension.
function matrices.inner(a, b, ...)
    errors.none("rill.inner", 3, 2, (...))
    a, b = factors("rill.inner", a, b)
    local n <const>, m <const> = a.shape[#a.shape], b.shape[#b.shape]
    if n ~= m then
        fail("rill.inner: the last dimension of a has size %d, that of b has size %d", n, m)
    end
    return contracted("rill.inner", a, b, {#a.shape}, {#b.shape})
end

local COMPLEX <const> = {vec2 = "float", dvec2 = "double"}

--- rill.vdot(a, b) returns the sum of the products of all elements of two streams of the same size: a number. Of
-- complex numbers (vec2 or dvec2) those of a are conjugated, and the result is a table of the real and the imaginary
-- part.
function matrices.vdot(a, b, ...)
    errors.none("rill.vdot", 3, 2, (...))
    a, b = errors.open("rill.vdot: argument #1 'a'", a), errors.open("rill.vdot: argument #2 'b'", b)
    if a.size ~= b.size then
        fail("rill.vdot: argument #2 'b': expected %d elements as in 'a', got %d", a.size, b.size)
    elseif (COMPLEX[a.type] ~= nil) ~= (COMPLEX[b.type] ~= nil) then
        fail("rill.vdot: expected two streams of numbers, or two of vec2 or dvec2, got %s and %s", a.type, b.type)
    end
    a, b = axes.reshaped(a, a.size), axes.reshaped(b, b.size)
    if COMPLEX[a.type] then
        return rill.vec2(rill.dot(a, b), a.x * b.y - a.y * b.x):eval():sum()
    end
    a, b = factors("rill.vdot", a, b)
    if a.size == 0 then
        return 0.0
    end
    return recorder.on and (a * b):eval():sum() or a:dot(b)
end

for name, f in pairs(matrices) do
    matrices[name] = errors.guard(f, "rill." .. name)
end

return matrices
