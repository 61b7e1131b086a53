-- Smoke in three dimensions (examples/sparsefluid.lua), on sparse pages and on a dense grid: a step in which about 5 % of the pages exist.
local rill = require "rill"
local support = require "bench.support"

local sparsefluid = assert(loadfile(support.folder .. "/../examples/sparsefluid.lua"))("module")

local size <const>, page <const>, rounds <const> = 128, 8, 3

return function()
    local sparse = sparsefluid.create(size, page, sparsefluid.sparse())
    local dense = sparsefluid.create(size, page, sparsefluid.dense())
    local steps = 0
    while sparse:occupancy() < 0.05 and steps < 200 do
        sparse:step()
        steps = steps + 1
    end
    local mine, other = support.race(rounds, function()
        return support.timed(function() sparse:step() end, 1)
    end, function()
        return support.timed(function() dense:step() end, 1)
    end)
    rill.sync()
    local share = ("%.1f %% of the pages"):format(100 * sparse:occupancy())
    return {
        support.costs("step of smoke, " .. share, mine, ("a dense grid of %d^3"):format(size), other, 0.25),
        support.note("its memory", ("%.3f x that of a dense grid"):format(sparse:bytes() / dense:bytes()), "<= 0.10 x"),
    }
end
