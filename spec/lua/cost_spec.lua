local rill = require "rill"
local breakeven = require "rill.shell.cost_model"
local processor = require "rill.shell.cpu_cost"
local check = require "spec.support.check"

local saxpy = rill.kernel "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"

describe("Brook's model", function()
    it("gives speedup, intensity, verdict and break-even of given times", function()
        local m = breakeven(1, 3, 1)
        assert.are.same({3.0, 1.0, true, 0.5}, {m.speedup, m.intensity, m.worthwhile, m.break_even})
        m = breakeven(1, 1.25, 2)
        assert.are.same({1.25, 0.5, false, 8.0}, {m.speedup, m.intensity, m.worthwhile, m.break_even})
        m = breakeven(2, 1, 0.5)
        assert.are.same({0.5, 4.0, false, math.huge}, {m.speedup, m.intensity, m.worthwhile, m.break_even})
        m = breakeven(1, 1, 0.5)
        assert.are.same({1.0, 2.0, false, math.huge}, {m.speedup, m.intensity, m.worthwhile, m.break_even})
    end)

    it("decides as gamma > 1 / (s - 1) does", function()
        for gpu = 1, 5 do
            for cpu = gpu + 1, 9 do
                for transfer = 1, 9 do
                    local m = breakeven(gpu, cpu, transfer)
                    -- In whole numbers: gpu (cpu - gpu) > transfer gpu.
                    assert.are.equal(gpu * (cpu - gpu) > transfer * gpu, m.worthwhile)
                    assert.are.equal(m.worthwhile, m.break_even < 1)
                end
            end
        end
    end)

    it("has no CPU fields without a CPU time, and handles transfers of zero seconds", function()
        assert.are.same({intensity = 2.0}, breakeven(1, nil, 0.5))
        local m = breakeven(1, 2, 0)
        assert.are.same({math.huge, true, 0.0}, {m.intensity, m.worthwhile, m.break_even})
    end)
end)

describe("one core", function()
    local core = require "rill.core"
    local function cores()
        local file = io.open "/proc/self/status"
        return file and file:read "a":match "Cpus_allowed_list:%s*(%S+)", file and file:close()
    end

    it("runs all threads while a function runs, and returns its results", function()
        local before = cores()
        local alone, within, x, y = core._single_core(function() return cores(), 5, nil end)
        assert.are.same({5, nil, before}, {x, y, (cores())})
        assert.are.equal(alone and within:match "^%d+$" or before, within)
        assert.are.equal(10, select("#", core._single_core(function() return 1, 2, 3, 4, 5, 6, 7, 8, 9 end)))
    end)

    it("is left when the function fails", function()
        local before, failure = cores(), {}
        local done, raised = pcall(core._single_core, function() error(failure) end)
        assert.are.same({false, before}, {done, (cores())})
        assert.are.equal(failure, raised)
        assert.is_false(pcall(core._single_core, 5))
    end)
end)

describe("rill.cost", function()
    it("counts bytes and fits its own times", function()
        local x, y = rill.random(1000, {seed = 1}), rill.random(1000, {seed = 2})
        local c = rill.cost(saxpy, 2.5, x, y)
        assert.are.same({8000, 4000}, {c.bytes_up, c.bytes_down})
        assert.is_true(c.gpu > 0 and c.transfer > 0)
        assert.are.equal(c.gpu / c.transfer, c.intensity)
        if c.cpu then
            assert.are.equal(c.cpu / c.gpu, c.speedup)
            assert.are.equal(c.speedup > 1 and c.intensity > 1 / (c.speedup - 1), c.worthwhile)
            local gain = c.cpu - c.gpu
            assert.are.equal(gain > 0 and c.transfer / gain or math.huge, c.break_even)
        end
        assert.matches("^saxpy: 8000 bytes up and 4000 down in ", tostring(c))
        local _, times = tostring(c):gsub(c.device:gsub("%p", "%%%0"), "")
        assert.equal(1, times, tostring(c))
    end)

    it("changes nothing that it is given", function()
        local k = rill.kernel [[
            kernel void all(float x<>, inout float z<>, inout int n[], out float r<>) { z += x; atomicAdd(n[0], 1); r = x; }
        ]]
        local x, z, n = rill.iota(100):cast "float", rill.stream("float", 100, 7), rill.stream("int", 3, 5)
        local r = rill.stream("float", 100, 9)
        local c = rill.cost(k, {x = x, z = z, n = n, r = r})
        assert.are.same({400 + 400 + 12, 400 + 400 + 12}, {c.bytes_up, c.bytes_down})
        assert.are.same({4950.0, 700.0, 15, 900.0}, {x:sum(), z:sum(), n:sum(), r:sum()})
    end)

    it("counts a stream once, and takes expressions, tables and variable outputs", function()
        local x = rill.iota(10):cast "float"
        assert.are.equal(40, rill.cost(saxpy, 1, x, x).bytes_up)
        assert.are.equal(80, rill.cost(saxpy, 1, x, 2 * x).bytes_up)
        local k = rill.kernel "kernel void f(float x<>, float t[], vout float r<>) { if (x > t[1]) push(r, x); }"
        local c = rill.cost(k, x, {1, 5})
        assert.are.same({48, 16}, {c.bytes_up, c.bytes_down})
    end)

    it("measures the CPU with copies on the software device", function()
        local software = false
        for _, device in ipairs(rill.devices()) do software = software or device.software end
        if not software then return pending "there is no software device here" end
        local k = rill.program [[
            typedef struct { vec3 o; float t; } Ray;
            kernel void f(Ray rays<>, float most, out float r<>) { r = min(rays.t, most); }
        ]]
        local device, r = rill.device(), rill.stream("float", 20, 3)
        local seconds, name = processor.elsewhere {
            kernel = k.f, named = {rays = rill.stream(k.Ray, 20, {o = {1, 2, 3}, t = 4}), most = 2, r = r},
        }
        assert.is_true(seconds > 0 and type(name) == "string")
        assert.are.same({device, 60.0}, {rill.device(), r:sum()})
        local none, why = processor.elsewhere {kernel = k.f, named = {rays = 5}}
        assert.is_nil(none)
        assert.matches("^the software device refused the kernel: .*rays", why)
        assert.are.equal(device, rill.device())
    end)

    it("names arguments that it does not accept", function()
        local x = rill.stream("float", 3)
        local function refused(message, ...)
            local done, text = pcall(rill.cost, ...)
            assert.is_false(done)
            assert.matches("^" .. debug.getinfo(1, "S").short_src:gsub("%p", "%%%0") .. ":%d+: " .. message, text)
        end
        refused("rill.cost: argument #1 'k': expected a kernel or a function, got number", 3)
        refused("rill.cost: argument #1 'k': expected a kernel that runs over elements, got the reduce kernel 'sum'",
            rill.kernel "reduce void sum(float x<>, reduce float r<>) { r += x; }", x)
        refused("saxpy: expected 3 arguments", saxpy, 1)
        refused("saxpy: argument #3 'y': expected a stream of float", saxpy, 1, x, 2)
        refused("saxpy: .*don't broadcast", saxpy, 1, x, rill.stream("float", 2))
        local gather = rill.kernel "kernel void gather(float c[][], out float r<>) { r = c[0][0]; }"
        refused("rill.cost: argument #2 'c': expected a stream, got container",
            gather, {c = rill.sparse("float", {8, 8}, {page = {4, 4}}), shape = 1})
    end)
end)

