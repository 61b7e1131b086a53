-- Passes random words of rill to statistical tests: randomness.lua PROGRAM, where PROGRAM is the program of
-- fuzz/randomness.c. WORDS (default: 2^26) is the number of 32-bit words for each order, ORDERS lists the orders to test,
-- SEED (default: 1) is the first seed. BATTERY is a command that reads words from standard input until it has enough,
-- such as "dieharder -a -g 200"; it replaces PROGRAM. Fails if a test fails.
local rill = require "rill"

local program = os.getenv "BATTERY"
program = program ~= "" and program or nil
local seed = math.tointeger(tonumber(os.getenv "SEED" or "")) or 1
local words = math.tointeger(tonumber(os.getenv "WORDS" or "")) or 1 << 26

local SIDE <const> = 1 << 10

-- Returns SIDE streams of SIDE words as bytes. Word i of all streams precedes word i + 1 of the first one, so that
-- neighbors in the result come from neighboring streams.
local function interleaved(stream)
    local rows = {}
    for i = 1, SIDE do
        rows[i] = stream(i)
    end
    return rill.concat(rows):reshape({SIDE, SIDE}):transpose():copy():bytes()
end

-- A word of a kernel consists of the 24 bits of one call of random() and the highest 8 bits of the next one.
local kernels <const> = rill.program [[
    uint word() {
        uint high = uint(random() * 16777216.0);
        return high << 8 | uint(random() * 256.0);
    }
    kernel void one(out uint r<>) { r = word(); }
    kernel void several(int i<>, inout uint r[]) {
        for (int k = 0; k < 64; k++) r[64 * i + k] = word();
    }
]]

-- Functions that return the bytes of block n (0, 1, ...) of an order of words.
local orders <const> = {
    {"elements", "neighboring elements of one launch", function()
        return rill.random(1 << 22, {type = "uint"}):bytes()
    end},
    {"launches", "the same element of neighboring launches", function()
        return interleaved(function() return rill.random(SIDE, {type = "uint"}) end)
    end},
    {"seeds", "the same element of neighboring seeds", function(n)
        return interleaved(function(i) return rill.random(SIDE, {type = "uint", seed = seed + n * SIDE + i}) end)
    end},
    {"kernel_elements", "neighboring elements of one launch of a kernel", function()
        return kernels.one({shape = 1 << 22}):bytes()
    end},
    {"kernel_launches", "the same element of neighboring launches of a kernel", function()
        return interleaved(function() return kernels.one {shape = SIDE} end)
    end},
    {"kernel_seeds", "the same element of a kernel with neighboring seeds", function(n)
        return interleaved(function(i) return kernels.one {shape = SIDE, seed = seed + n * SIDE + i} end)
    end},
    {"kernel_calls", "neighboring calls in one element of a kernel", function()
        local r <close> = rill.stream("uint", 1 << 22)
        kernels.several(rill.iota(1 << 16), r)
        return r:bytes()
    end},
}

local function is_listed(name)
    local list = os.getenv "ORDERS" or ""
    return not list:match "%S" or (" " .. list .. " "):find(" " .. name .. " ", 1, true)
end

-- Writes at least `count` words, or as many as the reader takes. Returns whether the reader succeeds.
local function pass(command, count, block)
    local pipe = assert(io.popen(command, "w"))
    local n, taken = 0, true
    rill.seed(seed)
    while taken and count > 0 do
        local bytes = block(n)
        taken = pipe:write(bytes)
        n, count = n + 1, count - #bytes // 4
    end
    return pipe:close() == true
end

local failures = 0
for _, row in ipairs(orders) do
    local name, title, block = table.unpack(row)
    if is_listed(name) then
        print(("%s: %s"):format(name, title))
        io.flush()
        local command = program or ("'%s' %d"):format(arg[1], words)
        local good = pass("trap '' PIPE; " .. command, program and math.huge or words, block)
        failures = failures + (good and 0 or 1)
    end
end
os.exit(failures == 0)
