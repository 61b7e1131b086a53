--- rill.nbody: bodies that attract each other, each with each, in two and three dimensions: G m r / (r^2 + softening^2)^(3/2), the law of Plummer (1911),
-- which is Newton's without softening. A step is of second order (leapfrog, Verlet 1967) or of fourth (three of leapfrog, Yoshida 1990).
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local coordinates = require "rill.simulation.particle.coordinates"
local integration = require "rill.simulation.particle.integration"
local lattice = require "rill.stream.grid"
local neighbours = require "rill.simulation.particle.neighbors"
local simulation = require "rill.simulation.simulation"
local viewpoint = require "rill.simulation.particle.viewpoint"
local fail <const> = errors.fail

local bodies <const> = simulation.define {
    type = "rill.nbody", letter = "N", one = "bodies", plural = true,
    streams = {"x", "v", "a", "m", "packed", "nth"},
    describe = function(b) return ("nbody<%s>[%d] at %.6g s"):format(b.x.type, b.count, b.time) end,
}
local methods <const>, fields <const>, state_of <const> = bodies.methods, bodies.fields, bodies.check

--- N.positions, N.velocities, N.masses: the state itself, streams, which may be written; the same ones after every step.
fields.positions, fields.velocities, fields.masses = "x", "v", "m"
--- N.time: seconds since the start.
fields.time = "time"
--- N.dt: seconds of a step. Default of N:step.
fields.dt = "dt"
--- N.count: how many bodies there are.
fields.count = "count"

local SLICE <const> = 32768 -- bodies that a launch goes through, where a device bounds the trips of loops or the time of launches
local ABREAST <const> = {cpu = 4, gpu = 1} -- bodies whose pull an invocation finds: llvmpipe takes half as long for four as for one

-- ---- passes

