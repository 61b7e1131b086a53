-- Device memory a spec file leaves behind. `leaks.watch(setup, teardown)` in its outermost describe: when the file is done, as many streams,
-- pages of containers and bytes must live as before it; unless a test was cut off (patience.lua), which leaves what it had made where it was.
-- A leak is what no collection frees: Lua 5.4.4's generational collector, asked for a full cycle, now and then keeps unreachable userdata
-- until it is asked again (once in 150 runs of ranges_spec: nothing reached them, two cycles freed nothing, the next freed all).
local assert = require "luassert"
local rill = require "rill"
local check = require "spec.support.check"

local leaks = {}

local cycles <const> = 4

function leaks.snapshot()
    check.collect()
    local memory = rill.memory()
    return {bytes = memory.bytes, streams = memory.streams, pages = memory.pages}
end

local function same(a, b)
    return a.bytes == b.bytes and a.streams == b.streams and a.pages == b.pages
end

function leaks.watch(setup, teardown)
    local before
    setup(function() before = leaks.snapshot() end)
    teardown(function()
        if not leaks.cut_off then
            local after
            for _ = 1, cycles do
                after = leaks.snapshot()
                if same(before, after) then break end
            end
            assert.same(before, after)
        end
    end)
end

-- Fails where a second call of f leaves streams to the collector, more than `most` (0).
function leaks.none(f, what, most)
    f()
    check.collect()
    collectgarbage "stop"
    local before = rill.memory().streams
    local done, said = pcall(f)
    local after = rill.memory().streams
    collectgarbage "restart"
    assert(done, said)
    assert(after - before <= (most or 0), ("%s: %d streams are left"):format(what, after - before))
end

return leaks
