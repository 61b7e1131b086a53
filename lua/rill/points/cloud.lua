-- Operations on the points of a cloud: normals, downsampling by voxels, outliers, transforms.
local rill = require "rill.core.public"
local categories = require "rill.core.categories"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local vector = require "rill.core.vector"
local vectors = require "rill.geometry.vectors"
local arguments = require "rill.geometry.points.arguments"
local search = require "rill.geometry.points.neighbors"
local texts <const> = require "rill.glsl.template".file "cloud"
local fail <const> = errors.fail

local cloud = {}

-- Returns the kernels for the points p.
local function kernels_of(p)
    return texts:program {V = p.type, R = p.type == "dvec3" and "double" or "float"}
end

--- cloud.points(where, i, name, value) returns points as a stream of vec3 of one dimension, or of dvec3 if the
-- coordinates are doubles, and their least and largest coordinates. Raises an error if one is not finite. The caller
-- closes the stream unless it is `value`.
function cloud.points(where, i, name, value)
    if recorder.on and recorder.tracks(value) then
        fail("%s: argument #%d '%s' depends on the arguments of the function that is differentiated, and this " ..
            "function has no derivative: pass rill.value(%s)", where, i, name, name)
    end
    local p <const> = vectors.take(where, i, name, value, true)
    if #p.shape ~= 1 then
        fail("%s: argument #%d '%s': expected a stream of one dimension, got shape {%s}: s:reshape(%d) has one",
            where, i, name, table.concat(p.shape, ", "), p.size)
    end
    return p, arguments.box(("%s: argument #%d '%s'"):format(where, i, name), p)
end

-- Returns the points of the first argument, and the indices and distances of the k nearest points of each one; without
-- the point itself if `without`.
local function nearest(own, where, points, k, without)
    local p <const>, low, high = cloud.points(where, 1, "p", points)
    own.p = p ~= points and p or nil
    if vector.diagonal(low, high) > 3.4e38 then
        fail("%s: argument #1 'p': distances up to %g are not in the range of floats: use a larger unit", where,
            vector.diagonal(low, high))
    end
    local n <close> = search.neighbors(p, {k = k, self = not without})
    own.indices, own.distances = n.indices, n.distances
    return p, own.indices, own.distances
end

local NORMALS <const> = {k = option.number(3, 1024, 16), toward = option.vector}

--- rill.points.normals(p, options) returns unit normals (vec3) and the variances along the three axes of the
-- neighborhood (vec3, ascending).
cloud.normals = errors.guard(function(points, options)
    local where <const> = "rill.points.normals"
    local taken <const> = option.take(where, options, NORMALS)
    local own <close> = held {}
    local p <const>, indices = nearest(own, where, points, taken.k)
    local toward <const> = taken.toward
    return kernels_of(p).normals {p = p, near = indices, toward = toward or {0, 0, 0},
        turned = toward and 1 or 0, shape = p.size}
end, "rill.points.normals")

local OUTLIERS <const> = {k = option.number(1, 1024, 20), deviations = option.default(option.not_negative, 2)}

--- rill.points.outliers(p, options) returns a stream of bool, and the mean distance of each point to its neighbors.
cloud.outliers = errors.guard(function(points, options)
    local where <const> = "rill.points.outliers"
    local taken <const> = option.take(where, options, OUTLIERS)
    local own <close> = held {}
    local p <const>, _, distances = nearest(own, where, points, taken.k, true)
    local run <const> = kernels_of(p)
    local mean <const> = run.reaches {distance = distances, shape = p.size}
    local limit = math.huge
    if p.size > 1 then
        own.wide = mean:cast "double"
        limit = own.wide:mean() + taken.deviations * own.wide:std {ddof = 1}
    end
    return run.above(mean, limit), mean
end, "rill.points.outliers")

-- ---- voxels

local VOXEL <const> = {values = {option.is_data, "a stream, or a table of streams, with one element for each point"}}

-- Returns the order of points by their cells, which are numbered x first, and the first point of each cell in it.
local function cell_order(own, p, size, low, high)
    local run <const>, first, count, all = kernels_of(p), {}, {}, 1.0
    for d = 1, 3 do
        first[d] = math.floor(low[d] / size)
        count[d] = math.floor(high[d] / size) - first[d] + 1
        all = all * count[d]
    end
    if all < 2^32 then
        own.keys = run.keys(p, size, first, count)
        return rill.argsort(own.keys)
    end
    own.x, own.y, own.z = run.cells(p, size)
    return rill.lexsort {own.x, own.y, own.z}
end

