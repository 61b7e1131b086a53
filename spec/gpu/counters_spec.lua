local rill = require "rill"
local counting = require "spec.support.counting"
local process = require "spec.support.process"
local WAITS <const> = counting.WAITS

local LONG <const> = os.getenv "RILL_SUITE_LONG" ~= nil

-- In scripts, `whole` is true in the long run.
local function counted(script, ...)
    return counting.counted("local whole = " .. tostring(LONG) .. "\n" .. script, ...)
end

local function it_counts(name, f)
    counting.it(it, pending, name, f)
end

describe("calls of OpenGL:", function()
    it_counts("a loop over hundreds of sizes compiles at most two programs per kernel", function()
        local counts = counted [[
            local saxpy = rill.kernel "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"
            local blur = rill.kernel "kernel void blur(neighbor float u<>, out float r<>) { r = u[-1] + u[0] + u[1]; }"
            local pick = rill.kernel "kernel void pick(float a[], int i<>, out float r<>) { r = a[i]; }"
            local total = rill.kernel "reduce void total(float x<>, reduce float r<>) { r += x; }"
            local function with(f)
                for n = 1, 250 do
                    f(n * 7 % 1000 + 1)
                end
            end
            local big = rill.iter("float", 5000, 0, 5000):copy()
            local index = rill.iota(5000)
            phase "start"
            with(function(n) local x = big:domain(1, n) saxpy(2, x, x) end)
            phase "saxpy"
            with(function(n) blur(big:domain(1, n)) end)
            phase "blur"
            with(function(n) pick(big, index:domain(1, n)) end)
            phase "pick"
            with(function(n) total(big:domain(1, n)) end)
            phase "total"
            with(function(n) local x = big:domain(n, n + 1000) saxpy(2, x, x, big:domain(2500, 3500)) end)
            phase "moved"
        ]]
        for _, name in ipairs {"saxpy", "blur", "pick"} do
            assert(counts[name].glLinkProgram <= 2, name .. ": " .. counts[name].glLinkProgram .. " programs")
            assert.is_true(counts[name].glDispatchCompute >= 250)
        end
        assert(counts.saxpy.glLinkProgram + counts.moved.glLinkProgram <= 2)
        -- One program reduces elements, another reduces partial results; each writes final or partial results.
        assert(counts.total.glLinkProgram <= 2, counts.total.glLinkProgram)
    end)

    it_counts("a launch reads nothing back, and waits for nothing", function()
        local counts = counted [[
            local add = rill.kernel "kernel void add(float x<>, float y[], out float r<>) { r = x + y[indexof(r).x]; }"
            local x, y, r = rill.iota(1000):cast "float", rill.iota(1000):cast "float", rill.stream("float", 1000)
            add(x, y, r)
            phase "start"
            for _ = 1, 100 do
                add(x, y, r)
            end
            phase "launches"
            for _ = 1, 100 do
                local t <close> = add(x, y)
                r:write(t)
                r:fill(2)
                local d = r:domain(2, 9):copy()
                x:map "x + 1.0"
            end
            phase "work"
        ]]
        assert.equal(100, counts.launches.glDispatchCompute)
        for _, name in ipairs(WAITS) do
            assert(counts.launches[name] == 0, name)
            assert(counts.work[name] == 0 or name:find "Map", name)
        end
        assert.equal(0, counts.launches.glLinkProgram)
    end)

    it_counts("allocations and waits do not query whether the GPU was reset", function()
        local counts = counted([[
            local x = rill.random(1000, {seed = 1})
            local f = rill.kernel "kernel void f(float x<>, out float r<>) { r = x + 1.0; }"
            local function work(n)
                local y = f(x)
                local request = y:request()
                local t = rill.stream("float", 1000 * n)
                return y:sum(), y:get(5), #y:bytes(), #request:values(), rill.sync()
            end
            work(1)
            phase "start"
            for n = 1, 20 do work(n) end
            phase "work"
        ]], {RILL_FAMILY = "gpu", RILL_ASYNC = "1"})
        assert.equal(0, counts.work.glGetGraphicsResetStatus)
        assert.is_true(counts.work.glClientWaitSync >= 80)
    end)

    it_counts("scalar results are read without a copy, after one wait", function()
        local counts = counted([[
            local x, y = rill.random(100000, {seed = 1}), rill.random(100000, {seed = 2})
            local total = rill.kernel "reduce void total(float x<>, reduce float r<>) { r += x; }"
            local function work()
                if not whole then return x:sum(), x:argmax(), total(x) end
                return x:sum(), x:dot(y), x:norm(), x:argmax(), x:mean(), total(x)
            end
            work()
            phase "start"
            for n = 1, 20 do work() end
            phase "work"
        ]], {RILL_FAMILY = "gpu", RILL_ASYNC = "1"})
        assert.equal(0, counts.work.glCopyBufferSubData)
        assert.equal(LONG and 120 or 60, counts.work.glClientWaitSync)
        assert.equal(0, counts.work.glBufferStorage)
    end)

    it_counts("a transform reads nothing back; of one kind only the first compiles, and computes its roots", function()
        local counts = counted([[
            local x = rill.random({4, 1009}, {seed = 1, type = "vec2"})
            local function work()
                local r <close> = rill.fft(x)
                local back <close> = rill.fft(r, {inverse = true})
            end
            work()
            phase "start"
            for _ = 1, 10 do work() end
            phase "again"
        ]], {RILL_ASYNC = "1"})
        assert(counts.again.glDispatchCompute >= 100)
        assert.same({0, 0}, {counts.again.glLinkProgram, counts.again.bytes_read})
        for _, name in ipairs(WAITS) do
            assert(counts.again[name] == 0, name)
        end
    end)

    it_counts("pages that the device maps for many points are read back when they are requested", function()
        local counts = counted([[
            local points = rill.kernel("kernel void at(int i<>, out ivec2 r<>) { r = ivec2(i * 37 % 4096, i * 101 % 4095); }")(
                rill.iota(20000))
            local read = rill.kernel "kernel void read(ivec2 p<>, float c[][], out float r<>) { r = c[p.y][p.x]; }"
            local write = rill.kernel "kernel void write(ivec2 p<>, inout float c[][]) { c[p.y][p.x] = 1.0; }"
            local function make() return rill.sparse("float", {4096, 4096}, {page = {8, 8}, levels = 2}) end
            local before <close> = make():allocate(points)
            write(points, before)
            read(points, before)
            before:get(1, 1)
            local c <close> = make()
            phase "start"
            c:allocate(points)
            phase "allocated"
            write(points, c)
            read(points, c)
            phase "launched"
            assert(c.pages.mapped > 10000)
            phase "counted"
            c:active()
            phase "asked"
        ]], {RILL_ASYNC = "1"})
        assert(counts.allocated.bytes_read < 100, counts.allocated.bytes_read)
        assert.same({0, 0}, {counts.launched.bytes_read, counts.counted.bytes_read})
        assert(counts.asked.bytes_read > 4 * 10000, counts.asked.bytes_read)
        assert(counts.allocated.glDispatchCompute < 60, counts.allocated.glDispatchCompute)
    end)

    it_counts("a reduction to a stream waits for nothing either", function()
        local counts = counted [[
            local s = rill.iota {1000, 100}
            local sum = rill.kernel "reduce void sum(int x<>, reduce int r<>) { r += x; }"
            local function work()
                local a <close> = s:sum(1)
                local b <close> = s:max(-1)
                local c <close> = sum(s, {10, 10})
            end
            work()
            phase "start"
            for _ = 1, 10 do
                work()
            end
            phase "reductions"
        ]]
        for _, name in ipairs(WAITS) do
            assert(counts.reductions[name] == 0 or name:find "Map", name)
        end
        assert.equal(0, counts.reductions.glLinkProgram)
    end)

    it_counts("multigrid reads back every so many cycles, and allocates nothing", function()
        local counts = counted([[
            local b = rill.random({40, 50}, {seed = 1})
            local h = rill.solve.hierarchy {shape = {40, 50}}
            local x = rill.stream("float", {40, 50})
            local function solve(cycles, every)
                h:solve(b, {x = x, cycles = cycles, every = every, tolerance = 0, strict = false})
            end
            solve(2, 1)
            phase "start"
            h:cycle(x, b, 20)
            phase "cycles"
            x:fill(0)
            solve(3, 3)
            phase "few"
            x:fill(0)
            solve(6, 6)
            phase "many"
            if not whole then return end
            local large = rill.solve.hierarchy {shape = {300, 300}}
            local y, c = rill.stream("float", {300, 300}), rill.random({300, 300}, {seed = 1})
            large:cycle(y, c, 1)
            phase "first"
            large:cycle(y, c, 2)
            phase "two"
            large:cycle(y, c, 3)
            phase "three"
        ]])
        for _, name in ipairs(WAITS) do
            assert(counts.cycles[name] == 0 or name:find "Map", name)
            assert.equal(counts.few[name], counts.many[name], name)
        end
        assert.equal(counts.few.bytes_read, counts.many.bytes_read)
        assert(counts.start.glBufferStorage > 0)
        for _, phase in ipairs {"cycles", "few", "many"} do
            assert.same({0, 0}, {counts[phase].glBufferStorage, counts[phase].glBufferData}, phase)
        end
        -- Family gpu: half cycles on grids above 64^2, one launch for the others, and the new residual
        local small = counts.many.glDispatchCompute - counts.few.glDispatchCompute -- three cycles
        local large = LONG and counts.three.glDispatchCompute - counts.two.glDispatchCompute
        if rill.device().family == "gpu" then
            assert.same({3 * 2, LONG and 8}, {small, large})
        else
            assert(small >= 3 * 5 and (not large or large >= 15), ("%s, %s"):format(small, large))
        end
    end)

    it_counts("steps of particles read nothing back, and allocate nothing", function()
        local counts = counted [[
            local x = rill.stream("vec2", 400, function(i) return {(i - 1) % 20, (i - 1) // 20} end)
            local p = rill.sph {positions = x, radius = 2.5, gravity = {0, -1}, walls = {{normal = {0, 1}, point = {0, -1}}}}
            for _ = 1, 3 do p:step() end
            phase "start"
            for _ = 1, 50 do p:step() end
            phase "adaptive"
            p:step(1e-3)
            phase "fixed"
        ]]
        for _, name in ipairs(WAITS) do
            assert(counts.adaptive[name] == 0 and counts.fixed[name] == 0 or name:find "Map", name)
        end
        assert.equal(0, counts.adaptive.bytes_read)
        for _, phase in ipairs {"adaptive", "fixed"} do
            local made = counts[phase].glBufferStorage + counts[phase].glBufferData + counts[phase].glLinkProgram
            assert.equal(0, made, phase)
        end
        assert(counts.adaptive.glDispatchCompute < 50 * 16)
    end)

    it_counts("waves and heat step without reading back or allocating", function()
        local counts = counted [[
            local w = rill.wave {shape = {40, 50}, boundary = "absorb", substeps = true, height = 1}
            local h = rill.heat {shape = {9, 8, 7}, temperature = rill.random({9, 8, 7})}
            for _ = 1, 3 do w:step() h:step(5) end
            phase "start"
            for _ = 1, 50 do w:step() h:step(5) end
            phase "steps"
        ]]
        for _, name in ipairs(WAITS) do
            assert(counts.steps[name] == 0 or name:find "Map", name)
        end
        assert.equal(0, counts.steps.bytes_read)
        assert.equal(0, counts.steps.glBufferStorage + counts.steps.glBufferData + counts.steps.glLinkProgram)
    end)

    it_counts("expressions are one launch per use, and a loop compiles them once", function()
        local counts = counted [[
            local x, y = rill.iota(100):cast "float", rill.iota(100):cast "float"
            local k = rill.kernel "kernel void k(float a, float p<>, float q<>, out float r<>) { r = a * p + q; }"
            phase "start"
            for i = 1, 100 do
                local s <close> = (x * i + rill.max(y, i) / 2):eval()
            end
            phase "eval"
            for i = 1, 100 do
                local s <close> = k(i, x * i + 1, y)
            end
            phase "kernel"
            for i = 1, 100 do
                x:write(x * 0.5 + i)
            end
            phase "write"
            for i = 1, 100 do
                x:sum()
            end
            phase "sum"
            for i = 1, 100 do
                (i * x + y):sum()
            end
            phase "fused"
            local e = x
            for i = 1, 10000 do
                e = e * 0.5 + y
            end
            phase "grown"
        ]]
        for name, programs in pairs {eval = 1, kernel = 2, write = 1, fused = 2, grown = 20} do
            assert(counts[name].glLinkProgram <= programs, name .. ": " .. counts[name].glLinkProgram .. " programs")
        end
        assert.equal(100, counts.eval.glDispatchCompute)
        assert.equal(100, counts.kernel.glDispatchCompute)
        assert.equal(100, counts.write.glDispatchCompute)
        assert.equal(counts.sum.glDispatchCompute, counts.fused.glDispatchCompute)
        assert(counts.grown.glDispatchCompute <= 2500, counts.grown.glDispatchCompute)
        for _, name in ipairs(WAITS) do
            assert(counts.eval[name] == 0 or name:find "Map", name)
            assert(counts.kernel[name] == 0 or name:find "Map", name)
        end
    end)

    it_counts("conjugate gradients read back every so many iterations, and allocate nothing", function()
        local counts = counted([[
            local scale = rill.kernel "kernel void scale(float d<>, float x<>, out float y<>) { y = d * x; }"
            local b = rill.stream("float", 9001, 1) -- too long for one group
            local d = (rill.iota(9001) ^ 2 + 1):eval():cast "float"
            local seen
            local function multiply(x, y)
                seen[#seen + 1] = rill.memory()
                scale(d, x, y)
            end
            local function solve(iterations, every)
                seen = {}
                collectgarbage "stop"
                local x, report = rill.solve.cg(multiply, b, {iterations = iterations, every = every, strict = false})
                assert(report.iterations == iterations, report)
                local first, last = seen[2], seen[iterations + 1] -- before and after are residuals
                for _, name in ipairs {"streams", "bytes", "pooled", "peak"} do
                    assert(first[name] == last[name], name)
                end
                x:close()
                collectgarbage "restart"
            end
            solve(10, 5)
            phase "start"
            solve(10, 1000)
            phase "few"
            solve(210, 2000)
            phase "many"
            solve(10, 1)
            phase "often"
        ]], {RILL_FAMILY = "gpu"}) -- whose reads are calls of OpenGL
        assert.equal(800, counts.many.glDispatchCompute - counts.few.glDispatchCompute)
        local waits = {few = 0, many = 0, often = 0}
        for name in pairs(waits) do
            for _, call in ipairs(WAITS) do
                waits[name] = waits[name] + counts[name][call]
            end
            assert.equal(0, counts[name].glLinkProgram)
        end
        assert.equal(waits.few, waits.many)
        assert.equal(waits.few + 9, waits.often)
    end)

    it_counts("solvers that call functions do too: BiCGSTAB, preconditioned conjugate gradients #long", function()
        local counts = counted([[
            local scale = rill.kernel "kernel void scale(float d<>, float x<>, out float y<>) { y = d * x; }"
            local b = rill.stream("float", 9001, 1)
            local d = (rill.iota(9001) ^ 2 + 1):eval():cast "float"
            local inverse = (1 / (rill.iota(9001) + 1)):eval():cast "float"
            local function solve(method, iterations, every, preconditioner)
                local seen, calls = {}, 0
                local function multiply(x, y)
                    calls = calls + 1
                    seen[calls] = rill.memory()
                    scale(d, x, y)
                end
                collectgarbage "stop"
                local x, report = rill.solve[method](multiply, b, {iterations = iterations, every = every,
                    preconditioner = preconditioner, tolerance = 0, strict = false})
                assert(report.iterations == iterations, report)
                local first, last = seen[2], seen[calls - 1] -- before and after are residuals
                for _, name in ipairs {"streams", "bytes", "pooled", "peak"} do
                    assert(first[name] == last[name], name)
                end
                x:close()
                collectgarbage "restart"
            end
            local function near(r, z)
                scale(inverse, r, z)
            end
            for _, case in ipairs {{"cg", near}, {"bicgstab"}, {"bicgstab", near}} do
                local name = case[1] .. (case[2] and "_near" or "")
                solve(case[1], 10, 5, case[2])
                phase(name .. "_start")
                solve(case[1], 10, 1000, case[2])
                phase(name .. "_few")
                solve(case[1], 60, 1000, case[2])
                phase(name .. "_many")
                solve(case[1], 10, 1, case[2])
                phase(name .. "_often")
            end
        ]], {RILL_FAMILY = "gpu"})
        for name, reads in pairs {cg_near = 1, bicgstab = 2, bicgstab_near = 2} do
            local few, many, often = counts[name .. "_few"], counts[name .. "_many"], counts[name .. "_often"]
            assert.is_true(many.glDispatchCompute - few.glDispatchCompute >= 50 * 6, name)
            local waits = 0
            for _, call in ipairs {"bytes_read", "glLinkProgram", table.unpack(WAITS)} do
                assert.equal(few[call], many[call], name .. ": " .. call)
            end
            for _, call in ipairs(WAITS) do
                waits = waits + often[call] - few[call]
            end
            assert.equal(9 * reads, waits, name)
        end
    end)

    it_counts("stationary methods read back every so many iterations", function()
        local counts = counted([[
            local A = rill.sparse.csr {shape = {9001, 9001}, offsets = rill.iota(9002), columns = rill.iota(9001),
                values = rill.stream("float", 9001, 2)}
            local b = rill.stream("float", 9001)
            b:set(1, 5)
            local relax = rill.kernel "kernel void relax(float x<>, float b<>, out float y<>) { y = 0.5 * x + b; }"
            local function solve(iterations)
                local options = {iterations = iterations, every = iterations, strict = false, omega = 0.001, tolerance = 0}
                rill.solve[whole and "sor" or "jacobi"](A, b, options)
                options.active = true
                if whole then rill.solve.jacobi(A, b, options) end
                options.update, options.diagonal = true, 1
                rill.solve.jacobi(relax, b, options)
                collectgarbage()
                collectgarbage()
            end
            solve(10)
            solve(10)
            phase "start"
            solve(10)
            phase "few"
            solve(110)
            phase "many"
        ]], {RILL_FAMILY = "gpu"})
        assert.is_true(counts.many.glDispatchCompute - counts.few.glDispatchCompute >= 100 * (LONG and 5 or 3))
        for _, call in ipairs {"bytes_read", "glLinkProgram", table.unpack(WAITS)} do
            assert.equal(counts.few[call], counts.many[call], call)
        end
    end)

    it_counts("the cost of a page does not depend on the number of mapped pages or the size of the domain", function()
        local script = [[
            local c = rill.sparse("float", {SIDE, SIDE, SIDE}, {page = {2, 2, 2}})
            local function far(n) return {SIDE, SIDE, SIDE - 2 * n} end
            for i = 0, 9 do c:allocate(far(i)) end -- so that memory and tables grow no more
            c:release(far(0), {SIDE, SIDE, SIDE}):release({SIDE, SIDE, SIDE - 40}, {SIDE, SIDE, SIDE})
            c:allocate({1, 1, 1}, {20, 2 * ROWS, 20})
            for i = 0, 9 do c:allocate(far(i)) end
            c:release({SIDE, SIDE, SIDE - 40}, {SIDE, SIDE, SIDE})
            local mapped = c.pages.mapped
            assert(mapped == 100 * ROWS)
            c:set(1, 1, 1, 1):get(1, 1, 1)
            local s = c:snapshot()
            c:set(1, 3, 1, 1):diff(s):close()
            c:undo(s)
            s:close()
            phase "start"
            for i = 0, 9 do c:allocate(far(i)) end
            phase "allocate"
            for i = 0, 9 do c:release(far(i)) end
            phase "release"
            local taken = {}
            for i = 1, 10 do taken[i] = c:snapshot() end
            phase "snapshot"
            for i = 2, 10 do taken[i]:close() end
            for i = 0, 4 do c:set(i, 2 * i + 1, 1, 1) end
            phase "write"
            c:diff(taken[1]):close()
            phase "diff"
            c:undo(taken[1])
            phase "undo"
        ]]
        local expected
        for _, case in ipairs {{512, 1}, {512, 100}, {2048, 100}} do
            local counts = counted((script:gsub("SIDE", case[1]):gsub("ROWS", case[2])), {RILL_FAMILY = "gpu"})
            counts.start = nil
            expected = expected or counts
            assert.same(expected, counts, ("%d^3, %d pages"):format(case[1], 100 * case[2]))
        end
        assert.equal(0, expected.snapshot.bytes_moved + expected.snapshot.groups)
        assert.equal(5 * 8 * 4, expected.write.bytes_moved) -- a copy of each page of 8 floats
    end)

    it_counts("s:map compiles an expression once, whatever its constants", function()
        local counts = counted [[
            local s = rill.iota(100):cast "float"
            phase "start"
            for i = 1, 100 do
                s:map("x*x + c", {c = i})
            end
            phase "map"
        ]]
        assert(counts.map.glLinkProgram <= 1, counts.map.glLinkProgram)
    end)
end)

-- A chain of operations whose lengths are not read; the reference is plain Lua.
local CHAIN <const> = [[
    local n = 50000
    local x = rill.random(n, {seed = 7})
    local double = rill.kernel "kernel void double_it(float x<>, out float r<>) { r = 2.0 * x; }"
    local function chain()
        return double(x:filter "x > 0.25"):map("x + 0.5"):filter("x < 2.0 && i % 3 != 0"):sort()
    end
    chain()
    rill.sync()
    phase "start"
    local r = chain()
    phase "chain"
    local expected, at = {}, 0
    for _, v in ipairs(x:values()) do
        if v > 0.25 then
            local w = 2 * v + 0.5
            if w < 2 and at % 3 ~= 0 then
                expected[#expected + 1] = string.unpack("f", string.pack("f", w))
            end
            at = at + 1
        end
    end
    table.sort(expected)
    assert(#r == #expected and #expected > 10000, #r .. " of " .. #expected)
    for i, v in ipairs(r:values()) do
        assert(v == expected[i])
    end
]]

describe("filter, map, filter, sort", function()
    for name, environment in pairs {
        ["on the device as it is"] = {},
        ["where work is queued and lengths stay on the device"] = {RILL_FAMILY = "gpu"},
    } do
        it_counts("never waits between its launches " .. name, function()
            local counts = counted(CHAIN, environment).chain
            assert(counts.glDispatchCompute + counts.glDispatchComputeIndirect > 6)
            for _, wait in ipairs(WAITS) do
                if environment.RILL_FAMILY or wait ~= "glMapBufferRange" then -- lasting mappings of new buffers are no waits
                    assert.equal(0, counts[wait] or 0, wait)
                end
            end
        end)
    end
end)

describe("20,000 launches, or 100,000 in the long run,", function()
    it("need no more memory than the first", function()
        if os.getenv "RILL_SANITIZE" then
            pending "a sanitizer keeps what was freed"
            return
        end
        local out = process.output(("local count = %d\n"):format(os.getenv "RILL_SUITE_LONG" and 100000 or 20000) .. [[
            local rill = require "rill"
            local function resident()
                for line in io.lines "/proc/self/status" do
                    local kilobytes = line:match "^VmRSS:%s*(%d+)"
                    if kilobytes then
                        return tonumber(kilobytes)
                    end
                end
            end
            local add = rill.kernel "kernel void add(float a, float x<>, out float r<>) { r = a + x; }"
            local x, r = rill.stream("float", 64), rill.stream("float", 64)
            local function launch(count)
                for i = 1, count do
                    add(i, x, r)
                    -- Memory of work that the driver has queued does not count.
                    if i % 1000 == 0 and not rill.device().traits.synchronous then rill.sync() end
                end
                rill.sync()
                collectgarbage()
            end
            launch(5000)
            local kilobytes, memory = resident(), rill.memory()
            launch(count)
            local after = rill.memory()
            print(resident() - kilobytes, after.bytes - memory.bytes, after.streams - memory.streams, r[64])
        ]])
        local grown, bytes, streams, last = out:match "(%S+)\t(%S+)\t(%S+)\t(%S+)"
        assert(tonumber(grown) < 4096, grown .. " KiB more")
        assert.equal("0", bytes)
        assert.equal("0", streams)
        assert.equal(os.getenv "RILL_SUITE_LONG" and 100000 or 20000, tonumber(last))
    end)
end)
