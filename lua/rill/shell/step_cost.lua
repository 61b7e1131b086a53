-- What a step of a loop costs, for rill.cost(f, ...).
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local recorder = require "rill.core.recorder"
local reports = require "rill.shell.profile_report"

local WARM <const>, ROUNDS <const>, LEAST_ROUNDS <const>, SECONDS <const> = 2, 15, 3, 0.5
local EMPTY_ROUNDS <const>, EMPTY_LAUNCHES <const> = 5, 20

local Step = {__name = "rill.cost of a step"}

local REASONS <const> = {
    host = "the host: use fewer operations, or larger streams",
    launches = "launches: join operations in expressions or kernels, or use larger streams",
    memory = "memory: access fewer bytes",
    arithmetic = "the work of the kernels: see its profile",
}

-- Returns a number with a noun.
local function counted(number, noun, many)
    return ("%d %s"):format(number, number == 1 and noun or many)
end

function Step:__tostring()
    local launches <const> = counted(self.launches, "launch", "launches")
    local copies <const> = self.copies > 0 and " and " .. counted(self.copies, "copy", "copies") or ""
    return ("a step takes %s: %s on the device, %s on the host; %s%s, %s\n"
        .. "a launch without work takes %s, all together %.0f %% of the step; bound by %s"):format(
        reports.duration(self.time), reports.duration(self.device_time), reports.duration(self.host_time), launches,
        copies, reports.size(self.bytes), reports.duration(self.launch_time),
        100 * math.min(1, self.launches * self.launch_time / self.time), REASONS[self.bound])
end

-- Calls f(...). A yield from it is an error.
local function call(f, ...)
    local arguments <const> = table.pack(...)
    local results <const> = errors.whole("rill.cost", function() return f(table.unpack(arguments, 1, arguments.n)) end)
    if not results[1] then
        error(results[2], 0)
    end
end

-- Calls measure() several times, and returns the results for the call with the least first result.
local function least(measure)
    local best, start = nil, rill.clock()
    for round = 1, ROUNDS do
        local results <const> = table.pack(measure())
        best = best and best[1] <= results[1] and best or results
        if round >= LEAST_ROUNDS and rill.clock() - start > SECONDS then
            break
        end
    end
    return table.unpack(best)
end

-- Returns the least seconds of a call until the device has finished, and the report of the profile with the least
-- time on the device. `profile`: the function rill.profile.
local function measured(profile, f, ...)
    local arguments <const> = table.pack(...)
    local function run()
        f(table.unpack(arguments, 1, arguments.n))
    end
    for _ = 1, WARM do
        call(run)
    end
    local seconds <const> = least(function()
        rill.sync()
        local before <const> = rill.clock()
        call(run)
        rill.sync()
        return rill.clock() - before
    end)
    local _, best <const> = least(function()
        local report <const> = profile(run)
        return report.device_time, report
    end)
    return seconds, best
end

local empty -- a kernel

-- Returns the seconds on the device of a launch of one element.
local function empty_launch(profile)
    empty = empty or rill.kernel "kernel void empty(out float r<>) { r = 1.0; }"
    local r <const>, seconds = rill.stream("float", 1), math.huge
    empty(r)
    for _ = 1, EMPTY_ROUNDS do
        local report <const> = profile(function()
            for _ = 1, EMPTY_LAUNCHES do
                empty(r)
            end
        end)
        seconds = math.min(seconds, report.device_time / EMPTY_LAUNCHES)
    end
    return seconds
end

-- Returns what takes the most time of a step.
local function bound_of(step)
    local launching <const> = math.min(step.device_time, step.launches * step.launch_time)
    local working <const> = step.device_time - launching
    if step.host_time >= math.max(launching, working) then
        return "host"
    elseif launching >= working then
        return "launches"
    end
    return 2 * step.bytes / step.profile.copy_rate >= working and "memory" or "arithmetic"
end

--- step_cost(profile, f, ...) returns the report of rill.cost for a function f. `profile`: the function rill.profile.
return function(profile, f, ...)
    if recorder.on then
        errors.fail("rill.cost: a function that is differentiated cannot call it: measure the gradient instead, "
            .. "rill.cost(rill.grad(f), ...)")
    elseif reports.taken then
        errors.fail("rill.cost: a function that rill.profile runs cannot call it: call rill.cost outside")
    end
    local seconds <const>, report <const> = measured(profile, f, ...)
    local step <const> = {
        time = seconds, launches = report.launches, copies = 0, bytes = 0, device_time = report.device_time,
        launch_time = empty_launch(profile), profile = report, device = rill.device().name,
    }
    for _, row in ipairs(report) do
        step.bytes = step.bytes + row.bytes
        step.copies = step.copies + (row.reason and row.calls or 0)
    end
    step.host_time = math.max(0, seconds - step.device_time)
    step.bound = bound_of(step)
    return setmetatable(step, Step)
end