-- Returns whether a value is a list of numbers, or of rows of numbers.
local function is_list(value)
    local first <const> = type(value) == "table" and not rill.type(value) and rawget(value, 1)
    return type(first) == "number" or type(first) == "table" and type(first[1]) == "number"
end

-- The types in which integers are added, and of their means.
local MEANS <const> = {int = {"double", "float"}, uint = {"double", "float"}}
for n = 2, 4 do
    MEANS["ivec" .. n], MEANS["uvec" .. n] = {"dvec" .. n, "vec" .. n}, {"dvec" .. n, "vec" .. n}
end

-- Returns the means of values with one element per point.
local function mean_of(own, where, values, order, ids, counts)
    if is_list(values) then
        local width <const> = type(values[1]) == "table" and #values[1] or 1
        local done, made = pcall(rill.from, values, width > 1 and width < 5 and "vec" .. width or nil)
        values = done and made or values
        own[#own + 1] = done and made or nil
    end
    local open <const> = not errors.not_open(values)
    if not open or values.shape[1] ~= order.size or #values.shape ~= 1 then
        fail("%s: option 'values': expected a stream with one element for each of the %d points, got %s", where,
            order.size, open and ("a stream of shape {%s}"):format(table.concat(values.shape, ", ")) or
            errors.told(values))
    end
    categories.none(values, where .. ": option 'values'")
    local sorted = rill.gather(values, order)
    own[#own + 1] = sorted
    local mean <const> = MEANS[values.type]
    if mean then -- sums of integers may be out of their range
        sorted = sorted:cast(mean[1])
        own[#own + 1] = sorted
    end
    local runs, sums = rill.reduce_by_key(ids, sorted)
    own[#own + 1], own[#own + 2] = runs, sums
    if mean then
        own[#own + 1] = (sums / counts):eval()
        return own[#own]:cast(mean[2])
    end
    return (sums / counts):eval()
end

--- rill.points.voxel(p, size, options) returns the mean of the points in each cube, and the number of points in it.
cloud.voxel = errors.guard(function(points, size, options)
    local where <const> = "rill.points.voxel"
    if not option.is_positive(size) then
        fail("%s: argument #2 'size': expected a number above 0, the side of the cubes, got %s", where,
            errors.told(size))
    end
    local taken <const> = option.take(where, options, VOXEL)
    local own <close> = held {}
    local p <const>, low, high = cloud.points(where, 1, "p", points)
    own.p = p ~= points and p or nil
    for d = 1, 3 do
        local most <const> = math.max(math.abs(low[d]), math.abs(high[d]))
        if most / size >= 2^31 - 1 then
            fail("%s: argument #2 'size': %g is too small for coordinates up to %g: cells are numbered by ints", where,
                size, most)
        end
    end
    local run <const> = kernels_of(p)
    own.order = cell_order(own, p, size, low, high)
    own.first, own.offset = run.sorted {p = p, order = own.order, size = size, shape = p.size}
    own.ids = own.first:scan()
    own.starts = own.first:find "x == 1"
    local one <close> = rill.stream("int", p.size, 1)
    local counts
    own.runs, counts = rill.reduce_by_key(own.ids, one)
    own.same, own.sums = rill.reduce_by_key(own.ids, own.offset)
    local mean <const> = run.means(own.starts, counts, own.sums, p, own.order, size)
    local values = taken.values
    if values ~= nil and not rill.type(values) and not is_list(values) then
        local list = {}
        for name, s in pairs(values) do list[name] = mean_of(own, where, s, own.order, own.ids, counts) end
        return mean, counts, list
    end
    return mean, counts, values ~= nil and mean_of(own, where, values, own.order, own.ids, counts) or nil
end, "rill.points.voxel")

-- ---- transforms

--- cloud.rows(where, value) returns the first three rows of a transform.
function cloud.rows(where, value)
    local good, moves = option.is_matrix(value, math.huge)
    if not (good and moves) then
        fail("%s: expected four rows of four numbers, the last one {0, 0, 0, 1}, got %s", where, errors.told(value))
    end
    return value[1], value[2], value[3]
end

--- rill.points.transform(p, transform) returns the points x' = M x.
cloud.transform = errors.guard(function(points, transform)
    local where <const> = "rill.points.transform"
    local a, b, c = cloud.rows(where .. ": argument #2 'transform'", transform)
    local p <const> = vectors.take(where, 1, "p", points, true)
    local moved <const> = kernels_of(p).moved(p, a, b, c)
    if p ~= points then p:close() end
    return moved
end, "rill.points.transform")

return cloud
