-- rill.cost: whether a launch is worth its transfers.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local launch_arguments = require "rill.core.launch_arguments"
local tables = require "rill.core.tables"
local breakeven = require "rill.shell.cost_model"
local processor = require "rill.shell.cpu_cost"
errors.own()

local TURNS <const>, TRANSFER_ROUNDS <const>, MOST_BYTES <const> = 4, 5, 1 << 26

-- Kinds of parameters whose streams are written, and how: what a launch makes, or what it changes.
local MADE <const> = {["output stream"] = true, ["variable output"] = true}
local CHANGED <const> = {["in-place stream"] = true, ["random-access stream"] = true}

-- ---- arguments

-- The arguments of a launch by their names; it was checked by explain.
local function named(k, ...)
    local first, count = ..., select("#", ...)
    if count == 1 and type(first) == "table" and rill.type(first) == nil then
        return tables.copy(first)
    end
    return launch_arguments(k.params, MADE, ...)
end

-- What stands for an argument in the launches that are timed, so that nothing of the user's is written; nil for outputs that a launch makes.
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

-- The launch to be timed: the kernel and its arguments; sizes of what must be there before it, each stream once, and of what it leaves.
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

-- Streams for transfers of these sizes and what is written to them, of long ones a part; and how many times as much is to be moved.
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

-- Seconds that it takes to bring streams of these sizes to the device, and to bring others back: in turns with launches that have them all, as caches have
-- them elsewhere then. A launch behind a transfer may take longer than others.
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

--- rill.cost(k, ...): whether a launch of the kernel, called like it, is worth what it costs to bring its streams to the device and its
-- results back, by Brook's model. The launch is made many times, on copies of what it writes. A report: `bytes_up`, `bytes_down`;
-- `transfer`, `gpu` and `cpu`, seconds of both transfers, of a launch, and of one core for the same launch; `speedup` (cpu / gpu), `intensity`
-- (gpu / transfer), `worthwhile` (intensity > 1 / (speedup - 1)), `break_even` (launches on one transfer from which on it is).
-- `cpu` is the time of one core for the same program on the software device; nil where there is none.
return function(k, ...)
    if rill.type(k) ~= "kernel" then
        errors.fail("rill.cost: argument #1 'k': expected a kernel, got %s", rill.type(k) or type(k))
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
    for _ = 1, TURNS do -- what disturbs the machine for a while disturbs a turn of each
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
