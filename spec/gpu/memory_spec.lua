local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"

local MIB <const> = 1 << 20

describe("rill.memory", function()
    leaks.watch(setup, teardown)

    it("counts bytes and streams that live", function()
        local before = leaks.snapshot()
        local s = rill.stream("float", 1 << 18)
        local during = rill.memory()
        assert.is_true(during.bytes - before.bytes >= MIB)
        assert.is_true(during.bytes - before.bytes <= MIB + 4096)
        assert.equal(before.streams + 1, during.streams)
        assert.is_true(during.peak >= during.bytes)
        local view = s:domain(1, 10)
        assert.equal(before.streams + 1, rill.memory().streams)
        s:close()
        assert.equal(before.streams + 1, rill.memory().streams)
        view:close()
        assert.same(before, leaks.snapshot())
        assert.equal(0, rill.memory().limit)
    end)

    -- Returns the same as leaks.snapshot(), without a garbage collection.
    local function live()
        local memory = rill.memory()
        return {bytes = memory.bytes, streams = memory.streams, pages = memory.pages}
    end

    it("streams are freed by close, by <close> and by the collector", function()
        local before = leaks.snapshot()
        local s = rill.iota(1000)
        s:close()
        assert.same(before, live())
        do
            local t <close> = rill.iota(1000)
            assert.equal(before.streams + 1, rill.memory().streams)
            assert.equal(0, t[1])
        end
        assert.same(before, live())
        for _ = 1, 10 do
            rill.iota(1000)
        end
        assert.same(before, leaks.snapshot())
    end)

    it("many small temporaries stay few", function()
        local before = leaks.snapshot()
        for _ = 1, 2000 do
            local t = rill.stream("float", 1000)
            t:domain(1, 10):fill(1)
        end
        assert.same(before, leaks.snapshot())
    end)

    it("many small temporaries stay few with a large Lua heap, and with forced collections #large", function()
        local out = process.output(([[
            local rill = require "rill"
            local heap = {}
            for i = 1, 100000 do
                heap[i] = {i}
            end
            local x = rill.iota(64)
            local f = rill.kernel "kernel void f(int a, int x<>, out int r<>) { r = a + x; }"
            local most = 0
            for i = 1, %d do
                local r = f(i, x)
                most = math.max(most, i %% 16 == 0 and rill.memory().streams or 0)
                if i %% 10000 == 0 then
                    collectgarbage()
                end
            end
            print(most)
        ]]):format(os.getenv "RILL_SUITE_LONG" and 40000 or 15000))
        assert.is_true(tonumber(out) < 5000, out)
    end)

    it("errors free partially created objects", function()
        local before = leaks.snapshot()
        for _ = 1, 20 do
            pcall(rill.stream, "float", {2, 2}, {{1, 2}, {3}})
            pcall(rill.stream, "float", 1000, function(i) return i == 999 and error "late" or 1 end)
            pcall(rill.kernel, "kernel void f(float x<>, out float r<>) { r = y; }")
            pcall(rill.concat, {rill.iota(2), rill.from {1}})
        end
        assert.same(before, leaks.snapshot())
    end)
end)

