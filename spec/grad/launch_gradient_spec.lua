-- Gradients of functions that launch kernels.
local rill = require "rill"
local differences = require "spec.support.differences"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function double(list)
    return rill.from(list, "double")
end

local TEXT <const> = [[
    kernel void square(double x<>, double a, out double r<>) { r = a * x * x; }
    kernel void both(double x<>, double y<>, out double s<>, out double p<>, out int n<>) {
        s = x + y; p = x * y; n = int(x);
    }
    kernel void grow(inout double x<>, double f<>) { x = x * f + f; }
    kernel void smooth(neighbor double u<>, double k<>, out double r<>) {
        r = u + k * (u[-1] - 2.0 * u + u[1]);
    }
    kernel void pick(double x[], int i<>, out double r<>) { r = x[i] * x[0]; }
    kernel void positive(double x<>, vout double v<>) { if (x > 0.0) push(v, x * x); }
    kernel double curve(double x<>) { double s = 0.0; for (int k = 0; k < 5; k++) { s = s * x + x; } return s; }
    reduce void total(double x<>, reduce double r<>) { r += x; }
]]

describe("the gradient of", function()
    local program <const> = rill.program(TEXT)

    local x, y = double {0.7, -1.3, 2.1, 0.4}, double {1.2, 0.3, -0.8, 2.2}
    local a = double {1.5}
    local w = double {1, -2, 3, 0.5}

    local function check(f, arguments)
        differences.check(f, arguments, {bound = 1e-7})
    end

    it("launches with all kinds of arguments", function()
        check(function(p, q) return (program.square(p, q:sum() * 2) * w):sum() end, {x, y})
        if LONG then
            check(function(p, q) return (program.square(p, q) * w):sum() end, {x, a})
            check(function(p, q) return (program.both(p, q) * w):sum() end, {x, y})
            check(function(p, k) return (program.smooth {u = p, k = k} ^ 2):sum() end, {x, y})
            check(function(p) return (program.curve(p) * w):sum() end, {x})
        end
        check(function(p, q) return (program.square(p * q + 1, 3) * w):sum() end, {x, y})
        check(function(p, q)
            local s, t, n = program.both(p, q)
            return (s * t * w):sum() + n:sum()
        end, {x, y})
        check(function(p, k) return (program.smooth(p:boundary "wrap", k) * w):sum() end, {x, y})
        check(function(p) return (program.pick(p, rill.from({3, 1, 1, 9, 0}, "int")) ^ 2):sum() end, {x})
        check(function(p) return (program.positive(p) ^ 2):sum() end, {x})
    end)

    it("reduce kernels, and kernels whose parameters have the names of options", function()
        check(function(p) return program.total(p * p) * 2 end, {x})
        check(function(p) return (program.total(p:reshape {2, 2}, {2, 1}) ^ 2):sum() end, {x})
        check(function(p) return (program.total {x = p, shape = 2} ^ 2):sum() end, {x})
        assert.matches("total.*the gradient of a reduce kernel has no gradient: use s:sum", select(2, pcall(rill.hvp,
            function(p) return program.total(p * p) end, x, x)))
        local named = rill.kernel [[
            kernel void named(double part<>, double where<>, out double shape<>) { shape = part * where; }
        ]]
        check(function(p, q) return (named(p, q * q) * w):sum() end, {x, y})
    end)

    it("launches that write what they or others read", function()
        check(function(p, q)
            local t = (p * 2):eval()
            local u = program.square(t, 1)
            program.grow(t, q)
            program.grow(t, q)
            program.square(t, 2, t) -- the result overwrites its input
            return (t * u * w):sum()
        end, {x, y})
        check(function(p, q)
            local state, next = rill.stream("double", 4), rill.stream("double", 4)
            state:write(p)
            for _ = 1, 4 do
                program.smooth(state, q, next)
                state, next = next, state
            end
            return (state * w):sum()
        end, {x, y})
    end)

    it("launches over a part of the elements", function()
        local mask = rill.from {true, false, true, false}
        check(function(p, q)
            local r = (p * 3):eval()
            program.square {x = p, a = 2, r = r, where = mask}
            program.grow {x = r, f = q, where = q:gt(0)}
            return (r * w):sum() + (program.square {x = q, a = 1, where = mask} * w):sum()
        end, {x, y})
    end)

    it("launches that overwrite constants of others", function()
        local source = double {1, 2, 3, 4}
        local expected = rill.grad(function(p)
            return ((p * double {1, 2, 3, 4}):eval() ^ 2 * double {4, 6, 8, 10}):sum()
        end)(x)
        local g = rill.grad(function(p)
            local t = program.square(p * source, 1)
            program.grow(source, double {2, 2, 2, 2}) -- 2 x + 2
            return (select(2, program.both(t, source))):sum()
        end)(x)
        assert.same(expected:values(), g:values())
    end)

    it("views as arguments and results", function()
        local m = rill.stream("double", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})
        check(function(p, q)
            local t = rill.stream("double", {2, 4})
            program.square(p:domain({2, 1}, {2, 4}), 1, t:domain({1, 1}, {1, 4}))
            program.square(p:transpose():domain({1, 1}, {4, 1}):reshape({1, 4}), 0.5, t:domain({2, 1}, {2, 4}):flip(2))
            return (t * q):sum()
        end, {m, y})
    end)

    it("expressions, s:map and methods that launch kernels", function()
        check(function(p, q) return (p:map("x * x + 1") * p:map("a * x", {a = 3}) * q):sum() end, {x, y})
        check(function(p) return (p:moving_mean(2) * w:domain(1, 3)):sum() end, {x})
        check(function(p, q) return (rill.interp(q, double {-2, 0, 1, 3}, p) * w):sum() end, {x, y})
        if LONG then
            check(function(p) return (p:pad {before = 2, after = 1, boundary = "mirror"} ^ 2):sum() end, {x})
        end
    end)

    it("second derivatives", function()
        check(function(p, q)
            local g, h = rill.grad(function(b, c)
                return (program.square(LONG and program.smooth(b, c) or b * c, 1) * w):sum()
            end)(p, q)
            return (g * h):sum()
        end, {x, y})
        local _, direction = rill.jvp(function(p) return program.square(p, 2) end, {x}, {y})
        assert.same((4 * x * y):eval():values(), direction:values())
    end)

    it("loops with states", function()
        check(function(p, q)
            return (rill.steps(9, p, function(u) return program.smooth(u, q) end) * w):sum()
        end, {x, y})
    end)

    it("launches keeps only what it reads", function()
        local n <const> = 1 << 16
        local scale = rill.kernel "kernel void scale(inout double x<>) { x = 3.0 * x; }"
        local most, before = 0, nil
        local g = rill.grad(function(p)
            local t = (p * 1):eval()
            for _ = 1, 20 do
                scale(t)
                collectgarbage()
                most = math.max(most, rill.memory().bytes - before)
            end
            return t:sum()
        end)
        local big = rill.stream("double", n, 1)
        collectgarbage()
        before = rill.memory().bytes
        assert.equal(3.0 ^ 20, g(big):get(n))
        assert.is_true(most < 3 * 8 * n, most / (8 * n) .. " streams")
    end)

    it("launches in loops keeps nothing", function()
        local function f(p, q)
            for _ = 1, 5 do
                p = program.smooth(p, q)
                program.grow(p, q)
            end
            return (p * w):sum()
        end
        rill.grad(f)(x, y)
        local before = leaks.snapshot()
        rill.grad(f)(x, y)
        assert.same(before, leaks.snapshot())
    end)

    it("what has none raises", function()
        local n = rill.from({1, 2, 3, 4}, "int")
        local random = rill.kernel "kernel void noise(double x<>, out double r<>) { r = x * double(random()); }"
        assert.matches("noise: a kernel that draws random numbers has a gradient only with the option 'seed'",
            select(2, pcall(rill.grad(function(p) return random(p):sum() end), x)))
        assert.has_no_error(function()
            rill.grad(function(p) return random({x = p, seed = 4}):sum() end)(x)
        end)
        local c = rill.sparse("double", 4, {page = 2})
        assert.matches("launches over containers have no gradient", select(2, pcall(rill.grad(function(p)
            return program.both(p, c):sum()
        end), x)))
        assert.equal(10, n:sum())
    end)
end)
