-- Kernels over 2^22 elements that are affected by the choices of rill.device().tuning: for bench/tuning.lua and its peers.
local rill = require "rill"

local kernels = {}

local count <const>, side <const> = 1 << 22, 2048

kernels.names = {"copy", "saxpy", "exp", "half", "int", "vec4", "gather", "stencil"}

--- kernels.cases(): returns cases by name, each with `run`.
function kernels.cases()
    local x, y = rill.random(count, {seed = 1}), rill.random(count, {seed = 2})
    local r, plane, cases = rill.stream("float", count), rill.stream("float", {side, side}), {}
    local function add(name, text, ...)
        local kernel, arguments = rill.kernel(text), {...}
        cases[name] = {run = function() kernel(table.unpack(arguments)) end}
    end
    local numbers = rill.floor(x * count):eval():cast "int"
    local vectors = rill.random(count // 4, {type = "vec4", seed = 3})
    local halves = x:cast "half"
    add("copy", "kernel void copy(float x<>, out float r<>) { r = x; }", x, r)
    add("saxpy", "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }", 2.5, x, y, r)
    add("exp", "kernel void e(float x<>, out float r<>) { r = exp(x); }", x, r)
    add("half", "kernel void h(float x<>, out float r<>) { r = 2.0 * x; }", halves, halves:like())
    add("int", "kernel void i(int x<>, out int r<>) { r = 3 * x + 1; }", numbers, numbers:like())
    add("vec4", "kernel void v(vec4 x<>, out vec4 r<>) { r = 2.0 * x; }", vectors, vectors:like())
    add("gather", "kernel void gather(int i<>, float x[], out float r<>) { r = x[i]; }", numbers, x, r)
    add("stencil", [[
        kernel void stencil(neighbor float u<>, out float r<>) {
            r = u[ivec2(-1, 0)] + u[ivec2(1, 0)] + u[ivec2(0, -1)] + u[ivec2(0, 1)] - 4.0 * u[ivec2(0, 0)];
        }
    ]], x:reshape {side, side}, plane)
    return cases
end

return kernels
