-- N-body simulation of two colliding galaxies: their gravity pulls stars out into tails and bridges.
--
--     lua5.4 examples/galaxy.lua [stars [seconds [directory]]] [--movie]        4000 8 out
--
-- Toomre and Toomre (1972) explained the bridges and tails of galaxies in this way, with massless stars. Here rill.nbody computes the forces between all
-- bodies. A fifth of each galaxy's mass is in its stars and the rest in its center, and the discs rotate at the speed of circular orbits. The script checks
-- that energy and momentum are conserved. --movie also writes galaxy-movie.png.
local rill = require "rill"

local SOFTENING <const>, SHARE <const> = 0.15, 0.2 -- SHARE: the part of the mass in the stars
local disc = rill.kernel [=[
    // Places a star on its disc, uniformly by area, with the speed of a circular orbit around the mass inside.
    kernel void star(float mass, float share, float soft, mat3 turn, vec3 middle, vec3 drift,
                     out vec3 x<>, out vec3 v<>) {
        vec2 u = random2();
        float r = sqrt(mix(0.04, 1.0, u.x)), a = 6.2831853 * u.y;
        float within = mass * (1.0 - share + share * r * r), speed = r * sqrt(within / pow(r * r + soft * soft, 1.5));
        x = turn * (r * vec3(cos(a), sin(a), 0.0)) + middle;
        v = turn * (speed * vec3(-sin(a), cos(a), 0.0)) + drift;
    }
]=]

--- Returns positions, velocities and masses of a galaxy around `middle`, which moves with the velocity `drift`. Its disc is tilted by `tilt` degrees about the
-- x axis.
local function galaxy(stars, mass, middle, drift, tilt, seed)
    local c, s = math.cos(math.rad(tilt)), math.sin(math.rad(tilt))
    local x, v = disc {
        shape = stars, seed = seed, mass = mass, share = SHARE, soft = SOFTENING,
        turn = {{1, 0, 0}, {0, c, -s}, {0, s, c}}, middle = middle, drift = drift,
    }
    x:set(middle, 1)
    v:set(drift, 1)
    return x, v, rill.stream("float", stars, function(i)
        return mass * (i == 1 and 1 - SHARE or SHARE / (stars - 1))
    end)
end

--- Returns two galaxies that approach each other with the speed of a fall from a large distance.
local function meeting(stars)
    local left = {galaxy(stars // 2, 1, {-1.5, 0.75, 0}, {0.36, 0.0, 0}, 20, 1)}
    local right = {galaxy(stars - stars // 2, 0.7, {2.14, -1.07, 0}, {-0.51, 0.0, 0}, -30, 5)}
    local both = {}
    for i = 1, 3 do both[i] = rill.concat {left[i], right[i]} end
    return rill.nbody {positions = both[1], velocities = both[2], masses = both[3], softening = SOFTENING, dt = 0.01}
end

--- Returns the number of stars farther than `distance` from the center.
local function far_out(b, distance)
    return rill.length(b.positions):gt(distance):count()
end

if ... == "module" then
    return {meeting = meeting, far_out = far_out}
end

local words, movie = {}, nil
for _, word in ipairs {...} do
    if word == "--movie" then movie = true else words[#words + 1] = word end
end
local stars = assert(math.tointeger(tonumber(words[1] or 4000)), "stars: expected a whole number")
assert(stars >= 4, "stars: expected 4 at least")
local seconds = assert(tonumber(words[2] or 8), "seconds: expected a number")
local directory = words[3] or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local b <close> = meeting(stars)
local view <const> = {
    eye = {0, -3, 8}, target = {0.1, 0.3, 0}, up = {0, 1, 0}, fov = 44, size = {320, 400}, fastest = 1.4, light = 0.9,
}
local energy, momentum, before = b.energy, b.momentum, far_out(b, 3)
local frames = movie and rill.animate(directory .. "/galaxy-movie.png", 25)
local steps, clock, shots = math.max(1, math.floor(seconds / b.dt + 0.5)), rill.clock(), {}
local progress <close> = rill.progress(steps, "galaxies")
for n = 0, steps do
    if n * 5 >= #shots * steps then shots[#shots + 1] = b:picture(view) end
    if frames and n % 5 == 0 then frames:frame(b:picture(view)) end
    if n < steps then
        b:step()
        progress:step()
    end
end
progress:close()
local drift, change = math.abs(b.energy / energy - 1), 0
for d = 1, 3 do change = math.max(change, math.abs(b.momentum[d] - momentum[d])) end
clock = rill.clock() - clock
if frames then frames:close() end
rill.image.save(rill.concat {
    rill.concat({shots[1], shots[2], shots[3]}, 2), rill.concat({shots[4], shots[5], shots[6]}, 2),
}, directory .. "/galaxy.png")
print(("  %d stars, %d steps in %.2f s, %.2f ns per pair; energy is off by %.1e, momentum by %.1e"):format(stars,
    steps, clock, clock / steps / stars ^ 2 * 1e9, drift, change))
print(("  %s/galaxy.png: %d stars are farther out than 3, %d at the start"):format(directory, far_out(b, 3), before))
assert(drift < 1e-3 and change < 1e-4, "energy or momentum is not conserved")
