-- One 5-point Jacobi step on 1024 x 1024 floats, written with a `neighbor` argument, against one float per
-- invocation (the best of its group shapes) and the hand-tuned shader.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local size, rounds, steps = 1024, 15, 10

return function()
    local jacobi = rill.kernel [[
        kernel void jacobi(neighbor float u<>, out float r<>) {
            r = 0.25 * (u[ivec2(-1, 0)] + u[ivec2(1, 0)] + u[ivec2(0, -1)] + u[ivec2(0, 1)]);
        }
    ]]
    local u, v = rill.random({size, size}, {seed = 4}), rill.stream("float", {size, size})
    local shapes = {{8, 8}, {16, 16}, {32, 8}, {64, 1}, {256, 1}, {1024, 1}, {32, 32}}
    local shape = support.best(shapes, 5, function(group)
        return function() return peer.jacobi_naive(group[1], group[2], steps) end
    end)
    local ours, naive, tuned = support.race(rounds,
        function()
            return support.timed(function()
                jacobi(u, v)
                u, v = v, u
            end, steps)
        end,
        function() return peer.jacobi_naive(shape[1], shape[2], steps) end,
        function() return peer.jacobi_tuned(steps) end)
    return {
        support.faster("jacobi 1024^2", ours, ("one float each, %d x %d"):format(shape[1], shape[2]), naive, 3),
        support.faster("jacobi 1024^2", ours, "hand-tuned GLSL", tuned),
        support.note("jacobi 1024^2", string.format("%.2f ns each", ours / size ^ 2 * 1e9)),
    }
end
