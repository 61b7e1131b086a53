-- Compares multigrid with residuals in plain Lua, over sizes, boundaries, spacings, shifts and precisions.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local solve = rill.solve

-- Returns the index that a read at index `at` (0-based) of a dimension of size n refers to, or nil if the value is zero.
local function inside(at, n, boundary)
    if boundary == "periodic" then
        return at % n
    elseif boundary == "neumann" then
        return math.max(0, math.min(n - 1, at))
    end
    return at >= 0 and at < n and at or nil
end

local function each(value, rank)
    local list = {}
    for d = 1, rank do
        list[d] = type(value) == "table" and value[d] or value
    end
    return list
end

-- Returns (shift - laplace) x of a flat list of numbers, in doubles.
local function apply(x, shape, options)
    local rank = #shape
    local boundary, spacing = each(options.boundary or "dirichlet", rank), each(options.spacing or 1, rank)
    local strides, result = {}, {}
    local stride = 1
    for d = rank, 1, -1 do
        strides[d], stride = stride, stride * shape[d]
    end
    for k = 0, #x - 1 do
        local sum = (options.shift or 0) * x[k + 1]
        for d = 1, rank do
            local n, s = shape[d], strides[d]
            local at = k // s % n
            for _, step in ipairs {-1, 1} do
                local there = inside(at + step, n, boundary[d])
                sum = sum + (x[k + 1] - (there and x[k + 1 + (there - at) * s] or 0.0)) / spacing[d] ^ 2
            end
        end
        result[k + 1] = sum
    end
    return result
end

local function mean(list)
    local sum = 0.0
    for _, v in ipairs(list) do
        sum = sum + v
    end
    return sum / #list
end

local function is_singular(options, rank)
    for _, kind in ipairs(each(options.boundary or "dirichlet", rank)) do
        if kind == "dirichlet" then
            return false
        end
    end
    return (options.shift or 0) == 0
end

