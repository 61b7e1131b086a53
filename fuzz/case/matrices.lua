-- Matrices for eigen_symmetric and svd: their residuals and orthogonality are computed in doubles. Results of matrices with NaN
-- or infinite entries are NaN.
local matrices = {batch = 40}

-- Functions of a source of choices that return a function of a column and a row, 1-based.
local kinds = {
    function(d) return function() return d:int(-1, 1) end end,
    function(d) return function() return d:int(-1000, 1000) / 64 end end,
    function(d) return function() return d:int(-100, 100) * 10.0 ^ d:int(-36, 34) end end,
    function(d) return function(c, r) return c == r and d:int(-9, 9) * 10.0 ^ d:int(-20, 20) or 0 end end,
    function(d) -- graded
        local scale <const> = {}
        for i = 1, 4 do scale[i] = 10.0 ^ d:int(-12, 0) end
        return function(c, r) return d:int(-100, 100) * scale[c] * scale[r] end
    end,
    function(d) -- of rank 1 or 2
        local a <const>, b <const>, two = {}, {}, d:int(0, 1)
        for i = 1, 4 do a[i], b[i] = d:int(-9, 9), d:int(-9, 9) end
        return function(c, r) return a[c] * a[r] + two * b[c] * b[r] end
    end,
    function(d) -- nearly repeated values
        local small <const> = 10.0 ^ d:int(-16, -3)
        return function(c, r) return (c == r and 1 or 0) + small * d:int(-9, 9) end
    end,
}

local SCRIPT <const> = [[
local matrices = require "spec.support.matrices"
local n, T, list, spoiled = %d, %q, %s, %s
if spoiled then
    local results = {matrices.run(n, T, list)}
    for k = 2, 6 do
        for _, x in ipairs(results[k]) do assert(x ~= x) end
    end
else
    matrices.check(n, T, list)
end
]]

function matrices.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        local n <const>, spoiled <const>, list = d:int(2, 4), d:chance(1, 8), {}
        for k = 1, d:int(1, 20) do
            local entry <const>, a = d:pick(kinds)(d), {}
            for c = 1, n do
                for r = 1, n do a[#a + 1] = ("%.17g"):format(entry(c, r)) end
            end
            if spoiled then a[d:int(1, n)] = d:pick {"0 / 0", "1 / 0", "-1 / 0"} end -- of the first column
            list[k] = "{" .. table.concat(a, ", ") .. "}"
        end
        scripts[i] = SCRIPT:format(n, d:pick {"float", "double"}, "{" .. table.concat(list, ", ") .. "}", spoiled)
    end
    return scripts
end

return matrices
