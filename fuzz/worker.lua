-- Runs one batch of cases: worker.lua GENERATOR SEED COUNT MOST DIVIDES LOG. Writes the beginning and the end of
-- every case to LOG, so that the caller knows which case crashed or hung. `worker.lua - - - - - LOG` writes what
-- this device supports: the number of elements, and whether invocations can write to different elements of private
-- arrays. `worker.lua / - - - - LOG` survives if the device supports all integer divisions.
local draw = require "fuzz.support.draw"
local script = require "fuzz.support.script"

local name, seed, count, most, divides, path = table.unpack(arg)
local log = assert(io.open(path, "a"))
log:setvbuf "line"

-- A slow device (an interpreter) gets smaller cases: as many elements as it maps and reads in a tenth of a second.
local function measure()
    local rill = require "rill"
    local n = 1 << 16
    rill.stream("float", 64):map("x + 1.0"):values()
    local start = rill.clock()
    rill.stream("float", n // 16):sort():bytes()
    local rate = n // 16 / (rill.clock() - start)
    return math.max(256, math.min(n, rate * 0.1 // 1 | 0)), rill.device().name, rill.device().family
end

-- On a refused device (softpipe, with RILL_TRUST) private arrays are incorrect.
local function apart()
    local rill = require "rill"
    local k = rill.kernel [[kernel void apart(int x<>, out int r<>) {
        int a[7];
        for (int i = 0; i < 7; i++) a[i] = x + i;
        a[int(uint(x) % 7u)] = 0;
        r = 0;
        for (int i = 0; i < 7; i++) r = r * 31 + a[i];
    }]]
    for x, got in ipairs(k(rill.iota(64)):values()) do
        local wanted = 0
        for i = 0, 6 do
            wanted = wanted * 31 + (i == (x - 1) % 7 and 0 or x - 1 + i)
        end
        if (got - wanted) & 0xffffffff ~= 0 then
            return false
        end
    end
    return true
end

-- Ends the process (SIGFPE) if the driver's interpreter executes divisions without checks (softpipe). rill guards
-- divisors, but such a driver also computes invocations beyond the last element, whose registers may contain the
-- smallest int and -1.
local function divide()
    local rill = require "rill"
    local quotient = rill.kernel "kernel void quotient(int x<>, int y<>, out int r<>) { r = x / y; }"
    quotient(rill.from({-1 << 31}, "int"), rill.from({-1}, "int")):values()
end

if name == "/" then
    divide()
    os.exit(true, true)
elseif name == "-" then
    log:write(("lanes %s most %d %s, family %s\n"):format(apart() and "apart" or "alike", measure()))
    os.exit(true, true)
end

draw.most, draw.divides = tonumber(most), divides == "true"
local generator = require("fuzz.case." .. name)
local draws = {}
for i = 1, tonumber(count) do
    draws[i] = draw.random(tonumber(seed) + i)
end
log:write "making\n"
local scripts = generator.scripts(draws)
for i, text in ipairs(scripts) do
    log:write(("start %d\n"):format(i))
    local good, result = script.run(script.whole(text))
    if good then
        log:write(result and ("left %d %s\n"):format(i, result) or ("good %d\n"):format(i))
    else
        log:write(("fail %d %s\n"):format(i, (tostring(result):gsub("\n", "\\n"))))
    end
end
log:write "end\n"
os.exit(true, true)
