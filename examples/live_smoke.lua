-- Smoke in the browser: prints an address; open it, and paint smoke with the mouse. The flow follows the pointer. The right button removes smoke.
--
--     lua5.4 examples/live_smoke.lua [size [steps [port]]]        256, until it is stopped, 8377
--
-- view:events() gives the positions of the pointer in indices of the stream, at any zoom. The sliders and buttons of the page are controls of the script.
local rill = require "rill"

local size, steps, port = ...
size = assert(math.tointeger(tonumber(size or 256)), "size: expected a whole number")
steps = tonumber(steps or math.huge)

local kernels = rill.program [[
    // Smoke fades. The vent, a disc at the bottom, adds smoke.
    kernel void vent(float rate, float fade, vec3 disc, inout float smoke<>) {
        bool here = distance(vec2(indexof(smoke).xy), disc.xy) < disc.z;
        smoke = fade * smoke + (here ? rate : 0.0);
    }

    // A brush: a disc with soft edges adds smoke (or removes it, if amount is negative) and pushes the air.
    float weight(vec2 at, vec3 disc) { return exp(-dot(at - disc.xy, at - disc.xy) / (disc.z * disc.z)); }
    kernel void paint(vec3 disc, float amount, inout float smoke<>) {
        smoke = max(smoke + amount * weight(vec2(indexof(smoke).xy), disc), 0.0);
    }
    kernel void push(vec3 disc, vec2 velocity, inout vec2 force<>) {
        force += velocity * weight(vec2(indexof(force).xy), disc);
    }
]]

local dt <const> = 0.25 -- seconds per step
local fluid = rill.fluid {
    shape = {size, size}, dt = dt, cfl = 16, viscosity = 0.2, confinement = 0.3, buoyancy = {smoke = 0.12},
}
fluid:carry("smoke", rill.stream("float", {size, size}))
local force = rill.stream("vec2", {size, size})

local view <close> = rill.live {title = "Smoke", port = port and math.tointeger(tonumber(port))}
local rate = view:slider("smoke of the vent", {min = 0, max = 2, value = 1, step = 0.05})
local brush = view:slider("size of the brush", {min = 2, max = 40, value = 12, step = 1})
local colors = view:choice("colors", {"magma", "viridis", "gray"})
local clear = view:button "remove all smoke"

while view:running() and view.frame <= steps do
    local smoke = fluid:get "smoke"
    if clear.changed then smoke:fill(0) end
    local x = size / 2 + size / 8 * math.sin(0.04 * view.frame)
    kernels.vent(0.3 * rate.value, 0.995, {x, 0.9 * size, size / 18}, smoke)

    local pushed = false
    for event in view:events() do
        if event.type == "press" or event.type == "drag" then
            local disc = {event.column - 1, event.row - 1, brush.value}
            kernels.paint(disc, event.buttons == 2 and -4 or 2, smoke)
            kernels.push(disc, {event.dcolumn / dt, event.drow / dt}, force)
            pushed = true
        end
    end
    fluid:force(pushed and force or nil)
    fluid:step()
    if pushed then force:fill {0, 0} end

    view:image("smoke", fluid:get "smoke", {colormap = colors.value, min = 0, max = 5})
    if view.frame % 5 == 1 then
        local kinetic = (rill.length(fluid.velocity) ^ 2):sum() / 2
        view:plot("totals", view.frame, {smoke = fluid:get "smoke":sum(), ["kinetic energy"] = kinetic}, {
            xlabel = "step", log = "y",
        })
        view:histogram("densities", fluid:get "smoke", {bins = 40, min = 0, max = 8})
    end
end
print(("  %d steps, %.0f units of smoke"):format(view.frame - 1, fluid:get "smoke":sum()))
