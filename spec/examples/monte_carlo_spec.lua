-- Examples with random numbers in their kernels: compares their means with exact values.
local rill = require "rill"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"

local function module(name)
    return assert(loadfile("examples/" .. name .. ".lua"))("module")
end

-- Returns the mean magnitude of the magnetization of a periodic 4 x 4 lattice at each temperature, by enumeration of its 65536 states.
local function enumerated(temperatures)
    local counts = {} -- [energy][magnitude]: the number of states
    for state = 0, 65535 do
        local m, e = -16, 0
        for site = 0, 15 do
            local s = state >> site & 1
            local right, below = state >> ((site & 12) | (site + 1) & 3) & 1, state >> ((site + 4) & 15) & 1
            m, e = m + 2 * s, e - (s == right and 1 or -1) - (s == below and 1 or -1)
        end
        counts[e] = counts[e] or {}
        counts[e][math.abs(m)] = (counts[e][math.abs(m)] or 0) + 1
    end
    local means = {}
    for i, t in ipairs(temperatures) do
        local total, sum = 0, 0
        for e, row in pairs(counts) do
            for m, n in pairs(row) do
                total, sum = total + n * math.exp(-e / t), sum + n * math.exp(-e / t) * m / 16
            end
        end
        means[i] = sum / total
    end
    return means
end

