--- Walls of rill.sph and rill.cloth: the positions of particles behind them, compared with double precision.
local rill = require "rill"
local leaks = require "spec.support.leaks"

-- Returns the positions of particles at x (lists of coordinates) after walls have acted on them, for each solver.
local solvers = {}

function solvers.sph(x, walls)
    local p <close> = rill.sph {
        positions = rill.from(x, "vec" .. #x[1]), radius = 0.01, sound = 1, mass = 1e-4, state = "gas",
        walls = walls,
    }
    return p.positions:read()
end

function solvers.cloth(x, walls)
    local c <close> = rill.cloth {
        positions = rill.from({x}, "vec3"), stiffness = 1e-12, gravity = {0, 0, 0}, walls = walls, dt = 1e-6,
    }
    return c:step().positions:read()[1]
end

local CASES <const> = {{"sph", 2}, {"sph", 3}, {"cloth", 3}}

local function uniform(low, high) return low + (high - low) * math.random() end

local function points(count, dimensions, one)
    local list = {}
    for i = 1, count do
        list[i] = {}
        for d = 1, dimensions do list[i][d] = one(d) end
    end
    return list
end

local function compare(what, x, wanted, got)
    for i = 1, #x do
        for d = 1, #x[1] do
            local off = math.abs(wanted[i][d] - got[i][d])
            if off > 2e-5 or off ~= off then
                error(("%s: from (%s) to (%s), expected (%s)"):format(what, table.concat(x[i], " "),
                    table.concat(got[i], " "), table.concat(wanted[i], " ")))
            end
        end
    end
end

describe("walls of particles", function()
    leaks.watch(setup, teardown)

    it("move particles in an obstacle to its nearest side, the first of several", function()
        for _, case in ipairs(CASES) do
            local solver, dimensions = table.unpack(case)
            local low, high, middle = {}, {}, {}
            math.randomseed(5)
            for d = 1, dimensions do low[d], high[d], middle[d] = -1, 2 * d, (2 * d - 1) / 2 end
            local x = points(300, dimensions, function(d) return uniform(low[d] - 0.5, high[d] + 0.5) end)
            -- Points on the diagonals of corners, from which sides are equally near, and the center.
            for corner = 0, (1 << dimensions) - 1 do
                local place = {}
                for d = 1, dimensions do
                    place[d] = corner >> (d - 1) & 1 == 0 and low[d] + 0.25 or high[d] - 0.25
                end
                x[#x + 1] = place
            end
            x[#x + 1] = middle
            local wanted = {}
            for i, place in ipairs(x) do
                local nearest, most, to = nil, -math.huge, {table.unpack(place)}
                for d = 1, dimensions do
                    local depth = math.abs(place[d] - middle[d]) - (high[d] - low[d]) / 2
                    if depth > most then nearest, most = d, depth end
                end
                if most < 0 then to[nearest] = place[nearest] < middle[nearest] and low[nearest] or high[nearest] end
                wanted[i] = to
            end
            compare(solver .. dimensions, x, wanted, solvers[solver](x, {{obstacle = {low, high}}}))
        end
    end)

    it("move particles behind a plane given as a distance onto it, within the corners only", function()
        for _, case in ipairs(CASES) do
            local solver, dimensions = table.unpack(case)
            math.randomseed(6)
            for n = 1, 12 do
                local low, high, normal, length, shape = {}, {}, {}, 0, {}
                for d = 1, dimensions do
                    low[d], normal[d] = uniform(-2, 2), uniform(-1, 1)
                    high[d], length = low[d] + uniform(0.5, 3), length + normal[d] ^ 2
                    shape[dimensions + 1 - d] = math.random(2, 6)
                end
                local level = 0
                for d = 1, dimensions do
                    normal[d] = normal[d] / math.sqrt(length)
                    level = level + normal[d] * uniform(low[d], high[d])
                end
                local function distance(...)
                    local away = -level
                    for d = 1, dimensions do away = away + normal[d] * select(d, ...) end
                    return away
                end
                local wall = {distance = distance, low = low, high = high, spacing = uniform(0.1, 2)}
                if n % 2 == 0 then -- as a stream
                    wall.spacing = nil
                    local function at(d, index)
                        return low[d] + (index - 1) / (shape[dimensions + 1 - d] - 1) * (high[d] - low[d])
                    end
                    wall.distance = rill.stream("float", shape, dimensions == 2 and function(i, j)
                        return distance(at(1, j), at(2, i))
                    end or function(k, i, j) return distance(at(1, j), at(2, i), at(3, k)) end)
                end
                -- Within, on the border, and beyond it by less than a node.
                local x = points(200, dimensions, function(d)
                    local side = math.random(4)
                    return side == 1 and low[d] or side == 2 and high[d] or
                        side == 3 and uniform(low[d], high[d]) or uniform(low[d] - 0.1, high[d] + 0.1)
                end)
                local streams = rill.from(x, "vec" .. dimensions):read() -- as floats have them
                local wanted, corners = {}, rill.from({low, high}, "vec" .. dimensions):read()
                for i, place in ipairs(streams) do
                    local within, away, to = true, distance(table.unpack(place)), {}
                    for d = 1, dimensions do
                        within = within and place[d] >= corners[1][d] and place[d] <= corners[2][d]
                    end
                    for d = 1, dimensions do to[d] = place[d] - (within and math.min(away, 0) or 0) * normal[d] end
                    wanted[i] = to
                end
                compare(("%s%d, case %d"):format(solver, dimensions, n), x, wanted, solvers[solver](x, {wall}))
            end
        end
    end)

    it("sample a function at nodes from corner to corner", function()
        local least, most, asked = {1 / 0, 1 / 0}, {-1 / 0, -1 / 0}, 0
        solvers.sph({{0, 0}}, {{low = {0, 0}, high = {1, 0.5}, spacing = 0.3, distance = function(...)
            asked = asked + 1
            for d, at in ipairs {...} do least[d], most[d] = math.min(least[d], at), math.max(most[d], at) end
            return 1
        end}})
        assert.same({{0, 0}, {1, 0.5}, 5 * 3}, {least, most, asked})
    end)
end)
