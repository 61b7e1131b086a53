local rill = require "rill"
local check = require "spec.support.check"
local compile = require "spec.support.compile"
local process = require "spec.support.process"

local states, missing
do
    local object, why = compile "states"
    states = object and assert(package.loadlib(object, "luaopen_states"))()
    missing = why
end

local function it_states(name, f)
    it(name, function()
        if not states then
            pending(missing)
        end
        f()
    end)
end

describe("requiring rill", function()
    it("again gives the same core, and streams of one are streams of the other", function()
        local loaded, core = package.loaded["rill"], package.loaded["rill.core"]
        package.loaded["rill"], package.loaded["rill.core"] = nil, nil
        local again = require "rill"
        package.loaded["rill"], package.loaded["rill.core"] = loaded, core
        local s <close> = again.iota(3)
        local t <close> = rill.iota(3)
        assert.equal(t:bytes(), s:bytes())
        assert.equal("stream", rill.type(s))
        assert.equal(t, t:write(s))
        assert.equal(3, s:map("x"):sum())
    end)

    it("gives a version and loads modules when they are first named", function()
        assert.matches("^%d+%.%d+%.%d+$", rill._VERSION)
        check.raises("rill has no field or module 'init'", function() return rill.init end)
        check.raises("rill has no field or module 'No'", function() return rill.No end)
    end)
end)

describe("several Lua states", function()
    local WORK <const> = [[
        local rill = require "rill"
        kept = rill.iota(1000)
        view = kept:domain(1, 10)
        kernel = rill.kernel "kernel void f(int x<>, out int r<>) { r = 2 * x; }"
        return kernel(kept):sum()
    ]]

    it_states("share the device and keep their streams apart", function()
        local s <close> = rill.iota(5)
        local a, b = states.new(), states.new()
        assert.equal(999000, a:run(WORK))
        assert.equal(999000, b:run(WORK))
        assert.equal(4, a:run "kept[1] = 4 return kept[1]")
        assert.equal(0, b:run "return kept[1]")
        a:close()
        assert.equal(999, b:run "return kept[1000]")
        assert.equal(10, s:sum())
        b:close()
        assert.equal(10, s:sum())
        assert.equal(10, rill.iota(5):map("x"):sum())
    end)

    it_states("open and close again and again, leaving nothing", function()
        check.collect()
        local before = rill.memory()
        for _ = 1, 20 do
            local state = states.new()
            assert.equal(999000, state:run(WORK))
            state:close()
        end
        check.collect()
        local after = rill.memory()
        assert.equal(before.bytes, after.bytes)
        assert.equal(before.streams, after.streams)
    end)

    it_states("have their own sequence of random numbers and their own checks", function()
        local state = states.new()
        rill.seed(9)
        assert.equal(rill.random(1, {seed = 0})[1], state:run "return require('rill').random(1)[1]")
        local before = rill.check(false)
        state:run "require('rill').check(true)"
        assert.is_false(rill.check(before))
        state:close()
    end)

    it_states("close with everything alive: maps, requests, iterators, coroutines", function()
        local state = states.new()
        state:run [[
            local rill = require "rill"
            s = rill.iota(100000)
            map, lazy, request = s:map_cpu(), s:map_cpu {lazy = true}, s:request()
            lazy[5] = 7
            each = coroutine.wrap(function() for i, v in s:each() do coroutine.yield(i, v) end end)
            each()
        ]]
        state:close()
        assert.equal(3, rill.iota(3):sum())
    end)

    it_states("that another thread used close here, and touch nothing of this thread's device", function()
        local s <close> = rill.random(100000, {seed = 1})
        local sum = s:sum()
        for _ = 1, 5 do
            assert.equal("999000", states.thread_left(WORK))
            local more <close> = rill.random(100000, {seed = 1})
            assert.equal(sum, more:sum())
        end
        assert.equal(sum, s:sum())
    end)

    it_states("work on threads of their own", function()
        for _ = 1, 3 do
            assert.equal("999000", states.thread(WORK))
        end
        assert.equal(3, rill.iota(3):sum())
        assert.equal("499500", states.thread "return require('rill').iota(1000):sum()")
    end)
end)

describe("the end of a process", function()
    for name, script in pairs {
        ["with live streams"] = [[
            local rill = require "rill"
            s = rill.iota(1000)
            v = s:transpose()
            k = rill.kernel "kernel void f(int x<>, out int r<>) { r = x; }"
            t = k(s)
            print(t:sum())
        ]],
        ["with maps and requests"] = [[
            local rill = require "rill"
            s = rill.iota(1000)
            m = s:map_cpu() m[1] = 7
            l = s:map_cpu {lazy = true} l[2] = 7
            r = s:request()
            print(499500)
        ]],
        ["by os.exit with a closed state"] = [[
            local rill = require "rill"
            s = rill.iota(1000)
            print(s:sum())
            os.exit(0, true)
        ]],
        ["inside a coroutine"] = [[
            local rill = require "rill"
            co = coroutine.wrap(function()
                local s <close> = rill.iota(1000)
                for i in s:each() do coroutine.yield(s:sum()) end
            end)
            print(co())
        ]],
        ["with streams made by finalizers"] = [[
            local rill = require "rill"
            for _ = 1, 10 do
                setmetatable({}, {__gc = function() kept = rill.iota(10) end})
            end
            collectgarbage()
            collectgarbage()
            print(kept:sum() * 11100)
        ]],
    } do
        it("is clean " .. name, function() assert.equal("499500\n", process.output(script)) end)
    end

    -- Lua finalizes nothing that a finalizer makes while its state closes, so what such a stream holds is lost with the state.
    it("does not crash if streams are made while the state closes", function()
        local script = [[
            local rill = require "rill"
            setmetatable({}, {__gc = function() print(rill.iota(1000):sum()) end})
        ]]
        assert.equal("499500\n", process.output(script, {ASAN_OPTIONS = "detect_leaks=0"}))
    end)

    it("by an error prints the error", function()
        local result = process.run [[
            local rill = require "rill"
            s = rill.iota(1000)
            error "stop here"
        ]]
        assert.equal(1, result.status)
        assert.matches("stop here", result.err)
    end)

    it("by os.exit without closing does not crash", function()
        local result = process.run "s = require('rill').iota(1000) s:map('x') os.exit(3)"
        assert.equal(3, result.status)
    end)
end)