describe("the example", function()
    leaks.watch(setup, teardown)
    local script
    setup(function() script = example.open() end)
    teardown(function() script:close() end)

    it("ising agrees with the sum over all states of a small lattice", function()
        local ising, temperatures, copies = module "ising", {1.5, 2.3, 4}, 1000
        local layers = {}
        for i = 0, #temperatures * copies - 1 do layers[i + 1] = temperatures[i // copies + 1] end
        rill.seed(7)
        local lattice = ising.create(4, layers)
        local sums, squares, rounds = {0, 0, 0}, {0, 0, 0}, 10
        for _ = 1, rounds do
            lattice:run(20)
            for i, m in ipairs(lattice:magnetization()) do
                local k = (i - 1) // copies + 1
                sums[k], squares[k] = sums[k] + math.abs(m), squares[k] + m * m
            end
        end
        for k, want in ipairs(enumerated(temperatures)) do
            local n = copies * rounds
            local mean = sums[k] / n
            local err = math.sqrt((squares[k] / n - mean ^ 2) / n)
            assert.is_true(err < 0.004)
            assert.near(want, mean, 4 * err, temperatures[k])
        end
    end)

    it("clusters finds the moons, the ring and the blob #long", function()
        script:run("clusters", 8000, script.directory)
        script:picture("clusters.png", 960, 1041)
        script:names "clusters.png"
        script:says "k%-means: 4 clusters .*DBSCAN: 4 clusters and %d+ points of noise"
    end)

    it("ising draws the two colors of the lattice in place", function()
        local lattice = module "ising".create(128, {2.5})
        lattice:run(100)
        local up = lattice:picture(1).r:map "x > 0.5 ? 1.0 : -1.0"
        local across = (up:domain({1, 1}, {127, 127}) * up:domain({1, 2}, {127, 128})):mean()
        local down = (up:domain({1, 1}, {127, 127}) * up:domain({2, 1}, {128, 127})):mean()
        assert.near(across, down, 0.03)
        assert.is_true(across > 0.45)
    end)

    it("ising agrees with Onsager's solution", function()
        script:run("ising", 64, 400, script.directory)
        script:picture("ising.png", 64, 200)
        script:names "ising.png"
        script:says "all agree within 4 standard errors"
        local mean, exact = script.said:match "2%.000 +(%S+) %+%- %S+ +(%S+)"
        assert.equal("0.91132", exact)
        assert.near(tonumber(exact), tonumber(mean), 0.005)
    end)

    -- A closed room whose surfaces emit the share of light that they absorb has the radiance 1 everywhere, by conservation of energy.
    it("path_tracer conserves energy #long", function()
        local tracer, size, samples = module "path_tracer", 64, 24
        local sum = rill.stream("vec3", {size, size})
        tracer.trace:seed(3)(samples, {0, 0, 0}, 1, 1000, sum)
        local mean = (sum / samples):eval()
        for _, channel in ipairs {"r", "g", "b"} do
            local err = mean[channel]:std() / size
            assert.is_true(err < 0.004, err)
            assert.near(1, mean[channel]:mean(), 4 * err, channel)
        end
    end)

    it("path_tracer adds the direct light that an integral over the lamp gives", function()
        local tracer, size, samples = module "path_tracer", 32, 1000
        local sum = rill.stream("vec3", {size, size})
        tracer.trace:seed(4)(samples, {7, 6, 5}, 0, 1, sum)
        -- The back wall, above the balls: its points are at z = -2 in the directions of pixels.
        local first, last, steps, want = {8, 10}, {11, 23}, 40, 0
        for i = first[1], last[1] do
            for j = first[2], last[2] do
                local x, y = 3.99 * 0.5 * (2 * (j - 0.5) / size - 1), -3.99 * (0.5 * (2 * (i - 0.5) / size - 1) + 0.06)
                for a = 1, steps do
                    for b = 1, steps do
                        local dx, dz = 1.2 * (a - 0.5) / steps - 0.6 - x, 1.2 * (b - 0.5) / steps - 0.6 + 2
                        want = want + dz * (1 - y) / (dx * dx + (1 - y) ^ 2 + dz * dz) ^ 2
                    end
                end
            end
        end
        want = 0.78 / math.pi * 1.44 * want / (steps ^ 2 * (last[1] - first[1] + 1) * (last[2] - first[2] + 1))
        local got = (sum:domain(first, last) / samples):mean()
        for k, shine in ipairs {7, 6, 5} do assert.near(1, got[k] / (shine * want), 0.008) end
    end)

    it("path_tracer scatters light by the cosine", function()
        local _, text = module "path_tracer"
        local scatter = rill.program(text .. [[
            kernel void measure(vec3 n, out vec3 d<>, out vec2 cosine<>) {
                d = scattered(n, random2());
                cosine = vec2(dot(d, n), dot(d, n) * dot(d, n));
            }
        ]]).measure
        for _, n in ipairs {{0, 0, 1}, {0, 0, -1}, {0.6, 0, 0.8}} do
            local d, cosine = scatter {n = n, shape = 100000, seed = 5}
            local mean, moments = d:mean(), cosine:mean()
            for k = 1, 3 do assert.near(2 / 3 * n[k], mean[k], 0.008) end
            assert.near(2 / 3, moments[1], 0.004)
            assert.near(1 / 2, moments[2], 0.004)
        end
    end)

    it("path_tracer draws a room", function()
        script:run("path_tracer", 24, 4, script.directory)
        script:picture("path_tracer.png", 24, 24)
        script:names "path_tracer.png"
    end)

    it("dla grows the same aggregate from the same seed, each cell next to an older one", function()
        local dla, size = module "dla", 150
        local grid, mass, radius = dla.grow(size, 1000, 3)
        assert.equal(mass, grid:ne(0):sum())
        assert.is_true(mass >= 1000 and mass < 1000 + radius)
        local alone = rill.kernel [[
            kernel int alone(neighbor(zero) int grid<>) {
                int older = 0;
                for (int k = 0; k < 4; k++) {
                    int at = grid[ivec2(k < 2 ? 2 * k - 1 : 0, k < 2 ? 0 : 2 * k - 5)];
                    older += at > 0 && at < grid[0] ? 1 : 0;
                }
                return grid[0] > 0 && older == 0 ? 1 : 0;
            }
        ]]
        assert.equal(1, alone(grid):sum()) -- the seed
        local again, other = dla.grow(size, 1000, 3), dla.grow(size, 1000, 4)
        assert.equal(grid:bytes(), again:bytes())
        assert.are_not.equal(grid:bytes(), other:bytes())
    end)

    it("dla measures the dimension of a square, a line and an aggregate", function()
        local dla = module "dla"
        local full, line = rill.ones({201, 201}, "int"), rill.zeros({201, 201}, "int")
        line:domain({101, 1}, {101, 201}):fill(1)
        assert.near(2, dla.dimension(full, 8, 90), 0.02)
        assert.near(1, dla.dimension(line, 8, 90), 0.03) -- 2 r - 1 cells
        script:run("dla", 3000, 1, script.directory)
        script:names "dla.png"
        local size = 2 * tonumber(script.said:match "radius (%d+)") + 9
        script:picture("dla.png", size, size)
        local dimension = tonumber(script.said:match "fractal dimension (%S+)")
        assert.is_true(dimension > 1.6 and dimension < 1.8, script.said)
    end)

    it("dla adds the second particle on each side with the same probability", function()
        local dla, seeds, sides = module "dla", 200, {}
        for seed = 1, seeds do
            local cell = dla.grow(16, 2, seed):eq(2):cast("int"):reshape(256):argmax()
            sides[cell] = (sides[cell] or 0) + 1
        end
        local middle, err = 8 * 16 + 9, math.sqrt(seeds * 3 / 16)
        for _, cell in ipairs {middle - 16, middle - 1, middle + 1, middle + 16} do
            assert.near(seeds / 4, sides[cell] or 0, 4 * err)
        end
    end)
end)
