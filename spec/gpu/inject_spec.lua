-- Failures of system and driver functions are errors without other effects: fuzz/inject.lua on some subjects and kinds of failure; `make inject`
-- runs the others.
local child = require "spec.support.child"
local shortened = require "spec.support.shortened"
local preload = require "spec.support.preload"
local process = require "spec.support.process"

-- Runs a subject. Returns the exit status, the lines with findings, and the number of injected faults.
local function inject(subject, kind, most)
    local library = preload("inject", pending)
    local log = os.tmpname()
    local lua = os.getenv "RILL_LUA" or "lua5.4"
    local words = "env LD_PRELOAD='%s' RILL_INJECT_LIBRARY='%s' %s %s fuzz/injected.lua %s %s 1 %d %s >/dev/null 2>&1"
    local queues = subject == "request" and "RILL_ASYNC=1" or ""
    local command = words:format(library, library, queues, lua, subject, kind, most, log)
    local _, _, status = os.execute(command)
    local findings, tried = {}, 0
    for _, line in ipairs(child.take(log)) do
        if line:find "^finding" then
            findings[#findings + 1] = line
        end
        tried = tonumber(line:match "^tried (%d+)") or tried
    end
    return status, findings, tried
end

describe("faults below rill", function()
    -- Subject, and number of faults in a full and in a short run; each fault compiles new programs.
    for kind, case in pairs {alloc = {"sort", 50, 6}, buffer = {"sort", 9, 5}, link = {"sort", 3, 3},
        wait = {"request", 9, 9}, lua = {"sort", 300, 6}} do
        local subject, most, some = table.unpack(case)
        shortened(it, kind .. ": each is an error that leaks nothing and breaks nothing", function(whole)
            local status, findings, tried = inject(subject, kind, whole and most or some)
            assert.same({}, findings)
            assert.equal(0, status)
            assert(tried >= 3, "nothing failed")
        end)
    end

    it("compile: a built-in kernel that failed to compile is not used", function()
        local library = preload("inject", pending)
        local n, result = 0
        repeat
            n = n + 1
            result = process.run([[
                local rill = require "rill"
                local good, message = pcall(function() return #rill.from({5, 5, 6}, "int"):runs() end)
                print(good and "passed" or message)
            ]], {LD_PRELOAD = library, RILL_INJECT_LIBRARY = library, RILL_INJECT = "compile " .. n, RILL_TRUST = "1"})
            assert.equal("", result.err)
            assert(result.out == "passed\n" or result.out:find("injected", 1, true), result.out)
        until result.out == "passed\n" or n == 50
        assert(n > 5 and n < 50)
    end)

    -- An error message about memory must not call the file bad.
    it("alloc: an image is not called bad when memory is exhausted", function()
        local library = preload("inject", pending)
        local output = process.output([[
            local rill = require "rill"
            local inject = assert(package.loadlib(os.getenv "RILL_INJECT_LIBRARY", "rill_inject"))
            local function attempt(f, ...)
                local n, lacking, fired = 0, 0
                f(...)
                repeat
                    n = n + 1
                    inject("alloc", n)
                    local good, message = pcall(f, ...)
                    fired = inject("none", 0)
                    lacking = lacking + (good and 0 or 1)
                    local said = good or message:find "out of host memory" or message:find "Cannot allocate memory"
                    if not said or not good and (message:find "bad " or message:find "PNG: ") then
                        print(message)
                    end
                until fired == 0
                print(lacking)
            end
            for _, extension in ipairs {"png", "qoi"} do
                local path = os.tmpname()
                local s = rill.random({3, 4})
                rill.image.save(s, path .. "." .. extension)
                attempt(rill.image.load, path .. "." .. extension)
                attempt(rill.image.save, s, path .. "." .. extension)
                os.remove(path .. "." .. extension)
                os.remove(path)
            end
        ]], {LD_PRELOAD = library, RILL_INJECT_LIBRARY = library, RILL_TRUST = "1"})
        local loads, saves, others = output:match "^(%d+)\n(%d+)\n%d+\n%d+\n()$"
        assert(others and tonumber(loads) > 5 and tonumber(saves) > 5, output)
    end)
end)
