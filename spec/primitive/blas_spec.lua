-- rill.blas against plain Lua in double precision, by netlib's rule: an error, divided by the rounding unit and by the sum of the sizes of its
-- terms, stays below 16.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local blas = rill.blas
local UNIT <const> = {float = 2.0 ^ -23, double = 2.0 ^ -52}
local THRESHOLD <const> = 16
local SIZES <const> = {0, 1, 2, 3, 5, 9, 35}
local ALPHAS <const>, BETAS <const> = {0.0, 1.0, 0.7}, {0.0, 1.0, 0.9}
local NAN <const> = 0.0 / 0.0

-- Returns a number rounded to a type.
local function held(type, value)
    return type == "double" and value or string.unpack("f", string.pack("f", value))
end

local seed = 0
local function random(type, shape)
    seed = seed + 1
    return rill.random(shape, {type = type, seed = seed, low = -1, high = 1})
end

-- Elements i, j of a matrix, read once.
local function matrix(s, transposed)
    local values, columns = s:values(), s.shape[2]
    return function(i, j)
        if transposed then
            i, j = j, i
        end
        return values[(i - 1) * columns + j]
    end
end

local function close(type, expected, gauge, got, where)
    local error = math.abs(expected - got)
    assert.is_true(error <= THRESHOLD * UNIT[type] * gauge, ("%s: %g, not %g"):format(where, got, expected))
end

-- alpha sum_k a(i, k) b(k, j) + beta c, for all elements of a result.
local function check_product(type, alpha, a, b, depth, beta, old, rows, columns, new, where)
    alpha, beta = held(type, alpha), held(type, beta)
    for i = 1, rows do
        for j = 1, columns do
            local at = (i - 1) * columns + j
            local kept = beta == 0 and 0 or beta * old[at]
            local sum, gauge = kept, math.abs(kept)
            for k = 1, depth do
                local term = alpha * a(i, k) * b(k, j)
                sum, gauge = sum + term, gauge + math.abs(term)
            end
            close(type, sum, gauge, new[at], where)
        end
    end
end

local function each_factor(f)
    for _, alpha in ipairs(ALPHAS) do
        for _, beta in ipairs(BETAS) do
            f(alpha, beta)
        end
    end
end

local function vectors(type)
    for _, n in ipairs {0, 1, 2, 4, 35, 1000} do
        local x, y = random(type, n), random(type, n)
        local before, xs = y:values(), x:values()
        for _, alpha in ipairs {0.0, 1.0, 0.7, -3.0} do
            local r <close> = y:copy()
            assert.equal(r, blas.axpy(alpha, x, r))
            local factor = held(type, alpha)
            for i, value in ipairs(r:values()) do
                local gauge = math.abs(before[i]) + math.abs(factor * xs[i])
                close(type, before[i] + factor * xs[i], gauge, value, "axpy")
            end
            local z <close> = x:copy()
            assert.equal(z, blas.scal(alpha, z))
            for i, value in ipairs(z:values()) do
                close(type, factor * xs[i], math.abs(factor * xs[i]), value, "scal")
            end
        end
        local dot, size, squares, sum = 0.0, 0.0, 0.0, 0.0
        for i = 1, n do
            dot, size = dot + xs[i] * before[i], size + math.abs(xs[i] * before[i])
            squares, sum = squares + xs[i] * xs[i], sum + math.abs(xs[i])
        end
        close(type, dot, size, blas.dot(x, y), "dot")
        close(type, math.sqrt(squares), math.sqrt(squares), blas.nrm2(x), "nrm2")
        close(type, sum, sum, blas.asum(x), "asum")
        check.equal(xs, x:values())
    end
end

local function gemv(type)
    each_factor(function(alpha, beta)
        for _, m in ipairs(SIZES) do
            local n = (m * 7 + 3) % 36
            local a, x, y = random(type, {m, n}), random(type, n), random(type, m)
            local old, get, xs = y:values(), matrix(a), x:values()
            assert.equal(y, blas.gemv(alpha, a, x, beta, y))
            local function vector(k) return xs[k] end
            check_product(type, alpha, get, vector, n, beta, old, m, 1, y:values(), "gemv")
        end
    end)
    -- Sizes below and above the steps of the texel paths, matrices that are views with pitches, and transposes by option and by view.
    for _, size in ipairs {{32, 64}, {33, 68}, {35, 256}, {130, 260}, {67, 2060}} do
        local m, n = size[1], size[2]
        local whole <close> = random(type, {m + 3, n + 8})
        local a, x, z = whole:domain({2, 5}, {m + 1, n + 4}), random(type, n), random(type, m)
        local get, back, xs, zs = matrix(a), matrix(a, true), x:values(), z:values()
        local y, w = random(type, m), random(type, n)
        local old = y:values()
        blas.gemv(0.7, a, x, 0.9, y)
        check_product(type, 0.7, get, function(k) return xs[k] end, n, 0.9, old, m, 1, y:values(), "gemv of rows")
        old = w:values()
        blas.gemv(0.7, a, z, 0.9, w, {transpose = true})
        check_product(type, 0.7, back, function(k) return zs[k] end, m, 0.9, old, n, 1, w:values(), "gemv of columns")
        local again <close> = rill.stream(type, n, old)
        blas.gemv(0.7, a:transpose(), z, 0.9, again)
        assert.equal(w:bytes(), again:bytes())
    end
