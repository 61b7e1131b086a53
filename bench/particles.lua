-- A step of rill.sph with 20,000 particles against C on one thread (bench/peer/peer_sph.c), and its cost over the number of particles.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local GOAL <const>, ROUNDS <const>, STEPS <const>, BEFORE <const> = 1.0, 7, 5, 20

-- Returns particles in a unit box, with small offsets from a grid, that begin to fall.
local function make_case(n, dimensions)
    local count = n ^ dimensions // 1 | 0
    local noise <close> = rill.random({count, dimensions}, {seed = n, low = -0.1, high = 0.1})
    local away, places = noise:values(), {}
    for i = 0, count - 1 do
        local place, rest = {}, i
        for d = 1, dimensions do
            place[d], rest = (rest % n + 0.5 + away[i * dimensions + d]) / n, rest // n
        end
        places[i + 1] = place
    end
    local x = rill.from(places, "vec" .. dimensions)
    local how = {dimensions = dimensions, radius = 2.6 / n, rest = 1, sound = 20, viscosity = 0.01, gravity = -1}
    how.mass = 1.05 / count -- they press on each other
    local particles = rill.sph {
        positions = x, radius = how.radius, sound = how.sound, viscosity = how.viscosity,
        gravity = dimensions == 2 and {0, -1} or {0, 0, -1}, mass = how.mass,
    }
    return {how = how, count = count, bytes = x:bytes(), particles = particles, size = n}
end

-- Returns the largest distance between rill's and the peer's particles, relative to the particles' spacing.
local function difference(case)
    for _ = 1, BEFORE + STEPS do case.particles:step() end
    local _, bytes = peer.sph(case.how, case.bytes, BEFORE, STEPS)
    local ours, worst = case.particles.positions:values(), 0
    for i = 1, #ours do
        worst = math.max(worst, math.abs(ours[i] - string.unpack("<f", bytes, 4 * i - 3)))
    end
    return worst * case.size
end

local function time(case)
    return support.timed(function() case.particles:step() end, STEPS)
end

local function against(n, dimensions, goal)
    local case <close> = setmetatable(make_case(n, dimensions), {__close = function(c) c.particles:close() end})
    local off = difference(case)
    local times = support.least(ROUNDS, function() return time(case) end, function()
        return (peer.sph(case.how, case.bytes, BEFORE, STEPS))
    end)
    local title = ("sph step, %d particles in %d-D"):format(case.count, dimensions)
    return support.faster(title, times[1], "C, one thread", times[2], goal),
        support.note(title, ("places after %d steps differ by %.1e of a spacing"):format(BEFORE + STEPS, off))
end

local function growth()
    local lines = {{"particles", "ms", "ns per particle"}}
    for _, row in ipairs {{50, 2}, {100, 2}, {141, 2}, {200, 2}, {400, 2}, {14, 3}, {27, 3}, {40, 3}} do
        local case <close> = setmetatable(make_case(row[1], row[2]), {__close = function(c) c.particles:close() end})
        for _ = 1, BEFORE do case.particles:step() end
        local seconds = support.least(3, function() return time(case) end)[1]
        lines[#lines + 1] = {
            ("%d, %d-D"):format(case.count, row[2]), seconds * 1e3, seconds * 1e9 / case.count,
        }
    end
    return support.table("rill's cost over the number of particles", lines)
end

return function()
    local rows = {}
    for _, case in ipairs {{141, 2, GOAL}, {27, 3, GOAL}} do
        rows[#rows + 1], rows[#rows + 2] = against(table.unpack(case, 1, 3))
    end
    rows[#rows + 1] = growth()
    return rows
end
