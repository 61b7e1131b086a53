--- rill.fluid: simulates incompressible flow on a grid of two or three dimensions, by the steps of chapter 28.7.1 of
-- "GPGPU" (advection, diffusion, forces, projection), on a staggered (MAC) or a collocated grid.
local errors = require "rill.core.error"
local clock = require "rill.simulation.fluid.time_step"
local diffusion = require "rill.simulation.fluid.diffusion"
local class = require "rill.core.class"
local advection = require "rill.simulation.fluid.advection"
local fields = require "rill.simulation.fluid.fields"
local forces = require "rill.simulation.fluid.forces"
local grids = require "rill.simulation.fluid.grid"
local settings = require "rill.simulation.fluid.options"
local obstacles = require "rill.simulation.fluid.obstacles"
local lattice = require "rill.stream.grid"
local option = require "rill.core.options"
local pressure = require "rill.simulation.fluid.pressure"
local warning = require "rill.core.warning"
local fail <const> = errors.fail

local INTERVAL <const> = 16 -- values are read back in every 16th step, and in steps 1, 2, 4 and 8
local SLACK <const> = 2 -- how much longer steps may become before the next reading

local fluid <const> = class.define {
    type = "rill.fluid", letter = "f", one = "a fluid", told = errors.not_open,
    describe = function(f)
        return ("fluid[%s], %s"):format(table.concat(f.grid.shape, "x"), f.grid.mac and "mac" or "collocated")
    end,
}
local methods <const>, visible <const>, check <const> = fluid.methods, fluid.fields, fluid.check

--- f.velocity: velocity at cell centers, a new stream.
visible.velocity = fields.velocity
--- f.vorticity: curl of the velocity at cell centers, a new stream: float in two dimensions, vec3 in three.
visible.vorticity = forces.vorticity
--- f.shape: shape of the grid.
function visible.shape(f) return setmetatable({table.unpack(f.grid.shape)}, getmetatable(f.p.shape)) end
--- f.pressure: pressure divided by density, a view.
function visible.pressure(f) return f.grid:cells(f.p) end
--- f.time: seconds since the start.
function visible.time(f) return clock.time(f.timer) end
--- f.divergence: the divergence before and after the last projection, and the mean of `after`.
function visible.divergence(f) return pressure.divergence(f, f.projection) end
--- f.dt: duration of the last step in seconds.
function visible.dt(f) return f.clock:get(1) end

-- ---- steps

-- Whether this step reads results back.
local function reads_back(f)
    return f.steps % INTERVAL == 0 or f.steps < INTERVAL and f.steps & (f.steps - 1) == 0
end

-- Whether obstacles or inflows were set since the last step, but not in the step before. Masks that are set in every
-- step change little from step to step.
local function obstacles_appear(f)
    local given = f.masks ~= f.masks_before
    local first = given and not f.moves
    f.masks_before, f.moves = f.masks, given
    return first
end

-- Warns once if the fluid exceeds the limit `cfl`: then the results are inaccurate.
local function warn_of_speed(f, dt)
    clock.measure(f, f.timer)
    local cells = f.timer.rate:get(1) * dt
    if cells > f.cfl and not f.warned then
        f.warned = true
        if f.grid.on.speaks then
            warning.say("rill.fluid: the fluid crosses %.3g cells in a step of %.3g s, the limit 'cfl' is %g: take " ..
                "a smaller 'dt', or 'substeps'", cells, dt, f.cfl)
        end
    end
end

-- Sets the duration of this step; without `dt` the device computes it.
local function take_time(f, dt)
    if dt then
        clock.set(f, f.timer, dt)
        if not f.warned and f.steps & (f.steps - 1) == 0 then
            warn_of_speed(f, dt)
        end
        return
    end
    local fresh = reads_back(f) or f.diffuses and f.longest == math.huge
    clock.choose(f, f.timer, fresh and math.huge or f.longest)
    if fresh and f.diffuses then
        f.longest = SLACK * f.clock:get(1)
    end
end

-- Computes the pressure of a force that begins, changes or ends, by a step without viscosity whose velocity is
-- discarded. Otherwise diffusion would act on a velocity that the pressure is going to cancel: walls would drag a
-- fluid that is at rest under its weight. A force that changes in every step uses the pressure of the previous step,
-- which costs nothing.
local function find_pressure(f, read_back)
    local cause = f.force and f.forces or f.push and f.buoyant or nil
    if f.viscosity == 0 or f.balanced == cause then
        return
    end
    local often = f.changed == f.steps - 1
    f.balanced, f.changed = cause, f.steps
    if often then
        return
    end
    local kept = {}
    for k, u in ipairs(f.u) do
        kept[k] = u:copy()
    end
    advection.flow(f)
    pressure.restore(f)
    pressure.run(f, f.projection, read_back or reads_back(f))
    for k, u in ipairs(kept) do
        f.u[k]:write(u)
        u:close()
    end
end

local function advance(f, dt, read_back)
    forces.gather(f)
    take_time(f, dt)
    local longest = dt or f.longest
    find_pressure(f, read_back)
    advection.flow(f)
    if f.viscosity > 0 then
        diffusion.flow(f, diffusion.rounds(f.grid, f.viscosity * longest))
        pressure.restore(f)
    end
    pressure.run(f, f.projection, read_back or reads_back(f))
    fields.move(f, function(diffusivity) return diffusion.rounds(f.grid, diffusivity * longest) end)
    f.steps = f.steps + 1
end

