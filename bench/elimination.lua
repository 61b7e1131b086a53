-- rill.solve.lu, cholesky and tridiagonal against numpy and scipy (LAPACK, all cores). rill also computes and reports the true residual in double, and in
-- float refines x if needed. The matrices here need no refinement.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local solve = rill.solve

-- Returns a random matrix, or a batch, with a diagonal that keeps its condition number small.
local function matrix(shape, type)
    local n = shape[#shape]
    local unit = rill.stream(type, {n, n}, function(i, j) return i == j and 2 * math.sqrt(n) or 0 end)
    return (rill.random(shape, {seed = n, low = -1, type = type}) + unit):eval()
end

local function definite(n, type)
    local A = matrix({n, n}, type)
    return (rill.matmul(A:transpose(), A) / n):eval()
end

local function growth(title, sizes, work, make)
    local lines = {{title, "ms", "ns of the work"}}
    for _, n in ipairs(sizes) do
        local run = make(n)
        local seconds = support.race(3, function() return support.timed(run, 1) end)
        lines[#lines + 1] = {n, ("%.3g"):format(seconds * 1e3), ("%.3g"):format(seconds / work(n) * 1e9)}
    end
    return support.table("rill's cost over size", lines)
end

local function row(title, case, run, double)
    return {title, case, nil, run, tolerance = double and 1e-9 or 1e-3, as = function(x) return x:cast "float" end,
        rounds = 5}
end

local function dense_rows(peer, rows)
    for _, type in ipairs {"float", "double"} do
        local tail = type == "double" and "_double" or ""
        local double = type == "double"
        for _, n in ipairs {512, 1024} do
            local A, b = matrix({n, n}, type), rill.random(n, {seed = 2, type = type})
            peer:give("dense" .. n .. tail .. "_a", A)
            peer:give("dense" .. n .. tail .. "_b", b)
            rows[#rows + 1] = row(("lu %d, %s"):format(n, type), "dense" .. n .. tail, function()
                return (solve.lu(A, b))
            end, double)
        end
        local S, b = definite(512, type), rill.random(512, {seed = 3, type = type})
        peer:give("spd512" .. tail .. "_a", S)
        peer:give("spd512" .. tail .. "_b", b)
        rows[#rows + 1] = row("cholesky 512, " .. type, "spd512" .. tail, function() return (solve.cholesky(S, b)) end,
            double)
        local A, B = matrix({512, 512}, type), rill.random({512, 512}, {seed = 4, type = type})
        peer:give("densecolumns" .. tail .. "_a", A)
        peer:give("densecolumns" .. tail .. "_b", B)
        rows[#rows + 1] = row("lu 512, 512 columns, " .. type, "densecolumns" .. tail, function()
            return (solve.lu(A, B))
        end, double)
    end
    for _, n in ipairs {4, 8, 16, 32} do
        local A, b = matrix({1000, n, n}, "float"), rill.random({1000, n}, {seed = 2})
        peer:give("dense" .. n .. "_a", A)
        peer:give("dense" .. n .. "_b", b)
        rows[#rows + 1] = row(("lu of 1,000, %d x %d"):format(n, n), "dense" .. n, function()
            return (solve.lu(A, b))
        end)
    end
end

local function diagonals(shape, type)
    local function random(seed)
        return rill.random(shape, {seed = seed, low = -1, type = type})
    end
    return random(1), (random(2) + 3):eval(), random(3), random(4)
end

local function band_rows(peer, rows)
    for _, case in ipairs {{"long", 1000000, "float"}, {"long_double", 1000000, "double"},
        {"short_double", {10000, 64}, "double"}} do
        local name, shape, type = table.unpack(case)
        local l, d, u, b = diagonals(shape, type)
        for part, s in pairs {_l = l, _d = d, _u = u, _b = b} do
            peer:give(name .. part, s)
        end
        local title = ("tridiagonal %s, %s"):format(_G.type(shape) == "table" and "10,000 of 64" or "10^6", type)
        rows[#rows + 1] = row(title, name, function() return (solve.tridiagonal(l, d, u, b)) end, type == "double")
    end
end

return function()
    local peer <close>, missing = pipe.python "peer_elimination.py"
    if not peer then return {support.note("rill.solve.lu, cholesky, tridiagonal", missing)} end
    local cases = {}
    dense_rows(peer, cases)
    band_rows(peer, cases)
    local rows = pipe.rows(peer, peer.what, cases)
    rows[#rows + 1] = growth("lu n x n, of 2 n^3 / 3", {128, 256, 512, 1024}, function(n) return 2 * n ^ 3 / 3 end,
        function(n)
            local A, b = matrix({n, n}, "float"), rill.random(n, {seed = 1})
            return function() solve.lu(A, b):close() end
        end)
    rows[#rows + 1] = growth("tridiagonal n, of n", {10000, 100000, 1000000}, function(n) return n end, function(n)
        local l, d, u, b = diagonals(n, "double")
        return function() solve.tridiagonal(l, d, u, b):close() end
    end)
    return rows
end
