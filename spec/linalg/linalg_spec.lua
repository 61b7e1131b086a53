-- rill.linalg: decompositions, which are checked by residuals and orthogonality in doubles, and functions, which are compared with recorded results of numpy
-- 1.24 and scipy 1.10.
local rill = require "rill"
local check = require "spec.support.check"
local decompositions = require "spec.support.decompositions"
local differences = require "spec.support.differences"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local linalg <const> = rill.linalg

-- Returns a function that returns numbers from -1 to 1.
local function noise(seed)
    return function()
        seed = (seed * 1103515245 + 12345) % 2147483648
        return seed / 1073741824 - 1
    end
end

local function matrix(m, n, entry)
    local rows = {}
    for i = 1, m do
        rows[i] = {}
        for j = 1, n do rows[i][j] = entry(i, j) end
    end
    return rows
end

-- By name: functions of the sizes that return the elements of a matrix.
local kinds <const> = {
    random = function(m, n) return matrix(m, n, noise(7 * m + n)) end,
    zero = function(m, n) return matrix(m, n, function() return 0 end) end,
    identity = function(m, n) return matrix(m, n, function(i, j) return i == j and 1 or 0 end) end,
    rank = function(m, n) return matrix(m, n, function(i, j) return i * j + 2 * (i % 3) * (j % 2) end) end,
    small = function(m, n) return matrix(m, n, function(i, j) return ((i * j) % 7 - 3) * 1e-37 end) end,
    large = function(m, n) return matrix(m, n, function(i, j) return ((i * j) % 7 - 3) * 1e34 end) end,
    graded = function(m, n) return matrix(m, n, function(i, j) return 10.0 ^ -(i + j) * (1 + (i * j) % 3) end) end,
    bidiagonal = function(m, n)
        return matrix(m, n, function(i, j) return i == j and i % 3 or i + 1 == j and 2 or 0 end)
    end,
}

local function message_of(f, ...)
    local done <const>, message <const> = pcall(f, ...)
    assert.is_false(done)
    return message
end

local function refuses(words, f, ...)
    local message <const> = message_of(f, ...)
    assert.truthy(message:find(words, 1, true), message)
end