-- Returns the number of parts of a step of dt seconds.
local function parts_of(f, dt)
    if f.substeps ~= true then
        return f.substeps or 1
    end
    clock.measure(f, f.timer)
    return lattice.parts("f:step", dt, true, f.cfl / f.timer.rate:get(1))
end

--- f:step([dt]) advances by dt seconds. Default: the option `dt`, and without that as long as the option `cfl`
-- allows. Returns the fluid.
function methods:step(dt)
    local f = check(self, "step")
    if dt ~= nil and not (type(dt) == "number" and dt > 0 and dt < math.huge) then
        fail("f:step: argument #1 'dt': expected a number of seconds above 0, got %s", errors.told(dt))
    end
    dt = dt or f.dt
    if not dt and f.substeps == true then
        fail("f:step: option 'substeps' = true requires a time step: set the option 'dt', or pass dt to f:step")
    end
    local parts = dt and parts_of(f, dt) or f.substeps or 1
    local read_back = obstacles_appear(f)
    for part = 1, parts do
        advance(f, dt and dt / parts, read_back and part == 1)
    end
    return self
end

-- ---- inputs and outputs

--- f:flow(velocity) sets the velocity: a stream of vec2 (vec3) at cell centers, or a function(x, y) -> u, v of
-- positions.
function methods:flow(velocity)
    fields.start(check(self, "flow"), "f:flow", velocity)
    return self
end

--- f:force([force]) sets accelerations until the next call: a stream of vec2 (vec3), or a function(x, y) -> ax, ay
-- of positions. nil removes them.
function methods:force(force)
    local f = check(self, "force")
    local made = force ~= nil and settings.vectors("f:force", "the force", force, f) or nil
    if made then
        f.force_room = f.force_room or f.grid:stream(made.type)
        f.force_room:write(made)
        if not rawequal(made, force) then
            made:close()
        end
    end
    f.force, f.forces = made and f.force_room, (f.forces or 0) + 1 -- forces: how often forces were set
    return self
end

--- f:obstacle([mask [, velocity]]) sets the cells of obstacles, replacing earlier ones; nil removes them. mask: a
-- stream of bool, int or uint, or a signed distance (float, negative inside). velocity: of the obstacle, numbers or a
-- stream of vec2 (vec3). Default: at rest.
function methods:obstacle(mask, velocity)
    obstacles.place(check(self, "obstacle"), "obstacle", "f:obstacle", mask, velocity)
    return self
end

--- f:inflow([mask [, velocity]]) sets cells in which the fluid has the given velocity, replacing earlier ones; nil
-- removes them.
function methods:inflow(mask, velocity)
    obstacles.place(check(self, "inflow"), "source", "f:inflow", mask, velocity)
    return self
end

local CARRY <const> = {diffusion = true, inflow = true}

--- f:carry(name, stream [, {diffusion =, inflow =}]) adds a quantity (float to vec4, at cell centers) that moves
-- with the fluid, or replaces its values. diffusion: diffusivity, default: 0. inflow: its value in the cells of
-- f:inflow.
function methods:carry(name, stream, given)
    local f = check(self, "carry")
    if type(name) ~= "string" then
        fail("f:carry: argument #1 'name': expected a string, got %s", errors.told(name))
    end
    option.check("f:carry", given, CARRY)
    local diffusivity = given and given.diffusion or 0
    if type(diffusivity) ~= "number" or not (diffusivity >= 0 and diffusivity < math.huge) then
        fail("f:carry: option 'diffusion': expected a number, 0 or more, got %s", errors.told(diffusivity))
    end
    fields.carry(f, name, stream, diffusivity, given and given.inflow)
    f.diffuses = f.diffuses or diffusivity > 0
    f.buoyant = forces.buoyant(f)
    return self
end

--- f:get(name) returns the stream of a carried quantity. It may be written, until the next step.
function methods:get(name)
    local f = check(self, "get")
    local q = f.carried[name]
    if not q then
        fail("f:get: no quantity is carried under the name '%s'", tostring(name))
    end
    return q.now.s
end

class.guard(methods, "f")

-- ---- a fluid

local function state(taken)
    local grid = grids.new(taken.shape, taken.spacing, taken.sides, taken.grid == "mac", taken.viscosity == 0,
        taken.on)
    local f = {
        grid = grid, corrects = taken.advection == "maccormack", viscosity = taken.viscosity,
            confinement = taken.confinement,
        buoyancy = taken.buoyancy or {}, buoyant = {}, dt = taken.dt, cfl = taken.cfl, substeps = taken.substeps,
        carried = {}, order = {}, steps = 1, diffuses = taken.viscosity > 0, longest = math.huge,
        u = grid:fields(), w = grid:fields(), p = grid:field(), q = grid:field(),
    }
    f.slopes = not grid.mac and grid:fields() or nil -- gradients of the pressure, on a collocated grid
    if f.corrects or f.diffuses then
        f.a, f.c = grid:fields(), grid:fields()
    end
    f.ranges = {}
    for k = 1, f.corrects and grid.rank or 0 do
        f.ranges[k] = grid:field "vec2"
    end
    f.weights = diffusion.room()
    f.timer = clock.new(f)
    f.projection = pressure.new(f, taken)
    return f
end

--- rill.fluid{shape =, ...} returns a fluid, at rest unless `velocity` is given.
return errors.guard(function(given)
    local taken = settings.take(given)
    local f = state(taken)
    fields.start(f, "rill.fluid", taken.velocity)
    return fluid.create(f)
end, "rill.fluid")