-- Returns the true residual of x, and the distance of its mean from 0 if the mean should be 0.
local function judge(b, x, shape, options)
    local values, right = x:values(), b:values()
    local product = apply(values, shape, options)
    local singular = is_singular(options, #shape)
    local away = singular and mean(right) or 0.0
    local above, below = 0.0, 0.0
    for k = 1, #right do
        above, below = above + (right[k] - away - product[k]) ^ 2, below + (right[k] - away) ^ 2
    end
    return math.sqrt(above / (below > 0 and below or 1)), singular and math.abs(mean(values)) or 0.0
end

local function right_side(shape, type)
    return rill.random(shape, {seed = #shape + shape[1], low = -1, high = 2, type = type})
end

-- Solves, and compares the report with the true residual. Returns the report.
local function solved(shape, options, type)
    local b <close> = right_side(shape, type)
    options.tolerance = options.tolerance or 1e-8
    options.precision = options.precision or "mixed"
    local x, report = solve.multigrid(b, options)
    local said = ("%s: %s"):format(table.concat(shape, " x "), report)
    local residual, off = judge(b, x, shape, options)
    assert.is_true(residual <= 1.001 * options.tolerance + 1e-13, said .. residual)
    assert.is_true(math.abs(residual - report.residual) <= 1e-2 * residual + 1e-13, said .. residual)
    assert.is_true(off <= 1e-6 * math.max(1, x:norm() / math.sqrt(x.size)), said .. " mean " .. off)
    assert.equal(report.converged, true)
    x:close()
    return report
end

describe("rill.solve.multigrid", function()
    leaks.watch(setup, teardown)

    shortened(it, "solves on grids of any size, each boundary", function(whole)
        local sizes = whole and {
            {1, 1}, {1, 2}, {2, 2}, {3, 5}, {8, 8}, {9, 8}, {17, 31}, {64, 64}, {37, 53}, {2, 1000}, {1, 777}, {500, 3},
            {65, 66}, {5, 6, 7}, {1, 9, 30}, {16, 16, 16}, {13, 1, 1},
        } or {{2, 3}, {37, 30}, {2, 300}}
        for _, shape in ipairs(sizes) do
            for _, boundary in ipairs(whole and {"dirichlet", "neumann", "periodic"} or {"dirichlet", "neumann"}) do
                solved(shape, {boundary = boundary})
            end
        end
        solved({9, 11, 10}, {boundary = {"neumann", "neumann", "dirichlet"}})
        if whole then
            for _, one in ipairs {"dirichlet", "neumann", "periodic"} do
                for _, other in ipairs {"dirichlet", "neumann", "periodic"} do
                    solved({19, 24}, {boundary = {one, other}})
                    solved({7, 9, 8}, {boundary = {one, other, "neumann"}})
                end
            end
        end
    end)

    shortened(it, "takes spacings, shifts and precisions", function(whole)
        for _, spacing in ipairs {0.01, {1, 1.4}, {1, 5}, {300, 1}} do
            local report = solved({40, 33}, {spacing = spacing})
            assert.is_true(report.cycles <= 12, tostring(report))
        end
        for _, shift in ipairs {1e-6, 0.3, 1000} do
            solved({40, 33}, {shift = shift, boundary = "neumann"})
        end
        for _, type in ipairs(whole and {"float", "double"} or {"double"}) do
            solved({30, 35}, {precision = "float", tolerance = 1e-5}, type)
            solved({30, 35}, {precision = "mixed", tolerance = 1e-13}, type)
            if whole then
                solved({30, 35}, {precision = "double", tolerance = 1e-13}, type)
                solved({30, 35}, {precision = "double", tolerance = 1e-12, boundary = {"periodic", "neumann"}}, type)
                solved({9, 10, 11}, {precision = "double", tolerance = 1e-13, spacing = {1, 3, 2}}, type)
            end
        end
        local b <close> = right_side {8, 9}
        assert.equal("float", solve.multigrid(b).type)
        assert.equal("double", solve.multigrid(b, {precision = "mixed"}).type)
        local _, report = solve.multigrid(b, {boundary = "neumann"})
        assert.is_true(math.abs(report.mean - mean(b:values())) < 1e-12)
    end)

    shortened(it, "needs as many cycles on every grid", function(whole)
        local counts = {}
        local shapes = whole and
            {{64, 64}, {256, 256}, {1024, 1024}, {2048, 2048}, {2047, 2047}, {1000, 1999}} or {{64, 64}, {200, 200}}
        for _, shape in ipairs(shapes) do
            local b <close> = right_side(shape)
            for _, boundary in ipairs(whole and {"dirichlet", "neumann", "periodic"} or {"dirichlet"}) do
                local x <close>, report = solve.multigrid(b, {precision = "mixed", boundary = boundary})
                assert.is_true(report.cycles <= 6, tostring(report))
                counts[#counts + 1] = report.cycles
                local y <close>, floor = solve.multigrid(b, {tolerance = 0, strict = false, boundary = boundary})
                assert.equal("floor", floor.reason)
                assert.is_true(floor.cycles <= 12, tostring(floor))
                assert.equal(x.shape, y.shape)
            end
        end
        table.sort(counts)
        assert.is_true(counts[#counts] - counts[1] <= 1, table.concat(counts, " "))
        for _, n in ipairs(whole and {64, 128} or {24}) do
            local b <close> = right_side {n, n, n}
            local x <close>, report = solve.multigrid(b, {precision = "mixed"})
            assert.is_true(report.cycles <= 7, tostring(report))
            assert.equal(b.shape, x.shape)
        end
    end)

    it("solves random grids with mixed boundaries #long", function()
        math.randomseed(7)
        local kinds = {"dirichlet", "neumann", "periodic"}
        for _ = 1, 300 do
            local rank = math.random(2, 3)
            local shape, boundary, spacing = {}, {}, {}
            for d = 1, rank do
                shape[d], boundary[d] = math.random(rank == 2 and 40 or 14), kinds[math.random(#kinds)]
                spacing[d] = 10 ^ (math.random() - 0.5)
            end
            local options = {
                boundary = boundary, spacing = spacing,
                shift = math.random() < 0.5 and 0 or 10 ^ (4 * math.random() - 2),
                precision = math.random() < 0.5 and "double" or "mixed",
            }
            local report = solved(shape, options, math.random() < 0.5 and "float" or "double")
            assert.is_true(report.cycles <= 11, tostring(report))
        end
    end)

    it("is of second order for known solutions", function()
        local pi = math.pi
        local waves = { -- what u is a product of, and where the elements lie
            dirichlet = {math.sin, function(n) return 1 / (n + 1), 1 end},
            neumann = {math.cos, function(n) return 1 / n, 0.5 end},
        }
        for kind, row in pairs(waves) do
            local before
            for _, size in ipairs {15, 31, 63} do
                local n = kind == "dirichlet" and size or size + 1
                local h, first = row[2](n)
                local u <close> = rill.stream("double", {n, n}, function(i, j)
                    return row[1](pi * h * (i - 1 + first)) * row[1](2 * pi * h * (j - 1 + first))
                end)
                local b <close> = (5 * pi ^ 2 * u):eval()
                local x <close>, report = solve.multigrid(b, {boundary = kind, spacing = h, tolerance = 1e-6})
                assert.is_true(report.converged)
                local off = (x - u):eval():norm() / n
                assert.is_true(not before or before / off >= 3.8, ("%s %d: %g, %g"):format(kind, n, before or 0, off))
                before = off
            end
        end
    end)

    it("starts from x0, and stops for each reason", function()
        local b <close> = right_side {20, 30}
        local x <close>, report = solve.multigrid(b, {precision = "mixed", tolerance = 1e-10})
        local again <close>, none = solve.multigrid(b, {precision = "mixed", tolerance = 1e-9, x0 = x})
        assert.equal(0, none.cycles)
        assert.equal(x:bytes(), again:bytes())
        assert.equal(report.cycles, #report.history)
        assert.equal(report.cycles, report.history[#report.history][1])
        local cut <close>, two = solve.multigrid(b, {precision = "mixed", cycles = 2, strict = false, every = 5})
        assert.equal("cycles", two.reason)
        assert.equal(2, two.cycles)
        assert.is_true(math.abs(judge(b, cut, {20, 30}, {}) - two.residual) <= 1e-10)
        check.names({"not converged after 2 cycles", "more 'cycles'", "strict = false"}, solve.multigrid, b,
            {cycles = 2})
        check.names({"falls no further", "mixed"}, solve.multigrid, b, {tolerance = 1e-12})
        local _, every = solve.multigrid(b, {precision = "mixed", tolerance = 1e-10, every = 4})
        assert.equal(0, every.cycles % 4)
        assert.equal(every.cycles // 4, #every.history)
    end)

    shortened(it, "solves what is nothing or next to nothing", function(whole)
        assert.equal(0, solve.multigrid(rill.stream("float", {0, 5})).size)
        local zero, report = solve.multigrid(rill.stream("float", {20, 20}))
        assert.equal(0.0, zero:norm())
        assert.is_true(report.converged and report.cycles == 0)
        for _, boundary in ipairs(whole and {"neumann", "periodic"} or {"neumann"}) do
            local flat, same = solve.multigrid(rill.stream("float", {12, 13}, 0.1), {boundary = boundary})
            assert.equal(0.0, flat:norm())
            assert.is_true(same.converged and math.abs(same.mean - 0.1) < 1e-7)
            check.equal({0}, solve.multigrid(rill.stream("float", {1, 1}, 3), {boundary = boundary}):values())
        end
        check.equal({0.75}, solve.multigrid(rill.stream("float", {1, 1}, 3)):values(), 1e-6)
        for _, size in ipairs {1e-30, 1e30} do
            local b <close> = (right_side({12, 14}, "double") * size):eval()
            assert.is_true(judge(b, solve.multigrid(b, {precision = "mixed"}), {12, 14}, {}) <= 1e-6)
        end
    end)

    it("raises errors about shapes and options", function()
        local b = rill.stream("float", {9, 9}, 1)
        check.names({"b has NaN as element 2, 3"}, solve.multigrid, rill.stream("float", {3, 3}):set(0 / 0, 2, 3))
        check.names({"2 or 3 dimensions", "shape 5"}, solve.multigrid, rill.stream("float", 5))
        check.names({"'boundary'", '"open"'}, solve.multigrid, b, {boundary = "open"})
        check.names({"'boundary' has 3 values", "2 dimensions"}, solve.multigrid, b,
            {boundary = {"neumann", "neumann", "neumann"}})
        check.names({"'spacing'", "got number 0"}, solve.multigrid, b, {spacing = 0})
        check.names({"'shift'", "got number -1"}, solve.multigrid, b, {shift = -1})
        check.names({"'cycles'"}, solve.multigrid, b, {cycles = 0})
        check.names({"unknown option 'iterations'"}, solve.multigrid, b, {iterations = 3})
        check.names({"'x0' has shape 9x8"}, solve.multigrid, b, {x0 = rill.stream("float", {9, 8})})
        check.names({"float or double"}, solve.multigrid, rill.stream("int", {3, 3}))
        check.names({"option 'shape' is missing"}, solve.hierarchy, {})
        check.names({"'shape'", "2 or 3"}, solve.hierarchy, {shape = {3}})
        local h <close> = solve.hierarchy {shape = {9, 9}}
        local x = rill.stream("float", {9, 9})
        check.names({"b has shape 9x8", "9x9"}, h.solve, h, rill.stream("float", {9, 8}))
        check.names({"'x'", "float", "double"}, h.cycle, h, x:cast "double", b)
        check.names({"x has NaN as element 2, 3"}, h.solve, h, b, {x = x:copy():set(0 / 0, 2, 3)})
        check.names({"share memory"}, h.cycle, h, b, b)
        check.names({"share memory"}, h.cycle, h, b:domain({1, 1}, {9, 9}), b)
        check.names({"share memory"}, h.solve, h, b, {x = b:reshape(81):reshape {9, 9}})
        check.names({"'x' and 'x0'"}, h.solve, h, b, {x = x, x0 = x})
        check.names({"no field 'shape' to be set"}, function() h.shape = 1 end)
        assert.equal("9x9 float", ("%s %s"):format(h.shape, h.type))
        assert.equal("hierarchy", rill.type(h))
        check.names({"no field or method 'cycel'", "cycle"}, function() return h.cycel end)
        assert.equal("hierarchy<float>[9x9], 2 grids", tostring(h))
        h:close()
        assert.equal("closed hierarchy", tostring(h))
        check.names({"closed"}, h.solve, h, b)
    end)
end)

describe("rill.solve.hierarchy", function()
    leaks.watch(setup, teardown)

    it("gives the results of multigrid repeatedly, without allocations #tables", function()
        local shape, options = {33, 40}, {precision = "mixed", boundary = {"neumann", "dirichlet"}}
        local b <close> = right_side(shape)
        local expected <close>, report = solve.multigrid(b, options)
        local h <close> = solve.hierarchy {shape = shape, precision = "mixed", boundary = options.boundary}
        local x <close> = rill.stream("double", shape)
        for round = 1, 3 do
            x:fill(0)
            check.collect()
            collectgarbage "stop"
            local before = rill.memory()
            local same, how = h:solve(b, {x = x})
            local after = rill.memory()
            collectgarbage "restart"
            assert.equal(x, same)
            assert.equal(expected:bytes(), x:bytes())
            assert.equal(report.cycles, how.cycles)
            assert.same({before.streams, before.bytes}, {after.streams, after.bytes}, round)
        end
        local own <close> = h:solve(b)
        assert.equal(expected:bytes(), own:bytes())
    end)

    -- Compares two cycles in float with two in double: shape, boundary, spacing, shift.
    local function compare_cycles(cases)
        for _, case in ipairs(cases) do
            local shape, boundary, spacing, shift = table.unpack(case)
            local b <close> = right_side(shape)
            local results = {}
            for _, precision in ipairs {"float", "double"} do
                local h <close> = solve.hierarchy {
                    shape = shape, boundary = boundary, spacing = spacing, shift = shift, precision = precision,
                }
                results[#results + 1] = h:cycle(rill.stream(h.type, shape), b, 2)
            end
            local off = (results[1] - results[2]):eval():norm() / results[2]:norm()
            assert.is_true(off < 1e-5, ("%s: %g"):format(table.concat(shape, " x "), off))
        end
    end

    shortened(it, "cycles in float as in double", function(whole)
        compare_cycles {{{36, 150}, {"periodic", "dirichlet"}}, {{37, 46}, {"neumann", "neumann"}, 1, 0.1}}
        if whole then
            compare_cycles {
                {{34, 35}, {"dirichlet", "neumann"}}, {{71, 40}, {"neumann", "periodic"}},
                {{141, 34}, {"dirichlet", "dirichlet"}, {1, 1.1}, 0.02}, {{32, 65}, {"dirichlet", "dirichlet"}},
            }
        end
    end)

    it("does so if a halo needs more work groups than an axis has #long #large", function()
        compare_cycles {
            {{90000, 34}, {"neumann", "dirichlet"}, 1, 0.1}, {{34, 90000}, {"dirichlet", "neumann"}, 1, 0.1},
        }
    end)

    it("is not affected by a failed solve before", function()
        local b <close> = right_side {20, 24}
        local h <close> = solve.hierarchy {shape = {20, 24}, boundary = "neumann"}
        local x <close> = rill.stream("float", {20, 24}, 0 / 0)
        h:cycle(x, b)
        x:fill(1)
        local _, report = h:solve(b, {x = x, tolerance = 1e-4})
        assert.is_true(report.converged, tostring(report))
    end)

    it("cycles without reading the residual", function()
        local shape = {40, 24}
        local b <close> = right_side(shape)
        local h <close> = solve.hierarchy {shape = shape, boundary = "neumann"}
        local x <close> = rill.stream("float", shape)
        assert.equal(x, h:cycle(x, b))
        local first = judge(b, x, shape, {boundary = "neumann"})
        h:cycle(x, b, 6)
        assert.is_true(first < 0.2 and judge(b, x, shape, {boundary = "neumann"}) < 1e-5)
    end)
end)
