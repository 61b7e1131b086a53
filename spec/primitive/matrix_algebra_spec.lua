local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local sparse = rill.sparse
local FORMATS <const> = {"csr", "coo", "ell"}

-- Returns an m x n table of tables of zeros, or of f(i, j).
local function table_of(m, n, f)
    local t = {}
    for i = 1, m do
        t[i] = {}
        for j = 1, n do
            t[i][j] = f and f(i, j) or 0
        end
    end
    return t
end

-- Returns a random sparse matrix, built from entries with duplicates in any order, and its elements. Values are small
-- integers, so that sums and products of floats are exact.
local function random(m, n, count, format, type)
    local rows, columns, values, t = {}, {}, {}, table_of(m, n)
    for k = 1, m * n > 0 and count or 0 do
        local i, j, v = math.random(m), math.random(n), math.random(-2, 2)
        rows[k], columns[k], values[k] = i - 1, j - 1, v
        t[i][j] = t[i][j] + v
    end
    local A = sparse.coo {shape = {m, n}, rows = rows, columns = columns, values = rill.from(values, type)}
    if format == "unordered" then -- CSR with entries of a row in any order, and with duplicates
        local order = {}
        for k in ipairs(rows) do order[k] = k end
        table.sort(order, function(a, b) return rows[a] < rows[b] or rows[a] == rows[b] and a < b end)
        local offsets, c, v = {0}, {}, {}
        for i = 1, m do
            local at = offsets[i]
            while order[at + 1] and rows[order[at + 1]] == i - 1 do
                at = at + 1
                c[at], v[at] = columns[order[at]], values[order[at]]
            end
            offsets[i + 1] = at
        end
        return sparse.csr {shape = {m, n}, offsets = offsets, columns = c, values = rill.from(v, type)}, t
    end
    return A:to(format), t
end

