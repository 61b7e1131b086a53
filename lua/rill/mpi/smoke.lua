-- Smoke in two dimensions on a distributed grid: the solver of chapter 38 of GPU Gems (M. J. Harris 2004) on a
-- staggered grid (F. H. Harlow and J. E. Welch 1965), with buoyancy (R. Fedkiw, J. Stam and H. W. Jensen 2001).
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local constructor = require "rill.mpi.constructor"
local distributed = require "rill.mpi.distributed"
local wire = require "rill.mpi.wire"
local solve = require "rill.solve"

local fail <const> = errors.fail

local smoke = {}

-- u[y][x] is the velocity along x through the side of cell (y, x) towards smaller x, v[y][x] that along y through the
-- side towards smaller y. Outside of the grid they are 0: closed walls. `place` is the place of a value in its cell.
local ADVECT = [=[
    float between(float a, float b, float t) { return a + t * (b - a); }
    kernel void advect(neighbor float s<>, neighbor float u<>, neighbor float v<>, vec2 place, float dt, int reach,
        float keep, out float r<>) {
        vec2 way;
        if (place.x == 0.0)
            way = vec2(u[0][0], 0.25 * (v[0][-1] + v[0][0] + v[1][-1] + v[1][0]));
        else if (place.y == 0.0)
            way = vec2(0.25 * (u[-1][0] + u[-1][1] + u[0][0] + u[0][1]), v[0][0]);
        else
            way = vec2(0.5 * (u[0][0] + u[0][1]), 0.5 * (v[0][0] + v[1][0]));
        vec2 back = clamp(-dt * way, vec2(-float(reach - 1)), vec2(float(reach - 1)));
        ivec2 cell = ivec2(floor(back));
        vec2 t = back - vec2(cell);
        r = keep * between(between(s[cell], s[cell + ivec2(1, 0)], t.x),
            between(s[cell + ivec2(0, 1)], s[cell + ivec2(1, 1)], t.x), t.y);
    }
]=]
local RISE = [=[
    kernel void rise(neighbor float density<>, neighbor float heat<>, float weight, float lift, inout float v<>) {
        if (indexof(v).y > 0)
            v -= 0.5 * (lift * (heat[-1][0] + heat[0][0]) - weight * (density[-1][0] + density[0][0]));
        else
            v = 0.0;
    }
]=]
local DIVERGENCE = [=[
    kernel void divergence(neighbor float u<>, neighbor float v<>, out float r<>) {
        r = -(u[0][1] - u[0][0] + v[1][0] - v[0][0]);
    }
]=]
local PROJECT = [=[
    kernel void project(neighbor float p<>, inout float u<>, inout float v<>) {
        ivec2 at = indexof(u).xy;
        u = at.x > 0 ? u - (p[0][0] - p[0][-1]) : 0.0;
        v = at.y > 0 ? v - (p[0][0] - p[-1][0]) : 0.0;
    }
]=]
local SOURCE = [=[
    kernel void source(vec2 center, float radius, float amount, inout float s<>) {
        vec2 d = vec2(indexof(s).xy) + 0.5 - center;
        s = dot(d, d) < radius * radius ? max(s, amount) : s;
    }
]=]

local kind <const> = class.define {
    type = "rill.mpi.smoke", letter = "Y", one = "smoke", lenient = true, closed = "closed smoke",
    describe = function(state)
        return ("distributed smoke %s, time %.4g s"):format(table.concat(state.shape, "x"), state.time)
    end,
    release = function(state)
        for _, name in ipairs {"density", "heat", "u", "v", "spare"} do
            state[name]:close()
        end
        if state.pressure then state.pressure:close() end
    end,
    fields = {
        density = "density", heat = "heat", velocity_x = "u", velocity_y = "v", time = "time", pressure = "pressure",
        steps = "steps",
    },
}
local methods <const> = kind.methods

local MODE <const> = {density = "clamp", heat = "clamp", u = "zero", v = "zero", spare = "clamp"}

local OPTIONS <const> = {
    shape = {function(v) return option.is_shape(v, 2, 2) end, "a table of 2 sizes", nil, true},
    dt = option.default(option.positive, 1), lift = option.default(option.finite, 0.1),
    weight = option.default(option.finite, 0.02), cooling = option.default(option.not_negative, 0.01),
    reach = option.number(2, 64, 8), tolerance = option.default(option.not_negative, 1e-4),
}

