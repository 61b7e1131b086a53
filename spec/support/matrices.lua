-- Checks the results of eigen_symmetric and svd in kernels: residuals and orthogonality, in doubles.
local rill = require "rill"

local matrices = {}

local EPSILON <const> = {float = 2^-23, double = 2^-52}

local text <const> = [[
    kernel void both(int k<>, T a[], inout T values[], inout T vectors[], inout T s[], inout T u[], inout T v[]) {
        M m, e, p, q;
        V x, y;
        for (int c = 0; c < N; c++) for (int r = 0; r < N; r++) m[c][r] = a[(k * N + c) * N + r];
        eigen_symmetric(m, x, e);
        svd(m, p, y, q);
        for (int c = 0; c < N; c++) {
            values[k * N + c] = x[c];
            s[k * N + c] = y[c];
            for (int r = 0; r < N; r++) {
                int i = (k * N + c) * N + r;
                vectors[i] = e[c][r];
                u[i] = p[c][r];
                v[i] = q[c][r];
            }
        }
    }]]

local function kernel_of(n, T)
    local d = T == "double" and "d" or ""
    local words = {N = n, T = T, M = d .. "mat" .. n, V = d .. "vec" .. n}
    return rill.kernel((text:gsub("%f[%w]%u%f[%W]", words)))
end

--- matrices.run(n, T, list) runs both functions on matrices (lists of n * n numbers, by columns). Returns the matrices as the
--- kernel read them, and the results as lists.
function matrices.run(n, T, list)
    local flat, index, results = {}, {}, {}
    for i, a in ipairs(list) do
        table.move(a, 1, n * n, #flat + 1, flat)
        index[i] = i - 1
    end
    local a = rill.from(flat, T)
    for i, size in ipairs {n, n * n, n, n * n, n * n} do results[i] = rill.stream(T, #list * size) end
    kernel_of(n, T)(rill.from(index, "int"), a, table.unpack(results))
    for i, r in ipairs(results) do results[i] = r:read() end
    return a:read(), table.unpack(results)
end

local function worst(a, b) return (b > a or b ~= b) and b or a end

-- The largest deviations of matrix i: of A V = V L and of A = U S V^T, relative to the Frobenius norm of A, and of the
-- products V^T V and U^T U from the identity.
local function errors_of(n, i, a, values, vectors, s, u, v)
    local function at(t, c, r) return t[(i * n + c) * n + r + 1] end
    local function symmetric(r, c) return r >= c and at(a, c, r) or at(a, r, c) end
    local size, whole, e, f, g = 0, 0, 0, 0, 0
    for c = 0, n - 1 do
        for r = 0, n - 1 do size, whole = size + symmetric(r, c)^2, whole + at(a, c, r)^2 end
    end
    for c = 0, n - 1 do
        for r = 0, n - 1 do
            local x, y, p, q, o = 0, 0, 0, 0, 0
            for k = 0, n - 1 do
                x = x + symmetric(r, k) * at(vectors, c, k)
                y = y + at(u, k, r) * s[i * n + k + 1] * at(v, k, c)
                o = o + at(vectors, c, k) * at(vectors, r, k)
                p, q = p + at(u, c, k) * at(u, r, k), q + at(v, c, k) * at(v, r, k)
            end
            local one = c == r and 1 or 0
            e = worst(e, math.abs(x - values[i * n + c + 1] * at(vectors, c, r)) / (size > 0 and size^0.5 or 1))
            f = worst(f, math.abs(y - at(a, c, r)) / (whole > 0 and whole^0.5 or 1))
            g = worst(worst(worst(g, math.abs(o - one)), math.abs(p - one)), math.abs(q - one))
        end
    end
    return e, f, g
end

--- matrices.check(n, T, list) raises an error if a result has a residual above 16 epsilon, or values are not in order.
function matrices.check(n, T, list)
    local results = {matrices.run(n, T, list)}
    local values, s = results[2], results[4]
    local e, f, g = 0, 0, 0
    for i = 0, #list - 1 do
        local x, y, z = errors_of(n, i, table.unpack(results))
        e, f, g = worst(e, x), worst(f, y), worst(g, z)
        for c = i * n + 1, i * n + n - 1 do
            assert(values[c] <= values[c + 1] and s[c] >= s[c + 1] and s[c + 1] >= 0)
        end
    end
    local limit = 16 * EPSILON[T]
    assert(e < limit and f < limit and g < limit, ("%g %g %g"):format(e, f, g))
end

return matrices
