-- A cloth thrown into a basket: with which velocity and which spin?
--
--     lua5.4 examples/basket.lua [throws [directory]]        40 out
--
-- The cloth is a grid of particles and springs, which meet the floor and the wall of the basket with friction. The distance of the cloth from the
-- bottom of the basket at the end is differentiated through all steps with respect to six numbers: the velocity and the spin at the start. Adam
-- improves the throw. rill.steps keeps the state at some steps only, and computes the states between them again.
local rill = require "rill"

local SIZE <const>, SPACING <const>, STEPS <const>, DT <const> = 16, 0.04, 192, 1 / 160
local BASKET <const> = {x = 2.4, radius = 0.5, height = 0.4}

local program = rill.program [[
    kernel void launch(vec3 velocity, vec3 spin, vec3 center, vec3 x<>, out vec3 v<>) { v = velocity + cross(spin, x - center); }
    // The acceleration by a spring to a neighbor at the difference d, 0 if the neighbor does not exist.
    vec3 spring(vec3 d, float rest, bool is) { return is ? 4000.0 * (1.0 - rest * inversesqrt(dot(d, d) + 1e-9)) * d : vec3(0.0); }
    kernel void step(float dt, float h, vec3 basket, float hard, neighbor(zero) vec3 x<>, neighbor(zero) vec3 v<>, out vec3 v2<>) {
        ivec2 i = indexof(x).xy, last = sizeof_stream(x).xy - 1;
        vec3 none = vec3(0.0);
        float far = 2.0 * h, across = 1.41421356 * h;
        bool e = i.x < last.x, w = i.x > 0, s = i.y < last.y, n = i.y > 0;
        vec3 a = spring(x[ivec2(1, 0)] - x, h, e) + spring(x[ivec2(-1, 0)] - x, h, w) + spring(x[ivec2(0, 1)] - x, h, s)
            + spring(x[ivec2(0, -1)] - x, h, n) + spring(x[ivec2(1, 1)] - x, across, e && s) + spring(x[ivec2(-1, 1)] - x, across, w && s)
            + spring(x[ivec2(1, -1)] - x, across, e && n) + spring(x[ivec2(-1, -1)] - x, across, w && n)
            + 0.1 * spring(x[ivec2(2, 0)] - x, far, i.x + 1 < last.x) + 0.1 * spring(x[ivec2(-2, 0)] - x, far, i.x > 1)
            + 0.1 * spring(x[ivec2(0, 2)] - x, far, i.y + 1 < last.y) + 0.1 * spring(x[ivec2(0, -2)] - x, far, i.y > 1);
        // Damping of the differences of velocities, drag of the air, gravity.
        a += 8.0 * ((e ? v[ivec2(1, 0)] - v : none) + (w ? v[ivec2(-1, 0)] - v : none) + (s ? v[ivec2(0, 1)] - v : none)
            + (n ? v[ivec2(0, -1)] - v : none)) - 0.3 * v - vec3(0.0, 9.81, 0.0);
        // The floor, and the wall of the basket: penalties within 3 cm.
        float under = max(0.03 - x.y, 0.0), r = length(x.xz - vec2(basket.x, 0.0)), side = r - basket.y;
        float depth = hard > 0.0 && x.y < basket.z ? max(0.03 - abs(side), 0.0) : 0.0;
        vec3 out_of = vec3(x.x - basket.x, 0.0, x.z) / max(r, 1e-3) * (side > 0.0 ? 1.0 : -1.0);
        a += 6000.0 * (under * vec3(0.0, 1.0, 0.0) + hard * depth * out_of) - (under + hard * depth > 0.0 ? 50.0 : 0.0) * v;
        v2 = v + dt * a;
    }
    kernel void move(float dt, vec3 x<>, vec3 v<>, out vec3 x2<>) { x2 = x + dt * v; }
]]

-- The cloth at the start: flat, at a height of 1.2 m.
local function center(i) return (i - SIZE / 2 - 0.5) * SPACING end
local rest = rill.stream("vec3", {SIZE, SIZE}, function(i, j) return center(j), 1.2, center(i) end)

--- Returns the positions after some steps of a throw. velocity and spin are streams of one vec3.
local function throw(velocity, spin, steps, hard)
    local v = program.launch(velocity, spin, {0, 1.2, 0}, rest)
    return rill.steps(steps, {x = rest, v = v}, function(s)
        local v2 = program.step(DT, SPACING, {BASKET.x, BASKET.radius, BASKET.height}, hard, s.x, s.v)
        return {x = program.move(DT, s.x, v2), v = v2}
    end).x
end
--- Returns the mean squared distance from the bottom of the basket at the end.
local function loss(velocity, spin, hard)
    local d = throw(velocity, spin, STEPS, hard) - {BASKET.x, 0.05, 0}
    return rill.dot(d, d):mean()
end

local corners, faces = {}, {}
for i = 0, 47 do
    local a, b = 2 * i, 2 * ((i + 1) % 48)
    local x, z = BASKET.x + BASKET.radius * math.cos(math.pi * i / 24), BASKET.radius * math.sin(math.pi * i / 24)
    corners[a + 1], corners[a + 2] = {x, 0, z}, {x, BASKET.height, z}
    faces[a + 1], faces[a + 2] = {a, a + 1, b}, {a + 1, b + 1, b}
end
local wall = rill.mesh.new {positions = corners, triangles = faces}
local ground = rill.mesh.box {size = {5, 0.02, 2}, center = {1.4, -0.02, 0}}
local triangles = rill.mesh.grid({segments = {SIZE - 1, SIZE - 1}}).triangles
-- Returns an image of a throw at several times.
local function picture(velocity, spin)
    local meshes = {{ground, color = {0.85, 0.82, 0.76}}, {wall, color = {0.55, 0.4, 0.25}, opacity = 0.5}}
    for k = 0, 6 do
        local x = throw(velocity, spin, math.max(1, k * STEPS // 6), 1):reshape {SIZE * SIZE}
        meshes[k + 3] = {rill.mesh.new {positions = x, triangles = triangles}, color = {0.75, 0.15 + 0.06 * k, 0.2}}
    end
    return rill.render(meshes, {size = {320, 640}, camera = {eye = {0.9, 2.2, 6}, target = {1.25, 0.95, 0}, fov = 42}})
end

local throws, directory = ...
throws = assert(math.tointeger(tonumber(throws or 40)), "throws: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local velocity, spin = rill.from({{1.6, 2.8, 0.5}}, "vec3"), rill.from({{0, 0, 3}}, "vec3")
local f, opt = rill.value_and_grad(loss), rill.optimize.adam({velocity, spin}, {rate = 0.15})
local before, start, value = picture(velocity, spin), rill.clock(), nil
local progress <close> = rill.progress(throws, "basket")
for k = 1, throws do
    local hard = math.min(math.max(4 * k / throws - 2, 0), 1) -- the wall appears in the second half, to be thrown over
    local results = {f(velocity, spin, hard)}
    value = results[1]
    opt:set_rate(0.15 * (1 - 0.8 * k / throws)):step(results[2], results[3])
    progress:step()
end
progress:close()

rill.image.save(rill.concat({before, picture(velocity, spin)}, 1), directory .. "/basket.png")
print(("  %d throws in %.1f s: the velocity is {%.2f, %.2f, %.2f} m/s, the cloth is %.2f m from the aim"):format(
    throws, rill.clock() - start, velocity.x:get(1), velocity.y:get(1), velocity.z:get(1), math.sqrt(value)))
print(("  %s/basket.png: the first and the last throw, at seven times"):format(directory))