--- rill.mpi.smoke(options) returns smoke on a distributed grid of cells with closed walls; lengths are in cells, and
-- smoke rises towards the first row. Fields: density, heat, velocity_x, velocity_y, pressure: distributed streams;
-- time, steps.
-- Options: shape (required): {rows, columns}; dt (default 1): seconds of a step; lift (default 0.1): acceleration per
-- unit of heat; weight (default 0.02): acceleration downward per unit of density; cooling (default 0.01): the share of
-- heat that is lost per second; reach (default 8): cells from which a value may come in one sub-step, from 2 to 64;
-- tolerance (default 1e-4): of the pressure, as for rill.solve.multigrid.
function smoke.new(options)
    local o = option.take("rill.mpi.smoke", options, OPTIONS)
    o.reach = math.tointeger(o.reach)
    local state = {shape = o.shape, o = o, time = 0.0, steps = 0}
    for _, name in ipairs {"density", "heat", "u", "v", "spare"} do
        state[name] = constructor.stream("float", o.shape, {halo = o.reach + 1, boundary = MODE[name]})
    end
    state.kernels = {}
    for name, text in pairs {
        advect = ADVECT, rise = RISE, divergence = DIVERGENCE, project = PROJECT, source = SOURCE,
    } do
        state.kernels[name] = rill.kernel(text)
    end
    return kind.create(state)
end

local SOURCE_OPTIONS <const> = {
    center = {function(v) return option.is_vector(v, 2) end, "{row, column}", nil, true},
    radius = {option.is_positive, "a number above 0", nil, true},
    density = option.default(option.not_negative, 1), heat = option.default(option.not_negative, 1),
}

--- Y:source(options) sets density and heat in a disk to at least these values. Options: center (required): {row,
-- column} in cells, radius (required), density (default 1), heat (default 1). Returns Y.
function methods.source(w, options)
    local state = kind.check(w, "source")
    local o = option.take("Y:source", options, SOURCE_OPTIONS)
    for _, name in ipairs {"density", "heat"} do
        state.kernels.source {center = {o.center[2], o.center[1]}, radius = o.radius, amount = o[name], s = state[name]}
    end
    return w
end

-- Moves a quantity with the velocity. The former stream becomes the spare one.
local function advect(state, name, place, dt, keep, u, v)
    local s = state[name]
    local mode = MODE[name]
    local to = state.spare:boundary(mode)
    state.kernels.advect {s = s:boundary(mode), u = u, v = v, place = place, dt = dt, reach = state.o.reach,
        keep = keep, r = to}
    state.spare = s
    return to
end

local function substep(state, dt)
    local k, o = state.kernels, state.o
    local u, v = state.u, state.v
    k.rise {density = state.density, heat = state.heat, weight = o.weight * dt, lift = o.lift * dt, v = v}
    local right = k.divergence(u, v)
    local p = solve.multigrid(right, {boundary = "neumann", tolerance = o.tolerance, strict = false,
        x0 = state.pressure})
    if state.pressure then
        state.pressure:close()
    end
    right:close()
    state.pressure = p:boundary "clamp"
    k.project {p = state.pressure, u = u, v = v}
    state.density = advect(state, "density", {0.5, 0.5}, dt, 1, u, v)
    state.heat = advect(state, "heat", {0.5, 0.5}, dt, math.exp(-o.cooling * dt), u, v)
    local moved_u = distributed.create("float", u._state.data.cut, {"zero", "zero"}, u._state.widths)
    local moved_v = distributed.create("float", u._state.data.cut, {"zero", "zero"}, u._state.widths)
    k.advect {s = u, u = u, v = v, place = {0, 0.5}, dt = dt, reach = o.reach, keep = 1, r = moved_u}
    k.advect {s = v, u = u, v = v, place = {0.5, 0}, dt = dt, reach = o.reach, keep = 1, r = moved_v}
    u:close()
    v:close()
    state.u, state.v = moved_u, moved_v
end

local MOST_PARTS <const> = 10000 -- sub-steps of a step

--- Y:step([n]) advances by n steps (default 1). A step is divided into as many sub-steps as values must come from no
-- farther than `reach` allows. Returns Y.
function methods.step(w, n)
    local state = kind.check(w, "step")
    for _ = 1, wire.steps("Y:step", n) do
        local left = state.o.dt
        while left > 0 do
            local fastest = math.max(rill.abs(state.u):max(), rill.abs(state.v):max())
            if fastest - fastest ~= 0 then
                fail("Y:step: a velocity is infinite or NaN: use a smaller dt or lift")
            end
            local most = fastest > 0 and (state.o.reach - 1.5) / fastest or left
            local parts = math.ceil(left / most)
            if parts > MOST_PARTS then
                fail("Y:step: a velocity of %g needs %.3g sub-steps: use a smaller dt or lift", fastest, parts)
            end
            local dt = left / parts
            substep(state, dt)
            left = parts > 1 and left - dt or 0
        end
        state.time = state.time + state.o.dt
        state.steps = state.steps + 1
    end
    return w
end

class.guard(methods, "Y")

return smoke