describe("a memory limit", function()
    leaks.watch(setup, teardown)

    before_each(check.collect)
    after_each(function() rill.memory_limit(0) end)

    it("lets 5,000 temporaries of 16 MiB through 256 MiB, without close #large #long", function()
        rill.memory_limit(256 * MIB)
        local count <const> = 5000
        for i = 1, count do
            local t = rill.stream("float", {2048, 2048})
            if i % 1000 == 0 then
                assert.equal(0.0, t:get(2048, 2048))
                assert.is_true(rill.memory().bytes <= 256 * MIB)
            end
        end
        assert.is_true(rill.memory().peak <= 300 * MIB)
    end)

    it("lets results of kernels and reductions through, too #large", function()
        rill.memory_limit(64 * MIB)
        local s = rill.stream("float", 1 << 22, 1)
        for i = 1, 40 do
            local t = s:map "x + 1.0"
            if i % 20 == 0 then
                assert.equal(2.0 * (1 << 22), t:sum())
            end
        end
    end)

    it("that an allocation exceeds is an error with the requested bytes, the bytes in use and the limit", function()
        rill.memory_limit(64 * MIB)
        local held = rill.stream("float", 1 << 22, 3)
        local message = check.failure(rill.stream, "float", 1 << 26)
        assert.matches("rill%.stream", message)
        for _, bytes in ipairs {256 * MIB, 16 * MIB, 64 * MIB} do -- asked, live, the limit
            assert.is_not_nil(message:find(tostring(bytes), 1, true), message)
        end
        assert.equal(3.0, held[1 << 22])
        assert.equal(3.0 * (1 << 22), held:sum())
        assert.equal(4.0, held:map("x + 1.0")[1])
        local ok = rill.stream("float", 1 << 22)
        assert.equal(0.0, ok[1])
        check.raises("out of device memory", function() held:tile(8):copy() end)
        assert.equal(3.0, held[1])
    end)

    it("counts what is pooled as free", function()
        rill.memory_limit(40 * MIB)
        for _, size in ipairs {1 << 22, 1 << 21, 3 << 20, 1 << 22, 5 << 20, 1 << 23} do
            local s <close> = rill.stream("float", size)
            assert.equal(0.0, s[size])
        end
    end)

    it("allows finalizers only to close streams while it collects", function()
        rill.memory_limit(8 * MIB)
        local said
        setmetatable({}, {__gc = function()
            local good, message = pcall(rill.stream, "float", 4)
            said = good or message
        end})
        for _ = 1, 20 do
            rill.stream("float", MIB)
        end
        check.collect()
        assert.is_true(said == true or said:find "finalizer" ~= nil, tostring(said))
    end)

    it("is a number of bytes, 0 for none", function()
        rill.memory_limit(1000)
        assert.equal(1000, rill.memory().limit)
        check.raises("memory_limit", rill.memory_limit, -1)
        check.raises("memory_limit", rill.memory_limit, "x")
        check.raises("memory_limit", rill.memory_limit, 1.5)
        rill.memory_limit(0)
        assert.equal(0, rill.memory().limit)
    end)
end)

describe("memory of the process", function()
    it("does not grow with temporaries #slow", function()
        local out = process.output [[
            local rill = require "rill"
            local function resident()
                for line in io.lines "/proc/self/status" do
                    local kilobytes = line:match "^VmRSS:%s*(%d+)"
                    if kilobytes then
                        return tonumber(kilobytes)
                    end
                end
            end
            rill.memory_limit(128 << 20)
            local function work(count)
                for i = 1, count do
                    rill.stream("float", 1 << 20, i)
                end
            end
            work(200)
            local before = resident()
            work(1000)
            print(resident() - before)
        ]]
        assert.is_true(tonumber(out) < 64 * 1024, out)
    end)

    it("transfers through a queueing device's ring at the ends of its parts", function()
        local long <const> = tostring(os.getenv "RILL_SUITE_LONG" ~= nil)
        assert.equal("good\n", process.output(("local long = %s\n"):format(long) .. [[
            local rill = require "rill"
            local m, pieces = 1 << 18, {} -- words of a part; of a large part: 8 m
            for i = 1, 9 do pieces[i] = ("<I4"):pack(i * 2654435761 & 0xffffffff):rep(m * 4 + i) end
            local whole, draw = table.concat(pieces), 7
            local sizes = {m, m + 1, 4 * m + 1, m - 1, 8 * m + 3}
            if long then sizes = {m, m + 1, 4 * m, 4 * m + 1, 4 * m + 1, m - 1, 8 * m + 3, 31 * m + 5, #whole // 4} end
            for _, size in ipairs(sizes) do
                for _, first in ipairs {1, 6} do
                    local s <close> = rill.stream("uint", size + 10)
                    local view, last, text = s:domain(first, first + size - 1), s:domain(size + 9, size + 10),
                        whole:sub(-4 * size)
                    draw = draw + 4
                    last:write {draw, draw + 1}
                    view:write(text)
                    assert(view:bytes() == text)
                    assert(last:get(1) == draw and last:get(2) == draw + 1)
                    assert(view:copy():bytes() == text)
                end
            end
            print "good"
        ]], {RILL_ASYNC = "1", RILL_FAMILY = "gpu"}))
    end)

    it("downloads without page faults other than those of the string", function()
        local faults = tonumber(process.output([[
            local rill = require "rill"
            local s = rill.random(1 << 24)
            local function faults()
                local file <close> = io.open "/proc/self/stat"
                local words = {}
                for word in file:read "a":match "%) (.*)":gmatch "%S+" do words[#words + 1] = word end
                return tonumber(words[8])
            end
            s:bytes()
            collectgarbage()
            local before = faults()
            s:bytes()
            print(faults() - before)
        ]], {RILL_ASYNC = "1", GLIBC_TUNABLES = "glibc.malloc.hugetlb=0"}))
        -- The allocator of a sanitizer keeps what was freed.
        assert.is_true(faults <= (os.getenv "RILL_SANITIZE" and 50000 or 16500), faults)
    end)
end)
