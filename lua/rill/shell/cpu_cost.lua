-- Measures the time of a launch on the device and on the CPU, for rill.cost.
local core = require "rill.core"
local rill = require "rill.core.public"

local processor = {}

local ROUNDS <const>, LEAST_ROUNDS <const>, SECONDS <const> = 15, 3, 0.05
local LEAST_SECONDS <const>, MOST_LAUNCHES <const> = 0.001, 1000

-- Returns the wall-clock seconds of a launch, and its CPU seconds, summed over all cores. The result is the minimum of
-- several rounds, after a launch that compiles. There are fewer rounds if they take long.
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

--- processor.device(launch) returns the wall-clock seconds of a launch on the current device. `launch` is {kernel =,
-- named = arguments by name}.
function processor.device(launch)
    return (time(launch))
end

--- processor.alone(launch) returns the seconds that one core takes for a launch on the current device, which must be
-- the CPU. All threads of the process are bound to one core meanwhile, as threads that run in parallel would compete
-- for memory bandwidth. If the system cannot bind threads, the result is the sum of the times of all cores.
function processor.alone(launch)
    local _, _, busy = core._single_core(function() return time(launch) end)
    return busy
end

-- Returns the index in rill.devices() of an open device.
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

-- Times a launch with copies of its streams on another device, the CPU's. Returns pcall's result, the seconds and the
-- device's name.
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

--- processor.elsewhere(launch) returns the seconds that one core takes for a launch on this machine's software device,
-- with copies of its streams, and the name of that device; nil and the reason if there is none. The current device does
-- not change.
function processor.elsewhere(launch)
    local device = rill.device()
    local found, back = software(), number_of(device)
    if back then rill.open(back) end
    if not found or not back then
        return nil, "this machine has no software device (Mesa's llvmpipe) on which the CPU time could be measured"
    end
    local done, busy, name = moved(launch, found, back)
    if done then return busy, name end
    return nil, "the software device refused the kernel: " .. tostring(busy)
end

return processor
