-- Compares rill.solve.tridiagonal with elimination with row exchanges in plain Lua in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local tridiagonal = rill.solve.tridiagonal
local NAN <const> = 0.0 / 0.0

-- Returns x of one system, as tables; the first element of lower and the last of upper are not read.
local function eliminate(lower, diagonal, upper, b)
    local n, rows, x = #b, {}, {}
    for i = 1, n do
        rows[i] = {diagonal[i], i < n and upper[i] or 0, 0, b[i]} -- from the diagonal on
    end
    for i = 1, n - 1 do
        local one, next = rows[i], {lower[i + 1], diagonal[i + 1], i + 1 < n and upper[i + 1] or 0, b[i + 1]}
        if math.abs(next[1]) > math.abs(one[1]) then
            one, next = next, one
        end
        local f = next[1] / one[1]
        rows[i] = one
        rows[i + 1] = {next[2] - f * one[2], next[3] - f * one[3], 0, next[4] - f * one[4]}
    end
    for i = n, 1, -1 do
        local row = rows[i]
        x[i] = (row[4] - row[2] * (x[i + 1] or 0) - row[3] * (x[i + 2] or 0)) / row[1]
    end
    return x
end

local function random(shape, seed, type)
    return rill.random(shape, {seed = seed, low = -1, type = type})
end

-- ||b - A x|| / ||b||
local function residual(lower, diagonal, upper, b, x)
    local above, below, n = 0.0, 0.0, #b
    for i = 1, n do
        local beside = (i > 1 and lower[i] * x[i - 1] or 0) + (i < n and upper[i] * x[i + 1] or 0)
        local rest = b[i] - diagonal[i] * x[i] - beside
        above, below = above + rest * rest, below + b[i] * b[i]
    end
    return math.sqrt(above / below)
end

local function largest(list)
    local most = 0.0
    for _, value in ipairs(list) do
        most = math.max(most, math.abs(value))
    end
    return most
end

