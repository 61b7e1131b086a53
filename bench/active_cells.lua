-- Early termination of cells (the GPGPU chapter, 28.7.1, whose authors saved about 40 % of a simulation by the depth test): Jacobi iterations of an implicit
-- diffusion step on a field that is at rest except for a part, over all cells and over active lists, to the same residual.
local rill = require "rill"
local support = require "bench.support"

local size, rounds, every = 512, 3, 16

local text = rill.program [=[
    kernel void relax(neighbor float u<>, float b<>, float c, out float r<>) {
        r = (b + u[0][-1] + u[0][1] + u[-1][0] + u[1][0]) / c;
    }
    kernel void apply(neighbor float u<>, float c, out float r<>) {
        r = c * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0];
    }
    kernel void plume(float radius, out float b<>) {
        vec2 p = vec2(indexof(b).xy) - vec2(200.0, 150.0);
        b = dot(p, p) < radius * radius ? sin(0.3 * p.x) * cos(0.2 * p.y) + 0.5 : 0.0;
    }
]=]

-- The same stencil as a matrix.
local function stencil(c)
    local entry = rill.kernel [[
        kernel void entry(int p<>, int n, int dx, int dy, out int row<>, out int column<>) {
            int x = p % n + dx, y = p / n + dy;
            row = p;
            column = x < 0 || y < 0 || x >= n || y >= n ? -1 : y * n + x;
        }
    ]]
    local rows, columns, values = {}, {}, {}
    for k, at in ipairs {{0, 0, c}, {1, 0, -1}, {-1, 0, -1}, {0, 1, -1}, {0, -1, -1}} do
        local row, column = entry(rill.iota(size * size), size, at[1], at[2])
        local inside = column:ge(0):eval()
        rows[k], columns[k] = row:filter(inside), column:filter(inside)
        values[k] = rill.stream("float", columns[k].size, at[3])
    end
    return rill.sparse.coo {
        shape = {size * size, size * size}, rows = rill.concat(rows), columns = rill.concat(columns),
        values = rill.concat(values),
    }:to "csr"
end

return function()
    local c = 4.1
    local lines = {{"A", "source's radius", "iterations", "visited", "all, ms", "active, ms", "time saved"}}
    local function update(u, b, r, where) text.relax {u = u:boundary "zero", b = b, c = c, r = r, where = where} end
    local function operator(u, r, where) text.apply {u = u:boundary "zero", c = c, r = r, where = where} end
    local A = stencil(c)
    for _, radius in ipairs {20, 40, 80} do
        local b = text.plume {radius = radius, shape = {size, size}}
        local cases = {{"update", update, {update = true}}, {"function", operator, {}}, {"matrix, CSR", A, {}}}
        for _, case in ipairs(cases) do
            local name, form, options = table.unpack(case)
            local right = form == A and b:reshape(size * size) or b
            local made = {}
            options.diagonal, options.tolerance, options.every = form ~= A and c or nil, 1e-5, every
            local function run(active)
                return function()
                    return support.timed(function()
                        options.active = active
                        local x
                        x, made[active] = rill.solve.jacobi(form, right, options)
                        x:close()
                    end, 1)
                end
            end
            local times = support.least(rounds, run(false), run(true))
            lines[#lines + 1] = {
                name, radius, made[true].iterations, ("%.0f %%"):format(100 * made[true].visited / made[false].visited),
                times[1] * 1e3, times[2] * 1e3, ("%.0f %%"):format(100 - 100 * times[2] / times[1]),
            }
            assert(made[true].residual <= 1e-5 and made[true].iterations == made[false].iterations)
        end
    end
    return {support.table(("Jacobi on %d^2 cells, all against active lists"):format(size), lines, "%.0f")}
end
