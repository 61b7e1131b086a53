local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"

local N <const> = 1 << 20 -- floats of a stream whose memory is large

describe("large streams", function()
    leaks.watch(setup, teardown)

    it("are zero when they are new, and when their memory was used before", function()
        check.collect()
        for _, n in ipairs {N // 4 - 64, N // 4, N, N + 1, 4 * N + 3} do
            for round = 1, 3 do
                local s = rill.stream("float", n)
                assert.equal(0.0, s:max(), ("%d floats, round %d"):format(n, round))
                s:fill(round)
                assert.equal(round * 1.0, s:min())
                s:close()
            end
        end
    end)

    it("are read and written by kernels, copies and the host in turn", function()
        local s = rill.stream("int", N)
        local add = rill.kernel "kernel void add(int a, inout int x<>) { x += a; }"
        add(3, s)
        s:set(7, N)
        add(1, s)
        assert.equal(8, s:get(N))
        assert.equal(4, s:get(1))
        local t = s:copy()
        s:write(rill.stream("int", N, 5))
        add(2, s)
        assert.equal(8, t:get(N))
        assert.equal(7 * N, s:sum())
        assert.equal(("i4"):pack(7), s:bytes():sub(-4))
    end)

    it("are released while results that were computed from them stay", function()
        local sums = {}
        for i = 1, 12 do
            local s = rill.stream("float", i * N // 3, i)
            sums[i] = s:map "x * 2.0":min()
            s:close()
            check.collect()
            rill.memory_limit(1) -- empties the pool
            rill.memory_limit(0)
        end
        for i = 1, 12 do assert.equal(2.0 * i, sums[i]) end
    end)

    it("are created without touching their memory #large", function()
        if os.getenv "RILL_POISON" then
            return pending "new memory is filled with hostile values"
        end
        local out = process.output [[
            local rill = require "rill"
            local function faults()
                local file <close> = assert(io.open "/proc/self/stat")
                return tonumber((file:read "a":match "^.*%) %S %S+ %S+ %S+ %S+ %S+ %S+ (%d+)"))
            end
            local first = rill.stream("float", 1 << 18)
            local before = faults()
            local s = rill.stream("float", 1 << 24)
            print(faults() - before, rill.device().traits.host_memory, rill.device().name)
        ]]
        local faults, host, name = out:match "^(%d+)\t(%a+)\t(.*)\n$"
        if host == "true" and name:find "^llvmpipe" then
            assert.is_true(tonumber(faults) < 200, out) -- 64 MiB have 16,384 pages
        end
    end)
end)
