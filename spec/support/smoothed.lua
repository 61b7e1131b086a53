-- Smoothed particle hydrodynamics in double precision, as a reference for rill.sph: sums over all pairs by the
-- formulas of the chapter (28.7.2).
local smoothed = {}

local pi <const> = math.pi

-- The kernels as functions of q with support 1, their derivatives, and their norms in two and three dimensions.
local KERNELS <const> = {
    spiky = {
        function(q) return (1 - q) ^ 3 end, function(q) return -3 * (1 - q) ^ 2 end, {[2] = 10 / pi, [3] = 15 / pi},
    },
    poly6 = {
        function(q) return (1 - q * q) ^ 3 end, function(q) return -6 * q * (1 - q * q) ^ 2 end,
        {[2] = 4 / pi, [3] = 315 / (64 * pi)},
    },
    cubic = {
        function(q) return q < 0.5 and 1 - 6 * q ^ 2 + 6 * q ^ 3 or 2 * (1 - q) ^ 3 end,
        function(q) return q < 0.5 and -12 * q + 18 * q ^ 2 or -6 * (1 - q) ^ 2 end,
        {[2] = 40 / (7 * pi), [3] = 8 / pi},
    },
}

-- The weights of viscosity, with support 1: of the linear kernel, and the Laplacian of the printed kernel.
local BENDS <const> = {
    linear = function(q, dimensions) return (dimensions == 2 and 40 or 45) / pi * (1 - q) end,
    printed = function(q, dimensions)
        if dimensions == 2 then
            return 10 / pi * 3 * (1 - q) * (3 * q - 1) / q
        end
        return 15 / pi * 6 * (1 - q) * (2 * q - 1) / q
    end,
}

--- smoothed.apart(a, b): the distance of two points.
function smoothed.apart(a, b)
    local sum = 0
    for d = 1, #a do
        sum = sum + (a[d] - b[d]) ^ 2
    end
    return math.sqrt(sum)
end
local apart <const> = smoothed.apart

--- smoothed.densities(x, how): the densities of particles at x.
function smoothed.densities(x, how)
    local rho, dimensions, kernel = {}, #x[1], KERNELS[how.kernel]
    local norm = how.mass * kernel[3][dimensions] / how.radius ^ dimensions
    for i = 1, #x do
        rho[i] = 0
        for j = 1, #x do
            local q = apart(x[i], x[j]) / how.radius
            rho[i] = rho[i] + (q < 1 and norm * kernel[1](q) or 0)
        end
    end
    return rho
end

-- Returns the gradient at a of the kernel of a particle at b, or zero if they coincide.
local function gradient(kernel, h, a, b)
    local distance, g = apart(a, b), {}
    local slope = distance > 0 and KERNELS[kernel][3][#a] / h ^ (#a + 1) * KERNELS[kernel][2](distance / h) / distance
    for d = 1, #a do
        g[d] = slope and slope * (a[d] - b[d]) or 0
    end
    return g
end

--- smoothed.flows(x, v, how): the rates of change of the densities.
function smoothed.flows(x, v, how)
    local flows = {}
    for i = 1, #x do
        flows[i] = 0
        for j = 1, #x do
            if apart(x[i], x[j]) < how.radius then
                local g = gradient(how.kernel, how.radius, x[i], x[j])
                for d = 1, #x[i] do
                    flows[i] = flows[i] + how.mass * (v[i][d] - v[j][d]) * g[d]
                end
            end
        end
    end
    return flows
end

local function pressures(rho, how)
    local list, rest = {}, how.density or 1
    for i, value in ipairs(rho) do
        local p = how.state == "gas" and how.sound ^ 2 * value or
            rest * how.sound ^ 2 / 7 * ((value / rest) ^ 7 - 1)
        list[i] = how.tension and p or math.max(p, 0)
    end
    return list
end

--- smoothed.forces(x, v, rho, how): the accelerations, and the largest sum of the absolute values of their terms, to
--- which rounding is relative.
function smoothed.forces(x, v, rho, how)
    local h, a, most, p = how.radius, {}, 0, pressures(rho, how)
    local dimensions, bend = #x[1], BENDS[how.laplacian or "linear"]
    for i = 1, #x do
        a[i] = {table.unpack(how.gravity)}
        local sizes = 0
        for j = 1, #x do
            local q = apart(x[i], x[j]) / h
            if i ~= j and q < 1 then
                local g, share = gradient(how.kernel, h, x[i], x[j]), how.mass / (rho[i] * rho[j])
                local rubs = how.viscosity > 0 and how.viscosity * bend(q, dimensions) / h ^ (dimensions + 2) or 0
                for d = 1, dimensions do
                    local push, drag = -(p[i] + p[j]) / 2 * g[d], rubs * (v[j][d] - v[i][d])
                    a[i][d] = a[i][d] + share * (push + drag)
                    sizes = sizes + share * (math.abs(push) + math.abs(drag))
                end
            end
        end
        most = math.max(most, sizes)
    end
    return a, most
end

return smoothed
