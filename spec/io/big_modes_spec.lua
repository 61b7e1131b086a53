-- Boundary modes that results of b:map inherit, and modes in signatures: random kernels and shapes, compared with a model in
-- Lua after ten steps.
local rill = require "rill"
local boundaries = require "spec.support.boundaries"
local tempfiles = require "spec.support.tempfiles"

local CASES <const> = os.getenv "RILL_SUITE_LONG" and 500 or 4
local STEPS <const> = {"step", "step", "fixed", "pair", "mixed", "scale", "expression", "add"}

local IDENTITY <const> = "kernel void same(neighbor float u<>, out float r<>) { r = u[0]; }"

describe("boundary modes of big streams", function()
    local files, count = nil, 0
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function path()
        count = count + 1
        return files:path("modes" .. count % 4 .. ".npy")
    end

    -- Big streams with the operators and calls that the steps use: {big =}.
    local Wrapped = {}
    local function wrapped(b)
        return setmetatable({big = b}, Wrapped)
    end
    function Wrapped.__add(a, b)
        local number <const> = type(b) == "number"
        local text <const> = number and ("x + %d.0"):format(b) or "x + w"
        return wrapped(a.big:map(text, path(), {arguments = not number and {w = b.big} or nil}))
    end

    local function kernels_of(case)
        local kernels <const> = boundaries.kernels(case)
        return setmetatable({}, {__index = function(_, name)
            return function(u, w)
                return wrapped(u.big:map(kernels[name], path(), {arguments = w and {w = w.big} or nil}))
            end
        end})
    end

    -- Only the first launch names the modes.
    local function make(grid, d)
        count = count + 1
        local file <const>, same = files:path(("given%d.npy"):format(count)), rill.kernel(IDENTITY)
        rill.from(grid.data, "float"):reshape(grid.shape):save(file)
        local b <const> = rill.big(file, {tile = d(1, 60)})
        return wrapped(grid.modes and b:map(same, file .. ".same.npy", {boundary = grid.modes}) or b)
    end

    it("are inherited by results", function()
        for seed = 3001, 3000 + CASES do
            local case <const> = boundaries.case(seed, 1 + seed % 3, STEPS)
            boundaries.run(case, function(grid) return make(grid, case.d) end,
                function(b) return rill.load(b.big.path):values() end, kernels_of(case))
        end
    end)

    it("of the option come after those of the signature", function()
        local k = rill.kernel "kernel void f(neighbor(wrap) float u<>, out float r<>) { r = u[-1]; }"
        local shift = rill.kernel "kernel void f(neighbor float u<>, out float r<>) { r = u[-1]; }"
        local file <const> = files:path "signature.npy"
        rill.from({1, 2, 3, 4}, "float"):save(file)
        local b = rill.big(file):map(k, path(), {boundary = "zero"})
        assert.same({4, 1, 2, 3}, rill.load(b.path):values())
        assert.same({3, 4, 1, 2}, rill.load(b:map(shift, path()).path):values())
        assert.same({0, 4, 1, 2}, rill.load(b:map(shift, path(), {boundary = "zero"}).path):values())
        assert.same({4, 4, 1, 2}, rill.load(rill.big(b.path):map(shift, path()).path):values()) -- not in the file
        local pair = rill.kernel "kernel void g(neighbor(wrap, clamp) float u<>, out float r<>) { r = u[-1]; }"
        local made, text = pcall(b.map, b, pair, path())
        assert.truthy(not made and text:find("its signature has 2 boundary modes, the stream has 1 dimension", 1, true))
    end)
end)
