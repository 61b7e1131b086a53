-- Steps of rill.nbody, rill.wave, rill.heat and rill.cloth against C on one thread (bench/peer/peer_motion.c), and their cost over size.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local ROUNDS <const>, BEFORE <const> = 5, 6

local function noise(shape, seed, low, high)
    return rill.random(shape, {seed = seed, low = low, high = high})
end

-- Returns vectors with small random offsets from the positions that `place` returns.
local function vectors(shape, seed, place)
    local count = 1
    for _, n in ipairs(shape) do count = count * n end
    local away <close> = noise({count, 3}, seed, -0.1, 0.1)
    local values, k = away:values(), -3
    return rill.stream("vec3", shape, function(...)
        k = k + 3
        local x, y, z = place(...)
        return x + values[k + 1], y + values[k + 2], z + values[k + 3]
    end)
end

-- Returns the simulation of size n, the field to compare, its number of elements, and the peer's arguments.
local make = {}

function make.nbody(n)
    local x = vectors({n}, 1, function(i) return math.sin(i), math.cos(i * i), 0.2 * math.sin(1.7 * i) end)
    local v = vectors({n}, 2, function() return 0, 0, 0 end)
    return {
        object = rill.nbody {positions = x, velocities = v, masses = 1 / n, softening = 0.1, dt = 0.01},
        field = "positions", count = n, each = n, x = x, v = v, how = {rows = n, columns = 1, dt = 0.01, 0.01, 1 / n},
    }
end

function make.wave(n)
    local z, v = noise({n, n}, 3), rill.stream("float", {n, n})
    return {
        object = rill.wave {shape = {n, n}, height = z, dt = 0.5}, field = "height", count = n * n, x = z, v = v,
        how = {rows = n, columns = n, dt = 0.5},
    }
end

function make.heat(n)
    local u, k = noise({n, n}, 4), noise({n, n}, 5, 0.5, 1)
    return {
        object = rill.heat {shape = {n, n}, temperature = u, diffusivity = k, dt = 0.25}, field = "temperature",
        count = n * n, x = u, v = k, how = {rows = n, columns = n, dt = 0.25},
    }
end

function make.cloth(n)
    local x = vectors({n, n}, 6, function(i, j) return j, 0, i end)
    return {
        object = rill.cloth {positions = x, stiffness = 100, mass = 1, damping = 0.1, dt = 0.01}, field = "positions",
        count = n * n, x = x, v = rill.stream("vec3", {n, n}),
        how = {rows = n, columns = n, dt = 0.01, 100, 1, 0.1, 1},
    }
end

local function time(case, steps)
    return support.timed(function() case.object:step() end, steps)
end

-- Returns the largest difference between rill and the peer after some steps.
local function difference(case, kind, x, v)
    for _ = 1, BEFORE do case.object:step() end
    local _, bytes = peer.motion(case.how, kind, x, v, BEFORE - 1, 1)
    local ours, worst = case.object[case.field]:bytes(), 0
    for i = 1, #ours, 4 do
        worst = math.max(worst, math.abs(string.unpack("<f", ours, i) - string.unpack("<f", bytes, i)))
    end
    return worst
end

local function against(kind, n, steps, title)
    local case = make[kind](n)
    local x, v = case.x:bytes(), case.v:bytes()
    local off = difference(case, kind, x, v)
    local times = support.least(ROUNDS, function() return time(case, steps) end, function()
        return (peer.motion(case.how, kind, x, v, 1, steps))
    end)
    case.object:close()
    return support.faster(title, times[1], "C, one thread", times[2]),
        support.note(title, ("after %d steps apart by %.1e at most"):format(BEFORE, off))
end

local function growth()
    local lines = {{"step", "size", "ms", "ns for each", "of"}}
    for _, row in ipairs {
        {"nbody", 1024, "pair"}, {"nbody", 4096, "pair"}, {"nbody", 16384, "pair"}, {"wave", 256, "cell"},
        {"wave", 1024, "cell"}, {"wave", 2048, "cell"}, {"heat", 256, "cell"}, {"heat", 1024, "cell"},
        {"cloth", 64, "particle"}, {"cloth", 256, "particle"}, {"cloth", 512, "particle"},
    } do
        local case = make[row[1]](row[2])
        case.object:step()
        local seconds = support.least(3, function() return time(case, 3) end)[1]
        lines[#lines + 1] = {row[1], row[2], seconds * 1e3, seconds * 1e9 / (case.count * (case.each or 1)), row[3]}
        case.object:close()
    end
    return support.table("cost over size", lines)
end

return function()
    local rows = {}
    for _, case in ipairs {
        {"nbody", 4096, 3, "all pairs of 4096 bodies"}, {"wave", 1024, 10, "wave step 1024^2"},
        {"heat", 1024, 5, "heat step 1024^2, 3 stages"}, {"cloth", 512, 5, "cloth step, 512^2 particles"},
    } do
        rows[#rows + 1], rows[#rows + 2] = against(table.unpack(case))
    end
    rows[#rows + 1] = growth()
    return rows
end
