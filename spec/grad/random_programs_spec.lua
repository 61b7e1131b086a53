-- Random programs: chains of operations with shared streams, views and overwrites. Their gradients are compared with
-- central differences, and products with their second derivatives with differences of gradients.
local rill = require "rill"
local programs = require "spec.support.random_programs"
local shortened = require "spec.support.shortened"

local X <const>, Y <const> = {0.7, -1.3, 2.1, 0.4, -0.2, 1.6}, {1.2, 0.3, -0.8, 2.2, 0.9, -1.1}
local V <const> = {0.3, -0.7, 0.2, 0.9, -0.4, 0.5}
local STEP <const> = 1e-5

local function double(list)
    return rill.from(list, "double")
end

local function shifted(list, i, by)
    local copy = table.move(list, 1, #list, 1, {})
    copy[i] = copy[i] + by
    return copy
end

-- Returns the central difference of f by element i of an argument; nil if f has a corner there.
local function difference(f, k, i, middle)
    local function value(by)
        local r = f(double(k == 1 and shifted(X, i, by) or X), double(k == 2 and shifted(Y, i, by) or Y))
        return type(r) == "number" and r or rill.value(r)
    end
    local above, below = value(STEP), value(-STEP)
    local right, left = (above - middle) / STEP, (middle - below) / STEP
    return math.abs(right - left) <= 1e-2 * math.max(1, math.abs(right)) and (right + left) / 2 or nil
end

local function check(seed)
    local f, numbers = programs.make(seed)
    local value, gx, gy = rill.value_and_grad(f)(double(X), double(Y))
    local compared = 0
    for k, g in ipairs {gx, gy} do
        for i, got in ipairs(g:values()) do
            local expected = difference(f, k, i, value)
            compared = compared + (expected and 1 or 0)
            assert.is_true(not expected or math.abs(got - expected) <= 1e-5 * math.max(1, math.abs(expected)),
                ("seed %d, argument %d, element %d: %.10g, expected %.10g; steps %s"):format(seed, k, i, got,
                    expected or 0, table.concat(numbers, ", ")))
        end
    end
    return compared
end

local function check_second(seed)
    local program, numbers = programs.make(seed)
    local function f(x) return program(x, double(Y)) end
    local hv = rill.hvp(f, double(X), double(V)):values()
    local _, jv = rill.jvp(function(x) return (rill.grad(f)(x)) end, {double(X)}, {double(V)})
    local sides = {}
    for side = -1, 1, 2 do
        local at = {}
        for i, x in ipairs(X) do
            at[i] = x + side * STEP * V[i]
        end
        sides[side] = rill.grad(f)(double(at)):values()
    end
    for i, other in ipairs(jv:values()) do
        local expected = (sides[1][i] - sides[-1][i]) / (2 * STEP)
        local bound = 1e-4 * math.max(1, math.abs(expected))
        assert.is_true(math.abs(hv[i] - expected) <= bound and math.abs(other - hv[i]) <= 1e-5 * bound,
            ("seed %d, element %d: %.10g and %.10g, expected %.10g; steps %s"):format(seed, i, hv[i], other, expected,
                table.concat(numbers, ", ")))
    end
end

describe("random programs", function()
    shortened(it, "have the gradients of their differences", function(whole)
        local compared, most = 0, whole and 20 or 5
        for seed = 1, most do
            compared = compared + check(seed)
        end
        assert.is_true(compared > 10 * most)
    end)

    shortened(it, "have the second derivatives of the differences of gradients", function(whole)
        for seed = 1, whole and 8 or 2 do
            check_second(seed)
        end
    end)

    it("have the gradients of their differences, many #long", function()
        for seed = 41, 140 do
            check(seed)
        end
    end)
end)
