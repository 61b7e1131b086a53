-- Sparse matrices that benchmarks share.
local rill = require "rill"

local matrices = {}

--- matrices.stencil(n): returns the seven-point stencil of a cube of n^3 points, without neighbors beyond its faces, as CSR of float.
function matrices.stencil(n)
    local rows, columns, values = {}, {}, {}
    local point = rill.iota(n ^ 3 // 1 | 0)
    local adjacent = rill.kernel [[
        kernel void adjacent(int p<>, int n, int axis, int by, out int row<>, out int column<>) {
            int x = p % n, y = p / n % n, z = p / (n * n);
            int at = (axis == 0 ? x : axis == 1 ? y : z) + by;
            int to = axis == 0 ? p + by : axis == 1 ? p + by * n : p + by * n * n;
            row = p;
            column = at < 0 || at >= n ? -1 : to;
        }
    ]]
    for _, step in ipairs {{0, 0, 6.0}, {0, -1, -1.0}, {0, 1, -1.0}, {1, -1, -1.0}, {1, 1, -1.0}, {2, -1, -1.0},
        {2, 1, -1.0}} do
        local row, column = adjacent(point, n, step[1], step[2])
        local inside = column:ge(0):eval()
        rows[#rows + 1], columns[#columns + 1] = row:filter(inside), column:filter(inside)
        values[#values + 1] = rill.stream("float", columns[#columns].size, step[3])
    end
    return rill.sparse.coo {
        shape = {point.size, point.size}, rows = rill.concat(rows), columns = rill.concat(columns),
        values = rill.concat(values),
    }:to "csr"
end

return matrices
