-- Checks that a spec file leaves no device memory. `leaks.watch(setup, teardown)` in the outermost describe: at the
-- end of the file, the numbers of streams, container pages and bytes must be the same as before. Does not check if a
-- test was stopped (patience.lua), because its objects may remain. A leak is what no collection frees: the
-- generational collector of Lua 5.4.4 sometimes keeps unreachable userdata after a full cycle and frees it in a
-- later one (once in 150 runs of ranges_spec, in the third cycle).
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

-- Fails if a second call of f leaves more than `most` streams to the collector. Default of `most`: 0.
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
