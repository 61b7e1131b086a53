-- Smoke simulation: warm smoke rises from a vent near the bottom and flows around a ball that swings from side to side.
-- rill.fluid is the Eulerian solver of chapter 28.7.1 of "GPGPU". The flow carries the smoke, whose temperature and weight
-- drive the flow. The ball is a moving obstacle.
--
--     lua5.4 examples/smoke.lua [size [steps [directory]]] [--movie]        512 200 out
--
-- Velocities are in cells per second; row 0 is the top. --movie also writes the animation smoke-movie.png.
local rill = require "rill"

local dt = 0.25 -- seconds per step

local kernels = rill.program [[
    // Smoke is density and temperature. It fades, and the vent adds to it.
    kernel void vent(float dt, vec3 disc, inout vec2 smoke<>) {
        bool here = distance(vec2(indexof(smoke).xy), disc.xy) < disc.z;
        smoke = 0.998 * smoke + (here ? dt * vec2(0.5, 1.0) : vec2(0.0));
    }

    // Computes the distance to the ball, negative inside.
    kernel void away(vec3 ball, out float r<>) { r = distance(vec2(indexof(r).xy), ball.xy) - ball.z; }

    // Draws smoke in colors from dark violet over orange to pale yellow, and the ball lit from the upper left.
    vec3 glow(float t) {
        vec3 c = mix(vec3(0.01, 0.01, 0.03), vec3(0.28, 0.07, 0.42), smoothstep(0.0, 0.3, t));
        c = mix(c, vec3(0.80, 0.20, 0.38), smoothstep(0.2, 0.55, t));
        c = mix(c, vec3(0.99, 0.60, 0.36), smoothstep(0.45, 0.8, t));
        return mix(c, vec3(1.00, 0.98, 0.80), smoothstep(0.7, 1.0, t));
    }
    kernel void paint(vec3 ball, neighbor vec2 smoke<>, out vec3 color<>) {
        vec2 slope = vec2(smoke[ivec2(1, 0)].x - smoke[ivec2(-1, 0)].x, smoke[ivec2(0, 1)].x - smoke[ivec2(0, -1)].x);
        float relief = dot(slope, vec2(0.5, 0.8)) / (1.0 + length(slope));
        color = glow(1.0 - exp(-0.28 * smoke[0].x)) * (1.0 + 0.35 * relief);
        vec2 p = (vec2(indexof(color).xy) - ball.xy) / ball.z;
        float edge = clamp((1.0 - length(p)) * ball.z + 0.5, 0.0, 1.0);
        vec3 normal = vec3(p, sqrt(max(0.0, 1.0 - dot(p, p))));
        float light = 0.12 + 0.88 * max(0.0, dot(normal, normalize(vec3(-0.5, -0.6, 0.6))));
        color = mix(color, light * vec3(0.45, 0.62, 0.75), edge);
    }
]]

local Simulation = {}
Simulation.__index = Simulation

--- Returns a simulation of air at rest on size x size cells.
local function create(size)
    local fluid = rill.fluid {
        shape = {size, size}, dt = dt, cfl = 16, viscosity = 0.8, confinement = 0.4, buoyancy = {smoke = {-0.05, 0.4}},
    }
    fluid:carry("smoke", rill.stream("vec2", {size, size}))
    return setmetatable({fluid = fluid, size = size, time = 0, distance = rill.stream("float", {size, size})},
        Simulation)
end

--- Moves the ball, whose velocity is the difference of its last two positions per time step, and steps the fluid.
function Simulation:step()
    local size = self.size
    local middle, reach = size // 2, size / 5
    local now, before = reach * math.sin(0.05 * self.time), reach * math.sin(0.05 * (self.time - 1))
    self.ball = {middle + now, middle, size / 16}
    self.fluid:obstacle(kernels.away(self.ball, self.distance), {(now - before) / dt, 0})
    kernels.vent(dt, {middle, 7 * size // 8, size / 16}, self.fluid:get "smoke")
    self.fluid:step()
    self.time = self.time + 1
end

function Simulation:picture()
    return kernels.paint(self.ball, self.fluid:get "smoke")
end

if ... == "module" then
    return {create = create}
end

local arguments, movie = {}, nil
for _, word in ipairs {...} do
    if word == "--movie" then
        movie = true
    else
        arguments[#arguments + 1] = word
    end
end
local size, steps, directory = table.unpack(arguments)
size, directory = assert(math.tointeger(tonumber(size or 512)), "size: expected a whole number"), directory or "out"
steps = assert(math.tointeger(tonumber(steps or 200)), "steps: expected a whole number")
os.execute(("mkdir -p '%s'"):format(directory))

local simulation = create(size)
local panels, shown = 5, 0
local strip = rill.stream("vec3", {size, panels * size})
local animation = movie and rill.animate(directory .. "/smoke-movie.png", 20)
local progress = rill.progress(steps, "smoke")
local start = rill.clock()
for step = 1, steps do
    simulation:step()
    progress:step()
    if animation and step % 2 == 0 then
        animation:frame(simulation:picture())
    end
    if step % math.max(1, steps // 10) == 0 or step == steps then
        local picture, found = simulation:picture(), simulation.fluid.divergence
        rill.image.save(picture, ("%s/smoke-%03d.png"):format(directory, step))
        print(("  step %3d: divergence %.2g, after projection %.2g"):format(step, found.before, found.after))
        if step * panels >= (shown + 1) * steps then
            strip:write(picture, {1, shown * size + 1}, {size, (shown + 1) * size})
            shown = shown + 1
        end
    end
end
progress:close()
if animation then
    animation:close()
end
rill.image.save(strip, directory .. "/smoke.png")
print(("  %d steps of %d x %d cells in %.1f s"):format(steps, size, size, rill.clock() - start))
print(("  %s/smoke-*.png: frames; %s/smoke.png: %d of them side by side"):format(directory, directory, panels))
