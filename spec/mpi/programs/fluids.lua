-- A program for provider_spec: fluids over the ranks, compared with one process. Prints results, which must not depend on
-- the number of ranks, except for rounding where the first dimension is periodic.
local mpi = require "rill.mpi"
local rill = require "rill"
local program = require "spec.support.rank_program"
local check <const>, say <const>, all <const>, hash <const> = program.check, program.say, program.all, program.hash

-- Returns the largest difference of two streams of numbers or vectors, relative to the largest element of the first.
local function difference(one, many)
    check("a distributed stream", rill.type(many) == "mpi.stream")
    local a, b = all(one), all(many)
    return rill.length(a - b):max() / math.max(rill.length(a):max(), 1e-9)
end

local count = 0

-- Runs a fluid of one process and one over the ranks, calls act(f, step, on) before each step, and compares them.
-- exact: whether all numbers of ranks give the same bits. level, separate: whether the pressure is determined except for
-- a constant, or one for each part of the fluid. tolerance: of the comparison with one process, default: 1e-5. short: the
-- case is one that `make test` runs.
local function compare(case)
    if not (program.whole or case.short) then return end
    local fluids, given = {}, {}
    for key, value in pairs(case.options) do given[key] = value end
    for i, on in ipairs {false, mpi} do
        given.on = on or nil
        local f = rill.fluid(given)
        for step = 1, program.whole and case.steps or math.min(case.steps, 8) do
            if case.act then case.act(f, step, on and mpi) end
            f:step()
        end
        fluids[i] = f
    end
    local one, many = fluids[1], fluids[2]
    local tolerance = case.tolerance or 1e-5
    local function near(name, a, b)
        local found = difference(a, b)
        check(("%s: %s differs by %g"):format(case[1], name, found), found <= tolerance)
    end
    near("the velocity", one.velocity, many.velocity)
    near("the vorticity", one.vorticity, many.vorticity)
    for _, name in ipairs(case.carried or {}) do
        near(name, one:get(name), many:get(name))
    end
    local p, q = one.pressure, many.pressure
    local scale = math.max(rill.abs(p):max(), 1e-9)
    local shift = case.level and p:mean() - q:mean() or 0
    check(case[1] .. ": the pressure", case.separate or rill.abs(p - all(q) - shift):max() <= 10 * tolerance * scale)
    local a, b = one.divergence, many.divergence
    check(("%s: the divergence: %g, %g, %g and %g, %g, %g"):format(case[1], a.before, a.after, a.mean, b.before,
        b.after, b.mean), math.abs(a.before - b.before) <= 1e-2 * a.before + 1e-9 and
        b.after <= 2 * a.after + 2e-6 and math.abs(a.mean - b.mean) <= 1e-6 and (a.faces == nil) == (b.faces == nil))
    check(case[1] .. ": the time", math.abs(one.time / many.time - 1) < 1e-5 and math.abs(one.dt / many.dt - 1) < 1e-5)
    check(case[1] .. ": the shape", many.shape[1] == one.shape[1] and many.shape[2] == one.shape[2])
    say(case[1], case.exact == false or hash(many.velocity))
    count = count + 1
end

local function disc(shape, y, x, r)
    return rill.stream("float", shape, function(i, j) return math.sqrt((i - y) ^ 2 + (j - x) ^ 2) - r end)
end

local function blob(shape, y, x)
    return rill.stream("float", shape, function(i, j) return (i - y) ^ 2 + (j - x) ^ 2 < 20 and 1 or 0 end)
end

local LID <const> = {y = {"wall", {velocity = {1, 0}}}}
local SQUARE <const> = {32, 32}

for _, grid in ipairs {"mac", "collocated"} do
    for _, round in ipairs {false, true} do
        compare {("cavity at Re 400, %s%s"):format(grid, round and ", with an obstacle" or ""), level = true,
            options = {shape = SQUARE, spacing = 1 / 32, dt = 1 / 64, viscosity = 1 / 400, boundary = LID, grid = grid},
            steps = 20, act = round and function(f, step)
                if step == 1 then f:obstacle(disc(SQUARE, 16, 20, 4.5)) end
            end}
    end
end
compare {"a small tolerance", steps = 5, level = true,
    options = {shape = {16, 12}, dt = 0.2, viscosity = 0.1, tolerance = 1e-7, boundary = LID}}

local function swirl(x, y) return math.sin(x) * math.cos(y), -math.cos(x) * math.sin(y) end
local STEP <const> = 2 * math.pi / 32
compare {"periodic", short = true, exact = false, steps = 20, carried = {"dye"}, level = true,
    options = {shape = SQUARE, spacing = STEP, boundary = "periodic", velocity = swirl, cfl = 3},
    act = function(f, step)
        if step == 1 then f:carry("dye", blob(SQUARE, 2, 5), {diffusion = 0.01}) end
    end}
compare {"periodic rows, confinement, semi-Lagrangian", exact = false, steps = 8, level = true, carried = {"dye"},
    options = {shape = {32, 24}, spacing = STEP, boundary = {y = "periodic"}, advection = "semilagrangian",
        confinement = 0.5},
    act = function(f, step)
        if step == 1 then
            f:flow(swirl)
            f:carry("dye", blob({32, 24}, 31, 5))
        end
    end}

