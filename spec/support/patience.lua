-- Limits the time of tests on slow devices (a busted helper). A test that has used more than RILL_SUITE_PATIENCE
-- seconds of CPU time is stopped at the next step of the spec, and counts as skipped. Tests whose launches alone
-- take longer are tagged "#large".
local busted = require "busted"
local rill = require "rill"
local leaks = require "spec.support.leaks"

local limit = tonumber(os.getenv "RILL_SUITE_PATIENCE" or 10)
local reason = ("it took more than %g seconds"):format(limit)
local start, memory, test

-- Raises an error at every step of the spec from then on, so that a pcall in the spec does not continue the test.
-- Does not raise in busted or here.
local function cut()
    local source = debug.getinfo(2, "S").short_src
    if source:find "spec/" and not source:find "patience" then
        test.env.pending(reason)
    end
end

local function look()
    if os.clock() - start > limit then
        leaks.cut_off = true
        debug.sethook(cut, "", 1)
    end
end

busted.subscribe({"test", "start"}, function(element)
    start, memory, test = os.clock(), rill.memory().limit, element
    debug.sethook(look, "", 1000)
    return nil, true
end)

busted.subscribe({"test", "end"}, function()
    debug.sethook()
    rill.memory_limit(memory)
    return nil, true
end)
