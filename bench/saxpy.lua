-- SAXPY over 2^24 floats against one float per invocation (the best of its group sizes) and the hand-tuned shader.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local count, rounds = 1 << 24, 15

return function()
    local saxpy = rill.kernel [[
        kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }
    ]]
    local x, y = rill.random(count, {seed = 1}), rill.random(count, {seed = 2})
    local r = rill.stream("float", count)
    local group = support.best({64, 128, 256, 512, 1024}, 5, function(size)
        return function() return peer.saxpy_naive(size) end
    end)
    local ours, naive, tuned = support.race(rounds,
        function() return support.timed(function() saxpy(2.5, x, y, r) end, 1) end,
        function() return peer.saxpy_naive(group) end,
        function() return peer.saxpy_tuned() end)
    return {
        support.faster("saxpy 2^24", ours, "one float each, groups of " .. group, naive, 3),
        support.faster("saxpy 2^24", ours, "hand-tuned GLSL", tuned, 0.95),
        support.note("saxpy 2^24", string.format("%.2f ns each", ours / count * 1e9)),
    }
end
