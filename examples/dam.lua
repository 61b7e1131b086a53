-- Dam break by smoothed particles: a column of water collapses in a tank with a pillar, drawn as particles and as a surface.
--
--     lua5.4 examples/dam.lua [--movie] [particles across [directory]]        8 out
--
-- This is the Lagrangian solver of chapter 28.7.2 of "GPGPU" (rill.sph). The density at a particle is the sum of the masses around it, weighted by a kernel of
-- their distance. Pressure follows from density, and forces follow from differences of pressure and velocity between neighbors. The device sorts the particles
-- into cells, computes the forces and chooses the time step. The script reads back only the numbers that it prints. It compares the front of the water, before
-- it reaches the pillar, with measurements by Martin and Moyce (1952; T = t sqrt(2 g / a), Z = z / a, where a is the column's width). With few particles the
-- front is up to a seventh behind. --movie also writes the animation dam-movie.png.
local rill = require "rill"

local measured = {{0.849, 1.245}, {1.212, 1.443}, {1.602, 1.884}, {1.997, 2.292}}
local gravity = 9.8
local tank = {{0, 0, 0}, {4, 1, 3}}
local pillar = {{2.7, 0.35, -1}, {3, 0.65, 4}}

--- Returns the water: n particles across, n deep and 2 n high, at the end of the tank.
local function create(n)
    local function place(i)
        local x, y, z = i % n, i // n % n, i // (n * n)
        return {(x + 0.5) / n, (y + 0.5) / n, (z + 0.5) / n}
    end
    local radius, sound = 2.6 / n, 10 * math.sqrt(2 * gravity * 2)
    return rill.sph {
        positions = rill.stream("vec3", 2 * n * n * n, function(i) return place(i - 1) end),
        radius = radius, sound = sound, viscosity = 0.1 * sound * radius / 16, gravity = {0, 0, -gravity},
        walls = {{box = tank}, {obstacle = pillar}}, densities = "continuity", substeps = 100000,
    }
end

local view = {eye = {4.6, -4.6, 2.9}, target = {1.9, 0.5, 0.75}, fov = 34, size = {270, 360}}

local function draw(water, style)
    view.style = style
    return water:picture(view)
end

-- Compares the front with the measured one at the times of the measurements. Returns the last time and the text to print.
local function compare(water, bar)
    local now, worst, said = 0, 0, {}
    for _, row in ipairs(measured) do
        local t = row[1] / math.sqrt(2 * gravity)
        water:step(t - now)
        bar:step(t - now)
        now = t
        local front = water.positions:max()[1]
        worst = math.max(worst, math.abs(front / row[2] - 1))
        said[#said + 1] = ("  after %.3f s the front is at %.2f widths, measured: %.2f"):format(t, front, row[2])
    end
    said[#said + 1] = ("  off by at most %.1f %%"):format(100 * worst)
    return now, table.concat(said, "\n")
end

local function main(movie, across, directory)
    local n = assert(math.tointeger(tonumber(across or 8)), "particles across: expected a whole number")
    directory = directory or "out"
    os.execute(("mkdir -p '%s'"):format(directory))
    local start, water = rill.clock(), create(n)
    local rows = {{draw(water, "spheres")}, {draw(water, "surface")}}
    local bar = rill.progress(0.85, "water")
    local now, said = compare(water, bar)
    for _, t in ipairs {0.6, 0.85} do
        water:step(t - now)
        bar:step(t - now)
        now = t
        table.insert(rows[1], draw(water, "spheres"))
        table.insert(rows[2], draw(water, "surface"))
    end
    bar:close()
    print(said)
    local path = directory .. "/dam.png"
    rill.image.save(rill.concat {rill.concat(rows[1], 2), rill.concat(rows[2], 2)}, path)
    print(("  %s, %.1f s: %s"):format(water, rill.clock() - start, path))
    if movie then
        local film, again = directory .. "/dam-movie.png", create(n)
        local animation <close> = rill.animate(film, 25)
        local frames <close> = rill.progress(50, "frames")
        for _ = 1, 50 do
            animation:frame(draw(again, "surface"))
            again:step(0.04)
            frames:step()
        end
        print("  " .. film)
    end
end

local rest, movie = {}, false
for _, word in ipairs {...} do
    if word == "--movie" then
        movie = true
    else
        rest[#rest + 1] = word
    end
end
main(movie, rest[1], rest[2])
