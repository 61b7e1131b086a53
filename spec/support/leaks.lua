-- Device memory a spec file leaves behind. `leaks.watch(setup, teardown)` in its outermost describe: when the file is done, as many streams,
-- pages of containers and bytes must live as before it; unless a test was cut off (patience.lua), which leaves what it had made where it was.
local assert = require "luassert"
local rill = require "rill"
local check = require "spec.support.check"

local leaks = {}

function leaks.snapshot()
    check.collect()
    local memory = rill.memory()
    return {bytes = memory.bytes, streams = memory.streams, pages = memory.pages}
end

function leaks.watch(setup, teardown)
    local before
    setup(function() before = leaks.snapshot() end)
    teardown(function()
        if not leaks.cut_off then
            assert.same(before, leaks.snapshot())
        end
    end)
end

return leaks
