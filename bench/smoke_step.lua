-- One step of smoke on 512 x 512 cells against the same passes written by hand (bench/peer/peer_smoke.c).
--
-- create(size) of bench/support/smoke_passes.lua returns a simulation with a method step(). Its passes and formulas are those described at the top of
-- peer_smoke.c.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local size, rounds, steps = 512, 11, 5

return function()
    local smoke = assert(loadfile(support.folder .. "/support/smoke_passes.lua"))()
    local simulation = smoke.create(size)
    peer.smoke_reset()
    -- Both run some steps first, since a field at rest is mostly zeros.
    for _ = 1, 20 do simulation:step() end
    rill.sync()
    peer.smoke_step(20)
    local ours, hand = support.race(rounds,
        function() return support.timed(function() simulation:step() end, steps) end,
        function() return peer.smoke_step(steps) end)
    return {support.costs("smoke step 512^2", ours, "the passes by hand in raw GL", hand, 1.25)}
end
