-- The driver test, which runs when a version of a driver is first opened: what is measured, refused and kept.
local rill = require "rill"
local shortened = require "spec.support.shortened"
local drivers = require "spec.support.drivers"
local preload = require "spec.support.preload"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

local OPEN <const> = [[
    local rill = require "rill"
    local good, d = pcall(rill.device)
    if not good then
        print((d:gsub("\n", " ")))
    else
        local t = d.traits
        print(("opens division=%s half=%s limit=%d"):format(t.exact_division, t.nearest_half, t.loop_limit))
    end
    for _, reason in ipairs(rill.devices().left_out or {}) do
        print("left out: " .. reason)
    end
]]

-- For tests that do not concern refusals: a driver that is refused is trusted in them, as in other specs.
local inherited = { RILL_TRUST = os.getenv "RILL_TRUST" }

local function wrong_driver()
    return (preload("wrongdriver", pending))
end

describe("a driver is tested", function()
    local files

    before_each(function() files = tempfiles.open() end)
    after_each(function() files:close() end)

    -- Returns what OPEN prints on a driver with this defect, with an empty cache.
    local function opened(way, more)
        local environment = { LD_PRELOAD = wrong_driver(), RILL_WRONG = way, RILL_CACHE = files.directory,
            RILL_TRUST = false, RILL_TUNE = "default" }
        for name, value in pairs(more or {}) do
            environment[name] = value
        end
        return process.output(OPEN, environment)
    end

    local function records()
        local names = {}
        for _, name in ipairs(files:list()) do
            names[#names + 1] = name:match "^trial%-%x+$" and name
        end
        return names
    end

    it("and refused if loops end early, with the defect #refused", function()
        local lines = opened "loops"
        local refusal = "computes incorrect results and is refused: loops: ended silently after 1000 iterations"
        assert.matches('no device can be used: ".-" %(.-%) ' .. refusal, lines)
        assert.matches("\nleft out: ", lines)
        assert.same({}, files:list())
    end)

    it("and refused if the error of quotients is larger than OpenGL permits", function()
        local off = rill.device().traits.exact_division and "of 41 and 41: 1.0000" or "of %d+ and %d+: %d%.%d+, not "
        assert.matches("computes incorrect results and is refused: quotients: " .. off, opened "quotients")
    end)

    it("and measured if quotients have the largest permitted error, or halves are truncated", function()
        if not rill.device().traits.exact_division then
            return pending "this device's quotients are off by themselves"
        end
        local measures = { division = "division=false half=true",
            divisions = LONG and "division=false half=true" or nil, half = "division=%l+ half=false" }
        for way, measured in pairs(measures) do
            assert.matches("^opens " .. measured, opened(way, inherited))
            files:close()
            files = tempfiles.open()
        end
    end)

    it("RILL_TRUST=1 opens it anyway", function()
        assert.matches("^opens .*limit=1000", opened("loops", { RILL_TRUST = "1" }))
        assert.same({}, files:list())
    end)

    shortened(it, "zink that compiles uniforms into programs is refused, with the remedy", function(whole)
        local environment, lacking = drivers.zink { ZINK_INLINE_UNIFORMS = "1", RILL_CACHE = files.directory,
            RILL_TRUST = false, RILL_DEVICE = false }
        if not environment then
            pending(lacking)
        end
        local refusal = '"zink .-" %(.-%) computes incorrect results and is refused: conditions: .-%. '
            .. "Set ZINK_INLINE_UNIFORMS=0, or unset it"
        assert.matches("^[^\n]*no device can be used: " .. refusal, process.output(OPEN, environment))
        if not whole then
            return
        end
        environment.RILL_DEVICE = "zink"
        assert.matches("^[^\n]*RILL_DEVICE: " .. refusal, process.output(OPEN, environment))
        environment.RILL_TRUST = "1"
        assert.matches("^opens", process.output(OPEN, environment))
        environment.RILL_TRUST, environment.ZINK_INLINE_UNIFORMS = false, false
        assert.matches("^opens", process.output(OPEN, environment))
    end)

    it("zink is configured to keep the order of commands, together with other settings", function()
        local all <const> = {false, "sync", "noreorder", "sync,noreorder"}
        for _, given in ipairs(LONG and all or {"sync"}) do
            local expected = given and given:gsub("^sync$", "sync,noreorder") or "noreorder"
            assert.equal(expected .. "\n", process.output([[
                local rill = require "rill"
                rill.device()
                local pipe = io.popen "echo $ZINK_DEBUG"
                print((pipe:read "l"))
            ]], {ZINK_DEBUG = given, RILL_CACHE = files.directory}))
        end
    end)

    shortened(it, "softpipe is refused if lanes store at indices of other lanes in private arrays", function(whole)
        local environment = drivers.softpipe { RILL_CACHE = files.directory, RILL_TRUST = false }
        local shown = process.output([[
            local rill = require "rill"
            local good, d = pcall(rill.device)
            print(good and d.name or d)
        ]], environment)
        if not shown:find "softpipe" then
            pending "Mesa has no softpipe here"
        end
        if shown:find "left out" then
            assert.matches("softpipe.*private arrays: word %d is %d+, not %d+%. ", shown)
            assert.same({}, files:list())
        end
        if not whole then
            return
        end
        environment.RILL_TRUST = "1"
        assert.matches("^opens", process.output(OPEN, environment))
    end)

    shortened(it, "once: a record tells the next process, and rubbish is as no record #refused", function(whole)
        local first = opened ""
        local names = records()
        assert.equal(1, #names)
        local record = files.read(files:path(names[1]))
        assert.matches("^rill trial %d+\nrenderer .*\nloop_limit %d+\n.*sum %x+\n$", record)
        assert.equal(first, opened "loops") -- that is not found out: nobody looks
        local changed = record:gsub("loop_limit %d+", "loop_limit 12")
        local all = { changed, "", "rubbish", record:sub(1, -9), ("\0"):rep(5000) }
        for i = 1, whole and #all or 1 do
            local rubbish = all[i]
            files:write(names[1], rubbish)
            assert.matches("ended silently after 1000 iterations", opened "loops")
            assert.equal(first, opened "")
            assert.equal(record, files.read(files:path(names[1])))
        end
        assert.same(names, files:list())
    end)

    it("again if nothing can be kept, without a message", function()
        local file = files:write("file", "")
        for _, directory in ipairs(LONG and { file, "/proc/none", "/dev/null/none" } or { file }) do
            assert.matches("^opens", opened("", { RILL_CACHE = directory, RILL_TRUST = inherited.RILL_TRUST }))
        end
        assert.same({ "file" }, files:list())
    end)

    it("by several processes at once #refused", function()
        local many = [==[
            local pipes, name = {}, os.tmpname()
            local file = io.open(name, "w")
            file:write "io.write(#require[[rill]].device().name > 0 and 1 or 0)"
            file:close()
            for i = 1, 4 do pipes[i] = io.popen(os.getenv "RILL_LUA" .. " " .. name) end
            for _, pipe in ipairs(pipes) do io.write(pipe:read "a") pipe:close() end
            os.remove(name)
        ]==]
        local lua = os.getenv "RILL_LUA" or "lua5.4"
        assert.equal("1111", process.output(many,
            { RILL_CACHE = files.directory, RILL_LUA = lua, RILL_TUNE = "default" }))
        assert.equal(1, #files:list())
    end)

    it("again if the first test failed by a reset, which is not a refusal #refused", function()
        local resets = files:write("resets", "")
        local shown = process.output(("do %s end print(#rill.devices()) assert(os.remove %q) %s print(#rill.devices())")
            :format(OPEN, resets, OPEN):gsub("local rill", "rill"), { LD_PRELOAD = wrong_driver(), RILL_WRONG = "reset",
                RILL_RESETS = resets, RILL_CACHE = files.directory, RILL_TRUST = false, RILL_TUNE = "default" })
        assert.matches('^[^\n]*no device can be used: ".-" %(.-%) is refused: it cannot be tested: .- reset the GPU.-\n'
            .. "left out: .*\n0\nopens [^\n]*\n1\n$", shown)
        assert.same(records(), files:list())
    end)

    it("again on another processor, if it is a software driver #refused", function()
        local one, other = files:write("one", "model name\t: A\nflags\t\t: sse\n\nprocessor\t: 1\ncpu MHz\t: 1\n"),
            files:write("other", "model name\t: A\nflags\t\t: sse avx\n\nprocessor\t: 1\n")
        local same = files:write("same", "cpu MHz\t: 7\nmodel name\t: A\nflags\t\t: sse\n\nprocessor\t: 1\nflags : x\n")
        local software = process.output("print(require 'rill'.device().software)"):match "true"
        opened("", { RILL_CPUINFO = one })
        opened("", { RILL_CPUINFO = same })
        assert.equal(1, #records())
        opened("", { RILL_CPUINFO = other })
        assert.equal(software and 2 or 1, #records())
        opened("", { RILL_CPUINFO = "/none" })
        assert.equal(software and 3 or 1, #records())
    end)

    it("again after a process was killed during the test #refused", function()
        for _ = 1, LONG and 2 or 1 do
            local environment = { LD_PRELOAD = wrong_driver(), RILL_WRONG = "crash", RILL_CACHE = files.directory,
                RILL_TRUST = false, RILL_TUNE = "default" }
            assert.equal(139, process.run(OPEN, environment).status)
            assert.equal(139, process.run(OPEN, environment).status)
            assert.matches("^opens", opened "") -- and the count begins anew
            assert.same(records(), files:list())
            assert(os.remove(files:path(records()[1])))
        end
    end)

    it("after three crashes it is refused for some time #refused", function()
        local environment = { LD_PRELOAD = wrong_driver(), RILL_WRONG = "crash", RILL_CACHE = files.directory,
            RILL_TRUST = false, RILL_TUNE = "default" }
        for _ = 1, 3 do
            assert.equal(139, process.run(OPEN, environment).status)
        end
        local mark = files:list()[1]
        assert.matches("^trial%-%x+%.tried$", mark)
        local lines = opened ""
        assert.matches("refused: 3 processes in a row crashed or hung while they tested this driver", lines)
        assert.is_not_nil(lines:find(files:path(mark), 1, true))
        assert.matches("^opens", opened("", { RILL_TRUST = "1" }))
        assert.matches("processes in a row crashed", opened "")
        os.execute(("touch -d '20 minutes ago' '%s'"):format(files:path(mark)))
        assert.equal(139, process.run(OPEN, environment).status)
        os.execute(("touch -d '20 minutes ago' '%s'"):format(files:path(mark)))
        assert.matches("4 processes in a row crashed", opened "") -- it is left out for longer now
        assert(os.remove(files:path(mark)))
        assert.matches("^opens", opened "")
        assert.same(records(), files:list())
    end)
end)
