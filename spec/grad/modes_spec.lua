-- rill.jvp, rill.hvp, rill.vjp, rill.grad_check and rill.steps.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function double(list)
    return rill.from(list, "double")
end

local function near(expected, s, bound)
    local list = s:values()
    assert.equal(#expected, #list)
    for i, value in ipairs(expected) do
        assert.near(value, list[i], (bound or 1e-12) * math.max(1, math.abs(value)))
    end
end

describe("forward mode and second derivatives:", function()
    leaks.watch(setup, teardown)

    local x, v = double {0.3, -1.2, 2}, double {1, 0.5, -2}

    it("rill.jvp is the derivative in a direction", function()
        local y, y_dot = rill.jvp(function(a) return rill.sin(a) * a end, {x}, {v})
        near((rill.sin(x) * x):eval():values(), y)
        near(((rill.cos(x) * x + rill.sin(x)) * v):eval():values(), y_dot)
        local w = double {2, 3, 4}
        local total = (v * w + x * x):sum()
        local _, both = rill.jvp(function(a, b) return (a * b):sum() + a:roll(1) end, {x, w}, {v, x})
        near({total - 2, total + 1, total + 0.5}, both)
        if LONG then
            _, both = rill.jvp(function(a, b) return (a * b):sum() + a:sort():roll(1) end, {x, w}, {v, x})
            near({total - 2, total + 0.5, total + 1}, both)
        end
    end)

    it("<J v, w> = <v, J^T w>", function()
        local function f(a)
            return rill.concat {a:scan(), rill.exp(a) * a:mean(), a:select {0, 0, 2}}
        end
        local y, y_dot = rill.jvp(f, {x}, {v})
        local w = rill.sin(rill.iter("double", y.size, 0, 7)):eval()
        local _, pull = rill.vjp(f, x)
        local left, right = y_dot:dot(w), v:dot(pull(w))
        assert.near(left, right, 1e-12 * math.abs(left))
    end)

    it("rill.hvp is the product with the Hessian matrix", function()
        near((6 * x * v):eval():values(), (rill.hvp(function(a) return (a ^ 3):sum() end, x, v)))
        local w, u = double {2, 3, 4}, double {0, 1, 1}
        local a, b = rill.hvp(function(p, q) return (p * q * q):sum() end, {x, w}, {v, u})
        near((2 * w * u):eval():values(), a)
        near((2 * w * v + 2 * x * u):eval():values(), b)
    end)

    it("their arguments are checked", function()
        local function message_of(f, ...)
            return select(2, pcall(f, ...))
        end
        local f = function(a) return a:sum() end
        assert.matches("argument 'arguments': expected a stream or a table of streams, got number 3",
            message_of(rill.jvp, f, 3, {v}))
        assert.matches("argument 'tangents': expected one stream of shape 3 for argument #1 of the function, got 2",
            message_of(rill.jvp, f, {x}, {double {1, 2}}))
        assert.matches("argument 'v': expected one stream of shape 3", message_of(rill.hvp, f, x, {v, v}))
        assert.matches("rill.jvp: the function must return a stream, got number 3",
            message_of(rill.jvp, function() return 3 end, {x}, {v}))
        local _, pull = rill.vjp(function(a) return a * 2 end, x)
        assert.matches("argument #1 'y_bar' of pull: expected a stream of shape 3, got 2", message_of(pull,
            double {1, 2}))
    end)
end)

describe("rill.grad_check", function()
    local x = double {0.3, 1.2, 2}

    it("returns the error", function()
        assert.is_true(rill.grad_check(function(a) return (rill.sin(a) * a):sum() end, x) < 1e-6)
        assert.is_true(rill.grad_check(function(a, n) return (a ^ n):mean() end, rill.from {1, 2, 3}, 3) < 2e-2)
        assert.is_true(rill.grad_check(function(a) return rill.dot(a, a):sum() end,
            rill.stream("dvec2", {2, 50}, 1), {elements = 5}) < 1e-6)
    end)

    it("names the worst element", function()
        local function f(a) return (a * rill.constant(a) * double {0, 0, 1}):sum() + a:sum() end
        assert.has_error(function() rill.grad_check(f, x) end)
        assert.matches("argument #1: the derivative by element %[3%] is 3, the difference of the function 5",
            select(2, pcall(rill.grad_check, f, x)))
    end)

    it("names the operation with NaN", function()
        assert.matches("the result of 's:sum' is NaN", select(2, pcall(rill.grad_check, function(a)
            return rill.log(a - 1):sum()
        end, x)))
        assert.matches("the result of 'an expression' is NaN", select(2, pcall(rill.grad_check, function(a)
            return rill.log(a - 1):eval():sum()
        end, x)))
    end)
end)

describe("rill.grad with explain", function()
    it("shows the operations that are recorded", function()
        local x = rill.stream("double", 1000, 0.5)
        local calls = 0
        local function f(a)
            local b = (a * a):eval()
            b = rill.exp(rill.sin(b * a)):eval():sort()
            return rill.steps(8, b, function(s)
                calls = calls + 1
                return s * s
            end, {checkpoints = 3}):sum()
        end
        local text = rill.grad(f, {explain = true})(x)
        assert.equal(8, calls)
        rill.grad(f)(x)
        assert.equal(8 + 8 + 14, calls)
        assert.equal(([[
operation      calls  bytes kept  bytes computed again
an expression      2       8,000                     0
s:sort             1       4,000                     0
rill.steps         1      24,000               112,000
s:sum              1           0                     0
total              5      36,000               112,000]]), text)
    end)
end)

describe("rill.steps", function()
    leaks.watch(setup, teardown)

    local x, c = double {0.1, 0.2, 0.3}, double {0.9, 0.8, 1.1}
    local calls = 0

    local function step(s, i)
        calls = calls + 1
        return {u = rill.sin(s.u * c) + s.pair[1] / i, pair = {s.u * s.pair[1] * 0.5, i}}
    end

    local function looped(n, options)
        return function(a, b)
            local s = rill.steps(n, {u = a, pair = {a * 2}}, function(s, i)
                calls = calls + 1
                return {u = rill.sin(s.u * b) + s.pair[1] / i, pair = {(s.u * s.pair[1] * 0.5)}}
            end, options)
            return (s.u * s.pair[1]):sum()
        end
    end

    local function unrolled(n)
        return function(a, b)
            local s = {u = a, pair = {(a * 2):eval()}}
            for i = 1, n do
                s = {u = (rill.sin(s.u * b) + s.pair[1] / i):eval(), pair = {(s.u * s.pair[1] * 0.5):eval()}}
            end
            return (s.u * s.pair[1]):sum()
        end
    end

    it("is a loop outside of gradients", function()
        local s = rill.steps(3, {u = x, pair = {x}}, step)
        assert.equal(3, s.pair[2])
        assert.equal(5, rill.steps(0, 5, error))
    end)

    it("has the gradient of the loop, for all numbers of kept states", function()
        for _, n in ipairs(LONG and {1, 2, 3, 10, 17} or {1, 10}) do
            local a, b = rill.grad(unrolled(n))(x, c)
            for _, checkpoints in ipairs(LONG and {1, 2, 3, 5, 20} or {1, 3, 20}) do
                local p, q = rill.grad(looped(n, {checkpoints = checkpoints}))(x, c)
                assert.equal(a:bytes(), p:bytes())
                near(b:values(), q)
            end
        end
    end)

    it("has the gradient of streams that only its steps use", function()
        local function power(w, s) -- 1 + w + ... + w^5
            local state = rill.steps(6, {u = s, sum = {rill.zeros(3, "double")}}, function(state)
                return {u = state.u * w, sum = {state.sum[1] + state.u}}
            end, {checkpoints = 2})
            s:fill(0) -- the loop has a copy
            return state.sum[1]:sum()
        end
        local g = rill.grad(power, {wrt = {1}})(x, rill.ones(3, "double"))
        near((1 + 2 * x + 3 * x ^ 2 + 4 * x ^ 3 + 5 * x ^ 4):values(), g)
    end)

    it("computes steps as often as its states require", function()
        for _, row in ipairs {{10, 3, 3}, {100, 10, 3.3}, {100, nil, 3}, {20, 20, 2}, {6, 1, 4.5}} do
            calls = 0
            rill.grad(looped(row[1], {checkpoints = row[2]}))(x, c)
            assert.is_true(calls <= row[1] * row[3], ("%d steps of %d"):format(calls, row[1]))
        end
    end)

    it("keeps the states of the schedule only", function()
        local n = 1 << 16
        local big = rill.stream("double", n, 0.1)
        local function peak(f)
            collectgarbage()
            collectgarbage()
            local before, most = rill.memory().bytes, 0
            f(function()
                collectgarbage()
                most = math.max(most, rill.memory().bytes - before)
            end)
            return most / (8 * n)
        end
        local few = peak(function(look)
            rill.grad(function(a)
                return rill.steps(36, a, function(s)
                    look()
                    return rill.sin(s * s)
                end):sum()
            end)(big)
        end)
        local all = peak(function(look)
            rill.grad(function(a)
                for _ = 1, 36 do
                    look()
                    a = rill.sin(a * a):eval()
                end
                return a:sum()
            end)(big)
        end)
        assert.is_true(all >= 34, all .. " states")
        assert.is_true(few <= 14, few .. " states")
    end)

    it("takes steps that write the state", function()
        local function f(a)
            return rill.steps(6, a, function(s)
                s:write(s * s * 0.9)
                return s
            end):sum()
        end
        local function loop(a)
            for _ = 1, 6 do
                a = (a * a * 0.9):eval()
            end
            return a:sum()
        end
        assert.equal(rill.grad(loop)(x):bytes(), rill.grad(f)(x):bytes())
        near({0.1, 0.2, 0.3}, x)
    end)

    it("has second derivatives", function()
        local n <const> = LONG and 5 or 2
        local function step_of(s) return LONG and rill.sin(s) * s or s * s end
        local function f(a)
            return rill.steps(n, a, step_of):sum()
        end
        local function loop(a)
            for _ = 1, n do
                a = step_of(a):eval()
            end
            return a:sum()
        end
        near(rill.hvp(loop, x, c):values(), rill.hvp(f, x, c))
    end)

    it("refuses steps that keep something outside of the state", function()
        local sum = rill.stream("double", 3)
        assert.matches("step 2 reads a stream that step 1 wrote, and that is not in the state", select(2, pcall(
            rill.grad(function(a)
                return rill.steps(3, a, function(s)
                    sum:write(sum + s)
                    return s * sum
                end):sum()
            end), x)))
        assert.has_no_error(function()
            rill.grad(function(a)
                return rill.steps(3, a, function(s)
                    sum:write(s * 2)
                    return s * sum
                end):sum()
            end)(x)
        end)
    end)

    it("refuses streams that are overwritten after the loop", function()
        local scale = rill.kernel "kernel void scale(double x<>, double f<>, out double r<>) { r = x * f; }"
        local reads = {
            function(s, b) return s * b end, function(s, b) return s * (b * 2):eval() end,
            function(s, b) return scale(s, b) end, function(s, b) return s * rill.concat {b:flip()} end,
            function(s, b) return s * rill.value(b:domain(1, 1)) end, function(s, b) return s * rill.constant(b) end,
        }
        for k, read in ipairs(reads) do
            for n = 1, LONG and 4 or 1, 3 do
                local function f(a, b, how)
                    local own = how == "copy" and b:copy() or b
                    local y = rill.steps(n, a, function(s) return read(s, own) end)
                    if how ~= "none" then b:write(y * a) end
                    return (y * y):sum()
                end
                local expected = rill.grad(f, {wrt = {1}})(x, c:copy(), "none")
                assert.same(expected:values(), rill.grad(f, {wrt = {1}})(x, c:copy(), "copy"):values())
                assert.matches("rill.steps: a stream that its function reads was written after the loop", select(2,
                    pcall(rill.grad(f, {wrt = {1}}), x, c:copy(), "after")), 1, true, "read " .. k)
            end
        end
    end)

    it("checks its arguments", function()
        assert.matches("argument #1 'n': expected a whole number from 0, got number %-1",
            select(2, pcall(rill.steps, -1)))
        assert.matches("argument #3 'f': expected a function, got nil", select(2, pcall(rill.steps, 1, x)))
        assert.matches("option 'checkpoints': expected a whole number from 1, got number 0", select(2, pcall(rill.steps,
            1, x, step, {checkpoints = 0})))
    end)
end)
