-- Checks the decompositions of rill.linalg by their residuals and the orthogonality of their vectors, in doubles.
local rill = require "rill"

local decompositions = {}

local EPSILON <const> = {float = 2^-23, double = 2^-52}

-- ---- matrices as lists of rows

local function product(a, b)
    local c = {}
    for i = 1, #a do
        c[i] = {}
        for j = 1, #b[1] do
            local sum = 0.0
            for k = 1, #b do sum = sum + a[i][k] * b[k][j] end
            c[i][j] = sum
        end
    end
    return c
end

local function transposed(a)
    local t = {}
    for j = 1, #a[1] do
        t[j] = {}
        for i = 1, #a do t[j][i] = a[i][j] end
    end
    return t
end

-- Returns the largest absolute value; NaN if an element is NaN.
local function largest(a)
    local most = 0.0
    for _, row in ipairs(a) do
        for _, x in ipairs(row) do
            most = (math.abs(x) > most or x ~= x) and math.abs(x) or most
        end
    end
    return most
end

local function each(a, f)
    local r = {}
    for i = 1, #a do
        r[i] = {}
        for j = 1, #a[i] do r[i][j] = f(a[i][j], i, j) end
    end
    return r
end

-- Raises an error if `error` is larger than a multiple of the rounding unit and of the size.
local function bound(what, T, error, m, n)
    local limit = (16 + 4 * math.max(m, n)) * EPSILON[T]
    assert(error <= limit, ("%s of a %d x %d matrix of %s: %.3g, limit %.3g"):format(what, m, n, T, error, limit))
end

local function check_orthonormal(what, T, q)
    if #q[1] > 0 then
        local gram = each(product(transposed(q), q), function(x, i, j) return i == j and x - 1 or x end)
        bound(what, T, largest(gram), #q, #q[1])
    end
end

-- Checks that `made` is `a`, where `size` is the largest element of a.
local function check_residual(what, T, made, a, size)
    bound(what, T, largest(each(made, function(x, i, j) return x - a[i][j] end)) / (size > 0 and size or 1), #a, #a[1])
end

-- Multiplies columns by values.
local function scaled(a, values)
    return each(a, function(x, _, j) return x * values[j] end)
end

-- ---- one matrix

local function check_qr(T, a, size, q, r)
    check_orthonormal("q", T, q)
    check_residual("q r", T, product(q, r), a, size)
    each(r, function(x, i, j) assert(j >= i or x == 0) end)
end

local function check_svd(T, a, size, u, s, v)
    check_orthonormal("u", T, u)
    check_orthonormal("v", T, v)
    check_residual("u s v'", T, product(scaled(u, s), transposed(v)), a, size)
    for k = 1, #s do
        assert(s[k] >= (s[k + 1] or 0))
    end
end

local function check_eigen(T, a, values, vectors)
    local lower = each(a, function(x, i, j) return i >= j and x or a[j][i] end)
    check_orthonormal("vectors", T, vectors)
    check_residual("v w v'", T, product(scaled(vectors, values), transposed(vectors)), lower, largest(lower))
    for k = 2, #values do
        assert(values[k] >= values[k - 1])
    end
end

-- ---- batches

-- Returns a list of the elements of a result for each matrix, divided by `unit`.
local function read(s, unit)
    local function divide(x)
        if type(x) == "number" then return x / unit end
        local t = {}
        for i, item in ipairs(x) do t[i] = divide(item) end
        return t
    end
    return divide(s:read())
end

--- decompositions.check(T, list): decomposes a list of matrices of one shape (lists of rows). Matrices are compared after a division by a power of two, as
-- the products of large elements overflow.
function decompositions.check(T, list)
    local a <close> = rill.from(list, T)
    local given, m, n = a:read(), a.shape[2], a.shape[3]
    local q, r = rill.linalg.qr(a)
    local u, s, v = rill.linalg.svd(a)
    local only = rill.linalg.svd(a, {vectors = false}):read()
    local values, vectors
    if m == n then
        values, vectors = rill.linalg.eigh(a)
    end
    for i = 1, #list do
        local top = largest(given[i])
        local unit = top > 0 and 2.0 ^ math.max(math.floor(math.log(top, 2)), -1000) or 1.0
        local one = each(given[i], function(x) return x / unit end)
        local size = largest(one)
        check_qr(T, one, size, read(q[i], 1), read(r[i], unit))
        local single = read(s[i], unit)
        check_svd(T, one, size, read(u[i], 1), single, read(v[i], 1))
        for k, x in ipairs(single) do
            bound("a value without vectors", T, math.abs(x - only[i][k] / unit) / (size > 0 and size or 1), m, n)
        end
        if m == n then
            check_eigen(T, one, read(values[i], unit), read(vectors[i], 1))
        end
    end
    for _, x in ipairs {q, r, u, s, v, values or s, vectors or s} do x:close() end
end

--- decompositions.undefined(T, list): checks that all results of matrices that have NaN or infinite elements in their lower triangles are NaN.
function decompositions.undefined(T, list)
    local a <close> = rill.from(list, T)
    local results = {rill.linalg.qr(a)}
    for _, x in ipairs {rill.linalg.svd(a)} do results[#results + 1] = x end
    if a.shape[2] == a.shape[3] then
        for _, x in ipairs {rill.linalg.eigh(a)} do results[#results + 1] = x end
    end
    for _, x in ipairs(results) do
        for _, value in ipairs(x:values()) do assert(value ~= value) end
        x:close()
    end
end

return decompositions
