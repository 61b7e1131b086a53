-- Flows with known solutions, for specs of fluids.
local rill = require "rill"

local flows = {}

--- flows.vortices(nu): the decaying Taylor-Green vortices in the unit square: u, v as functions of x, y, t.
function flows.vortices(nu)
    local k = 2 * math.pi
    return function(x, y, t)
        local fade = math.exp(-2 * nu * k * k * (t or 0))
        return math.sin(k * x) * math.cos(k * y) * fade, -math.cos(k * x) * math.sin(k * y) * fade
    end
end

-- Returns the root mean square of u minus the mean of `flow` over the two faces of each cell, to which a velocity on
-- faces is averaged at the center.
local function error_of(f, flow, n, t, mac)
    local values, sum, half = f.velocity:values(), 0, mac and 0.5 / n or 0
    for j = 0, n - 1 do
        for i = 0, n - 1 do
            local x, y = (i + 0.5) / n, (j + 0.5) / n
            local u = 0.5 * (flow(x - half, y, t) + flow(x + half, y, t))
            sum = sum + (values[2 * (j * n + i) + 1] - u) ^ 2
        end
    end
    return math.sqrt(sum / n ^ 2)
end

--- flows.vortex_error(n, steps, seconds, options): returns the error of the vortices at the end, and the fluid.
function flows.vortex_error(n, steps, seconds, options)
    local flow = flows.vortices(options.viscosity)
    options.shape, options.spacing, options.boundary = {n, n}, 1 / n, "periodic"
    options.velocity, options.dt = flow, seconds / steps
    local f = rill.fluid(options)
    for _ = 1, steps do
        f:step()
    end
    return error_of(f, flow, n, seconds, options.grid ~= "collocated"), f
end

--- flows.order(sizes, steps, seconds, options): returns the observed order between consecutive grids. steps(n)
--- returns the number
-- of steps.
function flows.order(sizes, steps, seconds, options)
    local orders, last = {}, nil
    for i, n in ipairs(sizes) do
        local off = flows.vortex_error(n, steps(n), seconds, options)
        orders[i - 1], last = last and math.log(last / off) / math.log(n / sizes[i - 1]), off
    end
    return orders
end

return flows
