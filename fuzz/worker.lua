-- One batch of cases: worker.lua GENERATOR SEED COUNT MOST LOG. Every case is noted in LOG when it begins and when it ends, so that
-- whoever started this knows which one crashed or hung. `worker.lua - - - - LOG` notes how many elements a case may have on this device.
local draw = require "fuzz.support.draw"
local script = require "fuzz.support.script"

local name, seed, count, most, path = table.unpack(arg)
local log = assert(io.open(path, "a"))
log:setvbuf "line"

-- A slow device (an interpreter) gets smaller cases: what it maps and reads in a tenth of a second.
local function measure()
    local rill = require "rill"
    local n = 1 << 16
    rill.stream("float", 64):map("x + 1.0"):values()
    local start = rill.clock()
    rill.stream("float", n // 16):sort():bytes()
    local rate = n // 16 / (rill.clock() - start)
    return math.max(256, math.min(n, rate * 0.1 // 1 | 0)), rill.device().name, rill.device().family
end

if name == "-" then
    log:write(("most %d %s, family %s\n"):format(measure()))
    os.exit(true, true)
end

draw.most = tonumber(most)
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