describe("rill.linalg", function()
    leaks.watch(setup, teardown)

    for name, make in pairs(kinds) do
        it("decomposes matrices of all shapes: " .. name, function()
            local all <const> = {{1, 1}, {1, 3}, {2, 2}, {4, 2}, {3, 3}, {5, 5}, {9, 4}, {3, 8}, {13, 13}}
            local few <const> = {{1, 3}, {2, 2}, {5, 5}, {9, 4}, {3, 8}}
            for _, T in ipairs {"float", "double"} do
                for _, size in ipairs(LONG and all or few) do
                    local a <const> = make(size[1], size[2])
                    decompositions.check(T, {a, a})
                end
            end
        end)
    end

    it("decomposes a matrix with more sweeps of rotations than are collected", function()
        decompositions.check("double", {kinds.random(70, 70)})
        decompositions.check("float", {kinds.random(66, 35)})
    end)

    it("takes views and batches with several dimensions", function()
        local s <const> = rill.random({2, 6, 3, 5}, {seed = 3})
        for _, n in ipairs {3, 5} do
            local view <const> = s:transpose {2, 1, 4, 3}:domain({1, 1, 1, 1}, {6, 2, n, 3})
            local copy <const> = view:copy()
            local one <const>, other <const> = {linalg.svd(view)}, {linalg.svd(copy)}
            for k = 1, 3 do
                assert.same(other[k]:values(), one[k]:values())
            end
            assert.equal("6x2x" .. n .. "x3", tostring(one[1].shape))
            local q <const> = linalg.qr(view)
            assert.same(linalg.qr(copy[4][2]):values(), q[4][2]:values())
        end
        local e <const> = linalg.eigh(s:domain({1, 1, 1, 1}, {2, 6, 3, 3}) * 2)
        check.equal((linalg.eigh(s[2][6]:domain({1, 1}, {3, 3}):copy()) * 2):values(), e[2][6]:values(), 1e-6)
    end)

    it("gives NaN for matrices with NaN and infinite elements, and only for these", function()
        for _, n in ipairs {2, 3, 6} do
            for _, bad in ipairs {0 / 0, math.huge, -math.huge} do
                local list <const> = {kinds.random(n, n), kinds.random(n, n)}
                list[2][2][1] = bad
                decompositions.undefined("float", {list[2]})
                decompositions.undefined("double", {list[2]})
                local a <const> = rill.from(list, "double")
                for _, x in ipairs {linalg.svd(a), (linalg.eigh(a)), (linalg.qr(a)), linalg.pinv(a)} do
                    for _, value in ipairs(x[1]:values()) do assert.equal(value, value) end
                    for _, value in ipairs(x[2]:values()) do assert.are_not.equal(value, value) end
                end
            end
        end
    end)

    it("computes ranks, condition numbers and solutions of matrices whose singular values overflow", function()
        for T, large in pairs {float = 3e38, double = 1.7e308} do
            for _, n in ipairs(LONG and {2, 3, 6} or {3}) do
                local ones <const>, unit <const> = rill.full({n, n}, 1, T), rill.eye(n, T)
                local a <const> = rill.stack({ones * large, unit * large, unit, ones * 0, ones * (0 / 0)}, 1)
                assert.same({1, n, n, 0, 0}, linalg.rank(a):values())
                assert.same({1, 1, math.huge}, linalg.cond(a):domain(2, 4):values())
                local x <const>, report <const> = linalg.lstsq(a, rill.full({5, n}, large, T))
                assert.same({1, n, n, 0, 0}, report.rank:values())
                check.equal(rill.full(n, 1 / n, "double"):values(), x[1]:values(), 1e-6)
                check.equal(rill.full(n, 1, "double"):values(), x[2]:values(), 1e-6)
                assert.equal(math.huge, report.values:get(1, 1))
                assert.near(1, report.values:get(2, n) / large, 1e-6)
                assert.near(0.25, linalg.pinv(unit * (large / 2 ^ 20)):get(1, 1) * (large / 2 ^ 20) / 4, 1e-6)
            end
        end
        assert.equal(math.huge, linalg.cond(rill.zeros {2, 3}))
    end)

    it("returns empty results for empty matrices", function()
        for _, shape in ipairs {{0, 3}, {3, 0}, {0, 0}, {0, 3, 3}, {2, 0, 5}, {0, 7, 7}} do
            local a <const> = rill.stream("double", shape)
            local u <const>, s <const>, v <const> = linalg.svd(a)
            assert.equal(0, s.size)
            assert.equal(0, (linalg.qr(a)).size)
            assert.equal(0, linalg.pinv(a).size)
            assert.equal(#shape, #u.shape)
            assert.equal(#shape, #v.shape)
        end
        local none <const> = rill.stream("float", {0, 0})
        assert.equal(1.0, linalg.det(none))
        assert.same({1.0, 0.0}, {linalg.slogdet(none)})
        assert.equal(0, linalg.inv(none).size)
        assert.equal(0, linalg.cholesky(none).size)
        assert.equal(0, linalg.expm(none).size)
        assert.equal(0, linalg.rank(none))
        assert.equal(0, linalg.eigh(none).size)
        assert.equal("0", tostring(linalg.det(rill.stream("float", {0, 2, 2})).shape))
        local x <const>, report <const> = linalg.lstsq(rill.stream("float", {3, 0}), rill.from {1, 2, 2})
        assert.equal(0, x.size)
        assert.equal(0, report.rank)
        check.equal({9}, report.residuals:values(), 1e-6)
        refuses("no norm", linalg.norm, none)
        refuses("no norm", linalg.cond, none)
    end)

    local hilbert <const> = matrix(5, 5, function(i, j) return 1 / (i + j - 1) end)

    it("computes what numpy computes for Hilbert's matrix", function()
        local h <const> = rill.from(hilbert, "double")
        check.equal({3.2879287721718634e-06, 0.00030589804015119, 0.011407491623419804, 0.20853421861101323,
            1.5670506910982311}, linalg.eigh(h, {vectors = false}):values(), 1e-15)
        assert.near(1, linalg.det(h) / 3.749295132515227e-12, 1e-11)
        local sign <const>, log <const> = linalg.slogdet(h)
        assert.equal(1.0, sign)
        assert.near(-26.309453258276406, log, 1e-10)
        assert.near(1, linalg.cond(h) / 476607.25024172297, 1e-9)
        assert.near(1, linalg.cond(h, 1) / 943655.9999999363, 1e-8)
        assert.near(1.580906263272022, linalg.norm(h), 1e-14)
        assert.near(1.7873015873015872, linalg.norm(h, "nuc"), 1e-14)
        check.equal({25, -300, 1050, -1400, 630}, linalg.inv(h)[1]:values(), 1e-7)
        check.equal({25, -300, 1050, -1400, 630}, linalg.pinv(h)[1]:values(), 1e-7)
        assert.equal(5, linalg.rank(h))
        assert.equal(3, linalg.rank(h, {tolerance = 1e-3}))
        check.equal({0.2, 0.2309401076758503, 0.127775312999988, 0.0377964473009223, 0.004761904761908294},
            linalg.cholesky(h)[5]:values(), 1e-12)
    end)

    it("computes exponentials", function()
        local a <const> = rill.from({{1, 2, 0}, {0.5, -1, 3}, {0, 0, 30}}, "double")
        local e <const> = linalg.expm(a):values() -- scipy
        local expected <const> = {3.546482428617162, 2.73659774401718, 71401834620.14212, 0.6841494360042951,
            0.8098846845999798, 1035326601996.167, 0, 0, 10686474581524.52}
        for k = 1, 9 do
            assert.near(0, (e[k] - expected[k]) / math.max(1, math.abs(expected[k])), 1e-11)
        end
        local batch <const> = linalg.expm(rill.from({{{0, 3}, {-3, 0}}, {{0, 0}, {0, 0}}, {{-50, 0}, {0, 9}}}))
        check.equal({math.cos(3), math.sin(3), -math.sin(3), math.cos(3), 1, 0, 0, 1},
            batch:domain({1, 1, 1}, {2, 2, 2}):values(), 1e-6)
        assert.near(1, batch:get(3, 2, 2) / math.exp(9), 1e-5)
        assert.near(1, batch:get(3, 1, 1) / math.exp(-50), 1e-4)
        for _, large in ipairs {200, 1e5, 1e38} do -- overflow does not change the other matrices
            local part <const> = {{0, 3}, {-3, 0}}
            local over <const> = linalg.expm(rill.from {part, {{large, large}, {0, -large}}, part})
            assert.is_false(math.abs(over:get(2, 1, 1)) < math.huge)
            check.equal({math.cos(3), math.sin(3), -math.sin(3), math.cos(3)}, over[1]:copy():values(), 1e-6)
            assert.is_true(over[1]:copy():bytes() == over[3]:copy():bytes())
        end
        refuses("NaN or infinite", linalg.expm, rill.from {{0 / 0, 1}, {1, 1}})
    end)

    it("solves least squares of full and of deficient rank, and pseudoinverses satisfy Penrose's conditions", function()
        for _, T in ipairs {"float", "double"} do
            for _, size in ipairs(LONG and {{5, 3}, {3, 5}, {4, 4}, {9, 6}} or {{3, 5}, {9, 6}}) do
                local m <const>, n <const> = size[1], size[2]
                local a <const> = rill.from({kinds.random(m, n), kinds.rank(m, n)}, T)
                local p <const> = linalg.pinv(a)
                local ap <const>, pa <const> = rill.matmul(a, p), rill.matmul(p, a)
                local bound <const> = T == "float" and 2e-5 or 1e-13
                for _, pair in ipairs {{rill.matmul(ap, a), a}, {rill.matmul(pa, p), p}, {ap, ap:transpose {1, 3, 2}},
                    {pa, pa:transpose {1, 3, 2}}} do
                    assert.is_true(rill.abs(pair[1] - pair[2]):max() < bound * rill.abs(a):max())
                end
                local b <const> = rill.random({2, m, 2}, {seed = 4, type = T})
                local x <const>, report <const> = linalg.lstsq(a, b)
                assert.is_true(rill.abs(x - rill.matmul(p, b)):max() < 10 * bound)
                assert.same({math.min(m, n), 2}, report.rank:values())
                local rest <const> = (b - rill.matmul(a, x)):eval()
                check.equal((rest * rest):sum(2):values(), report.residuals:values(), bound)
            end
        end
        local x <const>, report <const> = linalg.lstsq(rill.from {{1, 1}, {1, 1}}, rill.from {2, 4})
        check.equal({1.5, 1.5}, x:values(), 1e-6)
        assert.equal(1, report.rank)
        check.equal({2}, report.residuals:values(), 1e-5)
        local one <const>, of_one <const> = linalg.lstsq(rill.random({2, 3, 4, 2}, {seed = 5}), rill.random({2, 3, 4}))
        assert.same({"2x3x2", "2x3"}, {tostring(one.shape), tostring(of_one.residuals.shape)})
        local wide <const> = linalg.lstsq(rill.from {{1, 0}, {0, 2}}, rill.from({2, 4}, "double"))
        assert.equal("double", wide.type)
        check.equal({2, 2}, wide:values(), 1e-15)
    end)

    it("computes inverses, determinants and Cholesky factors of batches", function()
        local all <const> = {{3, 2, 2}, {2, 3, 4, 4}, {40, 7, 7}, {1, 130, 130}}
        for _, shape in ipairs(LONG and all or {{3, 2, 2}, {40, 7, 7}}) do
            local n <const> = shape[#shape]
            local a <const> = (rill.random(shape, {seed = n, low = -1, type = "double"}) +
                2 * rill.eye(n, "double")):eval()
            local off <const> = rill.matmul(a, linalg.inv(a)) - rill.eye(n, "double")
            assert.is_true(rill.abs(off):max() < 1e-9)
            local s <const> = rill.matmul(a, a:transpose(#shape == 3 and {1, 3, 2} or {1, 2, 4, 3}))
            local l <const> = linalg.cholesky(s)
            local back <const> = rill.matmul(l, l:transpose(#shape == 3 and {1, 3, 2} or {1, 2, 4, 3}))
            assert.is_true(rill.abs(back - s):max() < 1e-12 * n * s:max())
            local sign <const>, log <const> = linalg.slogdet(a)
            local _, twice <const> = linalg.slogdet(s)
            check.equal((2 * log):values(), twice:values(), 1e-9)
            assert.is_true(rill.abs(linalg.det(a) - sign * rill.exp(log)):max() <= 1e-9 * rill.abs(linalg.det(a)):max())
        end
        -- Determinants of floats are exact where doubles are: 1 + 2^-23 and 1 - 2^-23 are floats.
        local e <const> = 2.0 ^ -23
        assert.equal(e * e, 1 - linalg.det(rill.from {{1 + e, 0}, {0, 1 - e}}))
        assert.equal(-e, linalg.det(rill.from {{1, 1 + e}, {1, 1}}))
        assert.near(-1, 1e30 * linalg.det(rill.from({{0, 1e-10}, {1e-20, 0}}, "double")), 1e-14)
        local sign <const>, log <const> = linalg.slogdet(rill.from({{1e200, 0}, {0, -1e200}}, "double"))
        assert.equal(-1.0, sign)
        assert.near(400 * math.log(10), log, 1e-10)
        assert.same({0.0, -math.huge}, {linalg.slogdet(rill.from {{1, 2}, {2, 4}})})
        local zero <const> = linalg.slogdet(rill.from {{{0, 0}, {0, 1}}, {{-1, 0}, {0, 0}}})
        assert.same({math.huge, math.huge}, (1 / zero):values(), "the sign is not -0")
        assert.equal(0.0, linalg.det(rill.from {{0, 0}, {0, 1}}))
        check.equal({1e10, 0, 0, 1e-10}, linalg.cholesky(rill.from({{1e20, 0}, {0, 1e-20}}, "double")):values(), 1e-15)
    end)

    it("names the pivot and the matrix of singular input", function()
        refuses("rill.linalg.inv: 'a' is singular: pivot 2 is 0", linalg.inv, rill.from {{1, 2}, {2, 4}})
        local a <const> = rill.stream("float", {2, 3, 2, 2})
        a:write(rill.stream("float", a.shape) + rill.eye(2))
        a[2][1]:fill(1)
        refuses("rill.linalg.inv: 'a' is singular: pivot 2 of matrix {2, 1} is 0", linalg.inv, a)
        for _, n in ipairs(LONG and {6, 130} or {130}) do
            local ones <const> = (rill.stream("float", {2, n, n}) + rill.eye(n)):eval()
            ones:set(0, 2, n, n)
            refuses(("rill.linalg.inv: 'a' is singular: pivot %d of matrix 2 is 0"):format(n), linalg.inv, ones)
            check.equal({1, 0}, linalg.det(ones):values())
            ones:set(0 / 0, 1, 2, 1)
            refuses("has NaN as element 1, 2, 1", linalg.inv, ones)
            refuses("has NaN as element 1, 2, 1", linalg.det, ones)
        end
        refuses("rill.linalg.solve: 'a' is singular: pivot 2 of matrix {2, 1} is 0", linalg.solve, a,
            rill.stream("float", {2, 3, 2}))
        refuses("rill.linalg.cholesky: 'a' is not positive definite: pivot 2 of matrix {2, 1} is not above 0",
            linalg.cholesky, a)
        refuses("rill.linalg.cholesky: 'a' is not symmetric", linalg.cholesky, rill.from {{1, 2}, {3, 9}})
        local bad <const> = rill.from {{1, 0 / 0}, {3, 9}}
        for name in ("inv det slogdet cholesky"):gmatch "%a+" do
            refuses(("rill.linalg.%s: 'a' has NaN as element 1, 2"):format(name), linalg[name], bad)
        end
        refuses("rill.linalg.solve: 'a' has NaN as element 1, 2", linalg.solve, bad, rill.from {1, 2})
        refuses("rill.linalg.solve: 'a' is 2 x 2, b has 3 elements", linalg.solve, bad, rill.from {1, 2, 3})
        refuses("rill.linalg.cond: 'a' has NaN as element 1, 2", linalg.cond, bad, 1)
        assert.equal(math.huge, linalg.cond(rill.from {{1, 2}, {2, 4}}, 1))
    end)

    it("refuses other arguments", function()
        local a <const> = rill.from {{1, 2}, {3, 4}}
        for name in ("qr svd eigh pinv inv det slogdet cholesky expm cond rank"):gmatch "%a+" do
            refuses("rill.linalg." .. name .. ": 'a' has 1 dimension", linalg[name], rill.from {1, 2})
            refuses("expected elements of float or double, got elements of int; use s:cast", linalg[name], a:cast "int")
            refuses("rill.linalg." .. name .. ": 'a': expected an open stream, got a table", linalg[name], {{1}})
        end
        for name in ("eigh inv det slogdet cholesky expm"):gmatch "%a+" do
            refuses("rill.linalg." .. name .. ": 'a' is 2 x 3: it must be square", linalg[name],
                rill.stream("float", {2, 3}))
        end
        refuses("must be square", linalg.cond, rill.stream("float", {2, 3}), 1)
        refuses("expected one row of b for each row of a", linalg.lstsq, a, rill.from {1, 2, 3})
        refuses("expected one row of b for each row of a", linalg.lstsq, a, rill.stream("float", {1, 1, 2}))
        refuses("argument #2 'kind'", linalg.norm, a, 3)
        refuses("argument #2 'kind'", linalg.norm, rill.from {1, 2}, "fro")
        refuses("argument #2: expected none", linalg.inv, a, 1)
        refuses("option 'tolerance'", linalg.rank, a, {tolerance = -1})
    end)

    it("computes norms of vectors and of batches", function()
        local v <const> = rill.from {3, -4, 1}
        assert.same({8.0, 4.0, 1.0}, {linalg.norm(v, 1), linalg.norm(v, math.huge), linalg.norm(v, -math.huge)})
        assert.near(26 ^ 0.5, linalg.norm(v), 1e-6)
        local a <const> = rill.from {{{1, -2}, {3, 4}}, {{0, 1}, {1, 0}}}
        for kind, expected in pairs {
            [1] = {6, 1}, [-1] = {4, 1}, [math.huge] = {7, 1}, [-math.huge] = {3, 1}, fro = {30 ^ 0.5, 2 ^ 0.5},
            [2] = {5.116672736016927, 1}, [-2] = {1.954395075848548, 1}, nuc = {7.071067811865475, 2},
        } do
            check.equal(expected, linalg.norm(a, kind):values(), 1e-6)
        end
        assert.equal("2", tostring(linalg.cond(a).shape))
    end)

    it("has gradients, or refuses", function()
        local a <const> = rill.from({{4, 1, .5}, {1, 3, -.7}, {.2, .1, 2}}, "double")
        local batch <const> = (rill.random({2, 3, 3}, {seed = 1, type = "double"}) + 2 * rill.eye(3, "double")):eval()
        local w <const> = rill.random({3, 3}, {seed = 5, type = "double"})
        local function total(x) return type(x) == "number" and x or x.size == 1 and x or x:sum() end
        for _, s in ipairs(LONG and {a, batch} or {batch}) do
            local axes <const> = #s.shape == 2 and {2, 1} or {1, 3, 2}
            local functions <const> = {
                function(x) return total(linalg.det(x)) end,
                function(x) return total((select(2, linalg.slogdet(x)))) end,
                function(x) return (linalg.inv(x) * w):sum() end,
                function(x) return (linalg.cholesky(((x + x:transpose(axes)) / 2):eval()) * w):sum() end,
                function(x) return (linalg.expm(x) * w):sum() end,
                function(x) return total(linalg.norm(x)) end,
            }
            for i, f in ipairs(functions) do
                if LONG or i % 2 == 1 then -- det, inv and expm in the short run
                    differences.check(f, {s}, {bound = 1e-6})
                end
            end
        end
        differences.check(function(x, y) return (linalg.solve(x, y) * y):sum() end, {a, w[1]:copy()}, {bound = 1e-6})
        for name in ("qr svd eigh pinv cond"):gmatch "%a+" do
            for _, n in ipairs {3, 6} do
                refuses("this operation has no gradient", rill.grad(function(x)
                    return total((linalg[name](x)))
                end), rill.random {n, n})
            end
        end
    end)
end)
