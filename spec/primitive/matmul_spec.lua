-- rill.matmul against sums in double.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- The product of flat row-major lists.
local function product(a, b, m, k, n)
    local result = {}
    for i = 0, m - 1 do
        for j = 1, n do
            local sum = 0
            for t = 0, k - 1 do
                sum = sum + a[i * k + t + 1] * b[t * n + j]
            end
            result[i * n + j] = sum
        end
    end
    return result
end

local function random(type, shape, seed)
    if type == "float" or type == "double" then
        return rill.random(shape, {type = type, seed = seed, low = -1, high = 1})
    end
    return rill.random(shape, {type = type, seed = seed, low = 0, high = 1000})
end

describe("matmul", function()
    leaks.watch(setup, teardown)

    local function compare(type, sizes)
        for _, size in ipairs(sizes) do
            local m, k, n = table.unpack(size)
            local a, b = random(type, {m, k}, 1), random(type, {k, n}, 2)
            local c = rill.matmul(a, b)
            assert.equal(type, c.type)
            assert.equal(m .. "x" .. n, tostring(c.shape))
            local tolerance = type == "float" and k * 2e-7 or type == "double" and 1e-13 or nil
            check.equal(product(a:values(), b:values(), m, k, n), c:values(), tolerance)
            assert.equal(c:bytes(), rill.matmul(a, b):bytes())
        end
    end

    local SIZES <const> = {
        {1, 1, 1}, {1, 5, 1}, {2, 3, 4}, {16, 16, 16}, {17, 33, 65}, {64, 64, 64}, {65, 1, 3},
        {3, 70, 129}, {1, 130, 67}, {5, 9, 200}, {70, 31, 1}, {100, 7, 5}, {31, 32, 33},
        {102, 101, 103}, -- factors are copied to whole texels
    }

    -- A matrix of rows x columns, in one of seven layouts.
    local LAYOUTS <const> = {
        function(make, r, c) return make {r, c} end,
        function(make, r, c) return make {c, r}:transpose() end,
        function(make, r, c) return make {r + 3, c + 8}:domain({2, 5}, {r + 1, c + 4}) end,
        function(make, r, c) return make {c + 4, r + 4}:transpose():domain({5, 3}, {r + 4, c + 2}) end,
        function(make, r, c) return make {2 * r, 3 * c}:stride(2, 3) end,
        function(make, r, c) return make {r, c}:flip(1) end,
        function(make, r, c) return make {c + 1, r + 1}:transpose():domain({2, 2}, {r + 1, c + 1}) end,
    }

    local function activated(x, activation)
        if activation == "relu" then
            return x < 0 and 0 or x
        elseif activation == "sigmoid" then
            return 1 / (1 + math.exp(-x))
        elseif activation == "tanh" then
            return (math.exp(2 * x) - 1) / (math.exp(2 * x) + 1)
        end
        return x
    end

    -- Compares products of all pairs of layouts, with a bias and an activation.
    local function compare_layouts(type, activations, tolerance)
        local seed = 0
        local function make(shape)
            seed = seed + 1
            local whole <const> = type == "int"
            return rill.random(shape, {seed = seed, type = type, low = whole and -9 or -1, high = whole and 9 or 1})
        end
        for i, left in ipairs(LAYOUTS) do
            for j, right in ipairs(LAYOUTS) do
                local m, k, n = table.unpack((i + j) % 3 == 0 and {8, 12, 68} or i == j and {6, 10, 3} or {9, 7, 5})
                local a, b, bias = left(make, m, k), right(make, k, n), make {n + 1}:domain(2, n + 1)
                local activation = activations[(i + j) % #activations + 1]
                -- In the short mode each layout is once the left factor and once the right factor. Of other types than
                -- float there are four products.
                if LONG or (j - i) % 7 == 1 and (type == "float" or i % 2 == 1) then
                    local c = rill.matmul(a, b, {bias = j % 3 > 0 and bias or nil, activation = activation or nil})
                    local wanted, added = product(a:values(), b:values(), m, k, n), bias:values()
                    for at, x in ipairs(wanted) do
                        wanted[at] = activated(x + (j % 3 > 0 and added[(at - 1) % n + 1] or 0), activation)
                    end
                    check.equal(wanted, c:values(), tolerance)
                end
            end
        end
    end

    it("of any layout, with a bias and an activation", function()
        compare_layouts("float", {"relu", "sigmoid", "tanh", false}, 4e-6)
        compare_layouts("int", {"relu", false})
    end)

    it("of any layout of doubles, with a bias and an activation #doubles", function()
        compare_layouts("double", {"relu", "sigmoid", "tanh", false}, 1e-13)
    end)

    it("keeps NaN, and has the bias where there is no term", function()
        for _, activation in ipairs {"relu", "sigmoid", "tanh"} do
            local c = rill.matmul(rill.from {{1, 0 / 0}, {1, 1}}, rill.from {{1}, {1}}, {activation = activation})
            local values = c:values()
            assert.is_true(values[1] ~= values[1] and values[2] == values[2])
        end
        local none = rill.matmul(rill.zeros {2, 0}, rill.zeros {0, 3},
            {bias = rill.from {1, -2, 3}, activation = "relu"})
        check.equal({1, 0, 3, 1, 0, 3}, none:values())
        assert.equal("0x3", tostring(rill.matmul(rill.zeros {0, 2}, rill.zeros {2, 3}, {bias = rill.zeros(3)}).shape))
    end)

    it("refuses a bias or an activation that does not fit", function()
        local a, integers = rill.zeros {2, 2}, rill.zeros({2, 2}, "int")
        check.raises("option 'bias': expected 2 elements in one dimension, .* got the shape 3",
            rill.matmul, a, a, {bias = rill.zeros(3)})
        check.raises("option 'bias': expected elements of float, .* got double",
            rill.matmul, a, a, {bias = rill.zeros(2, "double")})
        check.raises("option 'bias': expected a stream, got number 2", rill.matmul, a, a, {bias = 2})
        check.raises('option \'activation\': expected "relu", "sigmoid" or "tanh", got string "elu"',
            rill.matmul, a, a, {activation = "elu"})
        check.raises('option \'activation\': expected "relu" for a product of int',
            rill.matmul, integers, integers, {activation = "tanh"})
        check.raises("unknown option 'activate'", rill.matmul, a, a, {activate = "relu"})
    end)

    it("of float, of incomplete tiles", function()
        compare("float", LONG and SIZES or {{1, 1, 1}, {17, 33, 65}, {64, 64, 64}, {3, 70, 129}, {102, 101, 103}})
    end)

    it("of double, of incomplete tiles #doubles", function() compare("double", {{17, 33, 65}, {5, 9, 200}}) end)

    it("of int, of incomplete tiles", function() compare("int", {{17, 33, 65}, {5, 9, 200}}) end)

    -- The family gpu uses larger tiles where a batch has 256 of these.
    local function compare_batch(type, m, k, n, tolerance)
        local a, b = random(type, {256, m, k}, 1), random(type, {256, n, k}, 2):transpose {1, 3, 2}
        local whole <const> = type == "int"
        local bias = whole and rill.iota(n):map "-300000 * x" or random(type, n, 3)
        local c = rill.matmul(a, b, {bias = bias, activation = "relu"})
        local added = bias:values()
        for _, i in ipairs {1, 256} do
            local wanted = product(a[i]:copy():values(), b[i]:copy():values(), m, k, n)
            for at, x in ipairs(wanted) do
                wanted[at] = math.max(x + added[(at - 1) % n + 1], 0)
            end
            check.equal(wanted, c[i]:copy():values(), tolerance)
        end
    end

    it("of batches of large incomplete tiles", function()
        compare_batch("float", 101, 19, 115, 4e-6)
        compare_batch("int", 124, 20, 116)
    end)

    it("of a matrix of large incomplete tiles, added to another", function()
        local m <const>, k <const>, n <const> = 1924, 21, 2044
        local a, b, c = random("float", {k, m}, 1):transpose(), random("float", {k, n}, 2), random("float", {m, n}, 3)
        local before = c:copy()
        rill.blas.gemm(2, a, b, -1, c)
        for _, row in ipairs {1, 1024, m} do
            local x, added = a:domain({row, 1}, {row, k}), before[row]:copy():values()
            local wanted = product(x:values(), b:values(), 1, k, n)
            for at, value in ipairs(wanted) do
                wanted[at] = 2 * value - added[at]
            end
            check.equal(wanted, c[row]:copy():values(), 2e-5)
        end
    end)

    for _, type in ipairs {"double", "int", "uint"} do
        it(("of %s, with more sizes #long%s"):format(type, type == "double" and " #doubles" or ""), function()
            compare(type, SIZES)
        end)
    end

    it("of whole numbers wraps", function()
        local a, b = rill.from({{65536, 3}}, "int"), rill.from({{65536}, {5}}, "int")
        check.equal({15}, rill.matmul(a, b):values())
        check.equal({4294967291}, rill.matmul(rill.from({{1}}, "uint"), rill.from({{4294967291}}, "uint")):values())
    end)

    it("of vectors", function()
        local m = rill.from {{1, 2, 3}, {4, 5, 6}}
        local row, column = rill.from {10, 1}, rill.from {1, 0, 2}
        check.equal({14, 25, 36}, rill.matmul(row, m):values())
        check.equal({7, 16}, rill.matmul(m, column):values())
        check.equal({5}, rill.matmul(column, column):values())
        assert.equal("3", tostring(rill.matmul(row, m).shape))
        assert.equal("2", tostring(rill.matmul(m, column).shape))
        assert.equal("1", tostring(rill.matmul(column, column).shape))
        check.equal({7, 16}, rill.matmul(m:cast "int", column:cast "int"):values())
        for _, n in ipairs(fitting {1, 31, 1025, 70001}) do
            local v = rill.iota(n):map "x % 7"
            local sum = 0
            for _, x in ipairs(v:values()) do
                sum = sum + x * x
            end
            check.equal({sum}, rill.matmul(v, v):values())
            check.equal({sum}, rill.matmul(v:cast "float", v:cast "float"):values())
        end
    end)

    it("of batches, which broadcast", function()
        local a, b = random("float", {3, 1, 5, 6}, 3), random("float", {2, 6, 7}, 4)
        local c = rill.matmul(a, b)
        assert.equal("3x2x5x7", tostring(c.shape))
        for i = 1, 3 do
            for j = 1, 2 do
                local expected = product(a[i][1]:copy():values(), b[j]:copy():values(), 5, 6, 7)
                check.equal(expected, c[i][j]:copy():values(), 1e-5)
            end
        end
        local row = random("float", 6, 5)
        local d = rill.matmul(row, b)
        assert.equal("2x7", tostring(d.shape))
        check.equal(product(row:values(), b[2]:copy():values(), 1, 6, 7), d[2]:copy():values(), 1e-5)
        local e = rill.matmul(a, row)
        assert.equal("3x1x5", tostring(e.shape))
        check.equal(product(a[3][1]:copy():values(), row:values(), 5, 6, 1), e[3][1]:copy():values(), 1e-5)
        local f = rill.matmul(random("int", {4, 50, 3}, 1), random("int", {3, 2}, 2))
        local g = random("int", {4, 50, 3}, 1)
        check.equal(product(g[4]:copy():values(), random("int", {3, 2}, 2):values(), 50, 3, 2), f[4]:copy():values())
    end)

    it("of views and other types", function()
        local s = random("float", {40, 50}, 6)
        local a, b = s:domain({3, 2}, {21, 31}), s:transpose():domain({5, 4}, {34, 20})
        check.equal(product(a:values(), b:values(), 19, 30, 17), rill.matmul(a, b):values(), 1e-5)
        local square = rill.matmul(s, s:transpose())
        check.equal(product(s:values(), s:transpose():values(), 40, 50, 40), square:values(), 1e-5)
        check.equal(product(s:stride(2, 1):values(), s:transpose():values(), 20, 50, 40),
            rill.matmul(s:stride(2, 1), s:transpose()):values(), 1e-5)
        local halves = rill.from({{1, 2}, {3, 4}}, "half")
        local mixed = rill.matmul(halves, rill.from({{1, 0}, {2, 1}}, "int"))
        assert.equal("float", mixed.type)
        check.equal({5, 2, 11, 4}, mixed:values())
        assert.equal("double", rill.matmul(rill.from({{1}}, "double"), rill.from({{1}}, "uint8")).type)
        local ramp = rill.iter("float", 4, 0, 4):reshape {2, 2}
        check.equal({0, 1, 2, 3}, rill.matmul(ramp, rill.from {{1, 0}, {0, 1}}):values())
    end)

    it("does not spread NaN and infinities to other elements", function()
        local a, b = rill.stream("float", {5, 5}, 1), rill.stream("float", {5, 5}, 1)
        a:set(1 / 0, 2, 3)
        b:set(0 / 0, 5, 1)
        local c = rill.matmul(a, b):read()
        for i = 1, 5 do
            for j = 1, 5 do
                if j == 1 then
                    assert.is_true(c[i][j] ~= c[i][j])
                else
                    assert.equal(i == 2 and 1 / 0 or 5, c[i][j])
                end
            end
        end
    end)

    it("of empty matrices", function()
        local zeros = rill.matmul(rill.stream("float", {2, 0}), rill.stream("float", {0, 3}))
        check.equal({0, 0, 0, 0, 0, 0}, zeros:values())
        assert.equal("0x3", tostring(rill.matmul(rill.stream("float", {0, 2}), rill.stream("float", {2, 3})).shape))
        check.equal({0}, rill.matmul(rill.stream("int", 0), rill.stream("int", 0)):values())
        check.equal({0, 0}, rill.matmul(rill.stream("float", {2, 0}), rill.stream("float", 0)):values())
    end)

    it("of long rows #slow", function()
        local k = 70001
        local a, b = rill.iota({3, k}):map "x % 5", rill.iota({k, 4}):map "x % 3"
        local c, x, y = rill.matmul(a, b):read(), a:values(), b:values()
        for _, at in ipairs {{1, 1}, {3, 4}, {2, 3}} do
            local sum = 0
            for t = 0, k - 1 do
                sum = sum + x[(at[1] - 1) * k + t + 1] * y[t * 4 + at[2]]
            end
            assert.equal(sum, c[at[1]][at[2]])
        end
    end)

    it("rejects shapes without a product", function()
        local m = rill.stream("float", {2, 3})
        check.raises("rill.matmul: the shapes 2x3 and 2x3 have no product: 3 columns meet 2 rows", rill.matmul, m, m)
        check.raises("rill.matmul: the shapes 3 and 2x3", rill.matmul, rill.stream("float", 3), m)
        check.raises("rill.matmul: argument #2 'b': expected a stream", rill.matmul, m, 3)
        check.raises("rill.matmul: expected a matrix of numbers, got elements of vec2", rill.matmul,
            rill.stream("vec2", {2, 2}), m)
        check.raises("rill.matmul: the leading dimensions of 2x1x1 and 3x1x1", rill.matmul,
            rill.stream("float", {2, 1, 1}), rill.stream("float", {3, 1, 1}))
    end)
end)
