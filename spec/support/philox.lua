-- Philox4x32 in plain Lua (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
local philox = {}

local function round(c, k0, k1)
    local a, b = 0xD2511F53 * c[1], 0xCD9E8D57 * c[3]
    return {(b >> 32) ~ c[2] ~ k0, b & 0xffffffff, (a >> 32) ~ c[4] ~ k1, a & 0xffffffff}
end

-- Returns the four 32-bit words of a counter (four words) with a key (two words).
function philox.block(counter, key, rounds)
    local c, k0, k1 = counter, key[1], key[2]
    for _ = 1, rounds or 10 do
        c = round(c, k0, k1)
        k0, k1 = (k0 + 0x9E3779B9) & 0xffffffff, (k1 + 0xBB67AE85) & 0xffffffff
    end
    return c
end

-- Returns `count` words of the sequence of a 64-bit seed, starting at a block: counters block, block + 1, ... with
-- `third` as their third word.
function philox.words(seed, count, block, third)
    local key, list = {seed & 0xffffffff, seed >> 32}, {}
    for n = block or 0, (block or 0) + (count + 3) // 4 - 1 do
        for _, word in ipairs(philox.block({n & 0xffffffff, n >> 32, third or 0, 0}, key)) do
            list[#list + 1] = word
        end
    end
    return table.move(list, 1, count, 1, {})
end

return philox
