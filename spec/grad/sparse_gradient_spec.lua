-- Gradients of products with sparse matrices.
local rill = require "rill"
local check = require "spec.support.check"
local differences = require "spec.support.differences"
local gradients = require "spec.support.gradients"
local leaks = require "spec.support.leaks"
local doubles <const>, loss <const> = gradients.doubles, gradients.loss

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local COLUMNS <const> = {1, 3, 0, 0, 3, 4, 3}
local ROWS <const> = {0, 0, 1, 3, 3, 3, 4}

local makers <const> = {
    csr = function(v)
        return rill.sparse.csr {shape = {5, 5}, offsets = {0, 2, 3, 3, 6, 7}, columns = COLUMNS, values = v}
    end,
    coo = function(v) return rill.sparse.coo {shape = {5, 5}, rows = ROWS, columns = COLUMNS, values = v} end,
    unsorted = function(v)
        return rill.sparse.coo {shape = {5, 5}, rows = {3, 1, 0, 3, 1, 0, 0}, columns = COLUMNS, values = v}
    end,
    repeated = function(v)
        local rows <const>, columns <const> = {3, 1, 0, 3, 1, 0, 0}, {2, 2, 1, 2, 2, 0, 1}
        return rill.sparse.coo {shape = {5, 5}, rows = rows, columns = columns, values = v}
    end,
}

local function ell(v)
    return rill.sparse.ell {shape = {3, 4}, columns = {{0, 2}, {3, -1}, {-1, 1}}, values = v:reshape {3, 2}}
end

describe("the gradient of", function()
    leaks.watch(setup, teardown)

    for name, make in pairs(makers) do
        it("A:multiply for entries that are " .. name, function()
            local values <const>, vector <const> = table.unpack(doubles(1, {7}, {5}))
            differences.check(function(v, x) return loss(make(v):multiply(x)) end, {values, vector})
            if not LONG and name ~= "csr" then return end
            differences.check(function(v, x) return loss(make(v):multiply(x)) end, doubles(2, {7}, {5, 3}))
            differences.check(function(v, x)
                local y <const> = rill.stream("double", {5, 3}, 7)
                make(v):multiply(x, y)
                return loss(y)
            end, doubles(3, {7}, {5, 3}))
            differences.check(function(v) return loss(make(v):dense()) + loss(make(v):diagonal()) end, {values})
            differences.check(function(v, x) return loss(make(v):transpose():multiply(x)) end, {values, vector})
            if LONG then
                differences.check(function(x) return loss(make(values):multiply(x)) end, {vector})
                differences.check(function(v) return loss((2 * make(v)) * vector) end, {values})
                differences.check(function(v, x) return loss(make(v):to "ell":multiply(x)) end, {values, vector})
                differences.check(function(v) return loss((-make(v) / 3):to "csr":cast "double" * vector) end, {values})
            end
        end)
    end

    it("A:multiply for the format ell, with empty slots", function()
        if LONG then differences.check(function(v, x) return loss(ell(v):multiply(x)) end, doubles(4, {6}, {4})) end
        differences.check(function(v, x) return loss(ell(v):multiply(x)) end, doubles(5, {6}, {4, 2}))
        differences.check(function(v) return loss(ell(v):dense()) + loss(ell(v):diagonal()) end, doubles(6, {6}))
    end)

    it("values that are written between products", function()
        differences.check(function(v, x)
            local A <const> = makers.csr(v)
            local y <const> = A:multiply(x)
            A.values:write(v * v)
            return loss(A:multiply(y))
        end, doubles(7, {7}, {5}))
    end)

    it("products with matrices that the function closes", function()
        for _, make in pairs {csr = makers.csr, coo = makers.coo} do
            differences.check(function(v, x)
                local A <close> = make(v)
                return loss(A:multiply(x)) + loss(A:dense())
            end, doubles(10, {7}, {5}))
        end
        differences.check(function(v, x)
            local A <close> = ell(v)
            return loss(A:multiply(x))
        end, doubles(11, {6}, {4}))
    end)

    it("products that read what A:multiply overwrites", function()
        local values <const>, x <const>, t <const> = table.unpack(doubles(12, {7}, {5}, {5}))
        differences.check(function(a)
            local c <const> = t:copy()
            local s <const> = (a * c):sum() -- the gradient needs c
            makers.csr(values):multiply(x, c)
            return s * s + (a * c):sum()
        end, doubles(13, {5}))
    end)

    it("a gradient of products", function()
        differences.check(function(v, x)
            local p, q = rill.grad(function(s, t) return loss(makers.csr(s):multiply(t)) end)(v, x)
            return loss(p) + (q * q):sum()
        end, doubles(8, {7}, {5}), {bound = 1e-7})
    end)

    it("matrices without entries is zero", function()
        local g <const> = rill.grad(function(x)
            return rill.sparse.csr {shape = {2, 3}, offsets = {0, 0, 0}, columns = {}, values = {}}:multiply(x):sum()
        end)(rill.from {1, 2, 3})
        check.equal({0, 0, 0}, g:values())
    end)

    it("sums and products of matrices is refused, since their zeros are left out", function()
        local values <const>, dense <const> = table.unpack(doubles(9, {7}, {3, 3}))
        local function refused(text, f, x)
            check.raises(text .. ": its result has no entries that are 0, and so no gradient", rill.grad(f), x)
        end
        refused("A %+ B", function(v) return (makers.csr(v) + makers.csr(v)):dense():sum() end, values)
        refused("A %- B", function(v) return (makers.csr(v) - makers.csr(v)):dense():sum() end, values)
        refused("A %* B", function(v) return (makers.csr(v) * makers.csr(v)):dense():sum() end, values)
        refused("rill.sparse.from_dense", function(m) return rill.sparse.from_dense(m):dense():sum() end, dense)
        refused("rill.sparse.diags", function(v) return rill.sparse.diags(v):dense():sum() end, values)
    end)
end)
