-- A mesh in the browser: prints an address; open it, and turn the mesh with the mouse while a kernel deforms it.
--
--     lua5.4 examples/live_mesh.lua [file [steps [port]]]        (spot, or a ring), until it is stopped, 8377
--
-- rill.render draws the mesh on this machine, at the size of the panel. rill.mesh.load reads OBJ, PLY, OFF and STL.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local surfaces = dofile(here .. "support/surfaces.lua")

local path, steps, port = ...
steps = tonumber(steps or math.huge)

local bend = rill.kernel [[
    kernel void bend(float amount, float waves, float phase, vec3 position<>, vec3 normal<>, out vec3 bent<>, out float shift<>) {
        shift = amount * sin(waves * position.y + phase) * cos(0.7 * waves * position.x - phase);
        bent = position + shift * normal;
    }
]]

local m = surfaces.surface(path ~= "-" and path or nil, "spot.obj", surfaces.ring_mesh, 96, 32)
local low, high = m:bounds()
local extent = math.max(high[1] - low[1], high[2] - low[2], high[3] - low[3])
local rest, normals = m.positions:copy(), m:normals()

local view <close> = rill.live {title = "Mesh", port = port and math.tointeger(tonumber(port))}
local amount = view:slider("amount", {min = 0, max = 0.1, value = 0.03})
local waves = view:slider("waves", {min = 1, max = 30, value = 12})
local speed = view:slider("speed", {min = 0, max = 0.5, value = 0.1})
local color = view:choice("color", {"clay", "white", "steelblue"})

local phase = 0
while view:running() and view.frame <= steps do
    phase = phase + speed.value
    local bent, shift = bend(amount.value * extent, waves.value / extent, phase, rest, normals)
    local shown = rill.mesh.new {positions = bent, triangles = m.triangles}
    view:mesh("mesh", shown, {color = color.value})
    view:histogram("displacements", shift, {bins = 32, min = -0.1 * extent, max = 0.1 * extent})
    view:plot("largest displacement", shift:max(), {xlabel = "step"})
    view:table("mesh in numbers", {{name = "vertices", value = rest.size}, {name = "triangles", value = m.faces}},
        {columns = {"name", "value"}})
end
print(("  %d steps, %d triangles"):format(view.frame - 1, m.faces))