describe("rill.cost of a function", function()
    it("counts launches, copies and bytes, and passes arguments", function()
        local x, seen = rill.ones(1000), nil
        local c = rill.cost(function(...)
            seen = table.pack(...)
            local y = (2 * x + 1):eval()
            return saxpy(1, x:domain(1, 100), y:domain(1, 100), x:domain(2, 101))
        end, 5, nil, x)
        assert.same({n = 3, 5, nil, x}, seen)
        assert.same({2, 1, 8000 + 1200}, {c.launches, c.copies, c.bytes})
        assert.equal(c.profile.launches, c.launches)
        assert.equal(math.max(0, c.time - c.device_time), c.host_time)
        assert(c.time > 0 and c.device_time > 0 and c.launch_time > 0)
        assert.matches("; 2 launches and 1 copy, 9.0 KiB\na launch without work takes ", tostring(c))
        local none = rill.cost(function() end)
        assert.same({0, 0, 0, 0, "host"}, {none.launches, none.copies, none.bytes, none.device_time, none.bound})
    end)

    it("tells what takes the most time", function()
        local x, small = rill.random(1 << 22), rill.ones(1)
        local k = rill.kernel [[
            kernel void work(float a<>, out float r<>) { for (int i = 0; i < 500; i++) r = sin(r + a); }
        ]]
        local function spin(n) for i = 1, n do n = n + i % 2 end end
        assert.equal("host", rill.cost(function() spin(1000000) return k(small) end).bound)
        if rill.device().software then
            assert.equal("arithmetic", rill.cost(function() return k(x:domain(1, 10000)) end).bound)
        end
        local c = rill.cost(function() return (2 * x):eval() end)
        local work = c.device_time - math.min(c.device_time, c.launch_time)
        local most = math.max(c.host_time, c.device_time - work, work)
        assert.equal(most == c.host_time and "host" or most > work and "launches" or
            2 * c.bytes / c.profile.copy_rate >= work and "memory" or "arithmetic", c.bound)
    end)

    it("raises errors of the function, and works afterwards", function()
        local failure, calls = {}, 0
        for last = 1, 20, 4 do
            local done, message = pcall(rill.cost, function()
                calls = calls + 1
                if calls == last then error(failure) end
            end)
            assert.is_false(done)
            assert.equal(failure, message)
            calls = 0
        end
        check.raises("rill.cost: the function yielded", rill.cost, function() coroutine.yield() end)
        local function nested() rill.cost(function() end) end
        check.raises("rill.cost: a function that rill.profile runs cannot call it", rill.profile, nested)
        check.raises("rill.cost: a function that rill.profile runs", rill.cost, function() rill.profile(nested) end)
        check.raises("rill.cost: a function that is differentiated cannot call it", rill.grad(function(x)
            nested()
            return x:sum()
        end), rill.ones(2))
        assert.equal(1, rill.cost(function() return (rill.ones(2) + 1):eval() end).launches)
        assert.equal(0, rill.profile(function() end).launches)
    end)
end)
