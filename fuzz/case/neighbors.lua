-- Neighbor searches among points of all shapes: ties, duplicates, lines, planes, clusters next to distant points,
-- coordinates from 1e-20 to 1e20, periodic boxes, compared with brute force in doubles.
local neighbors = {batch = 250}

-- Functions of a source of choices that return a function which returns one coordinate; d: the axis.
local shapes = {
    function() return function(d) return d:int(-3, 3) end end, -- many ties
    function() return function(d) return d:int(0, 1 << 20) / (1 << 20) end end,
    function() return function(d) return d:pick {0, 1, 1.5} end end, -- duplicates
    function(d, axis) -- on a line or in a plane along an axis
        local flat <const>, all = d:int(1, 3), d:chance(1, 2)
        return function() return (axis == flat) ~= all and 0.25 or d:int(0, 1000) / 8 end
    end,
    function() -- 40 orders of magnitude
        return function(d) return (d:chance(1, 2) and 1 or -1) * 10.0 ^ (d:int(-200, 200) / 10) end
    end,
    function() -- dense clusters and distant points
        return function(d)
            return d:pick {0, 5, 1000} + d:int(0, 1000) * d:pick {1e-6, 1e-3} + (d:chance(1, 20) and 1e10 or 0)
        end
    end,
    function(d) -- all coordinates small or large
        local scale <const> = d:pick {1e-20, 1e-12, 1e12, 1e19}
        return function() return d:int(-50, 50) * scale end
    end,
}

local function number(x)
    return math.type(x) == "integer" and ("%d"):format(x) or ("%.17g"):format(x)
end

local function points(d, coordinate, rank, count)
    local list = {}
    for i = 1, count do
        local p = {}
        for axis = 1, rank do p[axis] = number(coordinate[axis](d)) end
        list[i] = "{" .. table.concat(p, ", ") .. "}"
    end
    return "{" .. table.concat(list, ", ") .. "}"
end

local SCRIPT <const> = [[
local nearest = require "spec.support.nearest"
local type, rank, k, radius, apart = %q, %d, %s, %s, %s
local p <close>, points = nearest.stream(rill, %s, type, rank)
local given = %s
local q, queries
if given then q, queries = nearest.stream(rill, given, type, rank) else queries = points end
local box, side
if %s then -- a box that contains all points
    side = {}
    for d = 1, rank do
        local low, high = math.huge, -math.huge
        for _, list in ipairs {points, queries} do
            for _, x in ipairs(list) do low, high = math.min(low, x[d]), math.max(high, x[d]) end
        end
        side[d] = high > low and (high - low) * %s or 1
    end
    box = rank == 1 and side[1] or side
end
local n = rill.neighbors(p, {k = k, radius = radius, queries = q, periodic = box, self = not apart})
nearest.compare(nearest.lists(points, queries, radius, side, apart), n, type)
if %s then
    nearest.compare(nearest.lists(points, points, radius, side), n:query(p), type)
end
for _, s in ipairs {n.indices, n.distances, n.starts or false, q or false} do
    if s then s:close() end
end
n:close()
]]

function neighbors.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        local rank <const>, shape <const> = d:pick {3, 2, 1}, d:pick(shapes)
        local coordinate = {}
        for axis = 1, rank do coordinate[axis] = shape(d, axis) end
        local count <const> = d:weighted {{6, d:int(1, 40)}, {2, d:int(0, 9)}, {2, d:int(30, 200)}}
        local list <const> = points(d, coordinate, rank, count)
        local queries = d:chance(1, 3) and points(d, coordinate, rank, d:int(0, 40))
        local k <const> = d:weighted {{3, d:int(1, 9)}, {1, d:int(1, 80)}, {2, nil}}
        local radius <const> = (not k or d:chance(1, 4)) and
            d:pick {"1.0", "0", "math.huge", "0.25", "1e-20", "1e20", "30.0", "1e-6"}
        scripts[i] = SCRIPT:format(d:pick {"float", "double"}, rank, k or "nil", radius or "nil",
            not queries and d:chance(1, 5), list, queries or "nil", d:chance(1, 4), d:pick {"1", "1.25", "2"},
            d:chance(1, 6))
    end
    return scripts
end

return neighbors
