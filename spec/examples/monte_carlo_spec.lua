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
end)
