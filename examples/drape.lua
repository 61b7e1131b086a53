-- Cloth simulation: a cloth of particles and springs falls over a ball and is held by friction.
--
--     lua5.4 examples/drape.lua [particles [seconds [directory]]] [--movie]        64 1.6 out
--
-- This is Brook's Cloth (section 4.2 of "Brook for GPUs") by rill.cloth, with springs along threads, across them and against bending. The ball is a wall
-- given by its distance function. The script checks that no particle is in the ball, and that no thread is stretched by more than a tenth. --movie also
-- writes the animation drape-movie.png.
local rill = require "rill"

local words, movie = {}, nil
for _, word in ipairs {...} do
    if word == "--movie" then movie = true else words[#words + 1] = word end
end
local side = assert(math.tointeger(tonumber(words[1] or 64)), "particles: expected a whole number")
local seconds = assert(tonumber(words[2] or 1.6), "seconds: expected a number")
local directory = words[3] or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local radius <const>, spacing = 0.45, 2 / (side - 1)
local function ball(x, y, z)
    return math.sqrt(x * x + y * y + z * z) - radius
end
local start = rill.stream("vec3", {side, side}, function(i, j)
    return {(j - 1) * spacing - 1, 0.55, (i - 1) * spacing - 1}
end)
local cloth = rill.cloth {
    positions = start, spacing = spacing, mass = 0.4 / side ^ 2, stiffness = 60, shear = 0.4, bend = 0.15,
    damping = 0.004, drag = 0.5 / side ^ 2, substeps = true,
    walls = {{distance = ball, low = {-0.6, -0.6, -0.6}, high = {0.6, 0.6, 0.6}, spacing = 0.03, friction = 0.6}},
}
local kernels = rill.program [[
    kernel float from_middle(vec3 x<>) { return length(x); }
    kernel float stretch(neighbor vec3 x<>, float spacing) {
        ivec2 at = indexof(x).xy, last = sizeof_stream(x).xy - 1;
        float along = at.x < last.x ? distance(x[0], x[ivec2(1, 0)]) : spacing;
        float across = at.y < last.y ? distance(x[0], x[ivec2(0, 1)]) : spacing;
        return max(along, across) / spacing;
    }
]]
local view <const> = {eye = {1.6, 1.5, 2.6}, at = {0, -0.2, 0}, angle = 38}
local frames = movie and rill.animate(directory .. "/drape-movie.png", 25)
local clock = rill.clock()
local count = math.max(1, math.floor(seconds * 25 + 0.5))
local progress <close> = rill.progress(count, "drape")
for _ = 1, count do
    cloth:step(seconds / count)
    if frames then frames:frame(cloth:picture(view)) end
    progress:step()
end
progress:close()
local least = kernels.from_middle(cloth.positions):min()
local most = kernels.stretch(cloth.positions, spacing):max()
clock = rill.clock() - clock
local picture = cloth:picture(view)
rill.image.save(picture, directory .. "/drape.png")
if frames then frames:close() end
print(("  %d particles, %.3g s in %.2f s; the longest thread is stretched by %.1f %%"):format(
    side * side, seconds, clock, 100 * (most - 1)))
print(("  %s/drape.png: a cloth on a ball"):format(directory))
assert(least > radius - 0.02, "a particle is in the ball")
assert(most < 1.1, "a thread is stretched by more than a tenth")
