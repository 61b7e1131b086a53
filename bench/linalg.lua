-- rill.linalg against numpy (LAPACK), with vectors. The results that are compared before timing are what does not depend on signs: values, inverses, solutions.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local linalg = rill.linalg

-- By name: a function of a matrix that returns what is compared, and closes the rest.
local functions = {
    {"svd", function(a)
        local u, s, v = linalg.svd(a)
        u:close()
        v:close()
        return s
    end, 10, 0.3},
    {"eigh", function(a)
        local values, vectors = linalg.eigh(a)
        vectors:close()
        return values
    end, 10, 0.3},
    {"qr", function(a)
        local q, r = linalg.qr(a)
        q:close()
        return rill.abs(r):eval()
    end},
    {"inv", linalg.inv},
    {"pinv", linalg.pinv},
    {"det", linalg.det},
}

-- Returns a batch of symmetric matrices with moderate condition numbers.
local function matrices(count, n, type)
    local a = rill.random({count, n, n}, {seed = n, low = -1, type = type})
    local s = (a + a:transpose {1, 3, 2} + 3 * n ^ 0.5 * rill.eye(n, type)):eval()
    return count == 1 and s[1] or s
end

return function()
    local peer <close>, missing = pipe.python "peer_linalg.py"
    if not peer then return {support.note("rill.linalg", missing)} end
    local cases = {}
    for _, type in ipairs {"float", "double"} do
        for _, size in ipairs {{100000, 3}, {10000, 8}, {1000, 32}, {1, 512}} do
            local count, n = size[1], size[2]
            local a = matrices(count, n, type)
            local name = ("%s%d"):format(type, n)
            peer:give(name, a)
            for _, row in ipairs(functions) do
                local goal = n == 3 and row[3] or n == 512 and row[4] or nil
                local title = ("%s, %s%d x %d, %s"):format(row[1], count > 1 and count .. " of " or "", n, n, type)
                cases[#cases + 1] = {title, row[1] .. "_" .. name, goal, function() return row[2](a) end,
                    tolerance = 1e-3,
                    as = function(x) return rill.type(x) and x:cast "float" or rill.from {x} end, rounds = 5}
            end
        end
    end
    return pipe.rows(peer, peer.what, cases)
end
