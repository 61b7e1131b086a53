-- Memory stays flat: flat.lua, with LAUNCHES (1,000,000) launches and TEXTS (100,000) texts that all differ. Prints the resident memory at every
-- twentieth, and collects nothing itself; fails where the end is more than ROOM (24) MiB above what the first fifth came to.
local rill = require "rill"

local function number(name, otherwise)
    return math.tointeger(tonumber(os.getenv(name) or "")) or otherwise
end

local room = number("ROOM", 24)

local function resident()
    local file = assert(io.open "/proc/self/status", "flat: this system has no /proc/self/status")
    local text = file:read "a"
    file:close()
    return tonumber(text:match "VmRSS:%s*(%d+)") / 1024
end

-- Runs f(1) .. f(n); whether memory stayed.
local function watch(title, n, f)
    local settled, now = 0, 0
    local start = rill.clock()
    for i = 1, n do
        f(i)
        if i % math.max(1, n // 20) == 0 then
            now = resident()
            settled = i <= n // 5 and math.max(settled, now) or settled
            print(("%-12s %9d  %7.1f MiB  %6.1f MiB of device memory, %d streams  %6.0f s"):format(title, i, now,
                rill.memory().bytes / 2 ^ 20, rill.memory().streams, rill.clock() - start))
            io.flush()
        end
    end
    local flat = now <= settled + room
    print(("%-12s %s: %.1f MiB after a fifth, %.1f at the end"):format(title, flat and "flat" or "GROWS", settled, now))
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
    -- Expressions of as many shapes as the bits of i.
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

local flat = watch("launches", number("LAUNCHES", 1000000), function(i)
    local r = f(i, x)
    if i % 1000 == 0 then
        assert(r:get(2) == i + 1)
    end
end)
flat = watch("texts", number("TEXTS", 100000), function(i) texts[i % #texts + 1](i) end) and flat
os.exit(flat)
