-- No argument that a script passes may crash the process.
local rill = require "rill"
local check = require "spec.support.check"
local tempfiles = require "spec.support.tempfiles"

local lua = os.getenv "RILL_LUA" or "lua5.4"

-- The working directory, for scripts that run elsewhere.
local function here()
    local pipe <close> = io.popen "pwd"
    return pipe:read "l"
end

describe("hostile arguments", function()
    -- Calls every `many`-th function.
    local function call_functions(many)
        local files = tempfiles.open()
        local root = here()
        local good, how, status = os.execute(
            ("cd '%s' && exec %s '%s/spec/support/hostile.lua' log '%s/lua/rill' %d </dev/null >out 2>err"):format(
                files.directory, lua, root, root, many))
        local log, errors = files.read(files:path "log"), files.read(files:path "err")
        local out = files.read(files:path "out")
        files:close()
        local last = log:match "([^\n]*)\n$"
        assert.is_true(good, ("%s %s in %s\n%s"):format(how, status, last, errors:sub(-2000)))
        assert.equal("the end", last)
        assert.is_true(tonumber(out:match "(%d+) functions") > 300)
    end

    -- All functions take minutes.
    it("do not crash, in every 64th function that Lua can reach", function() call_functions(64) end)

    it("do not crash, in any function that Lua can reach #long", function() call_functions(1) end)

    it("of other modules are refused by finalizers", function()
        local kernel = rill.kernel "kernel void f(out float r<>) { r = 1.0; }"
        for _, value in ipairs {rill.iota(1), kernel, rill.iota(1):request(), rill.iota(1):map_cpu()} do
            local finalizer = debug.getmetatable(value).__gc
            pcall(finalizer, io.stdout)
            pcall(finalizer)
            pcall(finalizer, rill.device())
        end
        assert.equal("file", io.type(io.stdout))
    end)

    it("of finalizers called by a script leave kernels and streams to the collector", function()
        local k = rill.kernel "kernel void f(float x<>, out float r<>) { r = x + 1.0; }"
        local x = rill.from {1}
        debug.getmetatable(k).__gc(k)
        debug.getmetatable(x).__gc(x)
        assert.equal(2, k(x)[1])
    end)

    -- The collector runs finalizers within the calls, whenever those allocate.
    it("of a finalizer that closes what a call is using wait until the call is over", function()
        local uses = {
            read = function(s) return s:read() end, values = function(s) return s:values() end, tostring = tostring,
            map_cpu = function(s) return s:map_cpu()[1] end, each = function(s) return s:each() end,
            request = function(s)
                local r = s:request()
                setmetatable({}, {__gc = function() r:close() end})
                return r:values()
            end,
            mapped = function(s)
                local m = s:map_cpu()
                setmetatable({}, {__gc = function() m:unmap() end})
                for i = 1, 30 do m[i] = {i, 2} end
                return m[7]
            end,
        }
        local mode = collectgarbage "incremental"
        local pause, step = collectgarbage("setpause", 1), collectgarbage("setstepmul", 400)
        for name, use in pairs(uses) do
            local before = rill.memory().streams
            for round = 1, 10 do
                local s = rill.stream("vec2", {6, 6}, 1)
                setmetatable({}, {__gc = function() s:close() end})
                for _ = 1, round do setmetatable({}, nil) end -- moves the collector on
                local good, message = pcall(use, s)
                assert(good or message:find "closed", name .. ": " .. tostring(message))
            end
            collectgarbage()
            collectgarbage()
            assert.is_true(rill.memory().streams <= before + 1, name)
        end
        collectgarbage("setpause", pause)
        collectgarbage("setstepmul", step)
        collectgarbage(mode)
    end)

    it("of an animation's finalizer called by hand leaves it open", function()
        local files = tempfiles.open()
        local animation = rill.animate(files:path "a.png", 10)
        debug.getmetatable(animation).__gc(animation)
        animation:frame(rill.random(16):reshape {4, 4})
        animation:close()
        files:close()
    end)

    it("of finalizers that run within a debug hook free what was collected", function()
        check.collect()
        local before = rill.memory().streams
        debug.sethook(function() end, "", 1)
        for i = 1, 300 do
            rill.from {i}
            local grown = {} -- tables that grow collect nothing themselves: the hook after it does
            for k = 1, 200 do grown[k] = k end
            assert(#grown == 200)
        end
        debug.sethook()
        check.collect()
        assert.equal(before, rill.memory().streams)
    end)

    it("can't reach metatables without the debug library", function()
        for _, value in ipairs {rill.iota(1), rill.kernel "kernel void f(out float r<>) { r = 1.0; }", rill.device(),
            rill.iota(1):request(), rill.iota(1):map_cpu(), rill.struct("HostileRay", "vec3 o;")} do
            assert.equal("string", type(getmetatable(value)))
        end
    end)
end)

describe("numbers at the ends of their range", function()
    local huge = {
        math.mininteger, math.mininteger + 1, math.maxinteger, math.maxinteger - 1, 2 ^ 53, -(2 ^ 53), 2 ^ 63,
        -(2 ^ 63),
    }

    it("are not accepted as elements", function()
        local s, m = rill.from {1, 2, 3}, rill.from({1, 2, 3}):map_cpu()
        for _, n in ipairs(huge) do
            assert.is_false(pcall(s.get, s, n))
            assert.is_false(pcall(s.set, s, 1, n))
            assert.is_false(pcall(function() s[n] = 1 end))
            assert.is_false(pcall(s.domain, s, n))
            local good, value = pcall(function() return s[n] end)
            assert.is_true(not good or value == nil)
            good, value = pcall(function() return m[n] end)
            assert.is_true(not good or value == nil)
        end
        check.raises("s:get: index %-9223372036854775808 of dimension 1 is out of range", s.get, s, math.mininteger)
        check.raises("s%[i%] = v: index %-9223372036854775808 is out of range", function() s[math.mininteger] = 1 end)
    end)

    it("are not accepted as sizes next to an empty dimension", function()
        local most = math.maxinteger
        for _, shape in ipairs {{0, most, most}, {most, most, 0}, {1 << 31, 0}} do
            check.raises("in the dimensions that are not empty", rill.stream, "float", shape)
            check.raises("in the dimensions that are not empty", rill.iota, shape)
            check.raises("in the dimensions that are not empty", rill.iter, "vec3", shape, 0, 1)
        end
        local empty = rill.stream("float", {0, 3})
        check.raises("in the dimensions that are not empty", empty.reshape, empty, {0, math.maxinteger})
        check.raises("s:group: shape", empty.group, empty, math.maxinteger, 3)
        check.raises("s:tile: shape", empty.tile, empty, 1, math.maxinteger)
        assert.equal(0, empty:tile(math.maxinteger, 1).size)
        assert.equal(0, empty:replicate(math.maxinteger, 2):sum())
    end)

    it("are refused or work as counts, shapes, axes and seeds", function()
        local s = rill.iota({2, 3})
        for _, n in ipairs(huge) do
            for name in ("tile replicate group reshape sum scan sort top_k boundary"):gmatch "%S+" do
                pcall(function() return s[name](s, n) end)
                pcall(function() return s[name](s, n, n) end)
                pcall(function() return s[name](s, {n, n}) end)
            end
            local good, view = pcall(s.stride, s, n)
            assert.is_true(not good or view.size == 1)
            for _, name in ipairs {"stream", "iter", "iota", "random", "choice", "permutation"} do
                pcall(rill[name], n)
                pcall(rill[name], "float", n, n, n)
                pcall(rill[name], {n, 2})
            end
            pcall(rill.random, 3, {seed = n, low = n, high = n, type = "int"})
        end
        assert.equal(15, s:sum())
    end)
end)
