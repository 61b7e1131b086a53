-- Tests tools/suite.lua on artificial spec files: its counts, its output and its exit status.
local tempfiles = require "spec.support.tempfiles"

describe("the suite", function()
    local files

    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    -- Runs it. Returns {status =, text =}.
    local function run(specs, environment, passes)
        local command = ("env %s %s tools/suite.lua %s -- %s >'%s' 2>&1"):format(environment or "",
            os.getenv "RILL_LUA" or "lua5.4", passes or "own", specs, files:path "out")
        local _, _, status = os.execute(command)
        local text = tempfiles.read(files:path "out")
        return {status = status, text = text, last = text:match "([^\n]*)\n$"}
    end

    -- Runs it on spec files {name = text}.
    local function suite(specs, ...)
        local paths = {}
        for name, text in pairs(specs) do
            paths[#paths + 1] = "'" .. files:write(name .. "_spec.lua", text) .. "'"
        end
        table.sort(paths)
        return run(table.concat(paths, " "), ...)
    end

    it("counts the tests of all files", function()
        local result = suite {
            good = "it('a', function() end) it('b', function() end)",
            idle = "it('c', function() end) it('d', function() pending 'no such device' end)",
        }
        assert.equal(0, result.status)
        assert.equal("3 passed, 0 failed, 1 skipped", result.last)
    end)

    it("continues after failures, crashes and hangs, and prints how to run them again", function()
        local function after(seconds)
            return suite({
                bad = "it('differs', function() assert.equal(1, 2) end) it('goes on', function() end)",
                crash = "it('dies', function() os.execute('kill -SEGV $PPID') end)",
                good = "it('a', function() end)",
                hang = "it('hangs', function() os.execute 'exec sleep 300' end)",
                none = "local x = 1",
            }, "RILL_SUITE_TIMEOUT=" .. seconds)
        end
        local seconds, result = 4, after(4)
        if result.last ~= "2 passed, 4 failed" or not result.text:find("in test 'hangs'", 1, true) then
            seconds, result = 60, after(60) -- files take longer to start on a busy machine
        end
        assert.equal(1, result.status)
        assert.equal("2 passed, 4 failed", result.last)
        for _, text in ipairs {
            "failure: differs", "killed by signal 11 in test 'dies'",
            ("took longer than %d seconds in test 'hangs'"):format(seconds),
            "no tests in this file",
            "again: make test-own SPEC=" .. files:path "bad_spec.lua",
            "failed: own: " .. files:path "bad_spec.lua" .. ": differs",
        } do
            assert.truthy(result.text:find(text, 1, true), text .. "\n" .. result.text)
        end
    end)

    it("accepts names and directories, and reports unknown ones", function()
        assert(os.execute(("mkdir -p '%s'"):format(files:path "folder/inner")))
        files:write("folder/first_spec.lua", "it('a', function() end)")
        files:write("folder/inner/second_spec.lua", "it('b', function() end)")
        local result = run(("format '%s'"):format(files:path "folder"))
        assert.equal(0, result.status, result.text)
        for _, path in ipairs {"spec/io/format_spec.lua", files:path "folder/first_spec.lua",
            files:path "folder/inner/second_spec.lua"} do
            assert.truthy(result.text:find(" " .. path .. " ", 1, true), result.text)
        end
        result = run "no_such_spec"
        assert.equal(2, result.status)
        assert.truthy(result.last:find("no spec file, folder or name 'no_such_spec'", 1, true), result.text)
    end)

    it("prints the output of each file in one piece", function()
        local specs = {}
        for _, name in ipairs {"a", "b", "c", "d"} do
            specs[name] = [[it('t', function()
                for _ = 1, 20 do print(']] .. name .. [[') io.flush() os.execute 'sleep 0.01' end
            end)]]
        end
        local result = suite(specs, "RILL_SUITE_JOBS=4")
        assert.equal("4 passed, 0 failed", result.last)
        local order = result.text:gsub("[^\n][^\n]+\n", ""):gsub("\n", "")
        for name in pairs(specs) do
            assert.truthy(order:find(name:rep(20)), order)
        end
    end)

    it("counts the tests that a pass leaves out by tags, also in blocks", function()
        local result = suite({good = [[
            it('a', function() end)
            it('b #slow', error)
            it('c #slower', function() end)
            describe('d #slow', function()
                setup(error)
                describe('e', function() it('f', error) end)
            end)
            describe('g', function() it('h', function() end) end)]]}, nil, "gpu")
        assert.equal("3 passed, 0 failed, 2 skipped", result.last)
        local reason = "left out of gpu, because the passes own and cpu run it: 2 tests tagged #slow"
        assert.truthy(result.text:find(reason, 1, true), result.text)
    end)

    it("starts no file after the time budget", function()
        local result = suite({good = "it('a', function() end)"}, "RILL_SUITE_BUDGET=0")
        assert.equal("0 passed, 0 failed, 1 skipped", result.last)
        assert.truthy(result.text:find("no test ran", 1, true))
        assert.equal(1, result.status)
    end)

    it("gives the reason in the row of a driver that is not available", function()
        local result = suite({good = "it('a', function() end)"}, "RILL_DEVICE=nosuch", "llvmpipe-cpu")
        assert.truthy(result.text:find("llvmpipe%-cpu +%- +%- +%-  not available: [^\n]*nosuch"), result.text)
        assert.equal("0 passed, 0 failed", result.last)
    end)
end)
