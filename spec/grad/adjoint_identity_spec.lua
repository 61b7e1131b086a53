-- For the derivative J of linear operations and solvers: <J v, w> = <v, J' w>, where rill.jvp computes J v and rill.vjp
-- J' w. Gradients of streams without elements.
local rill = require "rill"
local gradients = require "spec.support.gradients"
local leaks = require "spec.support.leaks"
local doubles <const> = gradients.doubles

local LONG <const> = os.getenv "RILL_SUITE_LONG"

describe("forward and reverse mode agree for", function()
    local six <const> = (6 * rill.eye(5)):cast "double"

    leaks.watch(setup, teardown)

    local function agree(f, ...)
        local arguments <const>, directions <const> = doubles(1, ...), doubles(2, ...)
        local y <const>, moved <const> = rill.jvp(f, arguments, directions)
        local w <const> = doubles(3, y.shape)[1]
        local bars = {select(2, rill.vjp(f, table.unpack(arguments)))(w)}
        local forward, reverse = (moved * w):sum(), 0
        for k, bar in ipairs(bars) do
            reverse = reverse + (bar * directions[k]):sum()
        end
        assert.is_true(math.abs(forward) > 1e-3)
        assert.is_true(math.abs(forward - reverse) <= 1e-12 * math.max(1, math.abs(forward)),
            ("%.16g is not %.16g"):format(forward, reverse))
    end

    it("matrix products #doubles", function()
        agree(function(a, b) return rill.matmul(a, b) end, {3, 4}, {4, 2})
        if LONG then agree(function(a, b) return rill.einsum("bij,bjk->bik", a, b) end, {2, 3, 4}, {2, 4, 2}) end
        agree(function(v, x)
            return rill.sparse.csr {
                shape = {5, 5}, offsets = {0, 2, 3, 3, 6, 7}, columns = {1, 3, 0, 0, 2, 4, 3}, values = v,
            }:multiply(x)
        end, {7}, {5})
    end)

    it("transforms and convolutions", function()
        agree(function(a) return rill.fft(a, {real = true}).x:eval() end, {7})
        agree(function(a, b) return rill.convolve(a, b) end, {7}, {3})
        if LONG then
            agree(function(a, b) return rill.fft(rill.vec2(a, b), {inverse = true}).y:eval() end, {3, 4}, {3, 4})
            agree(function(a, b) return rill.correlate(a, b, {boundary = "wrap"}) end, {7}, {80})
        end
    end)

    it("solvers #doubles", function()
        local exact <const> = {tolerance = 1e-15, precision = "double", strict = false}
        agree(function(a, b) return (rill.solve.lu(a + six, b, {precision = "double"})) end, {5, 5}, {5})
        agree(function(c, b)
            return (rill.solve.cg(function(u, y) y:write(3 * u + c * c * u) end, b, exact))
        end, {5}, {5})
        if LONG then
            agree(function(a, b) return (rill.solve.bicgstab(a + six, b, exact)) end, {5, 5}, {5})
            agree(function(l, d, u, b)
                return (rill.solve.tridiagonal(l, d + 4, u, b, {precision = "double"}))
            end, {5}, {5}, {5}, {5})
        end
    end)

    it("streams without elements", function()
        local function shapes(f, ...)
            local arguments = {}
            for k, shape in ipairs {...} do
                arguments[k] = rill.stream("double", shape)
            end
            for k, g in ipairs {rill.grad(f)(table.unpack(arguments))} do
                assert.equal(arguments[k].shape, g.shape)
                assert.equal(0, g.size > 0 and rill.abs(g):max() or 0)
            end
        end
        shapes(function(a, b) return rill.matmul(a, b):sum() end, {0, 3}, {3, 2})
        shapes(function(a, b) return rill.matmul(a, b):sum() end, {2, 0}, {0})
        shapes(function(a, b) return rill.einsum("ij,ij", a, b) end, {0, 2}, {0, 2})
        shapes(function(a) return rill.fft(a).x:sum() end, {0})
        shapes(function(a) return rill.fft(a, {axes = 2, real = true}).x:sum() end, {0, 3})
        shapes(function(a, b) return rill.convolve(a, b):sum() end, {0}, {3})
        shapes(function(a, b) return (rill.solve.lu(a, b)):sum() end, {0, 0}, {0})
        shapes(function(c, b)
            return (rill.solve.cg(function(u, y) y:write(c * u) end, b)):sum()
        end, {0}, {0})
        shapes(function(b) return (rill.solve.tridiagonal(b, b, b, b)):sum() end, {0})
        shapes(function(b) return (rill.solve.multigrid(b)):sum() end, {0, 3})
        shapes(function(x)
            return rill.sparse.csr {shape = {0, 3}, offsets = {0}, columns = {}, values = {}}:multiply(x):sum()
        end, {3})
    end)
end)
