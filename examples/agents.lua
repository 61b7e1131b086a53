-- A parallel random walk: agents move on a grid to places of activity, with short steps and a few long ones.
--
--     lua5.4 examples/agents.lua [agents [steps [side [directory]]]]        300000 10 256 out
--
-- The likelihoods of moves depend on the cell of an agent only. rill.reuse computes them once for the agents of a cell that are in a batch, as in section 5.3 of
-- M. Kenzel et al., "On-the-fly vertex reuse" (2018). Prints the time of one step for each strategy, with agents sorted by cell before the step (the sort is
-- included) and in random order, and the share of distinct cells. Draws where the agents are after the steps.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local agents = dofile(here .. "support/agents.lua")

local count, steps, side, directory = ...
count, steps, side = tonumber(count or 300000), tonumber(steps or 10), tonumber(side or 256)
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local activity = agents.field(side)
local keys = agents.scatter(count, side, 1)

-- Returns the seconds of one step, its report, and the new keys.
local function timed(strategy, sorted)
    agents.step(keys, activity, side, strategy, 7, sorted):close() -- compiles the kernels
    rill.sync()
    local start = rill.clock()
    local to, report = agents.step(keys, activity, side, strategy, 7, sorted)
    rill.sync()
    local seconds = rill.clock() - start
    return seconds, report.invocations / count, to
end

print(("  %d agents on %d x %d cells; one step:"):format(count, side, side))
print "  strategy         sorted       ratio   share     unsorted     ratio   share"
local naive = {}
for _, strategy in ipairs(rill.reuse.strategies()) do
    if strategy ~= "multi" then -- computes all indices from 0 to the greatest key
        local cells = {}
        for i, sorted in ipairs {true, false} do
            local seconds, share, to = timed(strategy, sorted)
            naive[i] = naive[i] or seconds
            cells[#cells + 1] = ("%9.1f ms %9.2f x %7.3f"):format(seconds * 1e3, naive[i] / seconds, share)
            to:close()
        end
        print(("  %-13s %s %s"):format(strategy, cells[1], cells[2]))
    end
end

for step = 1, steps do
    local to = agents.step(keys, activity, side, "hash", step, true)
    keys:close()
    keys = to
end
local counts = agents.counts(keys, side)
assert(counts:sum() == count, "agents were lost")
print(("  after %d steps: %d agents, at most %d in a cell"):format(steps, counts:sum(), counts:max()))
local picture = agents.program.shade(counts, activity)
rill.image.save(rill.image.resize(picture, {2 * side, 2 * side}), directory .. "/agents.png")
print(("  %s/agents.png: agents in each cell; the activity in blue"):format(directory))
