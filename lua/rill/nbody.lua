--- rill.nbody: simulates bodies that attract each other, in two or three dimensions, by direct summation of G m r /
-- (r^2 + softening^2)^(3/2) (Plummer 1911; Newton's law without softening). The integrators are of second order
-- (leapfrog, Verlet 1967) or fourth (three leapfrog steps, Yoshida 1990).
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local coordinates = require "rill.simulation.particle.coordinates"
local integration = require "rill.simulation.particle.integration"
local lattice = require "rill.stream.grid"
local provider = require "rill.stream.provider"
local simulation = require "rill.simulation.simulation"
local viewpoint = require "rill.simulation.particle.viewpoint"
local dimensions = require "rill.glsl.dimensions"
local texts <const> = require "rill.glsl.template".sections "nbody"
local fail <const> = errors.fail

--- N.time: seconds since the start. N.dt: default duration of a step in seconds. N.count: number of bodies.
local bodies <const> = simulation.define {
    type = "rill.nbody", letter = "N", one = "bodies", plural = true,
    streams = {"x", "v", "a", "m", "packed"}, shows = {"time", "dt", "count"},
    release = function(b)
        if b.nth then b.nth:close() end
    end,
    describe = function(b) return ("nbody<%s>[%d] at %.6g s"):format(b.x.type, b.count, b.time) end,
}
local methods <const>, fields <const>, state_of <const> = bodies.methods, bodies.fields, bodies.check

--- N.positions, N.velocities, N.masses: the state itself, streams, which may be written. They are the same streams
-- after every step.
fields.positions, fields.velocities, fields.masses = "x", "v", "m"

-- Bodies that a launch processes, because some devices limit the trips of loops or the time of launches.
local SLICE <const> = 32768
-- Family cpu: bodies per invocation. llvmpipe is twice as fast with four as with one.
local ABREAST <const> = {0, 1, 2, 3}
-- Family gpu: invocations of a work group, the least number of invocations that occupies a GPU, and the most that share
-- a body.
local GROUP <const>, OCCUPIED <const>, MOST_LANES <const> = 256, 1 << 17, 32

-- ---- options

-- Yoshida's fractions of a time step: after three leapfrog steps the errors of third order cancel.
local OUTER <const> = 1 / (2 - 2 ^ (1 / 3))
local KINDS <const> = {
    leapfrog = {how = integration.kinds.leapfrog, shares = {1}},
    verlet = {how = integration.kinds.verlet, shares = {1}},
    yoshida = {how = integration.kinds.leapfrog, shares = {OUTER, 1 - 2 * OUTER, OUTER}},
}
local OPTIONS <const> = {
    positions = provider.option, velocities = provider.option, on = provider.row,
    masses = lattice.number_or_stream(table.unpack(option.not_negative)), G = option.default(option.finite, 1),
    softening = option.default(option.not_negative, 0), dt = option.positive,
    integrator = option.words(KINDS, "leapfrog"),
}
local SHARE <const> = 0.02 -- the default step, as a fraction of the shortest time scale of a body

-- ---- bodies

local function masses_of(self, value)
    local m = lattice.field("rill.nbody", "masses", self, value or 1)
    local least = m:min()
    if least < 0 then
        fail("rill.nbody: option 'masses': expected numbers, 0 or more, the smallest is %s", errors.number(least))
    end
    return m
end

-- Returns a power of two near 1 / value that is a float; 1 for 0.
local function inverse(value)
    return value > 0 and 2.0 ^ math.min(-math.floor(math.log(value, 2)), 126) or 1
end

-- Returns about 1 / (extent of the bodies, or softening if that is larger).
local function per_extent(low, high, softening)
    local extent = softening
    for d = 1, #low do
        extent = math.max(extent, high[d] - low[d])
    end
    return inverse(extent)
end

-- Changes velocities and positions by fractions of a time step, and packs positions and masses for the next pass.
local function drift(b, kick, share)
    local call = b.drifts
    call.kick, call.share = kick, share
    b.passes.drift(call)
end

-- Calls a kernel for the bodies of this process, which reads all bodies from call.b.
local function in_slices(b, kernel, call)
    call.b = b.on.whole(b.packed)
    for from = 0, b.count - 1, SLICE do
        call.from, call.to = from, math.min(from + SLICE, b.count)
        kernel(call)
    end
    if call.b ~= b.packed then
        call.b:close()
    end
end

local function pull(b)
    b.pulls.result, b.pulls.first = b.on.part(b.a)
    in_slices(b, b.passes.pull, b.pulls)
end

-- Returns the potential depth of each body, the sum of m / distance in the units of `b.packed`, a new stream of
-- doubles.
local function depths(b)
    local depth = b.on.stream("double", b.count)
    drift(b, 0, 0)
    local own, first = b.on.part(depth)
    local call = {soft = b.soft * b.per ^ 2, first = first, result = own}
    if b.lanes then
        call.n, call.g, call.shape = own.size, 1, b.pulls.shape
    else
        call.x, call.per = (b.on.part(b.x)), b.per
    end
    in_slices(b, b.passes.weigh, call)
    return depth
end

-- Returns the default step, which follows from the shortest time scale of a body. It is read back.
local function default_step(b)
    local depth <close> = depths(b)
    local times <close> = b.passes.pace(b.G * b.per / b.weight, b.a, depth)
    local least = times:min()
    return least < math.huge and least > 0 and SHARE * least or 1
end

-- Returns the number of invocations that share a body, a power of two. It depends on the number of all bodies, so that
-- sums do not depend on the number of processes.
local function lanes_of(count)
    local lanes = 1
    while lanes < MOST_LANES and count * lanes < OCCUPIED do
        lanes = 2 * lanes
    end
    return lanes
end

-- Compiles the kernels.
local function add_passes(b)
    b.lanes = rill.device().family == "gpu" and lanes_of(b.count) or nil
    local values = {tiled = b.lanes ~= nil, abreast = ABREAST}
    if b.lanes then
        values.lanes, values.bodies, values.eight = b.lanes, GROUP // b.lanes, {0, 1, 2, 3, 4, 5, 6, 7}
        values.sums = {{name = "pull", T = "vec" .. b.dimensions, depth = false},
            {name = "weigh", T = "double", depth = true}}
    end
    b.passes = texts.passes:program(dimensions.with(b.dimensions, values))
end

local function add_calls(b)
    local count = b.on.part(b.a).size
    b.drifts = {a = b.a, m = b.m, x = b.x, v = b.v, b = b.packed, per = b.per, weight = b.weight}
    b.pulls = {n = count, g = b.G * b.per ^ 2 / b.weight, soft = b.soft * b.per ^ 2}
    if b.lanes then
        b.pulls.shape = GROUP * -(-count * b.lanes // GROUP)
    else
        b.pulls.share = -(-count // #ABREAST)
        b.nth = rill.iota(b.pulls.share):copy()
        b.pulls.nth = b.nth
    end
end

--- rill.nbody{positions =, masses =, ...} returns bodies, at rest unless `velocities` is given. Arguments are
-- copied.
local function new(given)
    local taken = simulation.take("rill.nbody", given, OPTIONS, "positions")
    local on = provider.of(taken.on)
    local x, low, high = coordinates.vectors("rill.nbody", on, "positions", taken.positions)
    local v = taken.velocities and coordinates.vectors("rill.nbody", on, "velocities", taken.velocities, x.type, x.size)
    local b = {
        x = x, v = v or on.stream(x.type, x.size), a = on.stream(x.type, x.size), count = x.size, shape = {x.size},
        packed = on.stream("vec4", x.size), dimensions = coordinates.dimensions[x.type], time = 0, G = taken.G,
        soft = taken.softening ^ 2, kind = KINDS[taken.integrator], dt = taken.dt, on = on,
    }
    b.m = masses_of(b, taken.masses)
    b.per, b.weight = per_extent(low, high, taken.softening), inverse(b.m:max())
    add_passes(b)
    add_calls(b)
    drift(b, 0, 0)
    pull(b)
    b.dt = b.dt or default_step(b)
    return bodies.create(b)
end

-- ---- steps

--- N:step([dt]) advances by dt seconds. Default: N.dt. Returns the bodies. Nothing is read back.
function methods:step(dt)
    local b = state_of(self, "step")
    dt = simulation.dt("N:step", dt) or b.dt
    local before, after = b.kind.how.before, b.kind.how.after
    for _, share in ipairs(b.kind.shares) do
        local part = share * dt
        drift(b, before.kick * part, before.drift * part)
        pull(b)
        drift(b, after.kick * part, after.drift * part)
    end
    b.time = b.time + dt
    return self
end

-- ---- fields

--- N.accelerations: the accelerations at the current positions, a new stream.
function fields.accelerations(b)
    drift(b, 0, 0)
    pull(b)
    return b.a:copy()
end

--- N.energy: kinetic energy m v^2 / 2 plus potential energy - G m m / sqrt(r^2 + softening^2) for each pair, read
-- back.
function fields.energy(b)
    local depth <close> = depths(b)
    local e <close> = b.passes.energy(b.G * b.per / b.weight, b.m, b.v, depth)
    return e:sum()
end

--- N.momentum: the sum of m v, a table of two or three numbers, read back.
function fields.momentum(b)
    local sums, parts = {}, {b.passes.impulse(b.m, b.v)}
    for d, part in ipairs(parts) do
        sums[d] = d <= b.dimensions and part:sum() or nil
        part:close()
    end
    return sums
end

-- ---- pictures

local function picture_rows(rank)
    local rows = viewpoint.rows(rank)
    rows.fastest, rows.light = option.positive, option.positive
    rows.spot = {function(v) return option.is_positive(v) and v <= 48 end, "a number of pixels above 0, at most 48"}
    return rows
end

-- Returns the corners of a box that contains all bodies, with a margin.
local function extent_of(b)
    local low, high = b.on.extent(b.x)
    local wide, far = 0, 0
    for d = 1, #low do
        wide, far = math.max(wide, high[d] - low[d]), math.max(far, math.abs(low[d]), math.abs(high[d]))
    end
    local margin = wide > 0 and 0.05 * wide or math.max(1, 1e-3 * far)
    for d = 1, #low do
        low[d], high[d] = low[d] - margin, high[d] + margin
    end
    return low, high
end

--- N:picture{size =, low =, high =, eye =, target =, up =, fov =, spot =, fastest =, light =} returns an image of
-- the bodies as points of light, a stream of vec3; slow bodies are red. Defaults: size {480, 640}, and a view of all
-- bodies, for which their extent is read back.
function methods:picture(options)
    local b = state_of(self, "picture")
    local taken = option.take("N:picture", options, picture_rows(b.dimensions))
    local size, low, high = taken.size or {480, 640}, extent_of(b)
    local camera = viewpoint.new("N:picture", taken, low, high, size, {0, 0, -1})
    local fastest = taken.fastest or 2 * rill.length(b.v):mean()
    local kernels = texts.picture:program(dimensions[b.dimensions])
    local amounts <close>, speeds = viewpoint.spots(camera, kernels.shine, {
        -- Not 0 if all are at rest, because it is a divisor.
        spot = taken.spot or 1.5, fastest = math.max(fastest, 2.0 ^ -126), x = b.on.whole(b.x), v = b.on.whole(b.v),
    })
    local fast <close> = speeds
    return kernels.sky(taken.light or 1, amounts, fast)
end

return bodies.finish(new)
