-- Point clouds of all shapes for rill.points: ties, duplicates, lines, planes, clusters, small and large coordinates, empty clouds
-- and single points, compared with brute force in doubles. Clouds with NaN are refused.
local clouds = {batch = 30}

-- Functions of a source of choices that return a function which returns one coordinate; axis: 1 to 3.
local shapes = {
    function(d) return function() return d:int(-3, 3) end end, -- many ties
    function(d) return function() return d:int(0, 1 << 20) / (1 << 20) end end,
    function(d) return function() return d:pick {0, 1, 1.5} end end, -- duplicates
    function(d) -- on a line, or in a plane
        local flat <const>, all = d:int(1, 3), d:chance(1, 2)
        return function(axis) return (axis == flat) ~= all and 0.25 or d:int(0, 1000) / 8 end
    end,
    function(d) return function() return d:pick {0, 5, 100} + d:int(0, 1000) * d:pick {1e-5, 1e-3} end end, -- clusters
    function(d) -- all coordinates small or large
        local scale <const> = d:pick {1e-14, 1e-8, 1e8, 1e16}
        return function() return d:int(-50, 50) * scale end
    end,
}

local SCRIPT <const> = [[
local clouds = require "spec.support.clouds"
local list <const>, size <const>, spoiled <const>, minimum <const>, exact <const> = %s, %s, %s, %d, %s
local p = #list > 0 and rill.from(list, "vec3") or rill.stream("vec3", 0)
local stored = p:read()
if spoiled then
    for _, call in ipairs {rill.points.normals, rill.points.outliers, function(x) return rill.points.voxel(x, size) end,
        function(x) return rill.points.icp(x, x) end, function(x) return rill.points.evaluate(x, x) end,
        function(x) return rill.points.dbscan(x, {radius = size}) end,
        function(x) return #list > 2 and rill.points.segment_plane(x, {distance = size}) or rill.points.voxel(x, 1) end} do
        local done, message = pcall(call, p)
        assert(not done and message:find "expected finite coordinates", message)
    end
else
    clouds.normals(p, stored, "normals")
    clouds.outliers(p, stored, "outliers")
    clouds.voxel(p, stored, "voxel", size)
    if #list > 0 then
        clouds.registration(p, stored, "registration", size)
        clouds.evaluation(p, stored, "evaluation", size)
    end
    clouds.clusters(p, stored, "clusters", 0.3 * size, minimum)
    clouds.clusters(p:cast "dvec3", stored, "clusters of doubles", size, 2 * minimum)
    clouds.plane(p, stored, "line or not", exact and 1e-9 or 0.1 * size, minimum, exact and #list <= 12)
end
]]

function clouds.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        local shape <const> = d:pick(shapes)
        local coordinate <const> = shape(d)
        local count <const> = d:weighted {{6, d:int(1, 40)}, {2, d:int(0, 9)}, {2, d:int(30, 150)}}
        local list, most, spoiled = {}, 0, count > 0 and d:chance(1, 10)
        for k = 1, count do
            local x = {coordinate(1), coordinate(2), coordinate(3)}
            for axis = 1, 3 do most = math.max(most, math.abs(x[axis])) end
            list[k] = ("{%.17g, %.17g, %.17g}"):format(table.unpack(x))
        end
        if spoiled then list[d:int(1, count)] = d:pick {"{0 / 0, 0, 0}", "{0, 1 / 0, 0}", "{0, 0, -1 / 0}"} end
        local size <const> = (most > 0 and most or 1) * d:pick {0.03, 0.25, 1, 4}
        scripts[i] = SCRIPT:format("{" .. table.concat(list, ", ") .. "}", ("%.17g"):format(size), spoiled, d:int(1, 6),
            shape == shapes[1])
    end
    return scripts
end

return clouds
