-- Adjoints of kernels against the kernels themselves: a map, a stencil with constant weights, a nonlinear stencil, and
-- a
-- gather with constant indices; and the time to make an adjoint against that to compile its kernel.
local rill = require "rill"
local support = require "bench.support"

local ROUNDS <const> = 9

local function pair(name, goal, kernel, arguments, bars, wrt)
    local g = kernel:gradient {wrt = wrt}
    local all = {}
    for key, value in pairs(arguments) do all[key] = value end
    for key, value in pairs(bars) do all[key] = value end
    kernel(arguments)
    g(all)
    local function timed(f, list)
        return function() return support.timed(function() f(list) end, 3) end
    end
    local forward, adjoint = support.race(ROUNDS, timed(kernel, arguments), timed(g, all))
    print(("%-28s %8.2f ms %8.2f ms %6.2f (goal %s)"):format(name, forward * 1e3, adjoint * 1e3, adjoint / forward,
        goal))
end

print(("%-28s %11s %11s"):format("work", "kernel", "adjoint"))
local n = 1 << 22
local x, y, bar = rill.random(n), rill.random(n), rill.random(n)
pair("map, 2^22", "2.5", rill.kernel [[kernel void f(float a, float x<>, float y<>, out float r<>) {
    r = a * x * x + sin(x * y); }]], {a = 2, x = x, y = y}, {r_bar = bar}, {"x"})
pair("map, two inputs, 2^22", "2.5", rill.kernel [[kernel void f(float a, float x<>, float y<>, out float r<>) {
    r = a * x * x + sin(x * y); }]], {a = 2, x = x, y = y}, {r_bar = bar}, {"x", "y"})
local u, ubar = rill.random {2048, 2048}, rill.random {2048, 2048}
pair("heat stencil, 2048^2", "2", rill.kernel [=[
    kernel void f(neighbor float u<>, float k, out float r<>) {
        r = u + k * (u[1][0] + u[-1][0] + u[0][1] + u[0][-1] - 4.0 * u); }]=], {u = u, k = 0.2}, {r_bar = ubar}, {"u"})
pair("nonlinear stencil, 2048^2", "2", rill.kernel [=[
    kernel void f(neighbor float u<>, float k, out float r<>) {
        r = u + k * u * (u[1][0] - u[-1][0]) + k * u[0][1] * u[0][-1]; }]=], {u = u, k = 0.2}, {r_bar = ubar}, {"u"})
local m = 1000000
local index = rill.random(m, {type = "int", low = 0, high = m - 1})
local a, v, rbar = rill.random(m), rill.random(m), rill.random(m)
pair("gather, 10^6", "4", rill.kernel [=[kernel void f(float a[], int i<>, float v<>, out float r<>) {
    r = a[i] * v; }]=], {a = a, i = index, v = v}, {r_bar = rbar}, {"a"})
