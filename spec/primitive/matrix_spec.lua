-- Matrices of rill.sparse against plain Lua in double precision, and against the reference values of three matrices of the SuiteSparse collection.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local tempfiles = require "spec.support.tempfiles"

local sparse = rill.sparse
local FORMATS <const> = {"csr", "coo", "ell"}

-- Returns entries with random 0-based rows and columns as flat lists. Some rows are empty, and some entries have the same row and column.
local function entries(m, n, count, seed)
    local rows, columns, values, state = {}, {}, {}, seed
    local function next_number(most)
        state = (state * 6364136223846793005 + 1442695040888963407)
        return (state >> 33) % most
    end
    for k = 1, count do
        rows[k], columns[k] = next_number(m), next_number(n)
        values[k] = (next_number(2001) - 1000) / 256
    end
    if count > 3 then
        rows[2], columns[2] = rows[1], columns[1]
    end
    return rows, columns, values
end

-- Returns the sums of the entries with the same row and column: elements[i][j], 0-based.
local function elements(rows, columns, values)
    local sums = {}
    for k, i in ipairs(rows) do
        sums[i] = sums[i] or {}
        sums[i][columns[k]] = (sums[i][columns[k]] or 0) + values[k]
    end
    return sums
end

local function count_of(sums)
    local count = 0
    for _, row in pairs(sums) do
        for _ in pairs(row) do
            count = count + 1
        end
    end
    return count
end

-- Returns A x, and for each row the sum of the magnitudes of its terms.
local function product(sums, m, x)
    local y, sizes = {}, {}
    for i = 0, m - 1 do
        local sum, size = 0.0, 0.0
        for j, value in pairs(sums[i] or {}) do
            sum, size = sum + value * x[j + 1], size + math.abs(value * x[j + 1])
        end
        y[i + 1], sizes[i + 1] = sum, size
    end
    return y, sizes
end

