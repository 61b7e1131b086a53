-- Double-slit interference: waves from a source pass two gaps in a wall and interfere after it.
--
--     lua5.4 examples/gaps.lua [size [steps [directory]]] [--movie]        512 900 out
--
-- rill.wave solves the wave equation (the GPGPU chapter, exercise 28.7-2). The sides of the pool absorb waves, and the wall holds the water still.
-- After two gaps a distance g apart, waves of length l are strong where the path lengths from the gaps differ by a multiple of l: at angles whose
-- sine is m l / g. The script checks along an arc after the wall that waves are weak where the paths differ by half a wavelength. --movie also writes
-- the animation gaps-movie.png.
local rill = require "rill"

local kernels = rill.program [[
    // A horizontal wall with two gaps.
    kernel void wall(float row, float gap, float apart, float middle, out bool r<>) {
        vec2 p = vec2(indexof(r).xy) + 0.5;
        bool open = min(abs(p.x - middle + 0.5 * apart), abs(p.x - middle - 0.5 * apart)) < 0.5 * gap;
        r = abs(p.y - row) < 2.0 && !open;
    }

    // A source: sets the height in a small disc.
    kernel void swing(vec2 place, float radius, float height, inout float z<>) {
        float d = distance(vec2(indexof(z).xy) + 0.5, place);
        if (d < radius) z = mix(z, height, smoothstep(radius, 0.5 * radius, d));
    }

    kernel void add_square(float z<>, inout float sum<>) { sum += z * z; }
    kernel void with_wall(vec3 water<>, bool wall<>, out vec3 color<>) { color = wall ? vec3(0.75, 0.70, 0.62) : water; }
]]

local LENGTH <const> = 16 -- the wavelength, in cells

--- Returns a pool of size x size cells, its wall, and the positions of the wall and the gaps.
local function pool(size)
    local place = {row = 0.35 * size, gap = 14, apart = 0.15 * size, middle = 0.5 * size}
    local wall = kernels.wall {row = place.row, gap = place.gap, apart = place.apart, middle = place.middle,
        shape = {size, size}}
    return rill.wave {shape = {size, size}, boundary = "absorb", walls = wall, dt = 0.5}, wall, place
end

--- Runs some steps. `sum`: nil, or a stream to which the squares of heights are added.
local function run(w, steps, sum)
    local size = w.shape[1]
    for _ = 1, steps do
        kernels.swing({0.5 * size, 0.1 * size}, 6, math.sin(2 * math.pi * w.time / LENGTH), w.height)
        w:step()
        if sum then kernels.add_square(w.height, sum) end
    end
end

--- Returns the mean strength of waves where the paths from the gaps differ by `low` to `high` wavelengths.
local function strength(sum, place, low, high)
    local total, count, radius = 0, 0, 0.5 * sum.shape[1]
    for degree = 0, 40, 0.5 do
        local a = math.rad(degree)
        local x, y = radius * math.sin(a), radius * math.cos(a)
        local ways = math.sqrt((x + place.apart / 2) ^ 2 + y * y) - math.sqrt((x - place.apart / 2) ^ 2 + y * y)
        local lengths = ways / LENGTH
        if lengths >= low and lengths <= high then
            for _, side in ipairs {-1, 1} do
                total = total + sum:get(math.floor(place.row + y) + 1, math.floor(place.middle + side * x) + 1)
                count = count + 1
            end
        end
    end
    return total / count
end

if ... == "module" then
    return {pool = pool, run = run, strength = strength}
end

local words, movie = {}, nil
for _, word in ipairs {...} do
    if word == "--movie" then movie = true else words[#words + 1] = word end
end
local size = assert(math.tointeger(tonumber(words[1] or 512)), "size: expected a whole number")
local steps = assert(math.tointeger(tonumber(words[2] or 900 * size // 512)), "steps: expected a whole number")
local directory = words[3] or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local w, wall, place = pool(size)
local sum = rill.stream("float", {size, size})
local frames = movie and rill.animate(directory .. "/gaps-movie.png", 20)
local start = rill.clock()
local early = steps - 4 * LENGTH
local progress <close> = rill.progress(steps, "gaps")
for done = 0, early - 1, 15 do
    run(w, math.min(15, early - done))
    rill.sync()
    progress:step(math.min(15, early - done))
    if frames then frames:frame(kernels.with_wall(w:picture {scale = 8}, wall)) end
end
run(w, 4 * LENGTH, sum) -- two periods
progress:step(4 * LENGTH)
progress:close()
local loud, quiet = strength(sum, place, 0.85, 1.15), strength(sum, place, 0.4, 0.6)
local seconds = rill.clock() - start
local last = kernels.with_wall(w:picture {scale = 8}, wall)
rill.image.save(last, directory .. "/gaps.png")
if frames then frames:frame(last):close() end
print(("  %d steps of %d x %d cells in %.2f s, %.2f ns per cell"):format(steps, size, size, seconds,
    1e9 * seconds / steps / size ^ 2))
print(("  %s/gaps.png: interference after two gaps"):format(directory))
if size >= 256 then -- in smaller pools no paths differ by a wavelength
    print(("  strength at half a wavelength of difference: %.0f %% of the strength at one"):format(
        100 * quiet / loud))
    assert(quiet < 0.35 * loud, "there is no destructive interference")
end