describe("rill.solve.tridiagonal", function()
    leaks.watch(setup, teardown)

    shortened(it, "solves systems of any length, in rows and in parts", function(whole)
        for _, type in ipairs(whole and {"float", "double"} or {"float"}) do
            for _, n in ipairs(whole and {1, 2, 3, 4, 5, 31, 32, 33, 100, 511, 512, 513, 544, 575, 1024, 1025, 3000,
                20001, 40000} or {1, 2, 3, 40, 513, 3000}) do
                for _, more in ipairs {0, 2.5} do -- any matrix, and one whose diagonal dominates
                    local l, u, b = random(n, 1, type), random(n, 2, type), random(n, 3, type)
                    local d = (random(n, 4, type) * (more > 0 and 0.1 or 1) + more):eval()
                    local before = d:values()
                    local x, report = tridiagonal(l, d, u, b, {tolerance = 1})
                    assert.equal(type, x.type)
                    assert.equal(n > 512 and "parts" or "rows", report.method)
                    local expected = eliminate(l:values(), before, u:values(), b:values())
                    local got = x:values()
                    local share = residual(l:values(), before, u:values(), b:values(), got)
                    local unit = type == "float" and 1e-6 or 1e-15
                    local allowed = unit * (8 + (more > 0 and 0 or 100 * largest(expected) / largest(b:values())))
                    assert.is_true(share <= allowed, ("%s %d: %g, allowed %g"):format(type, n, share, allowed))
                    local noise = type == "double" and allowed or 0
                    assert.is_true(math.abs(report.residual - share) <= 1e-3 * share + noise)
                    if more > 0 then
                        check.equal(expected, got, unit * 10)
                    end
                    check.equal(before, d:values())
                    check.equal(got, tridiagonal(l, d, u, b, {tolerance = 1}):values())
                end
            end
        end
    end)

    shortened(it, "solves batches, with diagonals for each system or for all, and one shorter", function(whole)
        for _, size in ipairs(whole and {{1, 5}, {70, 1}, {70, 2}, {300, 17}, {3, 600}} or {{30, 7}, {3, 600}}) do
            local count, n = size[1], size[2]
            local l, d, u = random({count, n}, 1), (random({count, n}, 2) + 4):eval(), random({count, n}, 3)
            local b = random({count, n}, 4)
            local x = tridiagonal(l, d, u, b)
            local shared = tridiagonal(l:domain({1, 1}, {1, n}):reshape(n), d[1], u[1], b)
            for _, s in ipairs {1, count} do
                local side = b[s]:values()
                check.equal(eliminate(l[s]:values(), d[s]:values(), u[s]:values(), side), x[s]:values(), 1e-6)
                check.equal(eliminate(l[1]:values(), d[1]:values(), u[1]:values(), side), shared[s]:values(), 1e-6)
            end
            if n > 1 then
                local short = tridiagonal(l:domain({1, 2}, {count, n}), d, u:domain({1, 1}, {count, n - 1}), b)
                check.equal(x:values(), short:values())
                local turned = tridiagonal(l:transpose():copy():transpose(), d, u, whole and b * 1 or b)
                check.equal(x:values(), turned:values())
            end
        end
        if not whole then
            return
        end
        local one, b = rill.from {{{3, 3}, {4, 4}}}, rill.from {{{3, 6}, {4, 8}}}
        check.equal({1, 2, 1, 2}, tridiagonal(one * 0, one, one * 0, b):values())
    end)

    it("takes systems without rows, and batches without systems", function()
        local empty = rill.stream("float", 0)
        assert.equal(0, tridiagonal(empty, empty, empty, empty).size)
        local none = rill.stream("double", {0, 4})
        assert.equal("0x4", tostring(tridiagonal(none, none, none, none).shape))
        local ones = rill.from {1, 1}
        check.equal({0, 0}, tridiagonal(ones, rill.from {3, 3}, ones, rill.stream("float", 2)):values())
        check.equal({2}, tridiagonal(empty, rill.from {2}, empty, rill.from {4}):values())
    end)

    shortened(it, "exchanges rows, in parts too, and goes by rows where parts lack a pivot", function(whole)
        local type, unit = whole and "double" or "float", whole and 1e-12 or 1e-6
        for _, n in ipairs(whole and {2, 8, 600, 20000} or {2, 8, 600}) do -- x[i - 1] + x[i + 1] = b[i]
            local ones, zeros, b = rill.stream(type, n, 1), rill.stream(type, n), random(n, n, type)
            local x, report = tridiagonal(ones, zeros, ones, b)
            check.equal(eliminate(ones:values(), zeros:values(), ones:values(), b:values()), x:values(), 1e3 * unit)
            assert.is_true(report.residual < unit)
        end
        local n = 640 -- the second unknown of a part stands only in the part's first row
        local l, u, d = rill.stream("float", n, 1), rill.stream("float", n, 1), rill.stream("float", n, 4)
        d:set(0, 34)
        l:set(0, 35)
        u:set(0, 35)
        local b = random(n, 1)
        local x, report = tridiagonal(l, d, u, b)
        check.equal(eliminate(l:values(), d:values(), u:values(), b:values()), x:values(), 1e-5)
        assert.is_true(report.converged)
    end)

    it("names the pivot that is 0, and solves the other systems of a batch", function()
        for _, n in ipairs {3, 601} do -- zeros along the diagonal of an odd number of rows: singular
            local ones, zeros, b = rill.stream("float", n, 1), rill.stream("float", n), random(n, 1)
            check.names({"rill.solve.tridiagonal", "singular", ("pivot %d is 0"):format(n)}, tridiagonal, ones, zeros,
                ones, b)
            local x, report = tridiagonal(ones, zeros, ones, b, {strict = false})
            assert.same({false, "singular", n, "rows"}, {report.converged, report.reason, report.row, report.method})
            assert.equal(n, rill.isnan(x):count())
            local d = rill.stream("float", {4, n}, 3)
            d:domain({2, 1}, {2, n}):fill(0)
            local sides = rill.stream("float", {4, n}, 1)
            check.names({("pivot %d of system 2 is 0"):format(n)}, tridiagonal, ones, d, ones, sides)
            local y, told = tridiagonal(ones, d, ones, sides, {strict = false})
            assert.same({2, n}, {told.system, told.row})
            assert.equal(n, rill.isnan(y):count())
            assert.equal(n, rill.isnan(y[2]):count())
        end
    end)

    it("refines in mixed precision, and solves systems of any scale #long", function()
        local n = 700
        local l, u, b = random(n, 1, "double"), random(n, 2, "double"), random(n, 3, "double")
        local d = (random(n, 4, "double") + 3):eval()
        local expected = eliminate(l:values(), d:values(), u:values(), b:values())
        local x, report = tridiagonal(l, d, u, b, {precision = "mixed", tolerance = 1e-14})
        assert.equal("double", x.type)
        check.equal(expected, x:values(), 1e-12)
        assert.is_true(report.iterations > 0)
        for _, scale in ipairs {1e-200, 1e200} do
            local y = tridiagonal((l * scale):eval(), (d * scale):eval(), (u * scale):eval(), (b * scale):eval(),
                {precision = "mixed"})
            check.equal(expected, y:values(), 1e-12)
            local _, lost = tridiagonal(l, d, u, (b * scale):eval(), {precision = "float", strict = false})
            assert.is_false(lost.converged) -- x is no float
        end
        for _, scale in ipairs {1e-30, 1e30} do
            local f, g, h = (l * scale):cast "float", (d * scale):cast "float", (u * scale):cast "float"
            check.equal(expected, tridiagonal(f, g, h, (b * scale):cast "float"):values(), 1e-5)
        end
    end)

    it("raises errors about shapes before it begins", function()
        local three, four = rill.from {1, 2, 3}, rill.from {9, 9, 9, 9}
        check.names({"lower has 5 elements, b has 4 elements", "expected 4", "or one less"}, tridiagonal,
            rill.stream("float", 5), four, three, four)
        check.names({"diagonal has 3 elements, b has 4 elements"}, tridiagonal, three, three, three, four)
        check.names({"upper has 2 elements"}, tridiagonal, three, four, rill.from {1, 2}, four)
        check.names({"diagonal is 2 x 4, b is 3 x 4"}, tridiagonal, three, rill.stream("float", {2, 4}), three,
            rill.stream("float", {3, 4}))
        check.names({"diagonal has NaN as element 2"}, tridiagonal, three, rill.from {1, NAN, 1, 1}, three, four)
        check.names({"b has infinity as element 1"}, tridiagonal, three, four, three, rill.from {math.huge, 1, 1, 1})
        check.names({"unknown option 'x0'"}, tridiagonal, three, four, three, four, {x0 = four})
        check.names({"'upper'", "open stream"}, tridiagonal, three, four, nil, four)
    end)
end)
