-- Known flows for rill.sph: the elliptical drop, the dam break, and crowded cells whose launches must be divided.
local rill = require "rill"
local leaks = require "spec.support.leaks"

-- Semi-axes at t = 0.0076 of a drop of radius 1 that is drawn out by v = 100 (-x, y): the exact solution (Monaghan 1994).
local DROP <const> = {0.514266, 1.944517}

-- Martin and Moyce 1952, fig. 3, columns twice as high as wide: T = t sqrt(2 g / a), Z = z / a, digitized by the authors of PySPH: a = 2.25 in, then
-- a = 1.125 in.
local FRONT <const> = {
    {0.832, 1.217}, {1.219, 1.474}, {1.997, 2.292}, {2.547, 2.995}, {3.345, 4.134}, {4.034, 4.944}, {4.418, 5.881},
    {5.091, 6.980},
    {0.849, 1.245}, {1.212, 1.443}, {1.602, 1.884}, {2.283, 2.689}, {2.950, 3.728}, {3.598, 4.528}, {3.905, 4.999},
    {4.592, 5.841}, {4.961, 6.271}, {5.316, 6.717},
}

describe("rill.sph", function()
    leaks.watch(setup, teardown)

    it("stretches a drop to the known ellipse #long", function()
        local n <const> = 30
        local x = {}
        for i = -n, n do
            for j = -n, n do
                x[#x + 1] = i * i + j * j <= n * n and {i / n, j / n} or nil
            end
        end
        local h, sound, rest = 4 / n, 1400, 1000
        local positions = rill.from(x, "vec2")
        local p <close> = rill.sph {
            positions = positions, velocities = rill.vec2(-100 * positions.x, 100 * positions.y),
            radius = h, sound = sound, density = rest, mass = rest / n ^ 2, densities = "continuity", substeps = 100000,
            viscosity = 0.02 * rest * sound * h / 16,
        }
        p:step(0.0076)
        local high, low = p.positions:max(), p.positions:min()
        for d = 1, 2 do
            assert.is_true(math.abs((high[d] - low[d]) / 2 / DROP[d] - 1) < 0.02, ("axis %d: %g"):format(d, high[d]))
        end
    end)

    it("agrees with the measured dam break #long", function()
        local n <const> = 20
        local x = {}
        for k = 0, 2 * n * n - 1 do
            x[k + 1] = {(k % n + 0.5) / n, (k // n + 0.5) / n}
        end
        local h, sound, rest = 2.6 / n, 20, 1000
        local p <close> = rill.sph {
            positions = rill.from(x, "vec2"), radius = h, sound = sound, density = rest, mass = rest / n ^ 2,
            gravity = {0, -1},
            viscosity = 0.1 * rest * sound * h / 16, substeps = 100000,
            walls = {{normal = {0, 1}}, {normal = {1, 0}}},
        }
        table.sort(FRONT, function(a, b) return a[1] < b[1] end)
        local now = 0
        for _, row in ipairs(FRONT) do
            local t = row[1] / math.sqrt(2)
            p:step(t - now)
            now = t
            local front = p.positions:max()[1]
            assert.is_true(math.abs(front / row[2] - 1) < 0.1, ("T = %g: %g, not %g"):format(row[1], front, row[2]))
        end
        assert.is_true(p.positions:min()[1] >= 0 and p.positions:min()[2] >= 0 and p.density:max() < 1.05 * rest)
    end)

    -- More particles than a launch may loop over, all near each other: their sums follow from a few particles that
    -- stand for many.
    it("sums over many particles in one cell #long", function()
        for _, case in ipairs {{2, 11000, 0.45}, {3, 20000, 0}, {3, 4000, 0.45}} do
            local dimensions, count, left = table.unpack(case) -- some in cells to the left of 0, at the other end of the grid
            local places, spots = {}, {}
            for k = 1, 8 do
                spots[k] = {0.1 * k - left, 0.05 * (k % 3), dimensions == 3 and 0.02 * k or nil}
            end
            for i = 1, count do
                places[i] = spots[i % 8 + 1]
            end
            local p <close> = rill.sph {
                positions = rill.from(places, "vec" .. dimensions), radius = 1, sound = 1, kernel = "poly6",
                mass = 1 / count,
            }
            local norm = dimensions == 2 and 4 / math.pi or 315 / (64 * math.pi)
            local found = p.density:values()
            for i = 1, 8 do
                local sum = 0
                for _, spot in ipairs(spots) do
                    local square = 0
                    for d = 1, dimensions do square = square + (spot[d] - places[i][d]) ^ 2 end
                    sum = sum + norm / 8 * (1 - square) ^ 3
                end
                assert.near(1, found[i] / sum, count * 2 ^ -24) -- a float, to which so many are added
            end
            p:step()
            local v = p.velocities:values()
            local fastest = 0
            for i = 1, #v do
                assert.is_true(v[i] - v[i] == 0)
                fastest = math.max(fastest, math.abs(v[i]))
            end
            assert.is_true(fastest > 0)
        end
    end)
end)
