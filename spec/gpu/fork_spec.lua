local compile = require "spec.support.compile"
local process = require "spec.support.process"

local forks, missing = compile("forks", "-lpthread")

-- Runs a script with `forks`. Returns its output and the exit status of the parent process.
local function run(script)
    if not forks then
        pending(missing)
    end
    local head = ("local forks = assert(package.loadlib('%s', 'luaopen_forks'))()\n"):format(forks)
    return process.run(head .. script, {RILL_FAMILY = os.getenv "RILL_FAMILY" or false})
end

local function expect(script, text)
    local result = run(script)
    assert.equal("", result.err)
    assert.equal(0, result.status)
    assert.equal(text, result.out)
end

describe("a child process made by fork", function()
    it("after the parent used a device raises an error at its first use, and ends normally", function()
        local result = run [[
            local rill = require "rill"
            local s = rill.random(100000)
            local kernel = rill.kernel "kernel void f(float x<>, out float r<>) { r = 2.0 * x; }"
            local expected = s:sum()
            local r, request = kernel(s), s:request()
            local mapped = s:map_cpu()
            local id = forks.fork()
            if id == 0 then
                for _, use in ipairs {
                    function() return s:sum() end, function() return s[1] end, function() return kernel(s) end,
                    function() return rill.iota(10):values() end, function() return request:values() end,
                    function() return rill.kernel "kernel void g(float x<>, out float r<>) { r = x; }" end,
                    function() return rill.open "1" end,
                } do
                    local good, message = pcall(use)
                    print(good, message)
                end
                s:close()
                r, kernel, request, mapped = nil, nil, nil, nil
                collectgarbage()
                os.exit(7, true)
            end
            print("child", forks.wait(id))
            mapped:unmap()
            print(kernel(s):sum() == 2 * expected, r:sum() == 2 * expected)
        ]]
        assert.equal("", result.err)
        local lines = {}
        for line in result.out:gmatch "[^\n]+" do
            lines[#lines + 1] = line
        end
        for i = 1, 7 do
            assert.matches("^false\t.*forked", lines[i])
        end
        assert.same({"child\t7", "true\ttrue"}, {lines[8], lines[9]})
        assert.equal(9, #lines)
    end)

    it("of a parent that only loaded rill opens its own device", function()
        expect([[
            local rill = require "rill"
            local id = forks.fork()
            if id == 0 then
                os.exit(rill.iota(10):sum() == 45 and 3 or 4, true)
            end
            print(forks.wait(id), rill.iota(10):sum())
        ]], "3\t45\n")
    end)

    it("made while another thread makes types does not wait for that thread", function()
        if os.getenv "RILL_SANITIZE" then
            pending "the allocator of a sanitizer deadlocks in the child of a process with several threads"
            return
        end
        local count <const> = os.getenv "RILL_SUITE_LONG" and 200 or 60
        expect(([[
            local rill = require "rill"
            for _ = 1, 4 do
                forks.thread [=[
                    local rill = require "rill"
                    local fields = {}
                    for i = 1, 60 do fields[i] = ("float a%%d;"):format(i) end
                    fields = table.concat(fields)
                    while true do rill.struct("many", fields) end
                ]=]
            end
            local good = 0
            for i = 1, %d do
                local id = forks.fork()
                if id == 0 then
                    rill.struct("other" .. i, "float a;")
                    forks.leave()
                end
                if forks.wait(id) ~= 0 then break end
                good = good + 1
            end
            print(good)
            io.stdout:flush()
            os.exit(0, false)
        ]]):format(count), count .. "\n")
    end)

    it("of a parent that only listed the devices raises an error too", function()
        expect([[
            local rill = require "rill"
            print(#rill.devices() > 0)
            local id = forks.fork()
            if id == 0 then
                for _, use in ipairs {rill.devices, rill.device} do
                    local good, message = pcall(use)
                    print(good, message:match "forked")
                end
                os.exit(5)
            end
            print(forks.wait(id), rill.iota(10):sum())
        ]], "true\nfalse\tforked\nfalse\tforked\n5\t45\n")
    end)
end)
