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

    it("ising draws the two colours of the lattice in place", function()
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
    it("path_tracer conserves energy", function()
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
end)
