-- Neighbor searches of 10^6 points in three dimensions, with the construction of the tree, against scipy's cKDTree with two
-- workers: points in a cube, on a sphere, and in 100 clusters of different density; and the growth from 10^4 to 10^7 points.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local COUNT <const> = 1000000
local RADIUS <const> = rill.from({0.0134}):get(1) -- about ten neighbors of points in a cube; a float, as the peer gets

local shapes = {}

function shapes.uniform(n) return rill.random({n, 3}, {seed = 1}) end

function shapes.surface(n)
    return rill.random({n, 3}, {seed = 1, distribution = "normal"}):as "vec3":map "normalize(x)":as "float"
end

function shapes.clusters(n)
    local spread = rill.random({n, 3}, {seed = 1, distribution = "normal"}):as "vec3"
    local centers, sizes = rill.random({100, 3}, {seed = 2}):as "vec3", rill.random(100, {seed = 3})
    local put = rill.kernel [[
        kernel void put(vec3 z<>, int i<>, vec3 c[], float s[], out vec3 p<>) { p = c[i] + pow(10.0, 3.0 * s[i] - 4.0) * z; }
    ]]
    return put(spread, rill.random(n, {seed = 4, type = "int", low = 0, high = 99}), centers, sizes):as "float"
end

-- Returns a search of the nearest k points of each point: {n, k}, or {n} for one, as scipy does.
local function nearest(p, k)
    return function()
        local found = rill.neighbors(p, {k = k}).distances
        return k == 1 and found:reshape(found.size) or found
    end
end

return function()
    local rows = {}
    local scipy <close>, missing = pipe.python "peer_neighbors.py"
    if scipy then
        local cases = {}
        scipy:give("radius", rill.from {RADIUS})
        for _, name in ipairs {"uniform", "surface", "clusters"} do
            local p = shapes[name](COUNT)
            scipy:give(name, p)
            for _, k in ipairs(name == "uniform" and {1, 8, 32} or {8}) do
                cases[#cases + 1] = {("k = %d of 10^6, %s"):format(k, name), name .. k, 1.0, nearest(p, k),
                    tolerance = 1e-6, rounds = 3}
            end
        end
        local p = shapes.uniform(COUNT)
        cases[#cases + 1] = {"within a radius, lengths only", "within", nil, function()
            return rill.neighbors(p, {radius = RADIUS}).starts:diff()
        end, rounds = 3}
        rows = pipe.rows(scipy, scipy.what, cases)
    else
        rows[1] = support.note("neighbors against scipy", missing)
    end
    for exponent = 4, 7 do
        local n = 10 ^ exponent // 1 | 0
        local p = shapes.uniform(n)
        local search = nearest(p, 8)
        local seconds = support.race(3, function()
            return support.timed(function() search():close() end, 1)
        end)
        rows[#rows + 1] = support.note(("k = 8 of 10^%d, uniform"):format(exponent),
            ("%s, %.2f us a point"):format(support.duration(seconds), seconds / n * 1e6))
    end
    return rows
end
