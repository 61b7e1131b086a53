-- The overhead of a launch from Lua over the same GL calls from C. It is measured without the driver's worker threads, whose wake-up time would dominate: this
-- file runs itself again as a script with LP_NUM_THREADS=0.
local folder = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = folder .. "/../?.lua;" .. package.path

local support = require "bench.support"

local elements, launches, rounds = 64, 10000, 11

local function resident_kilobytes()
    local file = io.open("/proc/self/status")
    if not file then return 0 end
    local text = file:read("a")
    file:close()
    return tonumber(text:match("VmRSS:%s*(%d+)")) or 0
end

-- Prints seconds per launch of rill and of the peer, and the memory that 10^5 launches leave allocated: bytes of streams and kilobytes of the process.
local function measure()
    local rill = require "rill"
    local peer = require "peer"
    local saxpy = rill.kernel [[
        kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }
    ]]
    local x, y = rill.random(elements, {seed = 1}), rill.random(elements, {seed = 2})
    local r = rill.stream("float", elements)
    local function launch() saxpy(2.5, x, y, r) end
    local ours, bare = support.race(rounds,
        function() return support.timed(launch, launches) end,
        function() return peer.launch(launches) end)
    collectgarbage()
    local streams, resident = rill.memory().bytes, resident_kilobytes()
    support.timed(launch, 100000)
    collectgarbage()
    print(ours, bare, rill.memory().bytes - streams, resident_kilobytes() - resident)
end

if arg[1] == "--measure" then return measure() end

return function()
    local command = support.command("LP_NUM_THREADS=0", support.folder .. "/launch.lua", "--measure")
    local pipe = assert(io.popen(command))
    local ours, bare, streams, resident = pipe:read("n", "n", "n", "n")
    pipe:close()
    assert(resident, "the measuring process failed: " .. command)
    return {
        support.above("launch, 64 elements", ours, "the same GL calls from C", bare, 2e-6),
        support.note("10^5 launches leave behind", string.format("%d B, RSS %d KiB", streams, resident), "0 B"),
    }
end
