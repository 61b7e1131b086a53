-- Kernels over 2^20 floats with different shares of transfer time, for bench/brook/worth.lua and its peer, one core.
local rill = require "rill"

local loops = {}

local count <const> = 1 << 20

loops.names = {"copy", "saxpy", "mads8", "mads16", "mads24"}

--- loops.cases(): returns cases by name, each with `kernel`, `arguments` in order, the streams `up` and `down`, and `run`.
function loops.cases()
    local x, y = rill.random(count, {seed = 1}), rill.random(count, {seed = 2})
    local r, cases = rill.stream("float", count), {}
    local function add(name, text, up, ...)
        local kernel, arguments = rill.kernel(text), {...}
        cases[name] = {kernel = kernel, arguments = arguments, up = up, down = {r},
            run = function() kernel(table.unpack(arguments)) end}
    end
    add("copy", "kernel void copy(float x<>, out float r<>) { r = x; }", {x}, x, r)
    add("saxpy", "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }", {x, y},
        2.5, x, y, r)
    for _, mads in ipairs {8, 16, 24} do
        add("mads" .. mads, ("kernel void mads(float x<>, float a, float b, out float r<>) { r = x; %s }"):format(
            ("r = r * a + b; "):rep(mads)), {x}, x, 0.99, 0.01, r)
    end
    return cases
end

return loops
