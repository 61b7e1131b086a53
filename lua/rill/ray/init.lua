--- rill.ray: traces rays through scenes of triangle meshes: intersection queries, and images by path tracing.
local errors = require "rill.core.error"
local scene = require "rill.ray.scene"

local ray = {}

--- rill.ray.scene(m [, {structure = "bvh"}]) returns a scene of a mesh or of a list of meshes.
ray.scene = errors.guard(scene.new, "rill.ray.scene")

--- rill.ray.trace(s [, options]) returns the image of a scene by path tracing, and a report {rays =, shadow =,
-- samples =}.
ray.trace = errors.guard(require "rill.ray.path", "rill.ray.trace")

return errors.strict(ray, "rill.ray")
