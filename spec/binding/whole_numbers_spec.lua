-- A float with an integer value is accepted wherever an integer is: in arguments, shapes and options.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

local s, m

-- Functions of a conversion of numbers, w: the integer itself, or the float.
local calls <const> = {
    arange = function(w) return rill.arange(w(1), w(7)):cast "float" end,
    array = function(w) return rill.array("float", {w(2), w(3)}):set(1, w(2), w(1)) end,
    choice = function(w) return rill.choice(w(9), w(4), {seed = w(3)}) end,
    cycle = function(w)
        return rill.solve.hierarchy({shape = {w(8), w(8)}}):cycle(rill.zeros {8, 8}, rill.ones {8, 8}, w(2))
    end,
    concat = function(w) return rill.concat({m, m}, w(1)) end,
    cumsum = function(w) return m:cumsum(w(1)) end,
    diags = function(w) return rill.sparse.diags({rill.ones(3)}, {w(0)}, {w(3), w(3)}):dense() end,
    diff = function(w) return m:diff(w(1), w(1)) end,
    domain = function(w) return m:domain({w(1), w(2)}, {w(2), w(3)}) end,
    expand = function(w) return m:expand(w(1)) end,
    eye = function(w) return rill.eye(w(3)) end,
    full = function(w) return rill.full({w(2), w(2)}, 3) end,
    histogram = function(w) return s:histogram {bins = w(3)} end,
    icosphere = function(w) return rill.mesh.icosphere(w(1)).positions end,
    linspace = function(w) return rill.linspace(0, 1, w(5)) end,
    logspace = function(w) return rill.logspace(0, 1, w(5)) end,
    median = function(w) return m:median(w(1)) end,
    moving_mean = function(w) return s:moving_mean(w(2)) end,
    pad = function(w) return s:pad {before = w(1), after = w(2)} end,
    permutation = function(w) return rill.permutation(w(6), {seed = w(1)}) end,
    quantile = function(w) return m:quantile(0.5, {axis = w(1)}) end,
    quantiles = function(w) return m:quantile(0.5, {axis = {w(1), w(2)}, keep = true}) end,
    random = function(w) return rill.random(w(4), {seed = w(7)}) end,
    replicate = function(w) return m:replicate(w(2), w(1)) end,
    reshape = function(w) return m:reshape {w(6), w(-1)} end,
    resize = function(w) return rill.image.resize(m, {w(2), w(3)}) end,
    roll = function(w) return m:roll({w(1), w(2)}, {w(1), w(2)}) end,
    select = function(w) return m:select({w(0), w(2)}, w(1)) end,
    sort = function(w) return m:sort {axis = w(1)} end,
    sparse_eye = function(w) return rill.sparse.eye(w(3)):dense() end,
    split = function(w) return m:split(w(2), w(1))[2] end,
    squeeze = function(w) return m:expand(1):squeeze(w(1)) end,
    stack = function(w) return rill.stack({m, m}, w(1)) end,
    stride = function(w) return m:stride(w(2), w(1)) end,
    sum = function(w) return m:sum {axis = w(1)} end,
    top_k = function(w) return (s:top_k(w(3))) end,
    trace = function(w) return rill.full(1, rill.trace(m, {offset = w(1)})) end,
    lists = function(w)
        return rill.lists("int", {shape = {w(2)}, keys = rill.from({0, 1, 1}, "int")})
    end,
    quadtree = function(w)
        local q = rill.quadtree("float", {size = w(4), page = w(2), depth = w(1), capacity = w(60)})
        return q:set(3, w(1), w(2))
    end,
    hashgrid = function(w)
        local h = rill.hashgrid("float", {rank = w(2), page = {w(2), w(2)}, capacity = w(9)}):set(5, w(-3), w(2))
        return rill.full(1, h:get(w(-3), w(2)))
    end,
    texture = function(w) return rill.array("float", {w(4), w(4)}, {storage = "texture", mipmaps = w(2)}) end,
    stack_of = function(w)
        local t = rill.stack("float", {capacity = w(8)})
        t:push(rill.ones(w(3)))
        return t:pop(w(2)):copy()
    end,
}

local function integer(n) return n end

local function float(n) return n + 0.0 end

describe("a float with an integer value", function()
    teardown(function()
        s:close()
        m:close()
    end)

    leaks.watch(setup, teardown)

    setup(function()
        s, m = rill.iota(12):cast "float":eval(), rill.iota {4, 6}:cast "float":eval()
    end)

    it("is accepted wherever an integer is", function()
        for name, call in pairs(calls) do
            local expected = call(integer)
            local done, found = pcall(call, float)
            assert.is_true(done, name .. ": " .. tostring(found))
            assert.equal(tostring(expected.shape), tostring(found.shape), name)
            assert.same(expected:values(), found:values(), name)
        end
    end)

    it("is accepted in options of files", function()
        local files = tempfiles.open()
        local path = files:path "whole.npy"
        s:save(path)
        assert.equal(66.0, rill.big(path, {memory = 2 ^ 16}):sum())
        assert.same({1.0, 2.0}, rill.big(path):domain(2.0, 3.0):values())
        files:close()
    end)

    it("is not accepted otherwise", function()
        for name, call in pairs {
            eye = function() return rill.eye(2.5) end, roll = function() return s:roll(0.5) end,
            linspace = function() return rill.linspace(0, 1, "3") end, sum = function() return m:sum {axis = 1.5} end,
            permutation = function() return rill.permutation(1 / 0) end, cumsum = function() return m:cumsum(0 / 0) end,
        } do
            assert.is_false(pcall(call), name)
        end
    end)
end)
