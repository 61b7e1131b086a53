-- The passes of rill.sph over ranks: the functions of rill.simulation.particle.step for particles that are divided
-- among the ranks (rill.mpi.particles). A rank moves its own particles, gets those of other ranks within twice the
-- radius, and runs the passes of one process over all of these. Densities within the radius are then complete, and so
-- are the forces on its own particles.
local rill = require "rill.core.public"
local integration = require "rill.simulation.particle.integration"
local rounds = require "rill.simulation.particle.step"
local walls = require "rill.simulation.particle.walls"
local template = require "rill.glsl.template"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local order = require "rill.mpi.order"
local particles = require "rill.mpi.particles"
local wire = require "rill.mpi.wire"

local passes = {}

local FIELDS <const> = {"id", "position", "velocity", "density"} -- that the passes read
local CLOCK <const> = {"pace", "left", "time", "most"} -- streams that all states of a rank share
local MIGRATE <const>, BALANCE <const> = 10, 50 -- steps after which particles change ranks, and get new slabs

--- passes.new(x, v, extents, how) returns the state for all particles, at x with velocities v, which all ranks pass.
function passes.new(x, v, extents, how)
    local low, high, none = x:min(), x:max(), walls.new("rill.sph", {}, how.dimensions, how.radius)
    for d, n in ipairs(low) do
        high[d] = math.max(high[d], n + how.radius)
    end
    local self = {
        how = how, extents = extents, walls = how.walls, kind = integration.kinds[how.integrator], steps = 0,
        glide = integration.glide(how.dimensions, how.walls),
        still = {walls = none, moves = integration.program(how.dimensions, none)}, clock = rounds.clock(how),
        particles = particles.new {positions = x, box = {low, high}, fields = {
            velocity = v, density = rill.stream("float", x.size, how.density), pressure = rill.stream("float", x.size),
            acceleration = rill.stream(x.type, x.size),
        }},
    }
    for _, name in ipairs(CLOCK) do
        self[name] = self.clock[name]
    end
    return self
end

-- Moves this rank's particles by fractions of the time step.
local function move(self, fractions)
    local own = self.particles
    if own.count > 0 then
        local call = {kick = fractions.kick, share = fractions.drift, pace = self.pace, a = own.acceleration,
            x = own.position, v = own.velocity}
        for name, value in pairs(self.walls.values) do call[name] = value end
        self.glide(call)
    end
end

-- Returns the state of rill.simulation.particle.step for this rank's particles and those near them, in the order of
-- ids; nil if the rank has none.
local function near_state(self)
    local own = self.particles
    local all = particles.ghosts("P:step", own, 2 * self.how.radius, FIELDS)
    if own.count == 0 then
        return nil
    end
    for name, s in pairs(all) do
        all[name] = rawequal(s, own[name]) and s:copy() or s -- the passes write their streams
    end
    local state = rounds.new(all.position, all.velocity, self.extents, self.how,
        {clock = self.clock, rho = all.density, id = all.id, still = self.still})
    rounds.weigh(state, self.mass or 1)
    return state
end

-- Frees a state that near_state returned, except what all states share.
local function close(state)
    for _, name in ipairs(CLOCK) do
        state[name] = nil
    end
    state.walls = {made = {}}
    rounds.close(state)
end

-- The places of the ids of a list, which is in ascending order, among the ids of all.
local PLACES <const> = template.new [[
    kernel void places(int id<>, int list[], int count, inout int place[]) {
        int low = 0, high = count - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (list[middle] < id) low = middle + 1; else high = middle;
        }
        if (list[low] == id) place[low] = indexof(id).x;
    }
]]
local PRESSURE <const> = template.new "kernel void pressure_of(vec2 state<>, out float r<>) { r = state.x; }"

