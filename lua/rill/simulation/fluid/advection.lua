-- Advection: what is at a place now was upstream a step ago (Stam 1999). The way back is of second order, through its
-- middle. MacCormack's method
-- (Selle and others 2008) takes the result forward again, and corrects it by half of what did not come back; no value
-- leaves the range of those it
-- was interpolated from.
local advection = {}

-- The velocity at a position, and where what is there was (way -1) or will be (1) a step of dt away. TRACE goes into
-- each kernel.
local TRACE <const> = [=[
#define FLOW(spot) V(@{, sample(u#K, (spot) + shift_#K)})
#define TRACE(spot, time) inside(spot + (time) * s.per * FLOW(inside(spot + 0.5 * (time) * s.per * FLOW(spot), s)), s)
]=]

-- What is added to component k where its way begins and where it ends: the force of the step, and the gradient of the
-- pressure that there was. The projection solves for how that changes on a MAC grid, for all of the pressure on a collocated
-- one: its wide gradient does not see all of a change, and what it does not see would grow. So there the gradient is
-- given back in the end (Almgren, Bell and Crutchfield 2000); where diffusion comes before the projection, after that, as
-- what the pressure balances must not be dragged by walls.
local SLOPE <const> = "dt * (s.per.AXIS * (AT(p, at - STEP) - AT(p, at)) PUSHED)"
local LESS <const> = "dt * (0.0 PUSHED - AT(slope#K, at))"
local GAIN <const> = {
    mac = {begins = SLOPE, ends = SLOPE, viscous = SLOPE, once = SLOPE},
    collocated = {
        begins = LESS, ends = "dt * (0.0 PUSHED + AT(slope#K, at))", viscous = LESS, once = "dt * (0.0 PUSHED)",
    },
}
local BEFORE <const> = {mac = "float p FIELD,", collocated = "@{float slope#K FIELD,}"}
local PUSHED <const> = {
    mac = "+ 0.5 * (AT(push, at).AXIS + AT(push, at - STEP).AXIS)", collocated = "+ AT(push, at).AXIS",
}

-- The elements around a position: their range, and what is interpolated between them.
local AROUND <const> = {
    [2] = [=[
#define AROUND(type, u, spot, low, high, value) { \
    vec2 f = floor(spot), w = (spot) - f; ivec2 i = ivec2(f); \
    type a = u[i.y][i.x], b = u[i.y][i.x + 1], c = u[i.y + 1][i.x], d = u[i.y + 1][i.x + 1]; \
    low = min(min(a, b), min(c, d)); high = max(max(a, b), max(c, d)); \
    value = mix(mix(a, b, w.x), mix(c, d, w.x), w.y); }
]=],
    [3] = [=[
#define AROUND(type, u, spot, low, high, value) { \
    vec3 f = floor(spot), w = (spot) - f; ivec3 i = ivec3(f); \
    type a = u[i.z][i.y][i.x], b = u[i.z][i.y][i.x + 1], c = u[i.z][i.y + 1][i.x], d = u[i.z][i.y + 1][i.x + 1]; \
    type e = u[i.z + 1][i.y][i.x], g = u[i.z + 1][i.y][i.x + 1], h = u[i.z + 1][i.y + 1][i.x]; \
    type k = u[i.z + 1][i.y + 1][i.x + 1]; \
    low = min(min(min(a, b), min(c, d)), min(min(e, g), min(h, k))); \
    high = max(max(max(a, b), max(c, d)), max(max(e, g), max(h, k))); \
    value = mix(mix(mix(a, b, w.x), mix(c, d, w.x), w.y), mix(mix(e, g, w.x), mix(h, k, w.x), w.y), w.z); }
]=],
}