local TALL <const> = {48, 32}
for _, pressure in ipairs {"multigrid", "cg", "jacobi"} do
    compare {"smoke, " .. pressure, steps = 12, tolerance = 2e-3,
        carried = {"smoke", "color"},
        options = {shape = TALL, cfl = 2, buoyancy = {smoke = 1}, boundary = {y = {"open", "wall"}},
            pressure = pressure, confinement = 0.1},
        act = function(f, step, on)
            if step == 1 then
                f:carry("smoke", blob(TALL, 40, 16), {diffusion = 0.01})
                local color = rill.stream("vec3", TALL, {0.5, 1, 2})
                f:carry("color", on and on.stream("vec3", TALL, {init = color}) or color)
            end
        end}
end

local CHANNEL <const> = {32, 64}
compare {"a moving obstacle, an inflow and a force", short = true, steps = 8, carried = {"dye"}, tolerance = 1e-4,
    options = {shape = CHANNEL, dt = 1.5, substeps = true, cfl = 2, viscosity = 0.01,
        boundary = {x = {{velocity = {1, 0}}, "open"}}},
    act = function(f, step, on)
        local mask = disc(CHANNEL, 16 - 0.3 * step, 20, 5)
        f:obstacle(on and on.stream("float", CHANNEL, {init = mask}) or mask, {0, -0.2})
        if step == 1 then
            f:inflow(rill.stream("int", CHANNEL, function(i, j) return i < 4 and j == 30 and 1 or 0 end), {0, 1})
            f:carry("dye", rill.stream("float", CHANNEL), {inflow = 1})
            f:force(function(_, y) return 0.01 * y, 0.02 end)
        elseif step == 5 then
            f:inflow()
        end
    end}
compare {"parts that obstacles separate", steps = 6, separate = true, tolerance = 1e-4,
    options = {shape = {40, 24}, dt = 0.2},
    act = function(f, step)
        if step == 1 then
            f:obstacle(rill.stream("int", {40, 24}, function(i, j) return (j == 12 or i == 20) and 1 or 0 end))
            f:force(function(x, y) return math.sin(y / 5), math.cos(x / 4) end)
        elseif step == 5 then
            f:force()
        end
    end}
local BOX <const> = {10, 12, 14}
local function shear(x, y, z) return math.sin(z), math.cos(x), math.sin(x + y) end
compare {"three dimensions", steps = 5, tolerance = 1e-3, carried = {"dye"},
    options = {shape = BOX, dt = 0.2, viscosity = 0.1, boundary = {z = {"open", "wall"}, x = "periodic"},
        velocity = shear, confinement = 0.3},
    act = function(f, step)
        if step == 1 then
            f:carry("dye", rill.random(BOX, {seed = 1}))
        end
    end}
compare {"three dimensions, periodic, collocated", exact = false, steps = 5, level = true,
    options = {shape = BOX, dt = 0.2, boundary = {z = "periodic"}, velocity = shear, grid = "collocated"}}
compare {"fast flow over several parts", steps = 3, tolerance = 1e-3, carried = {"dye"},
    options = {shape = {24, 9}, dt = 5.3, boundary = {y = {{velocity = {0, 2}}, "open"}}, viscosity = 0.1, cfl = 20,
        tolerance = 1e-6, velocity = function() return 0, 2 end},
    act = function(f, step)
        if step == 1 then
            f:carry("dye", rill.stream("float", {24, 9}, function(i, j) return math.sin(i / 3 + j / 2) end))
        end
    end}

-- refusals, on all ranks
local function refused(words, f, ...)
    local done, message = pcall(f, ...)
    check(("expected a message with '%s', got %s"):format(words, message), not done and message:find(words, 1, true))
end
refused("option 'on': expected the module rill.mpi", rill.fluid, {shape = {4, 4}, on = "mpi"})
local grid = mpi.stream("float", {8, 8})
local f = rill.fluid {shape = {8, 8}, on = mpi}
refused("f:obstacle: argument #1 'mask': a distributed stream requires a simulation on all ranks", function()
    rill.fluid {shape = {8, 8}}:obstacle(grid)
end)
refused("has shape 8x9, but the fluid has shape 8x8", function() f:carry("a", mpi.stream("float", {8, 9})) end)
refused("'a' has NaN at element 3, 2", function()
    f:carry("a", rill.stream("float", {8, 8}, function(i, j) return i == 3 and j == 2 and 0 / 0 or 1 end))
end)
f:flow(function() return 1, 0 end)
f._state.u[1]:fill(math.huge)
refused("f:step: a velocity is infinite or NaN: use a smaller dt or force", function() f:step() end)
local ring = rill.fluid {shape = {8, 8}, boundary = "periodic", cfl = 100, on = mpi,
    velocity = function() return 0, 5 end}
refused("f:step: the fluid crosses 10 cells in a step, and the periodic grid has 8 rows: use a smaller dt, or substeps",
    ring.step, ring, 2)
if mpi.size > 1 then
    refused(("option 'shape': 1 rows (the first dimension) cannot be divided among %d ranks"):format(mpi.size),
        rill.fluid, {shape = {1, 40}, on = mpi})
else
    refused("unknown option", rill.fluid, {shape = {1, 40}, On = mpi})
end
say(count, "done")
