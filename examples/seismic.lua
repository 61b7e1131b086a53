-- Full waveform inversion: the velocity of waves in the ground, from the waves that receivers record after shots.
--
--     lua5.4 examples/seismic.lua [iterations [directory]]        10 out
--
-- The acoustic wave equation is integrated for each shot (Tarantola 1984). The misfit of the recorded pressures is differentiated with respect to
-- the velocity at every point. rill.steps keeps the state at some steps only (checkpoints), and computes the states between them again. L-BFGS
-- minimizes the misfit, from a velocity that only increases with depth.
local rill = require "rill"

local ROWS <const>, COLUMNS <const>, STEPS <const>, CHECKPOINTS <const> = 56, 112, 260, 20
local SHOTS <const> = {18, 56, 94} -- columns
local DEPTH <const> = 3 -- the row of shots and receivers

local program = rill.program [[
    // A step of the wave equation: next pressure from this one and the previous one. c2: (velocity * dt / spacing)^2. Waves fade near all sides
    // except the surface, where the pressure is 0. The second output adds the squared differences from the data to `sum`, at the receivers.
    kernel void wave(float source, ivec2 shot, float data<>, neighbor(zero) float u<>, float before<>, float c2<>, float sum<>, out float r<>,
                     out float total<>) {
        ivec2 p = indexof(r).xy, size = sizeof_stream(u).xy;
        float edge = float(min(min(p.x, size.x - 1 - p.x), size.y - 1 - p.y));
        float fade = edge < 12.0 ? 1.0 - 0.0008 * (12.0 - edge) * (12.0 - edge) : 1.0;
        float laplace = u[ivec2(-1, 0)] + u[ivec2(1, 0)] + u[ivec2(0, -1)] + u[ivec2(0, 1)] - 4.0 * u;
        r = fade * (2.0 * u - fade * before + c2 * laplace + (p == shot ? source : 0.0));
        bool receiver = p.y == shot.y || p.x == 14 || p.x == size.x - 15; // on the surface and in two boreholes
        float off = receiver ? r - data : 0.0;
        total = sum + off * off;
    }
    // The true velocity increases with depth. There is a lens of salt, a slow one of sand, and faster ground below a fold.
    kernel void start(out float c<>) { c = 0.30 + 0.12 * float(indexof(c).y) / float(sizeof_stream(c).y); }
    kernel void ground(out float c<>) {
        vec2 p = vec2(indexof(c).xy) / vec2(sizeof_stream(c).xy);
        c = 0.30 + 0.12 * p.y;
        vec2 salt = (p - vec2(0.33, 0.42)) / vec2(0.13, 0.12), sand = (p - vec2(0.72, 0.45)) / vec2(0.14, 0.1);
        c += 0.06 * smoothstep(1.2, 0.8, length(salt)) - 0.05 * smoothstep(1.2, 0.8, length(sand));
        c += 0.04 * smoothstep(-0.03, 0.03, p.y - 0.75 + 0.06 * sin(9.0 * p.x));
    }
]]

--- Returns the pressure of a shot at a step: Ricker's wavelet.
local function source(step)
    local t = ((step - 45) / 17) ^ 2
    return (1 - 2 * t) * math.exp(-t)
end

--- Returns the pressures after each step of a shot, of which the receivers know their own: a list.
local function record(c2, shot)
    local u, before, zero, seen = c2:like(), c2:like(), c2:like(), {}
    for i = 1, STEPS do
        u, before = program.wave(source(i), {shot - 1, DEPTH - 1}, zero, u, before, c2, zero), u
        seen[i] = u
    end
    return seen
end

--- Returns the sum of the squared differences from recorded pressures.
local function misfit(c2, shot, data)
    local state = rill.steps(STEPS, {u = c2:like(), before = c2:like(), sum = c2:like()}, function(s, i)
        local u, sum = program.wave(source(i), {shot - 1, DEPTH - 1}, data[i], s.u, s.before, c2, s.sum)
        return {u = u, before = s.u, sum = sum}
    end, {checkpoints = CHECKPOINTS})
    return state.sum:sum()
end

local iterations, directory = ...
iterations = assert(math.tointeger(tonumber(iterations or 10)), "iterations: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local truth, before = program.ground {shape = {ROWS, COLUMNS}}, program.start {shape = {ROWS, COLUMNS}}
local data = {}
for i, shot in ipairs(SHOTS) do data[i] = record((truth * truth):eval(), shot) end

-- The velocity is that of the start plus a change, which is 0 near the surface, where the ground is known.
local share = rill.stream("float", {ROWS, 1}, function(i) return math.min(math.max((i - 8) / 10, 0), 1) end)
local function velocity(m) return (before + share * m):eval() end
local function loss(m)
    local c, total = velocity(m), 0
    for i, shot in ipairs(SHOTS) do total = total + misfit((c * c):eval(), shot, data[i]) end
    return total
end

local m = before:like()
local opt = rill.optimize.lbfgs({m}, {iterations = 5})
local f, start = rill.value_and_grad(loss), rill.clock()
local progress <close> = rill.progress(iterations, "seismic")
local first, last = loss(m), nil
for _ = 1, math.ceil(iterations / 5) do
    last = opt:step(f)
    progress:step(5)
end
progress:close()

local panels = {before, velocity(m), truth}
for i, c in ipairs(panels) do panels[i] = c:replicate(4, 4) end
rill.image.save(rill.concat(panels, 1), directory .. "/seismic.png", {min = 0.28, max = 0.46, colormap = "viridis"})
local function off(c) return rill.abs(c - truth):mean() end
print(("  %d iterations with %d shots of %d steps in %.1f s: the misfit fell from %.3g to %.3g"):format(iterations,
    #SHOTS, STEPS, rill.clock() - start, first, last))
print(("  the velocity was off by %.4f on average, and is off by %.4f"):format(off(before), off(velocity(m))))
print(("  %s/seismic.png: the velocity at the start, the one found, and the true one"):format(directory))
