-- rill.profile: measures what the launches of a function cost.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local reports = require "rill.shell.profile_report"
local tables = require "rill.core.tables"
errors.own()

local Report = { __name = "rill.profile" }
Report.__index = Report

function Report:__tostring()
    local rows = table.move(reports.rows(self), 1, #self, 2, { reports.heads })
    local total = "%d launches: %s on the device, %s to issue them; %d programs compiled in %s; %s in all; "
        .. "at most %s of device memory"
    local lines = tables.columns(rows, function(i) return i == 1 end)
    for _, row in ipairs(self) do
        if row.reason then
            lines[#lines + 1] = ("%s, %d calls: %s"):format(row.name, row.calls, row.reason)
        end
    end
    lines[#lines + 1] = total:format(self.launches, reports.duration(self.device_time),
        reports.duration(self.host_time), self.compiled,
        reports.duration(self.compile_time), reports.duration(self.time), reports.size(self.peak))
    return table.concat(lines, "\n")
end

local function report_of(recorded, copy_rate)
    local report = setmetatable({
        time = recorded.time, compile_time = recorded.compile_time, compiled = recorded.compiled,
        launches = recorded.launches, peak = recorded.peak, copy_rate = copy_rate, device_time = 0, host_time = 0,
    }, Report)
    for i, row in ipairs(reports.complete(recorded, copy_rate)) do
        report.device_time = report.device_time + row.device_time
        report.host_time = report.host_time + row.host_time
        report[i] = row
    end
    return report
end

--- rill.profile(f) runs f() and returns a report of what its launches cost, followed by the results of f. The report is
-- a list with a row per kernel or built-in shader, the longest first: `name`, `calls`, `device_time` and `host_time`
-- (seconds of all calls; host: to issue them), `reason` (of copies of an argument: the launch and the argument that
-- need them, and why), `bytes` (moved element by element; of built-in shaders the bound bytes), `rate` (bytes per
-- second) and `share` (of the device's measured copy rate). Fields of the report: `time`, `device_time`, `host_time`,
-- `compile_time` (seconds), `compiled` (programs), `launches`, `peak` (bytes of device memory) and `copy_rate`.
-- tostring() gives a table. The first launch of a program may include a compilation by the driver.
return function(f)
    if type(f) ~= "function" then
        errors.fail("rill.profile: argument #1 'f': expected a function, got %s", rill.type(f) or type(f))
    end
    local copy_rate = errors.call(core._copy_rate)
    if reports.background then -- a view of rill.live measures, and begins again later
        core._profile_stop()
        reports.background = nil
    end
    errors.call(core._profile_start)
    reports.taken = true
    local results = errors.whole("rill.profile", f)
    reports.taken = false
    local stopped, recorded = pcall(core._profile_stop)
    if not results[1] then
        error(results[2], 0)
    elseif not stopped then
        error(recorded, 0)
    end
    return report_of(recorded, copy_rate), table.unpack(results, 2, results.n)
end
