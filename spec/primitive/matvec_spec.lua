-- The four forms of the matrix-vector product of examples/matvec.lua against plain Lua in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local matvec = assert(loadfile "examples/matvec.lua")("module")

-- Returns y = A x + b, and for each element the sum of the magnitudes of its terms.
local function reference(a, x, b, rows, columns)
    local y, sizes = {}, {}
    for i = 1, rows do
        local sum, size = b[i], math.abs(b[i])
        for j = 1, columns do
            local term = a[(i - 1) * columns + j] * x[j]
            sum, size = sum + term, size + math.abs(term)
        end
        y[i], sizes[i] = sum, size
    end
    return y, sizes
end

local shapes = {
    {1, 1}, {1, 300}, {300, 1}, {3, 5}, {7, 63}, {8, 64}, {9, 65}, {31, 33}, {255, 17}, {257, 100}, {5, 511}, {6, 513},
    {20, 1023}, {16, 1024},
}

describe("the matrix-vector product", function()
    leaks.watch(setup, teardown)

    for _, form in ipairs {"simple", "reduce", "large", "scatter"} do
        it(form .. " is right for shapes of all kinds", function()
            for _, shape in ipairs(shapes) do
                local rows, columns = shape[1], shape[2]
                local a <close> = rill.random(shape, {seed = rows, distribution = "normal"})
                local x <close> = rill.random(columns, {seed = 2, low = -2, high = 2})
                local b <close> = rill.random(rows, {seed = 3})
                local before = a:bytes() .. x:bytes() .. b:bytes()
                local y <close> = matvec[form](a, x, b)
                local again <close> = matvec[form](a, x, b)
                assert.equal(y:bytes(), again:bytes())
                assert.equal(before, a:bytes() .. x:bytes() .. b:bytes())
                local expected, sizes = reference(a:values(), x:values(), b:values(), rows, columns)
                -- Each term is truncated to an integer multiple of 2^-30 of the largest possible sum.
                local cut = form == "scatter" and columns / matvec.fixed_point(a, x) or 0.0
                for i, value in ipairs(y:values()) do
                    local where = ("%dx%d, row %d: %g, not %g"):format(rows, columns, i, value, expected[i])
                    assert.is_true(math.abs(value - expected[i]) <= 2e-6 * sizes[i] + cut, where)
                end
            end
        end)

        it(form .. " takes nothing for nothing, and writes to a given result", function()
            local b <close> = rill.from {1, 2, 3}
            local none <close> = rill.stream("float", {3, 0})
            local nothing <close> = rill.stream("float", 0)
            check.equal({1, 2, 3}, matvec[form](none, nothing, b):values())
            local y <close> = rill.stream("float", 3, -1)
            assert.equal(y, matvec[form](rill.from {{1, 0}, {0, 1}, {1, 1}}, rill.from {10, 20}, b, y))
            check.equal({11, 22, 33}, y:values())
        end)
    end

    it("large gives the same result for any number of groups", function()
        local a <close> = rill.random({203, 130}, {seed = 1})
        local x <close>  = rill.random(130, {seed = 2})
        local b <close> = rill.random(203, {seed = 3})
        local y <close> = matvec.large(a, x, b)
        for _, groups in ipairs {1, 2, 7, 26, 1000} do
            local other <close> = matvec.large(a, x, b, nil, groups)
            assert.equal(y:bytes(), other:bytes())
        end
    end)

    it("reduce rejects rows longer than a group", function()
        local a, x, b = rill.stream("float", {1, 1025}), rill.stream("float", 1025), rill.stream("float", 1)
        check.names({"matvec.reduce", "1024"}, matvec.reduce, a, x, b)
    end)
end)
