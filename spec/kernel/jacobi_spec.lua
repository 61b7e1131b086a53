-- Tests of eigen_symmetric and svd in kernels: the properties of their results are computed in doubles.
local rill = require "rill"
local matrices = require "spec.support.matrices"

local COUNT <const> = 25 -- matrices of each kind

-- ---- matrices

local function gauss() return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random()) end

local function matrix(n, f)
    local a = {}
    for c = 1, n do
        for r = 1, n do a[#a + 1] = f(c, r) end
    end
    return a
end

-- Returns the columns of a random orthogonal matrix.
local function orthogonal(n)
    local q = {}
    for c = 1, n do
        local v = {}
        for r = 1, n do v[r] = gauss() end
        for _ = 1, 2 do
            for d = 1, c - 1 do
                local s = 0
                for r = 1, n do s = s + v[r] * q[d][r] end
                for r = 1, n do v[r] = v[r] - s * q[d][r] end
            end
            local length = 0
            for r = 1, n do length = length + v[r]^2 end
            for r = 1, n do v[r] = v[r] / math.sqrt(length) end
        end
        q[c] = v
    end
    return q
end

-- Returns a matrix with these singular values, which are its eigenvalues if it is symmetric.
local function with(n, values, symmetric)
    local p = orthogonal(n)
    local q = symmetric and p or orthogonal(n)
    return matrix(n, function(c, r)
        local s = 0
        for k = 1, n do s = s + p[k][r] * values(k) * q[k][c] end
        return s
    end)
end

local kinds = {
    random = function(n) return matrix(n, gauss) end,
    tiny = function(n) return matrix(n, function() return gauss() * 1e-30 end) end,
    huge = function(n) return matrix(n, function() return gauss() * 1e30 end) end,
    zero = function(n) return matrix(n, function() return 0.0 end) end,
    integers = function(n) return matrix(n, function() return math.random(-1, 1) end) end,
    scattered = function(n) return matrix(n, function() return gauss() * 10^math.random(-40, 36) end) end,
    diagonal = function(n)
        return matrix(n, function(c, r) return c == r and gauss() * 10^math.random(-15, 15) or 0.0 end)
    end,
    graded = function(n)
        local d = {}
        for i = 1, n do d[i] = 10^-math.random(0, 18) end
        return matrix(n, function(c, r) return gauss() * d[c] * d[r] end)
    end,
    singular = function(n) return with(n, function() return math.random(0, 1) end) end,
    ["nearly singular"] = function(n) return with(n, function() return 10^-math.random(0, 16) end) end,
    ["of rank 1"] = function(n) return with(n, function(k) return k == 1 and 1 or 0 end, true) end,
    repeated = function(n) return with(n, function() return math.random(1, 2) end, true) end,
    close = function(n) return with(n, function() return 1 + gauss() * 10^-math.random(3, 14) end, true) end,
}

describe("eigen_symmetric and svd of", function()
    for _, T in ipairs {"float", "double"} do
        for n = 2, 4 do
            local tag = T == "double" and " #doubles" or ""
            it(("%d x %d matrices of type %s have small residuals%s"):format(n, n, T, tag), function()
                math.randomseed(n)
                local all = {}
                for _, kind in pairs(kinds) do
                    for _ = 1, COUNT do all[#all + 1] = kind(n) end
                end
                matrices.check(n, T, all)
            end)
        end
    end

    it("diagonal matrices are exact", function()
        local _, values, vectors, s, u, v = matrices.run(3, "float", {{2, 0, 0, 0, -3, 0, 0, 0, 1e-25}})
        assert.same({-3, rill.from({1e-25}, "float"):get(1), 2}, values)
        assert.same({3, 2, values[2]}, s)
        assert.same({0, 1, 0, 0, 0, 1, 1, 0, 0}, vectors)
        for i = 1, 9 do assert.equal(math.abs(v[i]), math.abs(u[i])) end
    end)

    it("matrices with NaN or infinite entries are NaN", function()
        for _, bad in ipairs {0 / 0, 1 / 0, -1 / 0} do
            for n = 2, 4 do
                local good, spoiled = matrix(n, gauss), matrix(n, gauss)
                spoiled[n] = bad -- the lower left entry
                local results = {matrices.run(n, "float", {spoiled, good})}
                for k = 2, 6 do
                    local half = #results[k] // 2
                    for i = 1, half do
                        assert.truthy(results[k][i] ~= results[k][i])
                        assert.truthy(results[k][half + i] == results[k][half + i])
                    end
                end
            end
        end
    end)

    it("a matrix read its lower triangle only (eigen_symmetric)", function()
        local k = rill.kernel [[kernel void k(float x<>, out vec2 values<>) {
            mat2 v;
            eigen_symmetric(mat2(2.0, 1.0, x, 2.0), values, v); // the first column is (2, 1)
        }]]
        local values = k(rill.from({7, 0 / 0}, "float")):read()
        for i = 1, 2 do
            assert.near(1, values[i][1], 1e-6)
            assert.near(3, values[i][2], 1e-6)
        end
    end)
end)

describe("eigen_symmetric and svd", function()
    it("are called by functions, with several types in one text", function()
        local k = rill.kernel [[
            float largest(mat3 a) { mat3 u, v; vec3 s; svd(a, u, s, v); return s.x; }
            kernel void k(float x<>, out float r<>, out double w<>) {
                mat2 v; vec2 l;
                eigen_symmetric(mat2(x, 0.0, 0.0, 2.0 * x), l, v);
                mat4 m; vec4 y;
                eigen_symmetric(mat4(x), y, m);
                dmat4 p, q; dvec4 s;
                svd(dmat4(double(x)), p, s, q);
                r = largest(mat3(x)) + l.y + y.x;
                w = s.w;
            }]]
        local r, w = k(rill.from({1, 2, 3}, "float"))
        assert.same({4, 8, 12}, r:read())
        assert.same({1, 2, 3}, w:read())
    end)

    it("write the matrix that they read", function()
        local k = rill.kernel [[kernel void k(float x<>, out vec2 r<>) {
            mat2 a = mat2(x, 1.0, 1.0, x), b = a; vec2 l;
            eigen_symmetric(a, l, a);
            svd(b, b, r, a);
            r += l;
        }]]
        local r = k(rill.from({5}, "float")):get(1)
        assert.near(10, r[1], 1e-5)
        assert.near(10, r[2], 1e-5)
    end)

    it("are hidden by functions of the text", function()
        local k = rill.kernel [[
            float svd(float x) { return 2.0 * x; }
            float eigen_symmetric(float x) { return 3.0 * x; }
            kernel void k(float x<>, out float r<>) { r = svd(x) + eigen_symmetric(x); }]]
        assert.same({5, 10}, k(rill.from({1, 2}, "float")):read())
    end)

    it("refuse other types and constants", function()
        local function message(body)
            local _, refusal = pcall(rill.kernel, "kernel void k(float x<>, out float r<>) { " .. body .. " }")
            return refusal
        end
        assert.matches("'svd' does not take 4 arguments of type %(vec3, mat3, vec3, mat3%)",
            message "vec3 a, s; mat3 u, v; svd(a, u, s, v);")
        assert.matches("its forms are eigen_symmetric%(Q, out C, out Q%): Q is a square matrix",
            message "mat3x2 a; vec3 s; mat3 v; eigen_symmetric(a, s, v);")
        assert.matches("'svd' does not take 1 argument ", message "r = svd(x);")
        assert.matches("'svd' does not take 4 arguments of type %(dmat2, mat2, vec2, mat2%)",
            message "mat2 u, v; vec2 s; svd(dmat2(1.0), u, s, v);")
        assert.matches("expected a variable", message "mat2 u; vec2 s; svd(u, u, s, u + u);")
    end)

    it("have no gradient", function()
        local k = rill.kernel [[kernel void k(float x<>, out float r<>) {
            mat2 v; vec2 l;
            eigen_symmetric(mat2(x), l, v);
            r = l.x;
        }]]
        local _, refusal = pcall(k.gradient, k)
        assert.matches("k:gradient: 'k' cannot be differentiated: 'eigen_symmetric' has no derivative", refusal)
    end)
end)
