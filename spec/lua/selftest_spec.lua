-- rill.selftest, on drivers that are right and on some that err.
local rill = require "rill"
local check = require "spec.support.check"
local drivers = require "spec.support.drivers"
local preload = require "spec.support.preload"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

local RUN <const> = "os.exit(require('rill').command {[0] = 'rill', '--selftest'})"

-- Checks whose programs take seconds to compile.
local dear <const> = {
    ["types: stored, read and converted"] = true, reductions = true, scans = true, segments = true,
    ["filter, partition, find, unique"] = true, sorts = true, scatters = true, histograms = true,
    ["matrix products"] = true, ["random numbers"] = true,
}

describe("rill.selftest", function()
    local CHECKS <const> = "rill.shell.selftest_checks"
    local all = require(CHECKS)
    after_each(function() package.loaded[CHECKS] = all end)

    local function examine(checks)
        local lines = {}
        package.loaded[CHECKS] = checks
        local report = rill.selftest { each = function(line) lines[#lines + 1] = line end }
        assert.equal(#report, report.ok + report.allowed + report.wrong)
        assert.equal(#report, #lines)
        assert.is_true(#report > #checks)
        assert.equal(table.concat(lines, "\n") .. "\n" .. report.summary, tostring(report))
        for _, part in ipairs { rill.device().name, rill.device().version, rill._VERSION, "loop_limit=" } do
            assert.is_not_nil(report.about:find(part, 1, true), part)
        end
        for i, line in ipairs(lines) do
            assert.equal(report[i].result, line:match "^%l+")
            assert.is_not_nil(line:find(report[i].name, 1, true), line)
        end
        return report
    end

    it("passes on this device, and names each check #refused", function()
        local checks = {}
        for _, check_of in ipairs(all) do
            checks[#checks + 1] = not dear[check_of.name] and check_of or nil
        end
        local report = examine(checks)
        assert.is_true(report.passed, tostring(report))
        assert.equal(0, report.wrong)
    end)

    it("passes with all checks #refused #long", function()
        local report, names = examine(all), {}
        assert.is_true(report.passed, tostring(report))
        assert.equal(0, report.wrong)
        assert.is_true(report.ok > 25)
        for _, line in ipairs(report) do names[line.name] = true end
        for name in pairs(dear) do assert.is_true(names[name], name) end
    end)

    it("continues after a failed check, and asks for a report #refused", function()
        local report = examine {
            { name = "sums", run = function() error("the sum is 3, not 4", 0) end },
            { name = "more", run = function() end },
        }
        assert.is_false(report.passed)
        assert.equal(1, report.wrong)
        local text = "\nwrong +sums: the sum is 3, not 4\nok +more\n.*\nThis driver, .* computes incorrect results"
        assert.matches(text, tostring(report))
    end)

    it("refuses options that are not a table", function()
        check.raises("rill%.selftest: argument #1 'options': expected a table, got integer", rill.selftest, 1)
    end)
end)

describe("rill --selftest #slow #long", function()
    local files

    before_each(function() files = tempfiles.open() end)
    after_each(function() files:close() end)

    local function wrong(way)
        local library = preload("wrongdriver", pending)
        return process.run(RUN,
            { LD_PRELOAD = library, RILL_WRONG = way, RILL_CACHE = files.directory, RILL_TRUST = "1" })
    end

    it("finds loops that end early", function()
        local result = wrong "loops"
        assert.equal(1, result.status)
        assert.matches("\nwrong +driver: loops: ended silently after 1000 iterations", result.out)
        assert.matches("\nrenderer [^\n]+\nvendor [^\n]+\nversion [^\n]+\ntraits ", result.out)
    end)

    it("finds quotients that are off by one unit, which OpenGL allows", function()
        local result = wrong "division"
        assert.matches("allowed +driver: quotients: of 41 and 41: 1.00000012, not 1\n", result.out)
        assert.equal(0, result.status, result.out)
    end)

    it("finds halves that are truncated, which OpenGL allows and stores do not depend on", function()
        local result = wrong "half"
        local difference = "of 0x3dcccccd and 0x3e99999a: 0x34cc2e66, not 0x34cd2e66\n"
        assert.matches("\nallowed +driver: halves: " .. difference, result.out)
        assert.equal(0, result.status, result.out)
    end)

    it("finds zink with uniforms built in", function()
        local environment, lacking = drivers.zink {
            ZINK_INLINE_UNIFORMS = "1", RILL_CACHE = files.directory, RILL_TRUST = "1" }
        if not environment then
            pending(lacking)
        end
        local result = process.run(RUN, environment)
        assert.equal(1, result.status)
        assert.matches("\nwrong +driver: conditions: .-%. Set ZINK_INLINE_UNIFORMS=0, or unset it\n", result.out)
        assert.matches("\nok +transposes\n", result.out) -- it goes on; such conditions may be in reductions, too
        environment.ZINK_INLINE_UNIFORMS, environment.RILL_TRUST = false, false
        result = process.run(RUN, environment)
        assert.equal(0, result.status, result.out)
        assert.matches(", 0 wrong in ", result.out)
    end)

    it("reports why a device is refused", function()
        local environment, lacking = drivers.zink {
            ZINK_INLINE_UNIFORMS = "1", RILL_CACHE = files.directory, RILL_TRUST = false }
        if not environment then
            pending(lacking)
        end
        local result = process.run(RUN, environment)
        assert.equal(1, result.status)
        assert.matches("no device can be used: .*ZINK_INLINE_UNIFORMS=0", result.err)
    end)
end)