-- Asserts the elements of a matrix, and that its entries are ordered, without zeros unless `zeros` is set.
local function same(t, A, m, n, zeros)
    assert.equal(m, A.shape[1])
    assert.equal(n, A.shape[2])
    local rows, columns, values = A.rows:values(), A.columns:values(), A.values:values()
    local seen, nonzero = table_of(m, n), 0
    for k, v in ipairs(values) do
        local before = k > 1 and rows[k - 1] * n + columns[k - 1] or -1
        assert.is_true(rows[k] * n + columns[k] > before)
        assert.is_true(zeros or v ~= 0)
        seen[rows[k] + 1][columns[k] + 1] = v
    end
    for i = 1, m do
        for j = 1, n do
            assert.equal(t[i][j] + 0.0, seen[i][j] + 0.0)
            nonzero = nonzero + (t[i][j] ~= 0 and 1 or 0)
        end
    end
    assert.is_true(zeros or nonzero == #values)
end

local function product(a, b, m, k, n)
    return table_of(m, n, function(i, j)
        local s = 0
        for l = 1, k do
            s = s + a[i][l] * b[l][j]
        end
        return s
    end)
end

local function fails(text, f)
    check.names({text}, f)
end

describe("algebra of sparse matrices", function()
    leaks.watch(setup, teardown)

    shortened(it, "sums, differences, products and multiples are those of dense matrices", function(whole)
        math.randomseed(77)
        local formats <const> = whole and {"csr", "coo", "ell", "unordered"} or {"coo", "unordered"}
        for round = 1, whole and 150 or 24 do
            local m, k, n = math.random(0, 9), math.random(0, 9), math.random(0, 9)
            local types = {whole and math.random(2) == 1 and "double" or "float",
                math.random(2) == 1 and "float" or "double"}
            local type = (types[1] == "double" or types[2] == "double") and "double" or "float"
            local one, two = formats[math.random(#formats)], formats[math.random(#formats)]
            local A, a = random(m, k, math.random(0, 30), one, types[1])
            local B, b = random(m, k, math.random(0, 30), two, types[2])
            local C, c = random(k, n, math.random(0, 30), two, types[2])
            for sign, S in pairs {[1] = A + B, [-1] = A - B} do
                same(table_of(m, k, function(i, j) return a[i][j] + sign * b[i][j] end), S, m, k)
                assert.equal(type, S.type)
                assert.equal(one == "coo" and "coo" or "csr", S.format)
            end
            local P = round % 2 == 0 and A * C or A:multiply(C)
            same(product(a, c, m, k, n), P, m, n)
            assert.equal(type, P.type)
            for scale, S in pairs {[-1] = -A, [3] = 3 * A, [0.5] = A / 2, [-2] = A * -2} do
                check.equal((A:dense() * scale):values(), S:dense():values())
                assert.equal(A.nnz, S.nnz)
                assert.equal(A.format .. A.type, S.format .. S.type)
            end
            local x = rill.random(k, {seed = round})
            check.equal(A:multiply(x):values(), (A * x):values())
        end
    end)

    it("zeros are left out of sums and products; multiples and Kronecker products keep them", function()
        local A = sparse.from_dense {{1, 2}, {0, 3}}
        local B = sparse.from_dense {{-1, 2}, {0, 1}}
        assert.equal(2, (A + B).nnz)
        assert.equal(0, (A - A).nnz)
        assert.equal(0, (sparse.from_dense {{1, 1}} * sparse.from_dense {{1}, {-1}}).nnz)
        assert.equal(3, (0 * A).nnz)
        local zero = sparse.csr {shape = {1, 2}, offsets = {0, 2}, columns = {0, 1}, values = {0, 1}}
        assert.equal(1, (zero + sparse.csr {shape = {1, 2}, offsets = {0, 0}, columns = {}, values = {}}).nnz)
        assert.equal(1, (zero * sparse.eye(2)).nnz)
        assert.equal(6, sparse.kron(A, zero).nnz)
    end)

    it("NaN and infinity propagate", function()
        local inf, nan = math.huge, 0 / 0
        local A = sparse.csr {shape = {2, 2}, offsets = {0, 2, 3}, columns = {0, 1, 1}, values = {inf, nan, 1}}
        check.equal({inf, nan, 0, 2}, (A + sparse.from_dense {{1, 1}, {0, 1}}):dense():values())
        check.equal({nan, nan, 0, 0}, (A - A):dense():values())
        check.equal({inf, nan, 0, 1}, (A * sparse.eye(2)):dense():values())
        for _, format in ipairs(FORMATS) do
            check.equal({inf, nan, 0, inf}, (A:to(format) * inf):dense():values())
            check.equal({nan, inf}, (A:to(format) * inf):multiply(rill.ones(2)):values())
        end
    end)

    shortened(it, "products of many rows, long rows and many passes are exact", function(whole)
        -- A tridiagonal matrix of 3000 rows: squares have five diagonals.
        local n = 3000
        local T = sparse.diags({-1, 2, -1}, {-1, 0, 1}, {n, n})
        local S = T * T
        check.equal({1, -4, 6, -4, 1}, {S:dense():get(7, 5), S:dense():get(7, 6), S:dense():get(7, 7),
            S:dense():get(7, 8), S:dense():get(7, 9)})
        assert.equal(5 * n - 6, S.nnz)
        if not whole then
            return
        end
        -- A row with 4.4 million products, which take passes of one row. In the second product the passes cancel.
        local full = sparse.from_dense(rill.ones {4200, 1050})
        local function row(values)
            return sparse.coo {shape = {2, 4200}, rows = rill.zeros(4200, "int"), columns = rill.iota(4200),
                values = values} * full
        end
        local P = row(rill.ones(4200))
        assert.equal(1050, P.nnz)
        check.equal({4200, 4200}, {P.values:min(), P.values:max()})
        assert.equal(0, row(rill.concat {rill.ones(2100), rill.full(2100, -1)}).nnz)
        -- A matrix whose keys exceed 32 bits.
        local wide = sparse.diags({1, 1, 1, 1}, {0, 1, 70000, 100000}, {100000, 200000})
        local W = wide * wide:transpose()
        assert.equal(W.nnz, W:transpose().nnz)
        check.equal({4}, {W:diagonal():min()})
        assert.equal(0, (W - W:transpose()).nnz)
        local x = rill.random(100000, {type = "int", low = 0, high = 9, seed = 1}):cast "float"
        check.equal(wide:multiply(wide:transpose():multiply(x)):values(), W:multiply(x):values())
        -- 4.8 million products in passes of whole rows.
        local dense = sparse.from_dense(rill.ones {220, 100}) * sparse.from_dense(rill.ones({100, 220}, "double"))
        assert.equal(48400, dense.nnz)
        check.equal({100, 100}, {dense.values:min(), dense.values:max()})
        check.equal(rill.iota(48400):values(), (dense.rows * 220 + dense.columns):values())
    end)

    it("the results are the same in every run", function()
        local A = sparse.from_dense(rill.random({60, 80}, {seed = 3}), 0.7)
        local B = sparse.from_dense(rill.random({80, 50}, {seed = 4}), 0.6)
        local first = (A * B).values:values()
        for _ = 1, 3 do
            check.equal(first, (A * B).values:values())
        end
    end)

    it("operands that do not fit are errors", function()
        local A, B = sparse.eye(2), sparse.eye(3)
        fails("A + B: A is 2 x 2, B is 3 x 3: expected equal shapes", function() return A + B end)
        fails("A - B: A is 2 x 2, B is 3 x 3: expected equal shapes", function() return A - B end)
        fails("A * B: A is 2 x 2, B is 3 x 3: expected as many rows of B as columns of A",
            function() return A * B end)
        fails("A:multiply: A is 2 x 2, B is 3 x 3", function() return A:multiply(B) end)
        fails("A + B: expected two sparse matrices, got a matrix and number 1", function() return A + 1 end)
        fails("A:dense() is a stream", function() return A + rill.ones {2, 2} end)
        fails("A * B: expected a sparse matrix and a number, a stream or a sparse matrix, got a matrix and {}",
            function() return A * {} end)
        fails("A / s: expected a matrix and a number, got number 1 and a matrix", function() return 1 / A end)
        fails("expected none, as the product of two sparse matrices is a new matrix",
            function() return A:multiply(A, rill.ones(2)) end)
        fails("a matrix has no operator '^'", function() return A ^ 2 end)
        B:close()
        fails("A + B: the matrix was closed", function() return B + B end)
        fails("-A: the matrix was closed", function() return -B end)
        fails("A * B: the matrix was closed", function() return 2 * B end)
    end)
end)

describe("builders of sparse matrices", function()
    leaks.watch(setup, teardown)

    it("eye is the identity", function()
        for _, n in ipairs {0, 1, 5} do
            same(table_of(n, n, function(i, j) return i == j and 1 or 0 end), sparse.eye(n), n, n)
        end
        assert.equal("double", sparse.eye(2, "double").type)
    end)

    it("diags is scipy's diags", function()
        same({{1, 4, 0}, {0, 2, 5}, {0, 0, 3}}, sparse.diags({{1, 2, 3}, {4, 5}}, {0, 1}), 3, 3)
        same({{1, 2, 0, 0}, {0, 1, 2, 0}, {0, 0, 1, 2}}, sparse.diags({1, 2}, {0, 1}, {3, 4}), 3, 4)
        same({{0, 1, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 3}, {0, 0, 0, 0}}, sparse.diags({1, 2, 3}, 1), 4, 4)
        same({{0, 0}, {1, 0}, {0, 2}, {0, 0}}, sparse.diags({rill.from {1, 2}}, {-1}, {4, 2}), 4, 2)
        same({{0, 0, 0}, {0, 2, 0}, {0, 0, 0}}, sparse.diags(rill.from({0, 2, 0}, "double")), 3, 3)
        same({}, sparse.diags({{}}, {0}), 0, 0)
        same({{0, 0}}, sparse.diags({3, {}}, {2, -1}, {1, 2}), 1, 2)
        assert.equal("double", sparse.diags({{1, 2}, rill.from({2}, "double")}, {0, 1}, {2, 2}).type)
        math.randomseed(5)
        for _ = 1, 40 do
            local m, n = math.random(7), math.random(7)
            local t = table_of(m, n)
            local lists, offsets = {}, {}
            for offset = -m + 1, n - 1 do
                if math.random(3) == 1 then
                    local list = {}
                    for i = 1, m do
                        local j = i + offset
                        if j >= 1 and j <= n then
                            list[#list + 1] = math.random(0, 3)
                            t[i][j] = list[#list]
                        end
                    end
                    local at = math.random(#lists + 1)
                    table.insert(lists, at, list)
                    table.insert(offsets, at, offset)
                end
            end
            if #lists > 0 then
                same(t, sparse.diags(lists, offsets, {m, n}), m, n)
            end
        end
    end)

    it("kron has a block for each element", function()
        math.randomseed(6)
        for round = 1, 60 do
            local m, n, p, q = math.random(0, 5), math.random(0, 5), math.random(0, 5), math.random(0, 5)
            local type = round % 2 == 0 and "double" or "float"
            local A, a = random(m, n, math.random(0, 12), FORMATS[round % 3 + 1], type)
            local B, b = random(p, q, math.random(0, 12), FORMATS[math.random(3)], "float")
            local K = sparse.kron(A, B)
            same(table_of(m * p, n * q, function(i, j)
                return a[(i - 1) // p + 1][(j - 1) // q + 1] * b[(i - 1) % p + 1][(j - 1) % q + 1]
            end), K, m * p, n * q, true)
            assert.equal(A.nnz * B.nnz, K.nnz)
            assert.equal(A.type, K.type)
        end
    end)

    it("from_dense keeps elements above the tolerance, and NaN", function()
        local nan = 0 / 0
        local s = rill.from {{0, 1, -0.5}, {nan, -0.0, 0.25}}
        local A = sparse.from_dense(s)
        assert.equal(4, A.nnz)
        check.equal({0, 1, -0.5, nan, 0, 0.25}, A:dense():values())
        check.equal({0, 1, 0, nan, 0, 0}, sparse.from_dense(s, 0.5):dense():values())
        check.equal({0, nan, 1, 0, -0.5, 0.25}, sparse.from_dense(s:transpose()):dense():values())
        assert.equal("double", sparse.from_dense(rill.ones({2, 3}, "double")).type)
        for _, shape in ipairs {{0, 3}, {3, 0}, {1, 1}, {4, 5}} do
            local D = sparse.from_dense(rill.zeros(shape))
            assert.equal(0, D.nnz)
            check.equal(shape, {D.shape[1], D.shape[2]})
        end
    end)

    it("refuses bad arguments", function()
        local A <const> = sparse.eye(2)
        for text, f in pairs {
            ["rill.sparse.eye: argument #1 'n': expected a whole number"] = function() sparse.eye(-1) end,
            ["rill.sparse.eye: argument #2 'type': expected \"float\" or \"double\", got \"int\""] =
                function() sparse.eye(2, "int") end,
            ["rill.sparse.diags: argument #1 'diagonals': item 1 is a number: expected a stream or a table"] =
                function() sparse.diags({1}, {0}) end,
            ["item 1 has 2 elements: diagonal 0 of a matrix of 3 x 3 has 3"] =
                function() sparse.diags({{1, 2}}, {0}, {3, 3}) end,
            ["diagonal 0 is listed twice"] = function() sparse.diags({{1, 2}, {1}}, {0, 0}) end,
            ["there are 1 diagonals and 2 offsets"] = function() sparse.diags({{1, 2}}, {0, 1}) end,
            ["a matrix of 3 x 3 has no diagonal 5"] = function() sparse.diags({{1, 2}}, {5}, {3, 3}) end,
            ["argument #2 'offsets': item 1: expected a whole number, got number 0.5"] =
                function() sparse.diags({{1, 2}}, {0.5}) end,
            ["argument #3 'shape': expected {rows, columns}"] = function() sparse.diags({{1, 2}}, {0}, {3}) end,
            ["expected a table of diagonals and a table of their offsets"] = function() sparse.diags({{1}}, "0") end,
            ["rill.sparse.kron: argument #1 'A': expected a sparse matrix, got nil"] = function() sparse.kron() end,
            ["rill.sparse.kron: argument #2 'B': expected a sparse matrix, got number 2"] =
                function() sparse.kron(A, 2) end,
            ["rill.sparse.from_dense: argument #1 'matrix': expected 2 dimensions"] =
                function() sparse.from_dense {1, 2} end,
            ["argument #1 'matrix': expected elements of float or double, got elements of int"] =
                function() sparse.from_dense(rill.ones({2, 2}, "int")) end,
            ["argument #2 'tolerance': expected a number, 0 or more, got number -1"] =
                function() sparse.from_dense({{1}}, -1) end,
        } do
            fails(text, f)
        end
        local large <const> = sparse.csr {shape = {2, 1 << 30}, offsets = {0, 0, 0}, columns = {}, values = {}}
        fails("rill.sparse.kron: the result would be 4 x 2147483648", function()
            sparse.kron(large, A)
        end)
    end)
end)
