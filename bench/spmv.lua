-- Sparse matrices against scipy.sparse (one core, as it does not use more) and torch (all cores, if installed): a matrix like the stiffness matrix of a structure,
-- the seven-point stencil of 10^6 points, a matrix with one full row, and products with 8 vectors.
local rill = require "rill"
local matrices = require "bench.support.matrices"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local sparse = rill.sparse

-- Returns blocks of `width` entries around the diagonal of n rows, as structures have them.
local function banded(n, width)
    local column = rill.kernel [[
        kernel int column(int k<>, int n, int width) {
            int row = k / width;
            return clamp(row - width / 2, 0, n - width) + k % width;
        }
    ]]
    return sparse.csr {
        shape = {n, n}, offsets = (rill.iota(n + 1) * width):eval(), columns = column(rill.iota(n * width), n, width),
        values = rill.random(n * width, {seed = 3}),
    }
end

-- Returns a matrix with three random entries per row, and one full row.
local function skewed(n)
    local rows = rill.concat {rill.random(3 * n, {type = "int", low = 0, high = n - 1, seed = 4}),
        rill.stream("int", n, n // 2)}
    local columns = rill.concat {rill.random(3 * n, {type = "int", low = 0, high = n - 1, seed = 5}),
        rill.iota(n):copy()}
    return sparse.coo {
        shape = {n, n}, rows = rows, columns = columns, values = rill.random(4 * n, {seed = 6}),
    }:to "csr"
end

local function growth()
    local lines = {{"stencil", "entries", "ms", "ns an entry"}}
    for _, n in ipairs {25, 50, 100} do
        local A <close> = matrices.stencil(n)
        local x = rill.random(A.shape[2], {seed = 1})
        local seconds = support.race(5, function()
            return support.timed(function() A:multiply(x):close() end, 3)
        end)
        lines[#lines + 1] = {("%d^3"):format(n), A.nnz, seconds * 1e3, seconds / A.nnz * 1e9}
    end
    return support.table("rill's cost over size", lines)
end

return function()
    local scipy <close>, missing = pipe.python "peer_spmv.py"
    if not scipy then return {support.note("sparse matrices", missing)} end
    local path = os.getenv "RILL_MATRIX" -- a MatrixMarket file of a stiffness matrix
    local cases = {
        stiff = path and sparse.load(path) or banded(4884, 59), stencil = matrices.stencil(100),
        skewed = skewed(1000000),
    }
    cases.block, cases.places = cases.stiff, cases.stencil
    local rows, given = {}, {}
    for _, case in ipairs {
        {"stiff", path and path:match "[^/]*$" or "4,884 rows of 59, band", 1.0},
        {"stencil", "10^6 rows of 7, stencil", 1.0}, {"places", "the same as ELL", 1.0},
        {"skewed", "10^6 rows of 3, one full", nil}, {"block", "the first, times 8 vectors", nil, 8},
    } do
        local name, A = case[1], cases[case[1]]
        local x = rill.random({A.shape[2], case[4]}, {seed = 7})
        local values = A.values:cast "float"
        given[name] = sparse.csr {shape = A.shape, offsets = A.offsets, columns = A.columns, values = values}
        given[name] = name == "places" and given[name]:to "ell" or given[name]
        scipy:give(name .. "_offsets", A.offsets)
        scipy:give(name .. "_columns", A.columns)
        scipy:give(name .. "_values", values)
        scipy:give(name .. "_x", x)
        rows[#rows + 1] = {"A x, " .. case[2], name, case[3], function() return given[name]:multiply(x) end,
            tolerance = 1e-3} -- scipy's sum of a long row of floats drifts
        if scipy.what:find "torch" then
            rows[#rows + 1] = {"... torch's", name .. "_torch", nil, function() return given[name]:multiply(x) end,
                tolerance = 1e-4}
        end
    end
    rows[#rows + 1] = {"A', 10^6 rows of 7", "transpose", nil, function() return given.stencil:transpose().values end,
        rounds = 3}
    rows = pipe.rows(scipy, scipy.what, rows)
    rows[#rows + 1] = growth()
    return rows
end