end

local function gemm(type)
    each_factor(function(alpha, beta)
        for i, m in ipairs(SIZES) do
            local n, k = SIZES[(i + 2) % #SIZES + 1], SIZES[(i + 4) % #SIZES + 1]
            local left, right = i % 2 == 0, i % 3 == 0
            local a <close> = random(type, left and {k, m} or {m, k})
            local b <close> = random(type, right and {n, k} or {k, n})
            local c <close> = random(type, {m, n})
            local old = c:values()
            assert.equal(c, blas.gemm(alpha, a, b, beta, c, {transpose_a = left, transpose_b = right}))
            local where = ("gemm of %d, %d, %d"):format(m, n, k)
            check_product(type, alpha, matrix(a, left), matrix(b, right), k, beta, old, m, n, c:values(), where)
        end
    end)
end

local function views(type)
    local whole, other = random(type, {40, 50}), random(type, {50, 64})
    local target <close> = random(type, {60, 70})
    local a, b = whole:domain({3, 2}, {39, 48}), other:domain({4, 5}, {50, 60})
    local c <close> = target:domain({5, 6}, {41, 61})
    local old, outside = c:values(), target:copy()
    blas.gemm(0.7, a, b, 0.9, c)
    check_product(type, 0.7, matrix(a), matrix(b), 47, 0.9, old, 37, 56, c:values(), "gemm of views")
    local kept = outside:domain({5, 6}, {41, 61})
    kept:write(c)
    assert.equal(outside:bytes(), target:bytes())
    -- Columns of C in a row: no dense rows.
    local turned <close> = random(type, {56, 37}):transpose()
    old = turned:values()
    blas.gemm(0.7, a, b, 0.9, turned)
    check_product(type, 0.7, matrix(a), matrix(b), 47, 0.9, old, 37, 56, turned:values(), "gemm into columns")
    local x, y = random(type, 100):stride(2), random(type, 150):stride(3)
    local xs, ys = x:values(), y:values()
    blas.axpy(0.7, x, y)
    for i, value in ipairs(y:values()) do
        close(type, held(type, 0.7) * xs[i] + ys[i], math.abs(xs[i]) + math.abs(ys[i]), value, "axpy of strides")
    end
end

describe("rill.blas", function()
    leaks.watch(setup, teardown)

    for type, tag in pairs {float = "", double = " #long"} do
        it("vectors of " .. type .. tag, function() vectors(type) end)
        it("gemv of " .. type .. tag, function() gemv(type) end)
        it("gemm of " .. type .. tag, function() gemm(type) end)
        it("views of " .. type .. tag, function() views(type) end)
    end

    it("multiplies batches, which broadcast", function()
        local a, b = random("float", {3, 1, 5, 4}), random("float", {2, 4, 6})
        local c <close> = random("float", {3, 2, 5, 6})
        local old <close> = c:copy()
        blas.gemm(2.0, a, b, 0.5, c)
        for i = 1, 3 do
            for j = 1, 2 do
                check_product("float", 2.0, matrix(a[i][1]), matrix(b[j]), 4, 0.5, old[i][j]:values(), 5, 6,
                    c[i][j]:values(), "batch")
            end
        end
        -- A batch inside of a larger one.
        local whole <close> = random("float", {3, 2, 8, 16})
        local part <close> = whole:domain({1, 1, 2, 5}, {3, 2, 6, 10})
        local before <close> = part:copy()
        blas.gemm(2.0, a, b, 0.5, part)
        check_product("float", 2.0, matrix(a[2][1]), matrix(b[2]), 4, 0.5, before[2][2]:values(), 5, 6,
            part[2][2]:values(), "batch with pitches")
    end)

    it("ger adds an outer product", function()
        local x, y, a = random("float", 9), random("float", 20):stride(4), random("float", {9, 5})
        local old, get, row = a:values(), x:values(), y:values()
        assert.equal(a, blas.ger(0.7, x, y, a))
        check_product("float", 0.7, function(i) return get[i] end, function(_, j) return row[j] end, 1, 1.0, old, 9, 5,
            a:values(), "ger")
        assert.equal(0, blas.ger(1.0, rill.stream("float", 0), y, rill.stream("float", {0, 5})).size)
    end)

    it("mixes types, and results have the wider type", function()
        local x, y = rill.from {1, 2, 3}, rill.from({0.1, 0.2, 0.3}, "double")
        assert.equal(1.4, blas.dot(x, y))
        blas.axpy(2.0, x, y)
        check.equal({2.1, 4.2, 6.3}, y:values())
        local a <close> = rill.from {{1, 2}, {3, 4}}
        local z <close> = rill.stream("double", 2)
        check.equal({0.5, 1.1}, blas.gemv(1.0, a, rill.from({0.1, 0.2}, "double"), 0.0, z):values())
        local c <close> = rill.stream("double", {2, 2})
        check.equal({7, 10, 15, 22}, blas.gemm(1.0, a, a, 0.0, c):values())
        check.names({"rill.blas.axpy", "'y'", "double"}, blas.axpy, 1.0, y, x)
        check.names({"rill.blas.gemm", "'C'", "double"}, blas.gemm, 1.0, c, a, 0.0, a)
    end)

    it("reads inputs that overlap the result with their old values", function()
        local x <close> = rill.from {1, 2, 3, 4}
        blas.axpy(1.0, x:domain(1, 3), x:domain(2, 4))
        check.equal({1, 3, 5, 7}, x:values())
        blas.axpy(1.0, x, x)
        check.equal({2, 6, 10, 14}, x:values())
        for _, n in ipairs {3, 64} do
            local a <close> = random("float", {n, n})
            local expected, square = rill.stream("float", {n, n}), a:copy()
            blas.gemm(1.0, a, a, 0.0, expected)
            blas.gemm(1.0, square, square, 0.0, square)
            assert.equal(expected:bytes(), square:bytes())
            local row <close> = rill.matmul(a, a[1])
            local same <close> = a:copy()
            blas.gemv(1.0, same, same[1], 0.0, same[1])
            assert.equal(row:bytes(), same[1]:bytes())
        end
    end)

    it("does not read terms that are multiplied by zero", function()
        local bad <close> = rill.stream("float", {64, 64}, NAN)
        local a, c = random("float", {64, 64}), bad:copy()
        blas.gemm(1.0, a, a, 0.0, c)
        assert.equal(rill.matmul(a, a):bytes(), c:bytes())
        local y <close> = rill.stream("float", 64, NAN)
        blas.gemv(1.0, a, a[1], 0.0, y)
        assert.equal(0, rill.debug.stats(y).nan)
        local before = y:bytes()
        blas.gemv(0.0, bad, bad[1], 1.0, y)
        blas.axpy(0.0, bad[1], y)
        assert.equal(before, y:bytes())
        blas.gemv(0.0, bad, bad[1], 0.0, y)
        assert.equal(0.0, blas.asum(y))
        local doubled <close> = (2 * c):eval()
        blas.gemm(0.0, bad, bad, 2.0, c)
        assert.equal(doubled:bytes(), c:bytes())
    end)

    it("propagates NaN and infinity", function()
        local a, x = rill.stream("float", {64, 64}, 1.0), rill.stream("float", 64, 1.0)
        a:set(NAN, 3, 40)
        a:set(math.huge, 5, 9)
        local y <close> = rill.stream("float", 64)
        for _, transposed in ipairs {false, true} do
            blas.gemv(1.0, transposed and a:transpose() or a, x, 0.0, y, {transpose = transposed})
            local values = y:values()
            assert.is_true(values[3] ~= values[3])
            assert.equal(math.huge, values[5])
            assert.equal(64.0, values[4])
        end
        blas.gemv(1.0, a, x, 0.0, y, {transpose = true})
        assert.equal(math.huge, y:get(9))
        assert.is_true(y:get(40) ~= y:get(40))
        assert.is_true(blas.dot(a[3], x) ~= blas.dot(a[3], x))
        assert.equal(math.huge, blas.nrm2(a[5]))
        assert.is_true(blas.nrm2(a[3]) ~= blas.nrm2(a[3]))
        assert.is_true(blas.asum(a[3]) ~= blas.asum(a[3]))
        assert.equal(40, blas.iamax(a[3]))
    end)

    it("nrm2 neither overflows nor underflows", function()
        for type, sizes in pairs {float = {1e30, 1e-25, 3e38, 2e-38}, double = {1e200, 1e-200, 1e308, 3e-308}} do
            for _, size in ipairs(sizes) do
                local x <close> = rill.from({size / 8 * 3, 0, size / 8 * 4}, type)
                local norm = blas.nrm2(x)
                assert.is_true(math.abs(norm / (size / 8 * 5) - 1) < 4 * UNIT[type], ("%g of %s"):format(norm, type))
            end
            assert.equal(0.0, blas.nrm2(rill.stream(type, 5)))
        end
    end)

    it("gemv of many rows, and of long rows", function()
        local tall <close> = rill.stream("float", {300000, 64}, 1.0)
        local wide = tall:reshape {64, 300000}
        local ones, long = rill.stream("float", 64, 1.0), rill.stream("float", 300000, 1.0)
        local short, y = rill.stream("float", 64), rill.stream("float", 300000)
        assert.equal(19200000.0, blas.gemv(1.0, tall, long, 0.0, short, {transpose = true}):sum())
        assert.equal(19200000.0, blas.gemv(1.0, wide, long, 0.0, short):sum())
        assert.equal(19200000.0, blas.gemv(1.0, tall, ones, 0.0, y):sum())
    end)

    it("iamax finds the first element with the largest magnitude", function()
        assert.equal(2, blas.iamax(rill.from {1, -7, 7, 3}))
        assert.equal(0, blas.iamax(rill.stream("float", 0)))
        check.equal({2, 1}, {blas.iamax(rill.from {{1, 2}, {-5, 5}})})
    end)

    it("accepts expressions as inputs", function()
        local x, y = rill.from {1, 2}, rill.from {10, 20}
        check.equal({14, 28}, blas.axpy(2.0, 2 * x, y):values())
        assert.equal(42.0, blas.asum(-y))
    end)

    it("reports errors", function()
        local a, x = rill.stream("float", {3, 4}), rill.stream("float", 5)
        local y, n = rill.stream("float", 3), rill.stream("int", 5)
        check.names({"rill.blas.gemv", "A is 3 x 4, x has 5 elements, y has 3 elements"}, blas.gemv, 1, a, x, 0, y)
        check.names({"A is 3 x 4 (transposed)", "x has 5"}, blas.gemv, 1, a, x, 0, y, {transpose = true})
        check.names({"rill.blas.gemm", "A is 3 x 4, B is 3 x 4, C is 3 x 4"}, blas.gemm, 1, a, a, 0, a)
        check.names({"rill.blas.ger", "x has 3 elements, y has 5 elements, A is 3 x 4"}, blas.ger, 1, y, x, a)
        check.names({"rill.blas.dot", "x has 5 elements, y has 3 elements"}, blas.dot, x, y)
        check.names({"rill.blas.axpy", "#2 'x'", "float or double", "int"}, blas.axpy, 1, n, x)
        check.names({"rill.blas.axpy", "#1 'alpha'", "a number", "stream"}, blas.axpy, x, x, x)
        check.names({"rill.blas.scal: argument 'x' is a view that can't be written to"}, blas.scal, 2,
            rill.iter("float", 3, 0, 1))
        check.names({"rill.blas.scal", "#2 'x'", "which is written", "expression"}, blas.scal, 2, x + 1)
        check.names({"rill.blas.gemv", "#3 'x'", "a vector", "3x4"}, blas.gemv, 1, a, a, 0, y)
        check.names({"rill.blas.gemv", "#2 'A'", "a matrix", "5"}, blas.gemv, 1, x, x, 0, y)
        check.names({"rill.blas.gemm", "#5 'C'", "a batch", "3"}, blas.gemm, 1, a, a, 0, y)
        check.names({"rill.blas.gemm", "unknown option 'transpose'"}, blas.gemm, 1, a, a, 0, a, {transpose = true})
        check.names({"option 'transpose'", "true or false"}, blas.gemv, 1, a, x, 0, y, {transpose = 1})
        check.names({"rill.blas.nrm2", "closed stream"}, blas.nrm2, (function()
            local s = rill.stream("float", 3)
            s:close()
            return s
        end)())
        check.names({"rill.blas.gemm", "broadcast"}, blas.gemm, 1, rill.stream("float", {2, 3, 3}),
            rill.stream("float", {5, 3, 3}), 0, rill.stream("float", {2, 3, 3}))
        check.names({"rill.blas.gemm", "the product has shape 2x3x3", "5x3x3"}, blas.gemm, 1,
            rill.stream("float", {2, 3, 3}), rill.stream("float", {3, 3}), 0, rill.stream("float", {5, 3, 3}))
        check.names({"rill.blas.gemm", "cannot be written"}, blas.gemm, 1, rill.stream("float", {3, 3}),
            rill.stream("float", {3, 3}), 0, rill.stream("float", {1, 3}):tile(3, 1))
        check.names({"rill.blas", "'gem'", "gemm"}, function() return blas.gem end)
    end)
end)
