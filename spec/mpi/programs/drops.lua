-- A program for provider_spec: fluids of particles over the ranks, compared with one process. Prints results, which must not
-- depend on the number of ranks.
local mpi = require "rill.mpi"
local rill = require "rill"
local program = require "spec.support.rank_program"
local check <const>, say <const>, all <const>, hash <const> = program.check, program.say, program.all, program.hash

local N <const> = 24
local block = rill.stream("vec2", N * N, function(i)
    return {0.02 * ((i - 1) % N + 0.5), 0.02 * ((i - 1) // N + 0.5)}
end)
local cube = rill.stream("vec3", 512, function(i)
    return {0.05 * ((i - 1) % 8 + 0.5), 0.05 * ((i - 1) // 8 % 8 + 0.5), 0.05 * ((i - 1) // 64 + 0.5)}
end)
local function noise(n, rank) return (rill.random({n, rank}, {seed = 1}) - 0.5):eval():as("vec" .. rank) end
local TANK <const> = {{box = {{0, 0}, {1, 1}}, restitution = 0.3}}

local count = 0
local cases = {
    {"a dam break", {positions = block, radius = 0.06, gravity = {0, -10}, walls = TANK, viscosity = 0.01}, 40},
    {"a dam break, Verlet and continuity", {positions = block, radius = 0.06, gravity = {0, -10}, walls = TANK,
        integrator = "verlet", densities = "continuity", kernel = "poly6", laplacian = "printed"}, 30},
    {"sub-steps", {positions = block, radius = 0.06, gravity = {0, -10}, walls = TANK, viscosity = 0.01,
        substeps = 100, state = "gas", tension = true, sound = 10}, 4, 0.003},
    {"walls", {positions = block, radius = 0.06, gravity = {0, -10}, dt = 2e-4, velocities = noise(N * N, 2),
        walls = {{normal = {0, 1}, point = {0, 0}}, {
            distance = function(x, y) return math.sqrt(x ^ 2 + y ^ 2) - 0.02 end,
            low = {-0.1, -0.1}, high = {0.1, 0.1}, spacing = 0.02}}}, 30},
    {"three dimensions", {positions = cube, radius = 0.15, gravity = {0, -10, 0}, velocities = noise(512, 3),
        walls = {{box = {{0, 0, 0}, {1, 1, 1}}}}}, 60},
    {"fewer particles than ranks", {positions = rill.from({{0.1, 0.1}, {0.15, 0.1}}, "vec2"), radius = 0.1,
        gravity = {0, -1}, sound = 1}, 5},
}
for k = program.whole and 1 or 4, #cases, program.whole and 1 or 2 do -- without #long tests: walls, and few particles
    local case = cases[k]
    local name, options, steps, dt = table.unpack(case)
    local made = {}
    for i, on in ipairs {false, mpi} do
        local given = {}
        for key, value in pairs(options) do given[key] = value end
        if on and name == "walls" then
            given.velocities = on.stream("vec2", N * N, {init = given.velocities})
        end
        given.on = on or nil
        made[i] = rill.sph(given)
        for _ = 1, steps do made[i]:step(dt) end
    end
    local one, many = made[1], made[2]
    for _, field in ipairs {"positions", "velocities", "density", "pressure"} do
        check(name .. ": a distributed stream", rill.type(many[field]) == "mpi.stream")
        local a, b = one[field], all(many[field])
        local found = rill.length(a - b):max() / math.max(rill.length(a):max(), 1e-9)
        check(("%s: %s differ by %g"):format(name, field, found), found <= (field == "pressure" and 5e-3 or 1e-4))
    end
    for _, field in ipairs {"time", "dt", "limit", "mass"} do
        check(("%s: %s"):format(name, field), math.abs(one[field] / many[field] - 1) < 1e-4)
    end
    check("count and steps", many.count == one.count and many.steps == steps and
        mpi.reduce(many.particles.count, "sum") == many.count)
    local pictures = {one:picture {size = {30, 40}}, many:picture {size = {30, 40}}}
    check(name .. ": the picture", (rill.length(pictures[1] - pictures[2]):gt(0.02)):sum() < 12)
    check("another picture", many:picture({size = {20, 20}, style = "surface"}).shape[1] == 20)
    say(name, hash(many.positions), hash(many.density))
    many:close()
    check("a closed fluid", not pcall(many.step, many))
    count = count + 1
end

-- refusals, on all ranks
local function refused(words, f, ...)
    local done, message = pcall(f, ...)
    check(("expected a message with '%s', got %s"):format(words, message), not done and message:find(words, 1, true))
end
local p = rill.sph {positions = block, radius = 0.06, gravity = {0, -10}, on = mpi}
refused("P:neighbors: a simulation over several processes has no lists: use P.particles:sum, or P.particles:ghosts",
    p.neighbors, p)
refused("option 'positions': a distributed stream requires a simulation on all ranks", rill.sph,
    {positions = mpi.stream("vec2", 4), radius = 1, sound = 1})
refused("option 'velocities': expected 576, as there are positions, got 5", rill.sph,
    {positions = block, velocities = mpi.stream("vec2", 5), radius = 1, sound = 1, on = mpi})
refused("exceed the range of floats", rill.sph, {positions = block, radius = 1e-30, sound = 1, on = mpi})
say(count, "done")