-- `b` are positions and masses, in units of how far apart the bodies were at first and of the largest mass then (powers of two): squares and cubes of
-- distances are floats whatever the units are. Bodies closer than 1e-12 of that, a body and itself among them, do not act on each other: there is no direction.
-- PER{...} is done for the bodies of an invocation, # being their number, of which each is a share of all after the one before.
local TEXT <const> = [=[
    float closeness(V d, float soft) {
        float r2 = dot(d, d) + soft;
        return r2 > 1e-24 ? inversesqrt(r2) : 0.0;
    }
    kernel void drift(float kick, float share, float per, float weight, V a<>, float m<>, inout V x<>, inout V v<>, out vec4 b<>) {
        v += kick * a;
        x += share * v;
        b = vec4(per * x, @2 0.0, @3 @ weight * m);
    }
    kernel void pull(int n, int share, int from, int to, float g, float soft, int nth<>, vec4 b[], inout V a[]) {
        PER{ V here#; here# = V(b[min(nth + # * share, n - 1)].FIELDS); V sum#; sum# = V(0.0); }
        for (int j = from; j < to; j++) {
            vec4 other = b[j];
            PER{ V d#; d# = V(other.FIELDS) - here#; float near#; near# = closeness(d#, soft);
                 sum# += (other.w * near# * (near# * near#)) * d#; }
        }
        PER{ if (nth + # * share < n) a[nth + # * share] = g * sum# + (from > 0 ? a[nth + # * share] : V(0.0)); }
    }
    kernel void weigh(int from, int to, float soft, float per, V x<>, vec4 b[], inout double depth<>) {
        int own = indexof(x).x;
        V here = per * x;
        double sum = from > 0 ? depth : 0.0;
        for (int j = from; j < to; j++) {
            vec4 other = b[j];
            sum += double(j == own ? 0.0 : other.w * closeness(V(other.FIELDS) - here, soft));
        }
        depth = sum;
    }
    // Each pair counts for both its bodies, half for each.
    kernel void energy(double g, float m<>, V v<>, double depth<>, out double e<>) {
        double fast = 0.0;
        for (int c = 0; c < @2 2 @3 3 @; c++) fast += double(v[c]) * double(v[c]);
        e = 0.5 * double(m) * (fast - g * depth);
    }
    kernel void impulse(float m<>, V v<>, out double px<>, out double py<>, out double pz<>) {
        px = double(m) * double(v.x);
        py = double(m) * double(v.y);
        pz = @2 0.0 @3 double(m) * double(v.z) @;
    }
    // How long a body takes to move as far as what holds it is away; infinity of a body that nothing pulls.
    kernel void pace(double g, V a<>, double depth<>, out float t<>) {
        double force = length(@2 dvec2(a) @3 dvec3(a) @);
        t = force > 0.0lf ? float(sqrt(abs(g * depth)) / force) : uintBitsToFloat(0x7f800000u);
    }
]=]

-- A picture: each body is a soft spot; spots add up.
local DRAW <const> = viewpoint.text .. [=[
    kernel void shine(CAMERA float spot, float fastest, V x<>, V v<>, inout int amounts[], inout int speeds[]) {
        vec4 s = seen(x, eye, lead, right, above, ahead, middle, focus);
        bool shown = s.w > 0.0 && all(lessThan(abs(s.xy), vec2(1e6))); // pixels: further away is beyond any picture, and ints
        ivec2 low = ivec2(max(ceil(s.xy - spot), 0.0)), high = ivec2(min(floor(s.xy + spot), vec2(extent - 1)));
        float hue = min(length(v) / fastest, 1.0);
        for (int row = low.y; shown && row <= high.y; row++) {
            for (int column = low.x; column <= high.x; column++) {
                vec2 away = (vec2(column, row) - s.xy) / spot;
                float bulge = max(1.0 - dot(away, away), 0.0);
                int amount = int(256.0 * bulge * bulge + 0.5);
                atomicAdd(amounts[row * extent.x + column], amount);
                atomicAdd(speeds[row * extent.x + column], int(float(amount) * hue));
            }
        }
    }
    kernel void sky(float light, int amounts<>, int speeds<>, out vec3 colour<>) {
        float hue = float(speeds) / float(max(amounts, 1));
        vec3 dye = mix(vec3(1.0, 0.42, 0.16), vec3(1.0, 0.90, 0.76), smoothstep(0.0, 0.5, hue));
        dye = mix(dye, vec3(0.52, 0.68, 1.0), smoothstep(0.45, 1.0, hue));
        colour = mix(vec3(0.012, 0.014, 0.03), vec3(1.0), 1.0 - exp(-light / 256.0 * float(amounts) * dye));
    }
]=]

local programs, drawings = {}, {}

local function text_of(dimensions, text)
    return neighbours.text(dimensions, (text:gsub("FIELDS", dimensions == 2 and "xy" or "xyz")))
end

local function program(dimensions, abreast)
    local key = dimensions * 16 + abreast
    programs[key] = programs[key] or rill.program(text_of(dimensions, TEXT:gsub("PER(%b{})", function(body)
        local list = {}
        for k = 1, abreast do list[k] = body:sub(2, -2):gsub("#", k - 1) end
        return table.concat(list)
    end)))
    return programs[key]
end

-- ---- options

-- Yoshida's shares of a time step: after three steps of leapfrog what is of third order has cancelled.
local OUTER <const> = 1 / (2 - 2 ^ (1 / 3))
local KINDS <const> = {
    leapfrog = {how = integration.kinds.leapfrog, shares = {1}},
    verlet = {how = integration.kinds.verlet, shares = {1}},
    yoshida = {how = integration.kinds.leapfrog, shares = {OUTER, 1 - 2 * OUTER, OUTER}},
}
local OPTIONS <const> = {
    positions = option.stream, velocities = option.stream,
    masses = lattice.number_or_stream(table.unpack(option.not_negative)), G = option.finite,
    softening = option.not_negative, dt = option.positive,
    integrator = option.words(KINDS),
}
local SHARE <const> = 0.02 -- of the time that the body takes which turns fastest, unless a time step is told

-- ---- bodies

local function masses_of(self, value)
    local m = lattice.field("rill.nbody", "masses", self, value or 1)
    local least = m:min()
    if least < 0 then
        fail("rill.nbody: option 'masses': expected numbers, 0 or more, the least is %s", errors.number(least))
    end
    return m
end

-- About one over a number, a power of two that is a float; 1 of 0.
local function inverse(value)
    return value > 0 and 2.0 ^ math.min(-math.floor(math.log(value, 2)), 126) or 1
end

-- One over how far bodies are apart, or over the softening if that is more.
local function per_extent(low, high, softening)
    local extent = softening
    for d = 1, #low do
        extent = math.max(extent, high[d] - low[d])
    end
    return inverse(extent)
end

-- Moves by parts of a time step, and says where all are then.
local function drift(b, kick, share)
    local call = b.drifts
    call.kick, call.share = kick, share
    b.passes.drift(call)
end

local function in_slices(b, kernel, call)
    for from = 0, b.count - 1, SLICE do
        call.from, call.to = from, math.min(from + SLICE, b.count)
        kernel(call)
    end
end

local function pull(b)
    in_slices(b, b.passes.pull, b.pulls)
end

-- How deep each body is in the field of the others, sum of m / distance in the units of `b.packed`; a new stream of doubles.
local function depths(b)
    local depth = rill.stream("double", b.count)
    drift(b, 0, 0)
    in_slices(b, b.passes.weigh, {soft = b.soft * b.per ^ 2, per = b.per, x = b.x, b = b.packed, depth = depth})
    return depth
end

-- A time step that follows the body which turns fastest. It is read back.
local function default_step(b)
    local depth <close> = depths(b)
    local times <close> = b.passes.pace(b.G * b.per / b.weight, b.a, depth)
    local least = times:min()
    return least < math.huge and least > 0 and SHARE * least or 1
end

local function add_calls(b)
    local share = -(-b.count // ABREAST[rill.device().family])
    b.nth = rill.iota(share):copy()
    b.drifts = {a = b.a, m = b.m, x = b.x, v = b.v, b = b.packed, per = b.per, weight = b.weight}
    b.pulls = {
        n = b.count, share = share, g = b.G * b.per ^ 2 / b.weight, soft = b.soft * b.per ^ 2, nth = b.nth,
        b = b.packed, a = b.a,
    }
end

--- rill.nbody{positions=, masses=, ...}: bodies at rest unless `velocities` says how they move. What is given is copied.
local function new(given)
    local taken = simulation.take("rill.nbody", given, OPTIONS, "positions")
    local x, low, high = coordinates.vectors("rill.nbody", "positions", taken.positions)
    local v = taken.velocities and coordinates.vectors("rill.nbody", "velocities", taken.velocities, x.type, x.size)
    local b = {
        x = x, v = v or rill.stream(x.type, x.size), a = rill.stream(x.type, x.size), count = x.size, shape = {x.size},
        packed = rill.stream("vec4", x.size), dimensions = coordinates.dimensions[x.type], time = 0, G = taken.G or 1,
        soft = (taken.softening or 0) ^ 2, kind = KINDS[taken.integrator or "leapfrog"], dt = taken.dt,
    }
    b.m = masses_of(b, taken.masses)
    b.per, b.weight = per_extent(low, high, taken.softening or 0), inverse(b.m:max())
    b.passes = program(b.dimensions, ABREAST[rill.device().family])
    add_calls(b)
    drift(b, 0, 0)
    pull(b)
    b.dt = b.dt or default_step(b)
    return bodies.create(b)
end

-- ---- steps

--- N:step([dt]): goes on by dt seconds; by the option dt unless told. Returns the bodies. Nothing is read back.
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

-- ---- what there is

--- N.accelerations: by the pull of all others, where the bodies are now; a new stream.
function fields.accelerations(b)
    drift(b, 0, 0)
    pull(b)
    return b.a:copy()
end

--- N.energy: of motion, m v^2 / 2, and of places, - G m m / sqrt(r^2 + softening^2) for each pair. It is read back.
function fields.energy(b)
    local depth <close> = depths(b)
    local e <close> = b.passes.energy(b.G * b.per / b.weight, b.m, b.v, depth)
    return e:sum()
end

--- N.momentum: the sum of m v, a table of two or three numbers. It is read back.
function fields.momentum(b)
    local sums, parts = {}, {b.passes.impulse(b.m, b.v)}
    for d, part in ipairs(parts) do
        sums[d] = d <= b.dimensions and part:sum() or nil
        part:close()
    end
    return sums
end

-- ---- pictures

local function picture_rows(dimensions)
    local rows = viewpoint.rows(dimensions)
    rows.fastest, rows.light = option.positive, option.positive
    rows.spot = {function(v) return option.is_positive(v) and v <= 48 end, "a number of pixels above 0, at most 48"}
    return rows
end

-- The corners of what holds all bodies, and a little more.
local function extent_of(b)
    local low, high = b.x:min(), b.x:max()
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

--- N:picture{size=, low=, high=, eye=, target=, up=, angle=, spot=, fastest=, light=}: the bodies as points of light, a stream of vec3; the redder the
-- slower. 480 x 640 pixels with all bodies, unless told (which reads their extent back).
function methods:picture(options)
    local b = state_of(self, "picture")
    local taken = option.take("N:picture", options, picture_rows(b.dimensions))
    local size, low, high = taken.size or {480, 640}, extent_of(b)
    local camera = viewpoint.new("N:picture", taken, low, high, size, {0, 0, -1})
    local fastest = taken.fastest or 2 * rill.length(b.v):mean()
    drawings[b.dimensions] = drawings[b.dimensions] or
        rill.program(text_of(b.dimensions, (DRAW:gsub("CAMERA ", viewpoint.parameters))))
    local kernels = drawings[b.dimensions]
    local amounts <close>, speeds = viewpoint.spots(camera, kernels.shine, {
        spot = taken.spot or 1.5, fastest = math.max(fastest, 2.0 ^ -126), x = b.x, v = b.v, -- at rest: not 0, to divide by
    })
    local fast <close> = speeds
    return kernels.sky(taken.light or 1, amounts, fast)
end

return bodies.finish(new, "rill.nbody")
