-- rill.selftest: compares every primitive and every way to access memory on this device with plain Lua.
local core = require "rill.core"
local rill = require "rill.core.public"
local option = require "rill.core.options"
local tables = require "rill.core.tables"

local Report = { __name = "rill.selftest" }

local function line_of(check)
    return check.text ~= "" and ("%-8s %s: %s"):format(check.result, check.name, check.text)
        or ("%-8s %s"):format(check.result, check.name)
end

-- Returns a description of rill and the device for a bug report.
local function surroundings(device)
    local traits, names = device.traits, {}
    for i, name in ipairs(tables.keys(traits)) do
        names[i] = name .. "=" .. tostring(traits[name])
    end
    return ("rill %s, %s\nrenderer %s\nvendor %s\nversion %s\ntraits %s"):format(rill._VERSION, _VERSION, device.name,
        device.vendor, device.version, table.concat(names, " "))
end

function Report:__tostring()
    local lines = {}
    for i, check in ipairs(self) do
        lines[i] = line_of(check)
    end
    lines[#lines + 1] = self.summary
    return table.concat(lines, "\n")
end

local function summary_of(report)
    local text = ("%d ok, %d allowed, %d wrong in %.1f s on %s"):format(report.ok, report.allowed, report.wrong,
        report.time, rill.device().name)
    if report.wrong == 0 then
        return text
    end
    return text .. "\nThis driver, or rill on this driver, computes incorrect results. "
        .. "Please report the lines above together with these:\n" .. report.about
end

-- Returns the first line of a message, without the file and line of the check.
local function message_of(problem)
    local text = tostring(problem):gsub("^[^\n]-:%d+: ", "")
    return (text:match "^[^\n]*")
end

--- rill.selftest([options]) checks the current device, which takes some seconds. Returns a list of checks with `name`,
-- `result` and `text` (the difference). A result is "ok", "wrong", or "allowed": OpenGL permits the deviation and rill
-- corrects for it. The list has the fields `passed` (boolean), the counts `ok`, `allowed` and `wrong`, `time` in
-- seconds, `about` (text for a bug report) and `summary`; tostring() gives all lines. options.each(line) is called with
-- the line of each check.
local function selftest(options)
    if options ~= nil and type(options) ~= "table" then
        local came = rill.type(options) or math.type(options) or type(options)
        error(("rill.selftest: argument #1 'options': expected a table, got %s"):format(came), 2)
    end
    option.check("rill.selftest", options, {each = true})
    local each = options and options.each or function() end
    local start = rill.clock()
    local report = setmetatable({ ok = 0, allowed = 0, wrong = 0, about = surroundings(rill.device()) }, Report)
    local function add(name, result, text)
        local check = { name = name, result = result, text = text or "" }
        report[#report + 1] = check
        report[result] = report[result] + 1
        each(line_of(check))
    end
    for _, line in ipairs(core._driver_test()) do
        add("driver: " .. line.name, line.verdict == "right" and "ok" or line.verdict, line.text
            .. (line.remedy ~= "" and ". " .. line.remedy or ""))
    end
    for _, check in ipairs(require "rill.shell.selftest_checks") do
        local good, problem = pcall(check.run)
        if good then
            add(check.name, "ok")
        else
            add(check.name, "wrong", message_of(problem))
        end
    end
    report.time = rill.clock() - start
    report.passed = report.wrong == 0
    report.summary = summary_of(report)
    return report
end

return {selftest = selftest}
