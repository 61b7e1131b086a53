-- Sum of 2^24 floats against a C loop on one thread and against the hand-tuned shader.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local count, rounds = 1 << 24, 15

return function()
    local x = rill.random(count, {seed = 1})
    local ours, loop, tuned = support.race(rounds,
        function() return support.timed(function() x:sum() end, 1) end,
        function() return (peer.sum_c()) end,
        function() return (peer.sum_tuned()) end)
    return {
        support.faster("sum 2^24", ours, "C loop, -O3 -ffast-math, 1 thread", loop, 1),
        support.faster("sum 2^24", ours, "hand-tuned GLSL", tuned),
        support.note("sum 2^24", string.format("%.1f GB/s", 4e-9 * count / ours)),
    }
end
