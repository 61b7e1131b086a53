-- Batches of matrices for rill.linalg.qr, svd and eigh: sizes of 1 to 40 rows and columns, and up to 4 x 4 more often. Residuals and orthogonality are
-- computed in doubles. Results of matrices with NaN or infinite elements are NaN.
local decompositions = {batch = 20}

local TOP <const> = {float = 34, double = 290}

-- Functions of a source of choices, the type and the sizes, which return a function of a row and a column.
local kinds = {
    function(d) return function() return d:int(-1000, 1000) / 64 end end,
    function(d) return function() return d:int(-1, 1) end end,
    function(d, T) return function() return d:int(-100, 100) * 10.0 ^ d:int(-TOP[T] - 3, TOP[T]) end end,
    function(d, T) -- all small or all large
        local size <const> = 10.0 ^ (d:chance(1, 2) and TOP[T] or -TOP[T] - 3)
        return function() return d:int(-1000, 1000) * size end
    end,
    function(d) return function(r, c) return r == c and d:int(-9, 9) * 10.0 ^ d:int(-20, 20) or 0 end end,
    function(d, _, m, n) -- graded
        local rows <const>, columns <const> = {}, {}
        for i = 1, m do rows[i] = 10.0 ^ d:int(-12, 0) end
        for i = 1, n do columns[i] = 10.0 ^ d:int(-12, 0) end
        return function(r, c) return d:int(-100, 100) * rows[r] * columns[c] end
    end,
    function(d, _, m, n) -- of rank 1 or 2
        local a <const>, b <const>, two <const> = {}, {}, d:int(0, 1)
        for i = 1, math.max(m, n) do a[i], b[i] = d:int(-9, 9), d:int(-9, 9) end
        return function(r, c) return a[r] * a[c] + two * b[r] * b[c] end
    end,
    function(d) -- nearly repeated values
        local small <const> = 10.0 ^ d:int(-16, -3)
        return function(r, c) return (c == r and 1 or 0) + small * d:int(-9, 9) end
    end,
    function() return function() return 0 end end,
    function(d) -- bidiagonal, with zeros on the diagonal
        return function(r, c) return (r == c and d:int(-1, 1) or r + 1 == c and d:int(-3, 3)) or 0 end
    end,
}

local SCRIPT <const> = [[
local decompositions = require "spec.support.decompositions"
decompositions.%s(%q, {%s})
]]

local function matrix_text(d, T, m, n, spoiled)
    local entry <const>, rows <const> = d:pick(kinds)(d, T, m, n), {}
    local bad_row <const> = spoiled and d:int(1, m)
    local bad_column <const> = spoiled and d:int(1, math.min(bad_row, n))
    for r = 1, m do
        local row <const> = {}
        for c = 1, n do row[c] = ("%.17g"):format(entry(r, c)) end
        if r == bad_row then row[bad_column] = d:pick {"0 / 0", "1 / 0", "-1 / 0"} end
        rows[r] = "{" .. table.concat(row, ", ") .. "}"
    end
    return "{" .. table.concat(rows, ", ") .. "}"
end

function decompositions.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        local most <const> = d:pick {4, 4, 4, 9, 40}
        local m <const>, n <const>, spoiled <const>, list = d:int(1, most), d:int(1, most), d:chance(1, 8), {}
        local T <const>, columns <const> = d:pick {"float", "double"}, d:chance(1, 2) and n or m
        for k = 1, d:int(1, most > 9 and 2 or 8) do
            list[k] = matrix_text(d, T, m, columns, spoiled)
        end
        scripts[i] = SCRIPT:format(spoiled and "undefined" or "check", T, table.concat(list, ", "))
    end
    return scripts
end

return decompositions
