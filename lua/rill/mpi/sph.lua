-- Smoothed particle hydrodynamics over ranks: a weakly compressible fluid (J. J. Monaghan 1994) with the cubic spline.
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local particles = require "rill.mpi.particles"
local template = require "rill.glsl.template"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail

local sph = {}

local kind <const> = class.define {
    type = "rill.mpi.sph", letter = "Z", one = "a fluid", lenient = true, closed = "closed fluid",
    describe = function(state)
        return ("%s, time %.4g s"):format(tostring(state.particles), state.time)
    end,
    release = function(state) state.particles:close() end,
    fields = {
        particles = "particles", time = "time", steps = "steps", dt = "dt", mass = "mass",
        positions = function(state) return state.particles.position end,
        velocities = function(state) return state.particles.velocity end,
        densities = function(state) return state.particles.density end,
    },
}
local methods <const> = kind.methods

-- The cubic spline with a support of `radius`, and its derivative divided by the distance, both without their factor
-- `scale`. S is the distance in smoothing lengths, half the radius.
local function spline(text)
    return (text:gsub("S", "(2.0 * distance / radius)"))
end
local W <const> = spline "(S < 1.0 ? 1.0 - 1.5 * S * S + 0.75 * S * S * S : 0.25 * (2.0 - S) * (2.0 - S) * (2.0 - S))"
local SLOPE <const> = spline([[(distance < 1e-6 * radius ? 0.0 :
    (S < 1.0 ? -3.0 * S + 2.25 * S * S : -0.75 * (2.0 - S) * (2.0 - S)) * 2.0 / (radius * distance))]])

-- Monaghan's artificial viscosity between approaching particles, and the pressure.
local ACCELERATION <const> = [[
    -mass * scale * (pressure_i / (density_i * density_i) + pressure_j / (density_j * density_j) -
        min(dot(d, velocity_i - velocity_j), 0.0) * alpha * sound * radius /
        ((squared_distance + 0.0025 * radius * radius) * (density_i + density_j))) * ]] .. SLOPE .. " * d"

local MOVE <const> = template.new [[
    kernel void move($V low, $V high, $V gravity, float dt, float bounce, $V a<>, inout $V x<>, inout $V v<>) {
        v += dt * (a + gravity);
        x += dt * v;
        for (int d = 0; d < $dimensions; d++) {
            if (x[d] < low[d]) { x[d] = min(2.0 * low[d] - x[d], high[d]); v[d] = -bounce * v[d]; }
            if (x[d] > high[d]) { x[d] = max(2.0 * high[d] - x[d], low[d]); v[d] = -bounce * v[d]; }
        }
    }
]]

local OPTIONS <const> = {
    positions = {option.stream[1], "a stream of vec2 or vec3, the same on all ranks", nil, true},
    velocities = option.stream, radius = {option.is_positive, "a number above 0", nil, true},
    box = {option.table[1], "{low, high}, two points", nil, true},
    density = option.default(option.positive, 1), sound = {option.is_positive, "a number above 0", nil, true},
    viscosity = option.default(option.not_negative, 0.1), mass = option.positive, dt = option.positive,
    gravity = {option.is_vector, "a table of numbers"}, bounce = option.number(0.0, 1.0, 0.3),
}

--- rill.mpi.sph(options) returns a fluid of particles that are divided among the ranks. All ranks call it with the same
-- particles.
-- Options: positions (required): a stream of vec2 or vec3; box (required): {low, high}, closed walls; radius
-- (required): of the smoothing kernel; sound (required): the speed of sound, about 10 times the speed of the fluid;
-- velocities (default 0), density (default 1): at rest; mass (default: such that the greatest density is `density`);
-- viscosity (default 0.1): the factor alpha of Monaghan's artificial viscosity; gravity (default 0): a table of
-- numbers; bounce (default 0.3): the share of the velocity that a wall returns; dt (default: 0.2 radius / sound):
-- seconds of a step.
-- Fields: positions, velocities, densities (streams of this rank's particles), particles (see rill.mpi.particles),
-- time, steps, dt, mass.
function sph.new(options)
    local o = option.take("rill.mpi.sph", options, OPTIONS)
    local x = errors.open("rill.mpi.sph: option 'positions'", o.positions)
    local v = o.velocities and errors.open("rill.mpi.sph: option 'velocities'", o.velocities) or
        rill.stream(x.type, x.size)
    if v.type ~= x.type or v.size ~= x.size then
        fail("rill.mpi.sph: option 'velocities': expected %d elements of %s, as positions, got %d of %s", x.size,
            x.type, v.size, v.type)
    end
    local p = particles.new {
        positions = x, box = o.box,
        fields = {
            velocity = v, density = rill.stream("float", x.size, o.density), pressure = rill.stream("float", x.size),
        },
    }
    local dimensions <const> = p._state.dimensions
    local h = o.radius / 2
    local scale = dimensions == 2 and 10 / (7 * math.pi * h ^ 2) or 1 / (math.pi * h ^ 3)
    local state = {particles = p, o = o, time = 0.0, steps = 0, scale = scale, dimensions = dimensions,
        dt = o.dt or 0.2 * o.radius / o.sound}
    if not o.mass then
        local own = p:sum("float", o.radius, "scale * " .. W, {scale = scale})
        local densest = math.max(table.unpack(wire.gather(own.size > 0 and own:max() or 0)))
        o.mass = densest > 0 and o.density / densest or 1
    end
    state.mass = o.mass
    state.gravity = o.gravity or table.move({0, 0, 0}, 1, dimensions, 1, {})
    if #state.gravity ~= dimensions then
        fail("rill.mpi.sph: option 'gravity': expected a table of %d numbers, got %s", dimensions,
            errors.told(o.gravity))
    end
    state.move = MOVE:kernel {V = p.position.type, dimensions = dimensions}
    return kind.create(state)
end

local function step(state)
    local o, p = state.o, state.particles
    local near = particles.neighborhood("Z:step", p, o.radius)
    p.density = particles.sum("Z:step", p, near, "float", "mass * scale * " .. W,
        {mass = o.mass, scale = state.scale})
    if p.count > 0 then -- Tait's equation
        p.pressure = (o.sound ^ 2 * o.density / 7) * ((p.density / o.density) ^ 7 - 1)
    end
    local a = particles.sum("Z:step", p, near, p.position.type, ACCELERATION,
        {mass = o.mass, alpha = o.viscosity, sound = o.sound, scale = state.scale})
    if p.count > 0 then
        state.move {low = o.box[1], high = o.box[2], gravity = state.gravity, dt = state.dt, bounce = o.bounce, a = a,
            x = p.position, v = p.velocity}
    end
    a:close()
end

-- Steps after which particles change ranks, and after which the slabs are placed anew.
local MIGRATE <const>, BALANCE <const> = 10, 50

--- Z:step([n]) advances by n steps of Z.dt seconds (default 1): leapfrog. Returns Z.
function methods.step(f, n)
    local state = kind.check(f, "step")
    for _ = 1, wire.steps("Z:step", n) do
        step(state)
        state.steps = state.steps + 1
        state.time = state.time + state.dt
        if state.steps % BALANCE == 0 then
            state.particles:rebalance()
        elseif state.steps % MIGRATE == 0 then
            state.particles:migrate()
        end
    end
    return f
end

class.guard(methods, "Z")

return sph
