-- rill.cost: estimates whether a launch is worth its transfers, and measures what a step of a loop costs.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local launch_arguments = require "rill.core.launch_arguments"
local tables = require "rill.core.tables"
local breakeven = require "rill.shell.cost_model"
local processor = require "rill.shell.cpu_cost"
local step_cost = require "rill.shell.step_cost"
errors.own()

local TURNS <const>, TRANSFER_ROUNDS <const>, MOST_BYTES <const> = 4, 5, 1 << 26

-- The kinds of parameters whose streams a launch creates, and the kinds whose streams it modifies.
local MADE <const> = {["output stream"] = true, ["variable output"] = true}
local CHANGED <const> = {["in-place stream"] = true, ["random-access stream"] = true}

-- ---- arguments

-- Returns the arguments of a launch by name. k:explain has checked them.
local function named(k, ...)
    local first, count = ..., select("#", ...)
    if count == 1 and type(first) == "table" and rill.type(first) == nil then
        return tables.copy(first)
    end
    return launch_arguments(k.params, MADE, ...)
end

-- Returns the value that replaces an argument in the timed launches, so that no stream of the user is written; nil for
-- outputs that a launch allocates.
local function stand_in(param, value, number)
    local kind = rill.type(value)
    if kind == "expression" then
        return value:eval()
    elseif param.kind == "constant" or value == nil then
        return value
    elseif kind == nil and core._types[param.type] then
        return rill.from(value, param.type)
    elseif kind ~= "stream" then
        errors.fail("rill.cost: argument #%d '%s': expected a stream, got %s", number, param.name, kind or type(value))
    end
    return MADE[param.kind] and value:like() or CHANGED[param.kind] and value:copy() or value
end

