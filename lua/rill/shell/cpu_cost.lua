-- What a launch costs the processor: for rill.cost.
local core = require "rill.core"
local rill = require "rill.core.public"

local processor = {}

local ROUNDS <const>, LEAST_ROUNDS <const>, SECONDS <const> = 15, 3, 0.05
local LEAST_SECONDS <const>, MOST_LAUNCHES <const> = 0.001, 1000

-- Seconds of a launch by the clock, and of the processor, all cores together. The least of some rounds, after one that compiles; of fewer where
-- they take long.
local function time(launch)
    local k, given = launch.kernel, launch.named
    local function run(times)
        rill.sync()
        local wall, busy = rill.clock(), os.clock()
        for _ = 1, times do k(given) end
        rill.sync()
        return (rill.clock() - wall) / times, (os.clock() - busy) / times
    end
    run(1)
    local once = run(1)
    local times = math.max(1, math.min(MOST_LAUNCHES, LEAST_SECONDS / once // 1 | 0))
    local wall, busy, start = math.huge, math.huge, rill.clock()
    for round = 1, ROUNDS do
        local w, b = run(times)
        wall, busy = math.min(wall, w), math.min(busy, b)
        if round >= LEAST_ROUNDS and rill.clock() - start > SECONDS then break end
    end
    return wall, busy
end

--- processor.device(launch): seconds of a launch, a kernel and its arguments by name, on the current device, by the clock.
function processor.device(launch)
    return (time(launch))
end

--- processor.alone(launch): seconds of one core for a launch on the current device, which is the processor. All threads of the process share a core for that:
-- side by side they would wait for memory together. Where the system does not do that, it is the time of all cores.
function processor.alone(launch)
    local _, _, busy = core._single_core(function() return time(launch) end)
    return busy
end

-- The number in rill.devices() of a device that is open.
local function number_of(device)
    for _, d in ipairs(rill.devices()) do
        if d.name == device.name and rill.open(d.index) == device then return d.index end
    end
end

local function software()
    for _, d in ipairs(rill.devices()) do
        if d.software then return d.index end
    end
end

-- The same launch with copies of its streams on another device, the processor's. Outputs are made there.
local function moved(launch, other, back)
    local copies, texts = {}, {}
    for name, value in pairs(launch.named) do
        if rill.type(value) == "stream" then
            texts[name] = value:bytes()
        else
            copies[name] = value
        end
    end
    rill.open(other)
    local result = table.pack(pcall(function()
        for name, text in pairs(texts) do
            copies[name] = core._sized(launch.named[name], launch.named[name].shape):write(text)
        end
        return processor.alone {kernel = launch.kernel, named = copies}, rill.device().name
    end))
    rill.open(back)
    return table.unpack(result, 1, result.n)
end

--- processor.elsewhere(launch): seconds of one core for a launch on this machine's software device, with copies of its streams there, and that device's
-- name; nil and why not. The device that is current stays it.
function processor.elsewhere(launch)
    local device = rill.device()
    local found, back = software(), number_of(device)
    if back then rill.open(back) end
    if not found or not back then
        return nil, "this machine has no software device (Mesa's llvmpipe), which measures the processor's time"
    end
    local done, busy, name = moved(launch, found, back)
    if done then return busy, name end
    return nil, "the software device refused the kernel: " .. tostring(busy)
end

return processor
