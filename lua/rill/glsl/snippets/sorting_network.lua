-- Sorting networks (K. E. Batcher, Sorting networks and their applications, 1968).
local network = {}

local MOST <const> = 256 -- elements: a program with more exchanges takes long to compile

--- network.exchanges(n) returns the exchanges of Batcher's odd-even merge sort of n elements: a list of {a =, b =},
-- 1-based positions, a < b. n is at most 256.
function network.exchanges(n)
    assert(math.type(n) == "integer" and n <= MOST, "a sorting network is for a whole number of elements up to 256")
    local list, p = {}, 1
    while p < n do
        local k = p
        while k >= 1 do
            for j = k % p, n - 1 - k, 2 * k do
                for i = 0, math.min(k, n - j - k) - 1 do
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p) then
                        list[#list + 1] = {a = i + j + 1, b = i + j + k + 1}
                    end
                end
            end
            k = k // 2
        end
        p = 2 * p
    end
    return list
end

return network
