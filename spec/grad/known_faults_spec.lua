-- Gradients that other systems of differentiable kernels compute incorrectly, by their own documentation or by reports
-- of
-- their users.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("gradients that other systems get wrong", function()
    leaks.watch(setup, teardown)

    -- NVIDIA Warp, documentation of differentiability, "Dynamic Loops": a product in a loop of unknown length gives
    -- [32 8 2].
    it("a product in a loop of unknown length", function()
        local kernel = rill.kernel [=[
            kernel void multiply(float x[], int n, out float r<>) {
                r = 1.0;
                for (int i = 0; i < n; i++) r *= x[i];
            }]=]
        local x_bar = kernel:gradient {wrt = {"x"}} {x = rill.from {2, 2, 2}, n = 3, r_bar = rill.from {1}}
        check.equal({4, 4, 4}, x_bar:values())
        local f = rill.grad(function(x) return kernel {x = x, n = 3, shape = 1} end)
        check.equal({4, 4, 4}, f(rill.from {2, 2, 2}):values())
    end)

    -- Warp, "Array Overwrites": a stream that a launch read is overwritten before the gradient is computed.
    it("a stream that is overwritten between launches", function()
        local square = rill.kernel "kernel void square(float x<>, inout float y<>) { y = x * x; }"
        local function f(x)
            local y = rill.stream("float", 3)
            local z = rill.stream("float", 3)
            square(x, y)      -- y = x^2
            square(y, z)      -- z = x^4
            square(z, y)      -- y = x^8 overwrites what the second launch read
            return y:sum() + z:sum()
        end
        local x = {1, 0.5, -1.5}
        local expected = {}
        for i, v in ipairs(x) do expected[i] = 8 * v ^ 7 + 4 * v ^ 3 end
        check.equal(expected, rill.grad(f)(rill.from(x)):values(), 1e-5)
    end)

    -- Warp, "In-Place Math Operations": x *= y of elements of arrays.
    it("products and quotients in place", function()
        local scale = rill.kernel "kernel void scale(inout float x<>, float y<>) { x *= y; x /= 1.0 + y; x *= x; }"
        local function f(x, y)
            local own = x:copy()
            scale(own, y)
            scale(own, y)
            return own:sum()
        end
        local x, y = {1.5, -0.5, 2}, {0.25, 2, 1}
        local dx, dy = {}, {}
        for i = 1, 3 do -- (x q)^2, then (x^2 q^3)^2 = x^4 q^6 with q = y / (1 + y)
            local q, slope = y[i] / (1 + y[i]), 1 / (1 + y[i]) ^ 2
            dx[i], dy[i] = 4 * x[i] ^ 3 * q ^ 6, x[i] ^ 4 * 6 * q ^ 5 * slope
        end
        local x_bar, y_bar = rill.grad(f)(rill.from(x), rill.from(y))
        check.equal(dx, x_bar:values(), 1e-5)
        check.equal(dy, y_bar:values(), 1e-5)
    end)

    -- Taichi: statements beside an inner loop, and loops longer than its stacks.
    it("loops in loops with statements around them, 147 iterations", function()
        local kernel = rill.kernel [[
            kernel void nested(double x<>, int n, out double r<>) {
                double s = x;
                for (int i = 0; i < n; i++) {
                    s = 0.999lf * s + 0.01lf * sin(s);
                    double t = 1.0;
                    for (int j = 0; j < 3; j++) { t *= s; t += 0.1lf; }
                    s += 0.001lf * t;
                }
                r = s;
            }]]
        local function value(x)
            local s, slope = x, 1
            for _ = 1, 147 do
                slope = slope * (0.999 + 0.01 * math.cos(s))
                s = 0.999 * s + 0.01 * math.sin(s)
                local t, t_slope = 1, 0
                for _ = 1, 3 do
                    t_slope = t_slope * s + t * slope
                    t = t * s + 0.1
                end
                s, slope = s + 0.001 * t, slope + 0.001 * t_slope
            end
            return s, slope
        end
        local x = {0.3, -0.7, 0.1}
        local expected = {}
        for i, v in ipairs(x) do expected[i] = select(2, value(v)) end
        local g = kernel:gradient {wrt = {"x"}}
        check.equal(expected, g(rill.from(x, "double"), 147, rill.from({1, 1, 1}, "double")):values(), 1e-12)
    end)

    -- Slang: a return in a loop.
    it("an early return in a loop #lanes", function()
        local kernel = rill.kernel [[
            kernel double first(double x<>) {
                double s = 1.0;
                for (int i = 0; i < 100; i++) {
                    s *= x;
                    if (s > 10.0) return s + double(i);
                }
                return -s;
            }]]
        local x = {2, 1.5, 0.5, 1}
        local expected = {4 * 2 ^ 3, 6 * 1.5 ^ 5, -100 * 0.5 ^ 99, -100}
        local g = kernel:gradient()
        check.equal(expected, g(rill.from(x, "double"), rill.ones(4, "double")):values(), 1e-12)
    end)

    it("sums with the same bits in every run", function()
        math.randomseed(3)
        local kernel = rill.kernel [=[
            kernel void pick(float a[], int i<>, float v<>, out float r<>) { r = a[i] * v + a[i / 2]; }]=]
        local n = 20000
        local a, v, bar = rill.random(100), rill.random(n), rill.random(n)
        local index = rill.random(n, {type = "int", low = 0, high = 99})
        local g = kernel:gradient {wrt = {"a", "v"}}
        local first_a, first_v = g(a, index, v, bar)
        for _ = 1, 3 do
            local again_a, again_v = g(a, index, v, bar)
            assert.equal(first_a:bytes(), again_a:bytes())
            assert.equal(first_v:bytes(), again_v:bytes())
        end
    end)
end)
