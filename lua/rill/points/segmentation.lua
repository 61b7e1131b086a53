-- Parts of point clouds: planes and clusters.
local rill = require "rill.core.public"
local cloud = require "rill.points.cloud"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local search = require "rill.geometry.points.neighbors"
local vector = require "rill.core.vector"
local texts <const> = require "rill.glsl.template".file "segmentation"
local fail <const> = errors.fail

local segmentation = {}

-- ---- planes

local BATCH <const> = 64 -- candidates that are counted at once
local DRAWN <const> = 65536 -- points on which candidates are counted, if there are more
local FINALISTS <const> = 8 -- candidates that are then counted on all points
local LANES <const>, SHARE <const> = 256, 16384 -- partial sums, at least, and points of each, at most
local COARSE <const> = 1e-4 -- candidates are compared in floats if the distance is a larger fraction of the cloud
local DOUBT <const> = 1e-8 -- the probability with which a better plane may be missed

local PLANE <const> = {
    distance = {option.positive[1], "a number above 0", nil, true}, iterations = option.number(1, 1000000, 1000),
    seed = {function(v) return math.type(v) == "integer" end, "a whole number"},
}

local function lanes_of(n) return math.max(math.min(LANES, n), (n + SHARE - 1) // SHARE) end

-- Returns how many samples find the plane of `count` of n points, except with the probability DOUBT.
local function samples_for(count, n)
    if count < 3 then return math.huge end
    local share <const> = count / n * (count - 1) / (n - 1) * (count - 2) / (n - 2)
    return share < 1 and math.log(DOUBT) / math.log(1 - share) or 1
end

-- Returns the numbers of points near each of some candidates, a list.
local function counts_of(run, p, normals, places, distance)
    local lanes <const> = lanes_of(p.size)
    local parts <close> = run.counts {p = p, normal = normals, at = places, lanes = lanes, distance = distance,
        shape = {normals.size, lanes}}
    local sums <close> = parts:sum(2)
    return sums:values()
end

-- Returns some of many points, drawn at random, or the points themselves.
local function drawn(p, seed)
    if p.size <= DRAWN then return p end
    local chosen <close> = rill.random(DRAWN, {type = "int", low = 0, high = p.size - 1,
        seed = seed and seed + 1 or nil})
    return rill.gather(p, chosen)
end

-- Returns the candidate with the most points near it: its normal, a point of it, and their number.
local function best_of(run, p, taken)
    local own <close> = held {}
    own.words = rill.random({taken.iterations, 3}, {type = "int", low = 0, high = math.maxinteger >> 32,
        seed = taken.seed})
    own.vectors = own.words:as "ivec3"
    own.normals, own.places = run.candidates(p, own.vectors)
    local some <const>, order, counts, most = drawn(p, taken.seed), {}, {}, 0
    own.some = some ~= p and some or nil
    while #counts < math.min(taken.iterations, samples_for(most, some.size)) do
        local from <const>, to = #counts + 1, math.min(#counts + BATCH, taken.iterations)
        local normals <close>, places = own.normals:domain(from, to), own.places:domain(from, to)
        for i, count in ipairs(counts_of(run, some, normals, places, taken.distance)) do
            counts[from + i - 1], order[from + i - 1], most = count, from + i - 1, math.max(most, count)
        end
    end
    table.sort(order, function(i, j) return counts[i] > counts[j] or counts[i] == counts[j] and i < j end)
    local finalists = {}
    for k = 1, math.min(some == p and 1 or FINALISTS, #order) do finalists[k] = order[k] - 1 end
    own.index = rill.from(finalists, "int")
    own.normal, own.place = rill.gather(own.normals, own.index), rill.gather(own.places, own.index)
    local found <const>, best = counts_of(run, p, own.normal, own.place, taken.distance), 1
    for k = 2, #found do best = found[k] > found[best] and k or best end
    return {count = found[best], normal = own.normal:get(best), at = own.place:get(best)}
end

-- Sets whether each point is near a plane, and the number of these points. Returns the plane.
local function counted(run, p, plane, distance)
    plane.inside = run.inside(p, plane.normal, plane.at, distance)
    plane.count = plane.inside:count()
    return plane
end

-- Returns the plane with the least squared distances from the points near a plane.
local function refined(run, p, best, distance, scale)
    local own <close>, lanes = held {}, lanes_of(p.size)
    own.s, own.a, own.b = run.moments {p = p, normal = best.normal, at = best.at, lanes = lanes, distance = distance,
        scale = scale, shape = lanes}
    own.normal, own.middle = run.fit {s = own.s, a = own.a, b = own.b, scale = scale, at = best.at, shape = 1}
    return counted(run, p, {normal = own.normal:get(1), at = own.middle:get(1)}, distance)
end

--- rill.points.segment_plane(p, options) returns the plane with the most points near it, {a, b, c, d}, and whether each
-- point is near it.
segmentation.segment_plane = errors.guard(function(points, options)
    local where <const> = "rill.points.segment_plane"
    local taken <const> = option.take(where, options, PLANE)
    local own <close> = held {}
    local p <const>, low, high = cloud.points(where, 1, "p", points)
    own.p = p ~= points and p or nil
    if p.size < 3 then
        fail("%s: argument #1 'p': a plane needs 3 points or more, got %d", where, p.size)
    end
    local size <const> = vector.diagonal(low, high)
    local wide <const> = p.type == "dvec3" or taken.distance < COARSE * size
    local run <const> = texts:program {V = p.type, R = wide and "double" or "float", W = wide and "dvec3" or "vec3"}
    local best <const> = best_of(run, p, taken)
    if best.count < 0 then
        fail("%s: no sample of three points determines a plane: the points lie on a line or coincide, or the option " ..
            "'iterations', %d, is too small", where, taken.iterations)
    end
    local plane = refined(run, p, best, taken.distance, size > 0 and 1 / size or 1)
    local other = counted(run, p, best, taken.distance)
    if plane.count < other.count then plane, other = other, plane end
    other.inside:close()
    local a, b, c = table.unpack(plane.normal)
    if c < 0 or c == 0 and (b < 0 or b == 0 and a < 0) then a, b, c = -a, -b, -c end
    return {a, b, c, -(a * plane.at[1] + b * plane.at[2] + c * plane.at[3])}, plane.inside
end, "rill.points.segment_plane")

-- ---- clusters

local DBSCAN <const> = {
    radius = {option.positive[1], "a number above 0", nil, true}, minimum = option.number(1, 32768, 10),
}

--- rill.points.dbscan(p, options) returns the number of the cluster of each point, 0-based, -1 for noise; and the
-- number of clusters.
segmentation.dbscan = errors.guard(function(points, options)
    local where <const> = "rill.points.dbscan"
    local taken <const> = option.take(where, options, DBSCAN)
    if recorder.on and recorder.tracks(points) then
        fail("%s: argument #1 'p' depends on the arguments of the function that is differentiated, and this " ..
            "function has no derivative: pass rill.value(p)", where)
    end
    local own <close> = held {}
    local n <const> = search.lists(where, points, taken.radius)
    for _, name in ipairs {"starts", "index", "row", "square"} do own[name] = n[name] end
    local run <const>, size = texts:program {V = "vec3", R = "float", W = "vec3"}, n.tree.count
    if size == 0 then return rill.stream("int", 0), 0 end
    own.core = run.core_points {starts = n.starts, least = taken.minimum, shape = size}
    own.all = rill.iota(size)
    own.parent = own.all:copy()
    run.unite(n.row, n.index, own.core, own.parent)
    own.first = run.firsts(own.parent, own.core)
    own.number = own.first:scan()
    return run.labels {starts = n.starts, near = n.index, square = n.square, core = own.core, parent = own.parent,
        number = own.number, shape = size}, own.number:get(size)
end, "rill.points.dbscan")

return segmentation
