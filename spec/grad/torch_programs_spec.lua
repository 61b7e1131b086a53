-- Programs, compared with values and gradients recorded from PyTorch (torch_programs.py).
local rill = require "rill"
local leaks = require "spec.support.leaks"
local programs = dofile "spec/grad/torch_programs.lua"

local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

-- In the short mode these programs, whose rules the other specs of this directory do not combine, stand for all.
local SHORT <const> = {}
local WORDS <const> = "convolution layer_norm scatter shapes overwritten diffusion"
for name in WORDS:gmatch "%S+" do
    SHORT[name] = true
end

-- Returns the arrays of a program with a letter: x1, x2 ...
local function list(arrays, name, letter)
    local found = {}
    repeat
        local one = rawget(arrays, ("%s.%s%d"):format(name, letter, #found + 1))
        found[#found + 1] = one
    until not one
    return found
end

-- Returns the inputs, all arguments, the gradients and the value of a program.
local function recorded(name)
    local arrays = rill.npz.load "spec/grad/torch_programs.npz"
    local inputs, arguments = list(arrays, name, "x"), list(arrays, name, "x")
    table.move(list(arrays, name, "c"), 1, 9, #arguments + 1, arguments)
    return inputs, arguments, list(arrays, name, "g"), arrays[name .. ".value"]:get(1)
end

local function near(want, got, name)
    assert(math.abs(want - got) <= 1e-5 * math.max(1, math.abs(want)), ("%s is %.9g, not %.9g"):format(name, got, want))
end

describe("a program", function()
    leaks.watch(setup, teardown)

    it("has the value of PyTorch #long", function()
        assert.equal(28, #names)
        for _, name in ipairs(names) do
            local _, arguments, _, want = recorded(name)
            near(want, programs[name](table.unpack(arguments)), name)
        end
    end)

    for _, name in ipairs(names) do
        it("has the value and the gradients of PyTorch: " .. name .. (SHORT[name] and "" or " #long"), function()
            local inputs, arguments, wants, want = recorded(name)
            local wrt = {}
            for i in ipairs(inputs) do wrt[i] = i end
            local results = {rill.value_and_grad(programs[name], {wrt = wrt})(table.unpack(arguments))}
            near(want, results[1], name)
            assert.equal(#inputs + 1, #results)
            for i, g in ipairs(wants) do
                local got = results[i + 1]
                assert.equal(inputs[i].shape, got.shape)
                local scale, off = rill.abs(g):max(), rill.abs(got:cast "double" - g):max()
                assert(off <= 1e-5 * scale, ("gradient %d is off by %g of %g"):format(i, off, scale))
            end
        end)
    end
end)