local ONCE <const> = [=[
kernel void once(Sides s, float clock[], PRESSURE PUSHES @{float u#K FIELD,} HOLDS @{,out float r#K<>}) {
    float dt = clock[0];
    I here = indexof(r0).PLACE;
@{
    {
        I at = fold_#K(here, s);
        float value = sample(u#K, TRACE(V(at) - shift_#K, -dt) + shift_#K) + ENDS;
        r#K = bounded_#K(KEPT, here, s);
    }
}
}
]=]

-- Half of what is gained is gained where the way begins and half where it ends: so the error of a flow at rest falls
-- with the square of the step.
local TWICE <const> = [=[
kernel void lead(Sides s, float clock[], PRESSURE PUSHES @{float u#K FIELD,} HOLDS @{,out float r#K<>}) {
    float dt = 0.5 * clock[0];
    I here = indexof(r0).PLACE;
@{
    {
        I at = fold_#K(here, s);
        float value = AT(u#K, at) + BEGINS;
        r#K = bounded_#K(KEPT, here, s);
    }
}
}
kernel void ahead(Sides s, float clock[], @{float u#K FIELD, float e#K FIELD,} HOLDS @{,out float r#K<>,
    out vec2 range#K<>}) {
    float dt = clock[0];
    I here = indexof(r0).PLACE;
@{
    {
        I at = fold_#K(here, s);
        float value, low, high;
        V from = TRACE(V(at) - shift_#K, -dt) + shift_#K;
        AROUND(float, e#K, from, low, high, value)
        r#K = bounded_#K(KEPT, here, s);
        range#K = vec2(low, high);
    }
}
}
kernel void again(Sides s, float clock[], PRESSURE PUSHES @{float u#K FIELD, float e#K FIELD, float a#K FIELD,
    vec2 range#K FIELD,}
                  HOLDS @{,out float r#K<>}) {
    float dt = 0.5 * clock[0];
    I here = indexof(r0).PLACE;
@{
    {
        I at = fold_#K(here, s);
        float back = sample(a#K, TRACE(V(at) - shift_#K, clock[0]) + shift_#K);
        vec2 range = AT(range#K, at);
        float value = clamp(AT(a#K, at) + 0.5 * (AT(e#K, at) - back), range.x, range.y) + ENDS;
        r#K = bounded_#K(KEPT, here, s);
    }
}
}
]=]

-- A quantity at the middles of cells, of type Q, which has no outer elements: its view says what is outside.
local CARRIED <const> = [=[
kernel void once(Sides s, float clock[], @{float u#K FIELD,} Q q FIELD, CELLS out Q r<>) {
    I at = indexof(r).PLACE;
    r = settled(sample(q, TRACE(V(at) + 0.5, -clock[0]) - 0.5));
    r = KEPT;
}
]=]

local CARRIED_TWICE <const> = [=[
kernel void ahead(Sides s, float clock[], @{float u#K FIELD,} Q q FIELD, out Q r<>, out Q low<>, out Q high<>) {
    V here = V(indexof(r).PLACE);
    V from = TRACE(here + 0.5, -clock[0]) - 0.5;
    AROUND(Q, q, from, low, high, r)
}
kernel void again(Sides s, float clock[], @{float u#K FIELD,} Q q<>, Q a FIELD, Q low<>, Q high<>, CELLS out Q r<>) {
    I at = indexof(r).PLACE;
    Q back = sample(a, TRACE(V(at) + 0.5, clock[0]) - 0.5);
    r = settled(clamp(AT(a, at) + 0.5 * (q - back), low, high));
    r = KEPT;
}
]=]

-- Numbers that fade to almost nothing become nothing: denormal floats are slow.
local SETTLED <const> = "Q settled(Q q) { return q * Q(greaterThan(abs(q), Q(1e-20))); }\n"
local SETTLED_FLOAT <const> = "float settled(float q) { return abs(q) > 1e-20 ? q : 0.0; }\n"

-- Nothing is carried into an obstacle; what comes in with an inflow is what was told.
local KEPT <const> = "AT(solid, at + 1) == 1.0 ? Q(0.0) : AT(solid, at + 1) == 2.0 && feeds > 0.5 ? fed : r"

-- The text of a kernel for velocities: with a force or without, with held faces or without, with diffusion after it or without.
local function text_of(grid, text, pushed, held, viscous)
    local kind = grid.mac and "mac" or "collocated"
    local gain, push = GAIN[kind], pushed and PUSHED[kind] or ""
    local ends = gain[viscous and "viscous" or text == ONCE and "once" or "ends"]
    text = text:gsub("PRESSURE", BEFORE[kind])
    text = text:gsub("BEGINS", (gain.begins:gsub("PUSHED", push))):gsub("ENDS", (ends:gsub("PUSHED", push)))
    text = text:gsub("PUSHES", pushed and "V push FIELD," or "")
    text = text:gsub("HOLDS", held and "@{float held#K FIELD,}" or "")
    text = text:gsub("KEPT", held and "AT(held#K, at) < 1e30 ? AT(held#K, at) : value" or "value")
    return TRACE .. AROUND[grid.rank] .. text
end

-- All lists in one, for a launch.
local function joined(list, ...)
    for _, part in ipairs {...} do
        table.move(part, 1, #part, #list + 1, list)
    end
    return list
end
advection.joined = joined

--- advection.flow(f): the velocities f.u, moved along themselves and pushed, into f.w. `f` is the state of a fluid
-- (lua/rill/simulation/fluid/fields.lua).
function advection.flow(f)
    local grid, held = f.grid, f.held or {}
    local program = grid:program(text_of(grid, f.corrects and TWICE or ONCE, f.push, f.held, f.viscosity > 0))
    local before = grid.mac and {f.p} or f.slopes
    local head = joined({grid.sides, f.clock}, before, {f.push})
    if not f.corrects then
        program.once(table.unpack(joined(head, f.u, held, f.w)))
        return
    end
    local outs, inputs, pairs_ = {}, {}, {}
    for k = 1, grid.rank do
        joined(outs, {f.a[k], f.ranges[k]})
        joined(pairs_, {f.u[k], f.c[k]})
        joined(inputs, {f.u[k], f.c[k], f.a[k], f.ranges[k]})
    end
    program.lead(table.unpack(joined(joined({}, head), f.u, held, f.c)))
    program.ahead(table.unpack(joined({grid.sides, f.clock}, pairs_, held, outs)))
    program.again(table.unpack(joined(head, inputs, held, f.w)))
end

--- advection.carry(f, q): a carried quantity along f.u. q has type, now, next, fed (nil, or what comes in with an
-- inflow), nothing (a zero), and ahead,
-- low and high where MacCormack's method moves it.
function advection.carry(f, q)
    local grid = f.grid
    local text = (q.type == "float" and SETTLED_FLOAT or SETTLED) .. TRACE .. AROUND[grid.rank] ..
        (f.corrects and CARRIED_TWICE or CARRIED)
    text = text:gsub("CELLS", f.held and "float solid FIELD, float feeds, Q fed," or ""):gsub("KEPT", f.held and KEPT or
        "r")
    local program = grid:program((text:gsub("%f[%w_]Q%f[^%w_]", q.type)))
    local head = joined({grid.sides, f.clock}, f.u)
    local cells = f.held and {f.solid, q.fed and 1 or 0, q.fed or q.nothing} or {}
    if f.corrects then
        program.ahead(table.unpack(joined(joined({}, head), {q.now.view, q.ahead.s, q.low, q.high})))
        program.again(table.unpack(joined(head, {q.now.s, q.ahead.view, q.low, q.high}, cells, {q.next.s})))
    else
        program.once(table.unpack(joined(head, {q.now.view}, cells, {q.next.s})))
    end
    q.now, q.next = q.next, q.now
end

return advection
