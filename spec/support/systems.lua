-- Systems A x = b in plain Lua: rows of A as lists, or as {column -> value}, and vectors as lists.
local rill = require "rill"

local systems = {}

--- systems.norm(list): the 2-norm.
function systems.norm(list)
    local sum = 0.0
    for _, value in ipairs(list) do
        sum = sum + value * value
    end
    return math.sqrt(sum)
end

--- systems.product(rows, x [, from]): A x. `from`: the first index of rows and columns. Default: 1.
function systems.product(rows, x, from)
    from = from or 1
    local y = {}
    for i = from, #rows do
        local sum = 0.0
        for j, a in pairs(rows[i]) do
            sum = sum + a * x[j + 1 - from]
        end
        y[#y + 1] = sum
    end
    return y
end

--- systems.residual(rows, b, x [, from]): ||b - A x|| / ||b||.
function systems.residual(rows, b, x, from)
    local rest = systems.product(rows, x, from)
    for i, value in ipairs(rest) do
        rest[i] = b[i] - value
    end
    return systems.norm(rest) / systems.norm(b)
end

--- systems.neumann(n, off): returns the singular sparse matrix of second differences along n points; A x + off for
--- some x, where off is not in the range
-- of A; and the least relative residual.
function systems.neumann(n, off)
    local i = rill.iota(n)
    local ends = rill.stream("float", n, 2):set(1, 1):set(1, n)
    local off_diagonal, next_, last = rill.stream("float", n - 1, -1), i:domain(2, n):copy(), i:domain(1, n - 1):copy()
    local A = rill.sparse.coo {
        shape = {n, n}, rows = rill.concat {i, next_, last}, columns = rill.concat {i, last, next_},
        values = rill.concat {ends, off_diagonal, off_diagonal},
    }:to "csr"
    local b = (A:multiply(rill.random(n, {seed = 1})) + off):eval()
    return A, b, math.abs(b:sum()) / math.sqrt(n) / b:norm()
end

return systems
