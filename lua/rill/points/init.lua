--- rill.points: point clouds: normals, downsampling, outliers, registration, and files. See docs/points.md.
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"

local points = {}

--- rill.points.normals(p [, {k = 16, toward =}]) returns unit normals (vec3) and the three variances (vec3, ascending)
-- of the k nearest points of each point. toward: a position to whose side normals point. Default: z is not negative.
points.normals = lazy.call("rill.points.cloud", "normals")

--- rill.points.voxel(p, size [, {values =}]) returns the mean of the points in each cube of a grid, and their number.
-- values: a stream, or a table of streams, with one element per point; their means are the third result.
points.voxel = lazy.call("rill.points.cloud", "voxel")

--- rill.points.outliers(p [, {k = 20, deviations = 2}]) returns whether the mean distance of each point to its k
-- nearest points is larger than the mean of all of them plus so many standard deviations, and the mean distances.
points.outliers = lazy.call("rill.points.cloud", "outliers")

--- rill.points.transform(p, transform) returns points moved by a transform, four rows of four numbers.
points.transform = lazy.call("rill.points.cloud", "transform")

--- rill.points.icp(source, target [, {distance =, initial =, iterations = 30, normals =, tolerance = 1e-6}]) returns
-- the transform that moves the source onto the target, four rows of four numbers, and a report.
points.icp = lazy.call("rill.points.registration", "icp")

--- rill.points.evaluate(source, target [, {distance =, transform =}]) returns {fitness =, rmse =, pairs =}: how well a
-- transform registers the source with the target. Default of transform: the identity.
points.evaluate = lazy.call("rill.points.registration", "evaluate")

--- rill.points.inverse(transform) returns the inverse of a transform, four rows of four numbers.
points.inverse = lazy.call("rill.geometry.transform", "inverse")

--- rill.points.segment_plane(p, {distance = [, iterations = 1000, seed =]}) returns the plane with the most points
-- within a distance, {a, b, c, d}, and whether each point is within it.
points.segment_plane = lazy.call("rill.points.segmentation", "segment_plane")

--- rill.points.dbscan(p, {radius = [, minimum = 10]}) returns the cluster of each point, 0-based, -1 for noise, and the
-- number of clusters.
points.dbscan = lazy.call("rill.points.segmentation", "dbscan")

--- rill.points.load(path [, {type = "float", invalid = "error"}]) returns the points of a file (PLY, XYZ, OBJ, OFF,
-- STL), and a table with the streams `normals` and `colors` if the file has them.
points.load = lazy.call("rill.points.files", "load")

--- rill.points.save(path, p [, {normals =, colors =, encoding =}]) writes a PLY or XYZ file.
points.save = lazy.call("rill.points.files", "save")

return errors.strict(points, "rill.points")
