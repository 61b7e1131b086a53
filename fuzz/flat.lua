-- Checks that memory does not grow: flat.lua makes LAUNCHES (default: 1,000,000) launches and compiles TEXTS
-- (default: 100,000) different texts, after enough of each to fill the caches. spec/support/inject.c is preloaded
-- and counts the memory of the module. The memory of the module and of Lua may grow by OWN (default: 256) bytes per
-- text, and the number of OpenGL objects must not grow. The whole process may grow by DRIVER (default: 4,096) bytes
-- per text: Mesa 22.3 leaks 1.1 to 2.4 KB per compiled program, also in plain OpenGL. Prints the memory 20 times.
local rill = require "rill"

local function number(name, otherwise)
    return math.tointeger(tonumber(os.getenv(name) or "")) or otherwise
end

local MIB <const> = 1 << 20
local own_most, driver_most = number("OWN", 256), number("DRIVER", 4096)
-- Tolerances for the variation of allocators: for the module and Lua together, and for the process.
local SLACK <const>, PROCESS_SLACK <const> = MIB // 4, 8 * MIB
local OBJECT_SLACK <const> = 700 -- the pool's buffers, and programs of dropped kernels, which two collections free
local live = assert(package.loadlib(os.getenv "RILL_INJECT_LIBRARY" or "", "rill_inject_live"))

local function resident()
    local file = assert(io.open "/proc/self/status", "flat: this system has no /proc/self/status")
    local text = file:read "a"
    file:close()
    return tonumber(text:match "VmRSS:%s*(%d+)") * 1024
end

-- Returns, after a full collection, the bytes of the module and Lua, the number of OpenGL objects, and the bytes of
-- the process.
local function measure()
    collectgarbage()
    collectgarbage()
    local _, buffers, programs, shaders, textures, bytes = live()
    return {own = bytes + collectgarbage "count" * 1024, objects = buffers + programs + shaders + textures,
        process = resident()}
end

-- Runs f(1) .. f(warm + n). Returns whether memory did not grow after f(warm), except by `own` and `driver` bytes
-- per call.
local function watch(title, warm, n, own, driver, f)
    local settled
    local start = rill.clock()
    for i = 1, warm + n do
        f(i)
        if i == warm then
            settled = measure()
        end
        if i % math.max(1, (warm + n) // 20) == 0 then
            print(("%-9s %8d  %7.1f MiB  %6.1f MiB of device memory, %d streams  %6.0f s"):format(title, i,
                resident() / MIB, rill.memory().bytes / MIB, rill.memory().streams, rill.clock() - start))
            io.flush()
        end
    end
    local now = measure()
    local grown, flat = {}, true
    for key, room in pairs {own = n * own + SLACK, objects = OBJECT_SLACK, process = n * driver + PROCESS_SLACK} do
        grown[key] = now[key] - settled[key]
        flat = flat and grown[key] <= room
    end
    local each = math.max(n, 1)
    local words = "%-9s %s over %d: own %+.0f bytes each, %+d objects of OpenGL, the process %+.0f bytes each; %.1f MiB"
    print(words
        :format(title, flat and "flat" or "GROWS", n, grown.own / each, grown.objects, grown.process / each,
            now.process / MIB))
    return flat
end

local x = rill.iota(64)
local f = rill.kernel "kernel void f(int a, int x<>, out int r<>) { r = a + x; }"

local texts = {
    function(i) assert(x:filter(("x > %d && i < %d"):format(i % 32, i + 64)).size == 63 - i % 32) end,
    function(i) assert(rill.kernel(("kernel void f%d(int x<>, out int r<>) { r = x + %d; }"):format(i,
        i))(x):get(2) == i + 1) end,
    function(i) assert(x:map(("x * %d"):format(i)):get(3) == 2 * i) end,
    function(i)
        local P = rill.struct("P" .. i, ("int a%d; float b;"):format(i))
        assert(rill.stream(P, 2).nbytes == 16)
    end,
    -- Returns expressions whose structure depends on the bits of i.
    function(i)
        local e, right = x, 5
        for bit = 0, 16 do
            local odd = i >> bit & 1 == 1
            e = odd and e + bit or -e
            right = odd and right + bit or -right
        end
        assert(e:get(6) == right)
    end,
}

local flat = watch("launches", 10000, number("LAUNCHES", 1000000), 0, 0, function(i)
    local r = f(i, x)
    if i % 1000 == 0 then
        assert(r:get(2) == i + 1)
    end
end)
-- Each cache has at most 512 entries.
flat = watch("texts", 520 * #texts, number("TEXTS", 100000), own_most, driver_most, function(i)
    texts[i % #texts + 1](i)
end) and flat
os.exit(flat)
