-- Random numbers: calls of random() in kernels against rill.random, each 2^24 floats, and distributions of rill.random against PyTorch on all cores.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local count, rounds = 1 << 24, 15

-- Kernels that draw `count` numbers: the elements, their type, and the statement.
local DRAWS <const> = {
    {"one random() per element", 1, "float", "r = random();", 0.5},
    {"random4() per element", 4, "float4", "r = random4();", 0.5},
    {"four random() per element", 4, "float4", "r = float4(random(), random(), random(), random());", 0.5},
    {"a loop of 4 random4()", 16, "float", "for (int i = 0; i < 4; i++) r += dot(random4(), float4(1.0));", 0.5},
    {"a loop of 16 random()", 16, "float", "for (int i = 0; i < 16; i++) r += random();"},
}

return function()
    local rows = {}
    for _, draw in ipairs(DRAWS) do
        local name, each, type, statement, goal = table.unpack(draw)
        local kernel = rill.kernel(("kernel void draw(out %s r<>) { %s }"):format(type, statement))
        local shape <const> = {shape = count // each}
        local ours, whole = support.race(rounds,
            function() return support.timed(function() kernel(shape):close() end, 1) end,
            function() return support.timed(function() rill.random(count):close() end, 1) end)
        rows[#rows + 1] = support.faster(name, ours, "rill.random", whole, goal)
    end
    local torch <close>, missing = pipe.python "peer_torch.py"
    if not torch then
        rows[#rows + 1] = support.note("distributions against PyTorch", missing)
        return rows
    end
    torch:give("x", rill.random(count, {seed = 1}))
    for _, case in ipairs {
        {"uniform", "random", {}}, {"normal", "random_normal", {distribution = "normal"}},
        {"exponential", "random_exponential", {distribution = "exponential"}},
        {"poisson, mean 4", "random_poisson", {distribution = "poisson", mean = 4, type = "float"}},
    } do
        local name, theirs, options = table.unpack(case)
        local done = pcall(rill.random, 1, options)
        if done then
            local ours, other = support.race(5,
                function() return support.timed(function() rill.random(count, options):close() end, 1) end,
                torch:contender(theirs))
            rows[#rows + 1] = support.faster(name, ours, torch.what, other)
        end
    end
    return rows
end
