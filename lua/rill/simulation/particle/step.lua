-- The passes of a time step (chapter 28.7.2): neighbor search, density and pressure, forces, motion. A step allocates
-- nothing and reads nothing back, except if the device limits the trips of loops and there may be too many particles
-- for one launch.
local rill = require "rill.core.public"
local acting = require "rill.simulation.particle.interaction"
local integration = require "rill.simulation.particle.integration"
local neighbors = require "rill.simulation.particle.neighbors"
local dimensions = require "rill.glsl.dimensions"
local template = require "rill.glsl.template"
local smoothing = require "rill.simulation.particle.smoothing"

local rounds = {}

local ALL <const> = 1 << 30 -- more than any number of particles
-- Particles in all loops of an invocation, two per trip, on devices that limit trips to 65,535.
local LOOPED <const> = 120000
-- Pairs in a launch on these devices: about a second, after which a program can be interrupted.
local PAIRS <const> = 1 << 30
local LEAST <const> = 256 -- smallest limit of particles in a loop; fluids have fewer in a row
local ROWS <const> = {[2] = 3, [3] = 9} -- rows of cells, each of which may be as long as the longest
local SHARE <const> = {cpu = 4, gpu = 1} -- particles of an invocation

-- Particles have two sets of fields; a pass reads one and writes the other. Fields of `now` are in the order of the
-- grid's cells, and `id` is the original index of each particle.
local function add_streams(self, count, vector, clock)
    self.spare = {
        x = rill.stream(vector, count), v = rill.stream(vector, count), rho = rill.stream("float", count),
        id = rill.stream("int", count),
    }
    self.cell, self.a = rill.stream("int", count), rill.stream(vector, count)
    self.state, self.measure, self.most = rill.stream("vec2", count), rill.stream("vec2", count), clock.most
    self.place = rill.stream("vec4", count)
    self.near, self.moving = self.solid and rill.stream("vec4", count), self.solid and rill.stream("vec4", count)
    self.group = rill.iota((count + self.share - 1) // self.share):copy()
    self.pace, self.left, self.time, self.beat = clock.pace, clock.left, clock.time, clock.beat
end

--- rounds.clock(how) returns the streams of the time step: pace, left, time and most; and `beat`, the arguments of the
-- kernel that computes it.
function rounds.clock(how)
    local clock = {pace = rill.stream("vec4", 1), left = rill.stream("float", 1), time = rill.stream("double", 1),
        most = rill.stream("vec2", 1)}
    clock.beat = {
        part = how.cfl, s = how.radius / 2, sound = how.sound,
        most = clock.most, pace = clock.pace, left = clock.left, time = clock.time,
        viscous = how.viscosity > 0 and how.cfl * (how.radius / 2) ^ 2 * how.density / (2 * how.viscosity) or math.huge,
    }
    return clock
end

-- Creates the argument tables of the launches. A step changes few of the arguments.
local function add_arguments(self, how)
    local h, grid = how.radius, self.grid
    local norm, gradient, bend = smoothing.norms(how.kernel, how.laplacian, how.dimensions, h)
    local count = self.now.x.size
    self.norms = {density = how.densities == "continuity" and gradient or norm, push = gradient, drag = bend}
    self.drift = {
        mask = grid.mask, scale = grid.scale, pace = self.pace, a = self.a, count = grid.count, cell = self.cell,
    }
    self.settle = {
        pace = self.pace, a = self.a, state = self.state, gravity = how.gravity, measure = self.measure,
    }
    self.carry = {old = grid.order, to_place = self.place}
    self.density = {
        mask = grid.mask, scale = grid.scale, per_h = 1 / h, rest = how.density, pace = self.pace, state = self.state,
        mass = 1, stiff = acting.stiffness(how.state, how.density, how.sound), partial = rill.stream("float", count),
        group = self.group, count = count, xs = self.place, near = self.near or nil, moving = self.moving or nil,
    }
    self.force = {
        mask = grid.mask, scale = grid.scale, per_h = 1 / h, group = self.group, count = count, a = self.a,
        xs = self.near or self.place, states = not self.solid and self.state or nil, vs = self.moving or nil,
    }
    for name, value in pairs(how.walls.values) do
        self.settle[name] = value
    end
    for name, value in pairs((self.still or how).walls.values) do
        self.drift[name] = value
    end
end

--- rounds.new(x, v, extents, how [, given]) returns the state and the kernels for particles at x with velocities v,
-- whose bounding box has these extents. `how` has the options. given: a table {clock =, rho =, id =, still =}, which
-- the state uses instead of its own. still: {walls =, moves =}, no walls and their kernels, for particles that have
-- been moved before they are sorted.
function rounds.new(x, v, extents, how, given)
    local count, traits = x.size, rill.device().traits
    local walls = how.walls
    local share = SHARE[traits.family]
    local self = {
        dimensions = how.dimensions, solid = how.dimensions == 3,
        share = share, longest = math.min(LOOPED // (ROWS[how.dimensions] * share), math.max(PAIRS // count, LEAST)),
        viscosity = how.viscosity, walls = walls, kind = integration.kinds[how.integrator],
        grid = neighbors.new(count, extents, how.radius),
        now = {x = x, v = v, rho = given and given.rho or rill.stream("float", count, how.density),
            id = given and given.id or rill.iota(count):copy()},
    }
    self.bounded = traits.loop_limit > 0 and count > self.longest
    add_streams(self, count, x.type, given and given.clock or rounds.clock(how))
    self.moves, self.still = integration.program(how.dimensions, walls), given and given.still
    self.acts = acting.program(how, share, self.bounded)
    add_arguments(self, how)
    return self
end

local function exchange(self, name)
    self.now[name], self.spare[name] = self.spare[name], self.now[name]
end

--- rounds.sort(self, kick, share) moves particles by fractions of the time step, and stores copies in the order of
-- their cells in self.spare.
function rounds.sort(self, kick, share)
    local args, now, spare = self.drift, self.now, self.spare
    args.kick, args.share, args.x, args.v = kick, share, now.x, now.v
    local moves <const> = self.still and self.still.moves or self.moves
    moves.drift(args)
    neighbors.sort(self.grid, self.cell)
    local carried = self.carry
    for _, name in ipairs {"x", "v", "rho", "id"} do
        carried[name], carried["to_" .. name] = now[name], spare[name]
    end
    self.grid.kernels.carry(carried)
end

local function move(self, kick, share)
    rounds.sort(self, kick, share)
    self.now, self.spare = self.spare, self.now
end

--- rounds.sliced(self, launch) calls launch(skip, most) for each slice of the rows of particles; once if no row is
-- too long for a launch.
function rounds.sliced(self, launch)
    local most = self.bounded and self.longest or ALL
    local longest = self.bounded and neighbors.longest(self.grid) or 1
    for skip = 0, longest - 1, most do
        launch(skip, most)
    end
end

local function find_density(self, acts, old_share, new_share)
    local args, now = self.density, self.now
    args.old_share, args.new_share, args.before, args.to_rho = old_share, new_share, now.rho, self.spare.rho
    args.vs, args.first = self.solid and now.v or nil, self.grid.first
    rounds.sliced(self, function(skip, most)
        args.skip, args.most = skip, most
        acts.density(args)
    end)
    exchange(self, "rho")
end

local function find_forces(self, kick, share)
    local args, now = self.force, self.now
    args.first = self.grid.first
    rounds.sliced(self, function(skip, most)
        args.skip, args.most = skip, most
        self.acts.force(args)
    end)
    local settle = self.settle
    settle.kick, settle.share, settle.x, settle.v = kick, share, now.x, now.v
    self.moves.settle(settle)
    self.moves.greatest(self.measure, self.most)
end

--- rounds.max_density(self, how) returns the greatest density for particles of mass 1, read back.
function rounds.max_density(self, how)
    local acts = self.acts
    if how.densities ~= "sum" then
        acts = acting.program(setmetatable({densities = "sum"}, {__index = how}), self.share, self.bounded)
    end
    self.density.norm = smoothing.norms(how.kernel, how.laplacian, how.dimensions, how.radius)
    move(self, 0, 0)
    find_density(self, acts, 0, 0)
    local greatest = self.now.rho:max()
    self.now.rho:fill(how.density)
    return greatest
end

--- rounds.weigh(self, mass) sets the mass of particles.
function rounds.weigh(self, mass)
    self.density.mass, self.density.norm = mass, self.norms.density
    self.force.push, self.force.drag = -0.5 * mass * self.norms.push, self.viscosity * mass * self.norms.drag
end

--- rounds.act(self, before, old, new, after) moves particles by the fractions before.kick and before.drift of the time
-- step, computes densities and forces, and moves particles by the fractions `after`. old, new: fractions of the last
-- and this step since densities were computed.
function rounds.act(self, before, old, new, after)
    move(self, before.kick, before.drift)
    find_density(self, self.acts, old, new)
    find_forces(self, after.kick, after.drift)
end

--- rounds.rest: fractions of a time step, for rounds.act, that do not move particles.
rounds.rest = {kick = 0, drift = 0}

--- rounds.begin(self, mass) sets the mass of particles, and computes the initial densities, forces and time step.
function rounds.begin(self, mass)
    rounds.weigh(self, mass)
    rounds.act(self, rounds.rest, 0, 0, rounds.rest)
    self.beat.wanted = -1
    self.moves.beat(self.beat)
end

--- rounds.step(self, wanted) computes a time step of `wanted` seconds. 0: the longest stable step. -1: a part of
-- self.left.
function rounds.step(self, wanted)
    local kind = self.kind
    self.beat.wanted = wanted
    self.moves.beat(self.beat)
    rounds.act(self, kind.before, kind.old, kind.new, kind.after)
end

--- rounds.range(self) returns the least and the greatest density, and the sum of all accelerations, a table.
function rounds.range(self)
    return self.now.rho:min(), self.now.rho:max(), self.a:sum()
end

local HOME <const> = template.new [=[
    kernel void home(int id<>, $V x<>, $V v<>, float rho<>, vec2 state<>, inout $V to_x[], inout $V to_v[],
                     inout float to_rho[], inout float to_p[]) {
        to_x[id] = x;
        to_v[id] = v;
        to_rho[id] = rho;
        to_p[id] = state.x;
    }
]=]

--- rounds.home(self, kept) returns a table of the streams positions, velocities, density and pressure in the original
-- order of the particles. kept: nil, or the table that an earlier call returned, whose streams are written.
function rounds.home(self, kept)
    local now = self.now
    kept = kept or {positions = now.x:like(), velocities = now.x:like(), density = now.rho:like(),
        pressure = now.rho:like()}
    HOME:kernel(dimensions[self.dimensions])(now.id, now.x, now.v, now.rho, self.state, kept.positions,
        kept.velocities, kept.density, kept.pressure)
    return kept
end

--- rounds.drawn(self) returns the state that has all particles, for images. It is not changed by a step.
function rounds.drawn(self)
    return self
end

--- rounds.close(self) frees the streams.
function rounds.close(self)
    for _, owner in ipairs {self, self.now, self.spare, self.grid, self.walls.made} do
        for _, value in pairs(owner) do
            if rill.type(value) == "stream" then
                value:close()
            end
        end
    end
    self.density.partial:close()
end

return rounds