-- Computes densities and forces, and moves particles afterwards: see rounds.act.
local function act(self, old, new, after)
    local own, state = self.particles, near_state(self)
    if state then
        rounds.act(state, rounds.rest, old, new, after)
        local now <const>, place <close> = state.now, rill.stream("int", own.count)
        PLACES:kernel {} {id = now.id, list = own.id, count = own.count, place = place}
        local pressure <close> = PRESSURE:kernel {}(state.state)
        for name, s in pairs {position = now.x, velocity = now.v, density = now.rho, acceleration = state.a,
            pressure = pressure} do
            own[name] = rill.gather(s, place)
        end
        local measure <close> = rill.gather(state.measure, place)
        state.moves.greatest(measure, self.most)
        close(state)
    end
    local most = {0, 0}
    for _, value in ipairs(wire.gather(state and self.most:get(1) or {0, 0})) do
        most = {math.max(most[1], value[1]), math.max(most[2], value[2])}
    end
    self.most:fill(most)
end

--- passes.max_density(self, how) returns the greatest density for particles of mass 1, read back.
function passes.max_density(self, how)
    move(self, rounds.rest)
    local state = near_state(self)
    local greatest = state and rounds.max_density(state, how) or 0
    if state then
        close(state)
    end
    return math.max(table.unpack(wire.gather(greatest)))
end

-- Computes the duration of the next step.
local function beat(self, wanted)
    self.clock.beat.wanted = wanted
    integration.program(self.how.dimensions, self.walls).beat(self.clock.beat)
end

--- passes.begin(self, mass): see rounds.begin.
function passes.begin(self, mass)
    self.mass = mass
    move(self, rounds.rest)
    act(self, 0, 0, rounds.rest)
    beat(self, -1)
end

--- passes.step(self, wanted): see rounds.step.
function passes.step(self, wanted)
    local own, kind = self.particles, self.kind
    beat(self, wanted)
    move(self, kind.before)
    self.steps = self.steps + 1
    if self.steps % BALANCE == 0 then
        own:rebalance()
    elseif self.steps % MIGRATE == 0 then
        own:migrate()
    end
    act(self, kind.old, kind.new, kind.after)
end

--- passes.range(self): see rounds.range.
function passes.range(self)
    local own, least, greatest, pulls = self.particles, math.huge, -math.huge, {}
    local values = own.count > 0 and {own.density:min(), own.density:max(), own.acceleration:sum()} or {}
    for _, other in ipairs(wire.gather(values)) do
        if other[1] then
            least, greatest = math.min(least, other[1]), math.max(greatest, other[2])
            for d, pull in ipairs(other[3]) do pulls[d] = (pulls[d] or 0) + pull end
        end
    end
    return least, greatest, pulls
end

local NAMES <const> = {positions = "position", velocities = "velocity", density = "density", pressure = "pressure"}

--- passes.home(self, kept) returns a table of distributed streams in the original order of the particles: see
-- rounds.home.
function passes.home(self, kept)
    local own, c, counts, sends = self.particles, cut.new("P", {self.particles.total}), {}, {}
    local ends = own.count > 0 and rill.searchsorted(own.id, rill.from(c.ends[1], "int")):values()
    for rank = 1, wire.size do
        local first = ends and ends[rank] or 0
        counts[rank] = ends and ends[rank + 1] - first or 0
        sends[rank] = {first, counts[rank]}
    end
    local taken = wire.mpi.counts(counts)
    local ids <close> = order.exchange(own.id, "int", {0}, sends, taken)
    local by_id <const>, result = ids.size > 0 and rill.argsort(ids), {}
    for _, name in ipairs {"positions", "velocities", "density", "pressure"} do
        local s = own[NAMES[name]]
        local part = order.exchange(s, s.type, {0}, sends, taken)
        result[name] = distributed.adopt(by_id and rill.gather(part, by_id) or part, c)
        if kept then
            kept[name]:close()
        end
    end
    return result
end

--- passes.drawn(self): see rounds.drawn. Every rank gets all particles.
function passes.drawn(self)
    local home = passes.home(self)
    local clock = rounds.clock(self.how)
    clock.most:write(self.most)
    local state = rounds.new(home.positions:collect "all", home.velocities:collect "all", self.extents, self.how,
        {clock = clock, rho = home.density:collect "all"})
    for _, s in pairs(home) do s:close() end
    state.walls = {made = {}}
    return state
end

--- passes.close(self) frees the streams.
function passes.close(self)
    self.particles:close()
    for _, name in ipairs(CLOCK) do
        self[name]:close()
    end
    for _, s in ipairs(self.walls.made) do
        s:close()
    end
end

return passes
