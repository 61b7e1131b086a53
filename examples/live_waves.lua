-- Waves in the browser: prints an address; open it, and touch the water with the mouse.
--
--     lua5.4 examples/live_waves.lua [size [steps [port]]]        256, until it is stopped, 8377
--
-- The keys 1 to 9, pressed over the image, let a drop fall that is so many cells wide.
local rill = require "rill"

local size, steps, port = ...
size = assert(math.tointeger(tonumber(size or 256)), "size: expected a whole number")
steps = tonumber(steps or math.huge)

local drop = rill.kernel [[
    kernel void drop(vec3 disc, float depth, inout float height<>) {
        vec2 p = (vec2(indexof(height).xy) - disc.xy) / disc.z;
        height -= depth * exp(-dot(p, p));
    }
]]

local view <close> = rill.live {title = "Waves", port = port and math.tointeger(tonumber(port))}
local depth = view:slider("depth of a touch", {min = 0, max = 1, value = 0.4})
local rain = view:slider("drops per second", {min = 0, max = 20, value = 2, step = 1})
local look = view:choice("image", {"water", "heights"})
local calm = view:button "calm"

local random = 1
local function wave()
    return rill.wave {shape = {size, size}, speed = 60, damping = 0.15, boundary = "absorb", dt = 0.01}
end
local w = wave()
while view:running() and view.frame <= steps do
    if calm.changed then w = wave() end
    random = (random * 16807) % 2147483647
    if random % 1000 < 10 * rain.value then
        drop({random // 1000 % size, random // 300000 % size, 3}, 1, w.height)
    end
    for event in view:events() do
        local width = event.type == "key" and tonumber(event.key)
        if event.row and (width or event.buttons and event.buttons > 0 and event.type ~= "release") then
            drop({event.column - 1, event.row - 1, width or 4}, depth.value, w.height)
        end
    end
    w:step()

    if look.value == "water" then
        view:image("surface", w:picture {scale = 3})
    else
        view:image("surface", w.height, {colormap = "coolwarm", min = -0.2, max = 0.2})
    end
    if view.frame % 5 == 1 then
        view:plot("energy", w.time, w.energy, {xlabel = "seconds"})
        view:plot("a cut through the middle", w.height[size // 2], {points = size})
    end
end
print(("  %.2f seconds of waves"):format(w.time))
