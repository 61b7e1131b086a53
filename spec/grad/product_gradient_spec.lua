-- Gradients of matrix products, einsum and rill.blas.
local rill = require "rill"
local check = require "spec.support.check"
local differences = require "spec.support.differences"
local gradients = require "spec.support.gradients"
local leaks = require "spec.support.leaks"
local doubles <const>, loss <const> = gradients.doubles, gradients.loss

local LONG <const> = os.getenv "RILL_SUITE_LONG"

describe("the gradient of", function()
    leaks.watch(setup, teardown)

    it("rill.matmul is that of each factor, for matrices, vectors and batches", function()
        for _, shapes in ipairs(LONG and {
            {{2, 3}, {3, 4}}, {{1, 1}, {1, 1}}, {{7, 1}, {1, 5}}, {{3}, {3, 4}}, {{2, 3}, {3}}, {{3}, {3}}, {{1}, {1}},
            {{2, 2, 3}, {3, 1}}, {{2, 3}, {2, 3, 2}}, {{5, 1, 2, 3}, {4, 3, 2}}, {{3}, {2, 3, 2}}, {{2, 2, 3}, {3}},
        } or {{{3}, {3, 4}}, {{2, 3}, {3}}, {{3}, {3}}, {{5, 1, 2, 3}, {4, 3, 2}}}) do
            differences.check(function(a, b) return loss(rill.matmul(a, b)) end, doubles(1, table.unpack(shapes)))
        end
    end)

    it("rill.matmul follows views, expressions and other types", function()
        differences.check(function(a, b)
            return loss(rill.matmul(a:transpose(), b:domain({1, 2}, {4, 4}):transpose()))
        end, doubles(2, {3, 2}, {4, 4}))
        differences.check(function(a) return loss(rill.matmul(a * a, a:transpose() + 1)) end, doubles(3, {3, 3}))
        local x <const> = rill.from {{1, 2}, {3, 4}}
        local g <const> = rill.grad(function(w) return rill.matmul(x:cast "int", w):sum() end)(x)
        assert.equal("float", g.type)
        check.equal({4, 4, 6, 6}, g:values())
        differences.check(function(a) return loss(rill.matmul(a, x)) end, doubles(4, {3, 2}))
    end)

    it("rill.matmul with a bias and an activation", function()
        for k, activation in ipairs {"relu", "sigmoid", "tanh", false} do
            for n, shapes in ipairs {
                {{2, 3}, {3, 4}, {4}}, {{3}, {3, 4}, {4}}, {{2, 3}, {3}, {1}}, {{3}, {3}, {1}},
                {{2, 2, 3}, {3, 1}, {1}}, {{5, 1, 2, 3}, {4, 3, 2}, {2}},
            } do
                local function f(a, b, c)
                    return loss(rill.matmul(a, b, {bias = c, activation = activation or nil}))
                end
                -- In the short mode one shape for each activation.
                if LONG or n == k then differences.check(f, doubles(9, table.unpack(shapes))) end
            end
        end
        local w <const>, x <const>, c <const> = table.unpack(doubles(10, {3, 2}, {4, 3}, {2}))
        if LONG then
            local function f(v) return loss(rill.matmul(x, v, {bias = c, activation = "tanh"})) end
            local function separate(v) return loss(rill.tanh(rill.matmul(x, v) + c)) end
            local direction <const> = rill.from({{1, 2}, {3, 4}, {5, 6}}, "double")
            check.equal(rill.hvp(separate, w, direction):values(), rill.hvp(f, w, direction):values(), 1e-12)
        end
        -- Only the bias depends on the argument.
        local only <const> = rill.grad(function(v) return rill.matmul(x, w, {bias = v * 2}):sum() end)(c)
        check.equal({8, 8}, only:values())
    end)

    it("rill.matmul is zero for factors without elements", function()
        local a, b = rill.grad(function(p, q) return rill.matmul(p, q):sum() end)(
            rill.stream("double", {2, 0}), rill.stream("double", {0, 3}))
        assert.equal("2x0", tostring(a.shape))
        assert.equal("0x3", tostring(b.shape))
    end)

    it("rill.einsum, rill.outer and rill.trace", function()
        for k, case in ipairs {
            {"ij,jk->ik", {2, 3}, {3, 2}}, {"ij,ij", {2, 3}, {2, 3}}, {"i,j->ij", {2}, {3}}, {"ii->i", {3, 3}},
            {"ii", {3, 3}}, {"bij,bjk->bik", {2, 2, 3}, {2, 3, 1}}, {"ij->ji", {2, 3}}, {"ij->i", {2, 3}},
            {"ij,jk,k->i", {2, 3}, {3, 2}, {2}}, {"...i,i->...", {2, 2, 3}, {3}}, {"i,ij,j", {2}, {2, 3}, {3}},
        } do
            if LONG or k % 3 == 1 then
                differences.check(function(...) return loss(rill.einsum(case[1], ...)) end,
                    doubles(5, table.unpack(case, 2)))
            end
        end
        differences.check(function(a, b) return loss(rill.outer(a, b)) end, doubles(6, {2}, {3}))
        if LONG then differences.check(function(a) return loss(rill.trace(a)) end, doubles(7, {3, 3})) end
        differences.check(function(a) return loss(rill.trace(a, {offset = 1})) end, doubles(8, {3, 4, 2}))
    end)

    it("functions of rill.blas, which write their result", function()
        local function written(f)
            return function(a, b, c)
                local result <const> = c:copy()
                f(a, b, result)
                return loss(result)
            end
        end
        if LONG then
            differences.check(written(function(a, b, c)
                rill.blas.gemm(1.5, a, b, 0.5, c, {transpose_a = true})
            end), doubles(9, {3, 2}, {3, 4}, {2, 4}))
        end
        differences.check(written(function(a, b, c)
            rill.blas.gemm(2, a, b, -1, c, {transpose_b = true})
            rill.blas.gemm(2, a, b, 1, c, {transpose_b = true})
        end), doubles(10, {2, 1, 3}, {4, 3}, {2, 1, 4}))
        if LONG then
            differences.check(written(function(a, x, y) rill.blas.gemv(1.5, a, x, -2, y) end),
                doubles(11, {3, 2}, {2}, {3}))
        end
        differences.check(written(function(a, x, y) rill.blas.gemv(1.5, a, x, 0, y, {transpose = true}) end),
            doubles(12, {3, 2}, {3}, {2}))
    end)

    it("products that read what rill.blas overwrites", function()
        local x <const>, m <const>, t <const> = table.unpack(doubles(14, {3}, {3, 3}, {3}))
        differences.check(function(a)
            local c <const> = t:copy()
            local s <const> = (a * c):sum() -- the gradient needs c
            rill.blas.gemv(1, m, x, 0, c)
            return s * s + (a * c):sum()
        end, doubles(15, {3}))
    end)

    it("a gradient of products", function()
        differences.check(function(a, b)
            local p, q = rill.grad(function(u, v) return loss(rill.matmul(u, v)) end)(a, b)
            return loss(p) + (q * q):sum()
        end, doubles(13, {3, 4}, {4, 2}), {bound = 1e-7})
    end)

    it("a network with two layers takes 12 launches", function()
        local x <const> = rill.random({20, 8}, {seed = 1})
        local labels <const> = rill.random({20, 1}, {seed = 2, type = "int", low = 0, high = 4})
        local function loss_of(w1, b1, w2, b2)
            local hidden <const> = rill.matmul(x, w1, {bias = b1, activation = "relu"})
            local y <const> = rill.matmul(hidden, w2, {bias = b2})
            return (y:logsumexp(2) - rill.take_along(y, labels, 2):reshape(20)):mean()
        end
        local train <const> = rill.grad(loss_of)
        local w1 <const>, w2 <const> = rill.random({8, 16}, {seed = 3}), rill.random({16, 5}, {seed = 4})
        local b1 <const>, b2 <const> = rill.zeros(16), rill.zeros(5)
        train(w1, b1, w2, b2)
        local report <const> = rill.profile(function() train(w1, b1, w2, b2) end)
        assert.equal(12, report.launches, tostring(report))
        for _, row in ipairs(report) do assert.is_nil(row.reason) end
    end)
end)