-- Returns the launch to be timed (the kernel and its arguments), the sizes in bytes of its inputs, each stream once,
-- and the sizes of its outputs.
local function prepare(k, ...)
    local given, up, down, seen = named(k, ...), {}, {}, {}
    local made = {}
    for i, param in ipairs(k.params) do
        local value = given[param.name]
        local s = stand_in(param, value, i + 1)
        given[param.name] = s
        if MADE[param.kind] then
            made[#made + 1] = param
        elseif param.kind ~= "constant" and not seen[value] then
            seen[value] = true
            up[#up + 1] = s.nbytes
        end
        if CHANGED[param.kind] then down[#down + 1] = s.nbytes end
    end
    local results = {k(given)}
    for i, param in ipairs(made) do
        down[#down + 1] = results[i].nbytes
        if param.kind ~= "variable output" then given[param.name] = results[i] end
    end
    return {kernel = k, named = given}, up, down
end

-- ---- times

local function sum(sizes)
    local total = 0
    for _, bytes in ipairs(sizes) do total = total + bytes end
    return total
end

-- Returns streams for transfers of these sizes with the data to be written, and the ratio of the sizes to the streams,
-- as large streams are shortened.
local function scratch(sizes)
    local list, moved = {}, 0
    for _, bytes in ipairs(sizes) do
        if bytes > 0 then
            local s = rill.stream("uint", (math.min(bytes, MOST_BYTES) + 3) // 4)
            list[#list + 1] = {stream = s, text = s:bytes()}
            moved = moved + s.nbytes
        end
    end
    return list, moved > 0 and sum(sizes) / moved or 0
end

local function write(list)
    for _, s in ipairs(list) do s.stream:write(s.text) end
end

local function read(list)
    for _, s in ipairs(list) do s.stream:bytes() end
end

-- Reads and writes a stream on all threads of the device.
local touch

-- Returns the seconds to transfer streams of these sizes to the device and others back. Transfers alternate with
-- launches that access all the streams, because of caches. The additional time of the first launch after a transfer
-- counts as transfer time.
local function time_transfers(up, down)
    touch = touch or rill.kernel "kernel void touch(inout uint x<>) { x ^= 1u; }"
    local ups, times_up = scratch(up)
    local downs, times_down = scratch(down)
    local function launch()
        for _, s in ipairs(ups) do touch(s.stream) end
        for _, s in ipairs(downs) do touch(s.stream) end
    end
    local steps, least = {write, launch, launch, read}, {}
    for round = 0, TRANSFER_ROUNDS do
        for i, step in ipairs(steps) do
            rill.sync()
            local start = rill.clock()
            step(i == 1 and ups or downs)
            rill.sync()
            local seconds = rill.clock() - start
            least[i] = round > 0 and least[i] < seconds and least[i] or seconds
        end
    end
    for _, list in ipairs {ups, downs} do
        for _, s in ipairs(list) do s.stream:close() end
    end
    return times_up * (least[1] + math.max(0, least[2] - least[3])) + times_down * least[4]
end

-- ---- the report

local Cost = {__name = "rill.cost"}

local function duration(seconds)
    for _, unit in ipairs {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}} do
        if seconds >= unit[1] then return ("%.3g %s"):format(seconds / unit[1], unit[2]) end
    end
    return ("%.0f ns"):format(seconds * 1e9)
end

function Cost:__tostring()
    local text = ("%s: %d bytes up and %d down in %s; a launch takes %s on %s"):format(self.name, self.bytes_up,
        self.bytes_down, duration(self.transfer), duration(self.gpu), self.device)
    if not self.cpu then return text .. "; " .. self.processor end
    local verdict = self.worthwhile and "worth its transfers" or self.break_even == math.huge and
        "never worth its transfers" or ("worth its transfers from %.3g launches on"):format(self.break_even)
    local by = self.processor == self.device and "" or (" (%s)"):format(self.processor)
    return ("%s, %s by one core%s: speedup %.3g, intensity %.3g, %s"):format(text, duration(self.cpu),
        by, self.speedup, self.intensity, verdict)
end

--- rill.cost(k, ...) estimates by Brook's model whether the launch k(...) is worth the transfers of its streams to the
-- device and of its results back. The launch is repeated many times, on copies of the streams that it writes. Returns a
-- report: `bytes_up` and `bytes_down`; the seconds `transfer` (both transfers), `gpu` (a launch) and `cpu` (the same
-- launch on one core of the CPU); `speedup` (cpu / gpu), `intensity` (gpu / transfer), `worthwhile` (intensity > 1 /
-- (speedup - 1)), and `break_even`, the number of launches per transfer from which it is worthwhile. `cpu` is measured
-- on the software device. If there is none, `cpu` and the fields that depend on it are nil.
-- rill.cost(f, ...) of a function calls f(...) 8 to 32 times, and returns what a call costs, such as a step of a loop:
-- `time` (the least seconds of a call until the device has finished), `device_time` (the least seconds of its launches
-- on the device), `host_time` (the rest of `time`), `launches`, `copies` (of arguments), `bytes` (that launches read
-- and write), `launch_time` (seconds of a launch of one element), `bound` ("host", "launches", "memory" or
-- "arithmetic": what takes most of the time), `device` (its name), and `profile` (the report of rill.profile).
return function(k, ...)
    if type(k) == "function" then
        return step_cost(rill.profile, k, ...)
    elseif rill.type(k) ~= "kernel" then
        errors.fail("rill.cost: argument #1 'k': expected a kernel or a function, got %s", rill.type(k) or type(k))
    end
    for _, param in ipairs(k.params) do
        if param.kind == "reduction result" then
            errors.fail("rill.cost: argument #1 'k': expected a kernel that runs over elements, got the reduce kernel "
                .. "'%s'", k.name)
        end
    end
    errors.call(k.explain, k, ...)
    local launch, up, down = prepare(k, ...)
    local device = rill.device()
    local cpu, by
    if not device.software then cpu, by = processor.elsewhere(launch) end
    local gpu, transfer = math.huge, math.huge
    for _ = 1, TURNS do -- alternate, so that a temporary load on the machine affects all measurements
        gpu = math.min(gpu, processor.device(launch))
        if device.software then cpu, by = math.min(cpu or math.huge, processor.alone(launch)), device.name end
        transfer = math.min(transfer, time_transfers(up, down))
    end
    local report = {
        name = k.name, device = device.name, processor = by, bytes_up = sum(up), bytes_down = sum(down),
        gpu = gpu, cpu = cpu, transfer = transfer,
    }
    for name, value in pairs(breakeven(report.gpu, report.cpu, report.transfer)) do report[name] = value end
    return setmetatable(report, Cost)
end
