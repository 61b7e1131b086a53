-- Files larger than memory: maps, a sum and sorts of a file of GIB=1 gibibytes, against the slowest of its parts: reading and writing, copying and
-- computing. The memory of the tiles is a sixteenth of the file. To hold the cache of the system to the same limit, run it in a control group:
--
--     mkdir /sys/fs/cgroup/memory/big; echo 256M > /sys/fs/cgroup/memory/big/memory.limit_in_bytes
--     sh -c 'echo $$ > /sys/fs/cgroup/memory/big/tasks; GIB=1 make bench BENCH=big'
local rill = require "rill"
local support = require "bench.support"

local BLOCK <const> = 1 << 20 -- elements
local EXPRESSION <const> = "x * 2.0 + 1.0"
local NEIGHBORS <const> = rill.kernel [[
    kernel float neighbors(neighbor float u<>) { return 0.25 * (u[-1][0] + u[1][0] + u[0][-1] + u[0][1]); }
]]

local function seconds(f)
    local begin = rill.clock()
    f()
    rill.sync()
    return rill.clock() - begin
end

local function write_source(path, n)
    local text = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }"):format(n)
    text = text .. (" "):rep(-(#text + 11) % 64) .. "\n"
    local file <close> = assert(io.open(path, "wb"))
    file:write("\x93NUMPY\1\0", string.pack("<s2", text))
    for i = 1, n // BLOCK do
        local part <close> = rill.random(BLOCK, {seed = i})
        file:write(part:bytes())
    end
end

-- Runs a shell command, and returns its seconds.
local function shell(command, ...)
    local text = command:format(...)
    return seconds(function() assert(os.execute(text .. " 2>/dev/null"), text) end)
end

-- Returns functions that return the seconds of copies of n elements to the device and back, and of the expression.
local function on_device(s, n)
    local bytes = s:bytes()
    return function()
        return seconds(function()
            for _ = 1, n // BLOCK do
                s:write(bytes)
                s:bytes()
            end
        end)
    end, function()
        return seconds(function()
            for _ = 1, n // BLOCK do s:map(EXPRESSION):close() end
        end)
    end
end

local function peak()
    for line in io.lines "/proc/self/status" do
        local kilobytes = line:match "VmHWM:%s*(%d+)"
        if kilobytes then return tonumber(kilobytes) // 1024 end
    end
end

return function()
    local gib = tonumber(os.getenv "GIB" or 1)
    local n = math.floor(gib * (1 << 28)) // BLOCK * BLOCK
    local directory = os.getenv "DIRECTORY" or "."
    local source, target = directory .. "/bench_big.npy", directory .. "/bench_big_result.npy"
    write_source(source, n)
    os.execute "sync"
    local megabytes = n * 4 // (1 << 20)
    local b = rill.big(source, {memory = n // 4})
    local rows = {{"operation", "s", "MB/s", "peak/MB"}}
    local function row(name, time)
        rows[#rows + 1] = {name, time, n * 4 / 1e6 / time, peak()}
    end
    local block <close> = rill.random(BLOCK, {seed = 1})
    local copy, compute = on_device(block, n)
    local times = support.least(3, function()
        return shell("dd if='%s' of=/dev/null bs=8M", source)
    end, function()
        local time = shell("dd if=/dev/zero of='%s' bs=8M count=%d conv=fdatasync", target, megabytes // 8)
        os.remove(target)
        return time
    end, function()
        local time = shell("dd if='%s' of='%s' bs=8M conv=fdatasync", source, target)
        os.remove(target)
        return time
    end, copy, compute, function()
        local time = seconds(function()
            b:map(EXPRESSION, target)
            os.execute("sync '" .. target .. "'")
        end)
        os.remove(target)
        return time
    end)
    for i, name in ipairs {
        "reading", "writing", "reading and writing", "copying to the device and back", "computing", "map",
    } do
        row(name, times[i])
    end
    local slowest = math.max(table.unpack(times, 1, 5))
    row("sum", seconds(function() b:sum() end))
    local grid = rill.big(source, {shape = {n >> 10, 1 << 10}, memory = n // 4})
    row("map of neighbors", seconds(function() grid:map(NEIGHBORS, target, {boundary = "wrap"}) end))
    row("map of two files", seconds(function() b:map("x + y", target, {arguments = {y = b}}) end))
    row("sort", seconds(function() b:sort(target) end))
    local small = rill.big(source, {memory = n // 16})
    row("sort with a quarter of the memory", seconds(function() small:sort(target) end))
    os.remove(source)
    os.remove(target)
    return {
        support.table(("rill.big, %d MiB with %d MiB of tiles"):format(megabytes, n >> 22), rows),
        support.costs("map of a large file", times[6], "the slowest of its parts", slowest, 1 / 0.7),
    }
end