local function check_product(expected, sizes, got, unit, where)
    assert.equal(#expected, #got)
    for i, value in ipairs(expected) do
        local good = math.abs(value - got[i]) <= 16 * unit * sizes[i]
        assert.is_true(good, ("%s, row %d: %g, not %g"):format(where, i, got[i], value))
    end
end

local function dense_of(sums, m, n)
    local list = {}
    for i = 0, m - 1 do
        for j = 0, n - 1 do
            list[i * n + j + 1] = sums[i] and sums[i][j] or 0
        end
    end
    return list
end

local SIZES <const> = {{1, 1, 1}, {1, 9, 4}, {9, 1, 4}, {5, 7, 0}, {7, 5, 12}, {40, 30, 100}, {65, 257, 3000}}

-- Returns a matrix whose row `full` has all columns, and whose other rows have one entry.
local function one_full(n, full)
    local rows = rill.concat {rill.iota(n):copy(), rill.stream("int", n, full)}
    local columns = rill.concat {rill.iota(n):copy(), rill.iota(n):copy()}
    return sparse.coo {shape = {n, n}, rows = rows, columns = columns, values = rill.stream("float", 2 * n, 1)}
end

describe("rill.sparse", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    it("has the elements that its entries give, in all formats", function()
        for number, size in ipairs(SIZES) do
            local m, n, count = size[1], size[2], size[3]
            local rows, columns, values = entries(m, n, count, number)
            local sums = elements(rows, columns, values)
            local coo = sparse.coo {shape = {m, n}, rows = rows, columns = columns, values = values}
            assert.equal(count_of(sums), coo.nnz)
            local dense, x = dense_of(sums, m, n), rill.random(n, {seed = number, low = -1})
            local expected, sizes = product(sums, m, x:values())
            local turned = rill.stream("float", {m, n}, dense):transpose():values()
            local diagonal = {}
            for i = 1, math.min(m, n) do
                diagonal[i] = dense[(i - 1) * n + i]
            end
            for _, format in ipairs(FORMATS) do
                local A <close> = coo:to(format)
                assert.equal(format, A.format)
                assert.equal(("%dx%d"):format(m, n), tostring(A.shape))
                assert.equal(coo.nnz, A.nnz)
                check.equal(dense, A:dense():values())
                check.equal(diagonal, A:diagonal():values())
                local T <close> = A:transpose()
                assert.equal(format, T.format)
                check.equal(turned, T:dense():values())
                check_product(expected, sizes, A:multiply(x):values(), 2.0 ^ -23, format)
                check.equal(coo.rows:values(), A.rows:values())
                check.equal(coo.offsets:values(), A.offsets:values())
                for _, other in ipairs(FORMATS) do
                    local B <close> = A:to(other)
                    check.equal(dense, B:dense():values())
                end
            end
        end
    end)

    it("multiplies matrices of any number of columns, and views", function()
        local rows, columns, values = entries(40, 30, 200, 5)
        local sums = elements(rows, columns, values)
        local coo = sparse.coo {shape = {40, 30}, rows = rows, columns = columns, values = values}
        for _, width in ipairs {1, 2, 3, 4, 5, 8, 9} do
            local whole = rill.random({30, width + 2}, {seed = width, low = -1})
            local X = whole:domain({1, 2}, {30, width + 1})
            for _, format in ipairs(FORMATS) do
                local Y = coo:to(format):multiply(X)
                assert.equal("40x" .. width, tostring(Y.shape))
                for j = 1, width do
                    local expected, sizes = product(sums, 40, X:domain({1, j}, {30, j}):values())
                    check_product(expected, sizes, Y:domain({1, j}, {40, j}):values(), 2.0 ^ -23, format)
                end
            end
        end
        assert.equal("40x0", tostring(coo:multiply(rill.stream("float", {30, 0})).shape))
    end)

    it("returns the wider type", function()
        local list = {shape = {2, 2}, offsets = {0, 1, 3}, columns = {1, 0, 1}, values = {3, 4, 5}}
        local single = sparse.csr(list)
        list.values = rill.from({3, 4, 5.1}, "double")
        local double = sparse.csr(list)
        assert.same({"float", "double"}, {single.type, double.type})
        local x, z = rill.from {1, 2}, rill.from({1, 0.1}, "double")
        assert.equal("float", single:multiply(x).type)
        for _, format in ipairs(FORMATS) do
            check.equal({0.1 * 3, 4 + 0.1 * 5}, single:to(format):multiply(z):values(), 1e-15)
            check.equal({6, 4 + 2 * 5.1}, double:to(format):multiply(x):values(), 1e-15)
            check.equal({0.1 * 3, 4 + 0.1 * 5.1}, double:to(format):multiply(z):values(), 1e-15)
        end
        check.equal({15, 37}, single:multiply(2 * x + 1):values())
    end)

    it("keeps entries of csr in any order, and adds duplicates", function()
        local A = sparse.csr {shape = {2, 3}, offsets = {0, 3, 4}, columns = {2, 0, 2, 1}, values = {1, 2, 3, 7}}
        assert.equal(4, A.nnz)
        check.equal({2, 0, 4, 0, 7, 0}, A:dense():values())
        check.equal({6, 7}, A:multiply(rill.from {1, 1, 1}):values())
        assert.equal(3, A:to "csr".nnz)
        check.equal({2, 7}, A:diagonal():values())
        check.equal({2, 0, 0, 7, 4, 0}, A:transpose():dense():values())
    end)

    it("reads NaN and infinity of x only where there is an entry", function()
        local A = sparse.csr {shape = {3, 3}, offsets = {0, 1, 2, 3}, columns = {0, 1, 2}, values = {1, 1, 0}}
        for _, format in ipairs(FORMATS) do
            local y = A:to(format):multiply(rill.from {2, 0 / 0, math.huge}):values()
            assert.equal(2.0, y[1])
            assert.is_true(y[2] ~= y[2])
            assert.is_true(y[3] ~= y[3])
        end
    end)

    it("divides long rows: one full row among many #tables", function()
        local n = 30000
        local A <close> = one_full(n, n // 3)
        local x <close> = rill.stream("float", n, function(i) return i % 3 end)
        local y <close> = A:to "csr":multiply(x)
        assert.equal(x:sum() + x:get(n // 3 + 1), y:get(n // 3 + 1))
        y:set(x:get(n // 3 + 1), n // 3 + 1)
        assert.equal(x:bytes(), y:bytes())
    end)

    it("divides rows of lengths at the limits of pieces, for vectors and matrices", function()
        local lengths <const> = {64, 65, 0, 1024, 1025, 1, 5000, 3, 2048, 2049}
        for _, type in ipairs {"float", "double"} do
            for _, m in ipairs {1, 10, 400} do
                local rows, columns, values, n = {}, {}, {}, 6000
                for i = 0, m - 1 do
                    for k = 1, m == 1 and 5000 or i % 40 < 10 and lengths[i % 10 + 1] or i % 3 do
                        rows[#rows + 1], columns[#columns + 1], values[#values + 1] = i, (7 * k + i) % n, k % 13 - 6
                    end
                end
                local A <close> = sparse.coo {shape = {m, n}, rows = rows, columns = columns,
                    values = rill.from(values, type)}:to "csr"
                local x <close> = rill.stream(type, n, function(i) return i % 11 - 5 end) -- sums are exact
                local X <close> = rill.stream(type, {n, 3}, function(i, j) return (i + j - 1) % 11 - 5 end) -- X(i, 1) = x(i)
                local want, list = {}, x:values()
                for i = 1, m do want[i] = 0 end
                for k, i in ipairs(rows) do want[i + 1] = want[i + 1] + values[k] * list[columns[k] + 1] end
                local y <close> = rill.stream(type, m, -1)
                for _ = 1, 3 do -- the first product makes a plan
                    check.equal(want, A:multiply(x):values(), 0)
                    assert.equal(y, A:multiply(x, y))
                    check.equal(want, y:values(), 0)
                end
                check.equal(want, A:multiply(X):transpose():copy():reshape(3 * m):domain(1, m):values(), 0)
                check.names({"A:multiply", "'x'", "elements of int"}, A.multiply, A, rill.iota(n):copy())
                check.names({"A:multiply", "A is " .. m .. " x 6000, x has 5999 elements"}, A.multiply, A,
                    x:domain(1, n - 1), y)
                check.names({"A:multiply", "y has " .. m + 1 .. ", not"}, A.multiply, A, x, rill.stream(type, m + 1))
                local closed = rill.stream(type, n)
                closed:close()
                check.names({"A:multiply", "'x'", "closed"}, A.multiply, A, closed, y)
                local view = x:domain(1, m) -- x and the result overlap
                check.equal(want, A:multiply(x, view):values(), 0)
            end
        end
    end)

    it("reads no index out of range where rows are divided #tables", function()
        local x <close> = rill.stream("float", 100, 1)
        local A <close> = one_full(100, 7)
        rill.check(true)
        local done, y = pcall(A.multiply, A, x)
        rill.check(false)
        assert.is_true(done, y)
        assert.equal(101.0, y:get(8))
    end)

    it("agrees with reference values of matrices from files #tables", function()
        local known = {
            ["gr_30_30"] = {7744, 253.8582282, 356, 33.28663395, 14.8414396244, 8.89346546046},
            ["494_bus"] = {1666, 57513.15962, 2198.655747, 2198.665256, 2198.66524792, 2227.21280418},
            ["bcsstk16"] = {290378, 6.006028771e+10, 2.860759037e+11, 1.049579997e+10, 615548450.931, 345821697.228},
        }
        local data, reason = tempfiles.data()
        if not data then
            pending(reason)
            return
        end
        for name, values in pairs(known) do
            local A <close> = sparse.load(data .. "/matrices/" .. name .. ".mtx")
            local n = A.shape[2]
            local ones, falling = rill.stream("double", n, 1), rill.stream("double", n, function(i) return 1 / i end)
            for type, share in pairs {double = 1e-9, float = 1e-5} do
                local B <close> = sparse.csr {
                    shape = A.shape, offsets = A.offsets, columns = A.columns, values = A.values:cast(type),
                }
                local y, z = B:multiply(ones:cast(type)), B:multiply(falling:cast(type))
                local got = {B.nnz, B.values:norm(), y:sum(), y:norm(), z:sum(), z:norm()}
                for i, value in ipairs(values) do
                    assert.is_true(math.abs(got[i] - value) <= share * math.abs(value),
                        ("%s, %s, %d: %.10g, not %.10g"):format(name, type, i, got[i], value))
                end
            end
        end
    end)

    it("does not wait in later products, and allocates only the result #tables", function()
        local A <close> = one_full(3000, 7):to "csr"
        local x <close> = rill.stream("float", 3000, 1)
        A:multiply(x):close()
        check.collect()
        collectgarbage "stop"
        local before = rill.memory().streams
        local y <close> = A:multiply(x)
        local after = rill.memory().streams
        collectgarbage "restart"
        assert.equal(before + 1, after)
        assert.equal(3001.0, y:get(8))
    end)

    it("writes into a given result, and then allocates nothing #tables", function()
        local full = one_full(3000, 7)
        local x <close> = rill.stream("float", 3000, 1)
        local y <close> = rill.stream("float", 6000, -1)
        for _, format in ipairs {"csr", "coo", "ell"} do
            local A <close> = format == "ell" and sparse.csr {
                shape = {3000, 3000}, offsets = rill.iota(3001), columns = rill.iota(3000), values = x,
            }:to "ell" or full:to(format)
            local expected <close> = A:multiply(x)
            for _, part in ipairs {y:domain(2, 3001), y:stride(2)} do
                assert.equal(part, A:multiply(x, part))
                assert.equal(expected:bytes(), part:bytes())
            end
            local part <close> = y:domain(1, 3000)
            check.collect()
            collectgarbage "stop"
            local before = rill.memory()
            A:multiply(x, part)
            local after = rill.memory()
            collectgarbage "restart"
            assert.same({before.streams, before.bytes}, {after.streams, after.bytes})
            local own <close> = x:copy()
            assert.equal(expected:bytes(), A:multiply(own, own):bytes())
        end
        local none = sparse.coo {shape = {2, 2}, rows = {}, columns = {}, values = {}}
        check.equal({0, 0}, none:multiply(rill.from {1, 2}, rill.from {3, 4}):values())
        check.names({"A is 2 x 2", "y has 3, not 2"}, none.multiply, none, rill.from {1, 2}, rill.from {1, 2, 3})
        check.names({"'y'", "elements of float", "of double"}, none.multiply, none, rill.from {1, 2},
            rill.from({1, 2}, "double"))
        check.names({"'y'", "expression"}, none.multiply, none, rill.from {1, 2}, rill.from {1, 2} + 1)
    end)

    it("writes into its own values", function()
        local n = 3000
        local rows = rill.iota(5 * n) // 5
        local columns = rill.kernel "kernel int column(int k<>, int n) { return (k * 7919 + k / 5) % n; }"(
            rill.iota(5 * n), n)
        local given = rill.random(5 * n, {seed = 4})
        local x <close> = rill.random(n, {seed = 5})
        local A = sparse.coo {shape = {n, n}, rows = rows, columns = columns, values = given}:to "csr"
        local expected <close> = A:multiply(x)
        local y = A.values:domain(3001, 6000)
        check.equal(expected:values(), A:multiply(x, y):values())
    end)

    it("returns copies of another type", function()
        local A = sparse.csr {shape = {2, 2}, offsets = {0, 1, 2}, columns = {1, 0}, values = {0.1, 2}}
        for _, format in ipairs {"csr", "coo", "ell"} do
            local B = A:to(format)
            local C = B:cast "double"
            B:close()
            assert.equal("double", C.type)
            assert.equal(format, C.format)
            check.equal({0, 0.1, 2, 0}, C:dense():values(), 1e-7)
        end
        check.names({"A:cast", "got 3"}, A.cast, A, 3)
    end)

    it("frees temporary streams when its format changes", function()
        local m, n, count = 300, 200, 20000
        local rows, columns, values = entries(m, n, count, 5)
        local A <close> = sparse.coo {shape = {m, n}, rows = rows, columns = columns, values = values}
        for _, format in ipairs(FORMATS) do
            local B <close> = A:to(format)
            for _, to in ipairs {"csr", "coo", "ell", "transpose"} do
                check.collect()
                collectgarbage "stop"
                local before = rill.memory().bytes
                local C <close> = to == "transpose" and B:transpose() or B:to(to)
                local own = C.format == "ell" and 8 * (C.columns.shape[2] + 4) * (C.shape[1] + 4) or 12 * C.nnz + 4 * m
                local more = rill.memory().bytes - before - own
                collectgarbage "restart"
                assert(more < 4 * C.nnz, format .. " to " .. to .. ": " .. more)
            end
        end
    end)

    -- From 65,536 entries on columns are counted, up to 32 entries each; longer ones are sorted.
    shortened(it, "is transposed in order, whether its columns are short or long", function(whole)
        for _, case in ipairs {
            {3000, 70000, 80000, "double"}, {50000, 700, 70000, "float"},
            whole and {20000, 20000, 90000, "float"} or nil, whole and {70000, 9000, 70000, "float"} or nil,
        } do
            local m, n, count, kind = table.unpack(case)
            local at, rows, columns, values = {}, {}, {}, {}
            local given_rows, given_columns = entries(m, n, count, 7)
            for k, i in ipairs(given_rows) do
                local place = i * n + given_columns[k]
                if not at[place] then
                    at[place] = true
                    rows[#rows + 1], columns[#columns + 1], values[#values + 1] = i, given_columns[k], k
                end
            end
            local order = {}
            for k = 1, #rows do order[k] = k end
            table.sort(order, function(a, b)
                return columns[a] < columns[b] or columns[a] == columns[b] and rows[a] < rows[b]
            end)
            for _, format in ipairs(FORMATS) do
                local A <close> = sparse.coo {shape = {m, n}, rows = rows, columns = columns,
                    values = rill.from(values, kind)}:to(format)
                local T <close> = A:transpose()
                assert.same({n, m, format, kind}, {T.shape[1], T.shape[2], T.format, T.type})
                local C <close> = T:to "coo"
                local r, c, v = C.rows:values(), C.columns:values(), C.values:values()
                assert.equal(#order, #v)
                for i, k in ipairs(order) do
                    if r[i] ~= columns[k] or c[i] ~= rows[k] or v[i] ~= values[k] then
                        assert.same({columns[k], rows[k], values[k]}, {r[i], c[i], v[i]}, format .. " entry " .. i)
                    end
                end
            end
        end
    end)

    it("has its own type, and rill.sparse can be called", function()
        local A = sparse.csr {shape = {1, 2}, offsets = {0, 1}, columns = {1}, values = {4}}
        assert.equal("matrix", rill.type(A))
        assert.equal("matrix<float>[1x2] csr, 1 entry", tostring(A))
        assert.matches("multiply", rill.help(A))
        assert.is_nil(rill.type(setmetatable({}, {__name = "rill.stream"})))
        A.values:write {5}
        check.equal({0, 5}, A:dense():values())
        local c <close> = rill.sparse("float", {8, 8}, {page = {4, 4}})
        assert.equal("container", rill.type(c))
        A:close()
        A:close()
        assert.equal("closed matrix", tostring(A))
        check.names({"A:multiply", "closed"}, A.multiply, A, rill.from {1, 2})
        check.names({"closed", "'shape'"}, function() return A.shape end)
    end)

    it("reports errors", function()
        local function csr(change)
            local list = {shape = {2, 3}, offsets = {0, 1, 2}, columns = {0, 2}, values = {1, 2}}
            for key, value in pairs(change) do
                list[key] = value
            end
            return function() return sparse.csr(list) end
        end
        check.names({"rill.sparse.csr", "'columns' has 3 as element 2", "0 .. 2"}, csr {columns = {0, 3}})
        check.names({"'columns' has -1 as element 1"}, csr {columns = {-1, 3}})
        local huge <close> = rill.stream("uint", 2, {1, 4294967295})
        check.names({"'columns' has 4294967295 as element 2", "0 .. 2"}, csr {columns = huge})
        check.names({"'offsets' has 4294967295 as element 2"}, csr {offsets = huge})
        check.names({"rill.sparse.coo", "'rows' has 4294967295 as element 2", "0 .. 1"}, sparse.coo,
            {shape = {2, 2}, rows = huge, columns = {0, 1}, values = {1, 2}})
        check.names({"rill.sparse.ell", "'columns' has 4294967295 as element 1, 2"}, sparse.ell,
            {shape = {1, 2}, columns = huge:reshape {1, 2}, values = {{1, 2}}})
        check.names({"'offsets' has 2 elements", "2 rows need 3"}, csr {offsets = {0, 2}})
        check.names({"'offsets' goes from 0 to 3", "0 to 2"}, csr {offsets = {0, 1, 3}})
        check.names({"'offsets' decreases after element 2"}, csr {offsets = {0, 3, 2}})
        check.names({"'columns' has shape 1, 'values' has 2"}, csr {columns = {0}})
        check.names({"option 'values'", "float or double", "int"}, csr {values = rill.iota(2)})
        check.names({"option 'columns'", "expected elements of int", "float"}, csr {columns = rill.stream("float", 2)})
        check.names({"option 'columns'", "expected an open stream or a table, got nil"}, sparse.csr,
            {shape = {2, 3}, offsets = {0, 1, 2}, values = {1, 2}})
        check.names({"option 'shape'"}, csr {shape = {2, -3}})
        check.names({"unknown option 'rows'"}, csr {rows = {0, 1}})
        check.names({"rill.sparse.csr", "a table like", "number"}, sparse.csr, 3)
        check.names({"rill.sparse.coo", "'rows' has 2 as element 1", "0 .. 1"}, sparse.coo,
            {shape = {2, 2}, rows = {2}, columns = {0}, values = {1}})
        check.names({"rill.sparse.ell", "'columns' has shape 1x2", "2 rows"}, sparse.ell,
            {shape = {2, 2}, columns = {{0, -1}}, values = {{1, 2}}})
        check.names({"'columns' has 2 as element 1, 1", "or -1"}, sparse.ell,
            {shape = {1, 2}, columns = {{2, -1}}, values = {{1, 2}}})
        check.names({"rows have 32769 slots", "csr"}, sparse.ell, {shape = {1, 40000},
            columns = rill.stream("int", {1, 32769}), values = rill.stream("float", {1, 32769})})
        local A = csr {}()
        check.names({"A is 2 x 3, x has 5 elements"}, A.multiply, A, rill.stream("float", 5))
        check.names({"A is 2 x 3, X is 2 x 4"}, A.multiply, A, rill.stream("float", {2, 4}))
        check.names({"A:multiply", "float or double", "int"}, A.multiply, A, rill.iota(3))
        check.names({"A:multiply", "a vector or a matrix", "3x1x1"}, A.multiply, A, rill.stream("float", {3, 1, 1}))
        check.names({"A:to", "'format'", "dense"}, A.to, A, "dense")
        check.names({"a matrix before the colon"}, A.multiply, 3)
        check.names({"no field or method 'colums'", "A.columns"}, function() return A.colums end)
        check.names({"A.values:write"}, function() A.values = 3 end)
        local broken = csr {}()
        broken.offsets:close()
        check.raises("matrix_spec.lua:%d+: .* closed stream", function() return broken.rows end)
        check.names({"A:multiply: the matrix's stream of offsets was closed"}, broken.multiply, broken,
            rill.from {1, 2, 3})
        local wide = sparse.coo {shape = {50000, 50000}, rows = {0}, columns = {49999}, values = {1}}
        check.names({"A:dense", "50000 x 50000"}, wide.dense, wide)
        local full = one_full(50000, 3)
        check.names({"A:to", "ELL", "50000", "csr"}, full.to, full, "ell")
    end)

    it("saves and loads", function()
        local rows, columns, values = entries(30, 20, 100, 9)
        local A = sparse.coo {shape = {30, 20}, rows = rows, columns = columns, values = values}
        local double = rill.random(100, {seed = 1, type = "double"})
        local D = sparse.coo {shape = {30, 20}, rows = rows, columns = columns, values = double}
        for i, B in ipairs {A, A:to "ell", D} do
            local path = files:path(i .. ".mtx")
            B:save(path)
            local C = sparse.load(path)
            check.equal(B:to "csr".offsets:values(), C.offsets:values())
            check.equal(B:to "csr".columns:values(), C.columns:values())
            check.equal(B:to "csr".values:values(), C.values:values())
        end
        check.names({"A:save", "nowhere"}, A.save, A, files:path "nowhere/a.mtx")
    end)
end)
