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

-- Returns a function that draws the random words of one element of a launch, as kernels do: draw(n) returns the next n
-- words, from the next block if fewer are left.
function philox.draws(element, seed, launch)
    local block, left, number = nil, 0, 0
    return function(n)
        if left < n then
            block = philox.block({element & 0xffffffff, element >> 32, number, 1 << 31 | launch},
                {seed & 0xffffffff, seed >> 32})
            number, left = number + 1, 4
        end
        left = left - n
        return table.unpack(block, 4 - left - n + 1, 4 - left)
    end
end

-- Returns the random number of a kernel for a word.
function philox.unit(word)
    return (word >> 8) / (1 << 24)
end

-- Returns a random number in 0 .. n - 1 from words that draw(1) returns, and how many were rejected.
function philox.below(n, draw)
    local w, rejected = draw(1) * n, 0
    while n > 0 and w & 0xffffffff < (1 << 32) % n do
        w, rejected = draw(1) * n, rejected + 1
    end
    return w >> 32, rejected
end

return philox
