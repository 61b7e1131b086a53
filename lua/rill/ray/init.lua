--- rill.ray: traces rays through scenes of triangle meshes: intersection queries, and images by path tracing.
local errors = require "rill.core.error"
local scene = require "rill.ray.scene"

local ray = {}

--- rill.ray.scene(m [, {structure = "bvh"}]): returns a scene of a mesh or of a list of meshes.
ray.scene = errors.guard(scene.new, "rill.ray.scene")

return errors.strict(ray, "rill.ray")
