-- What pushes the fluid: a force given from outside, carried quantities that rise or sink, and vorticity confinement
-- (Fedkiw and others 2001),
-- which spins up eddies around their own middle. One field of accelerations per step, at the middles of cells.
local advection = require "rill.simulation.fluid.advection"
local errors = require "rill.core.error"
local joined <const> = advection.joined

local forces = {}

-- The velocity's change across the middle of a cell, from faces or from middles.
local CURL <const> = {
    [2] = [=[
kernel void curl(Sides s, @{float u#K FIELD,} out float spin<>) {
    I at = folded(indexof(spin).PLACE, I(0), s);
    spin = SLOPE(u1, 0, 1) - SLOPE(u0, 1, 0);
}
]=],
    [3] = [=[
kernel void curl(Sides s, @{float u#K FIELD,} out vec3 spin<>) {
    I at = folded(indexof(spin).PLACE, I(0), s);
    spin = vec3(SLOPE(u2, 1, 2) - SLOPE(u1, 2, 1), SLOPE(u0, 2, 0) - SLOPE(u2, 0, 2),
                SLOPE(u1, 0, 1) - SLOPE(u0, 1, 0));
}
]=],
}

-- `b` along the dimension a, across which it may stand on faces of dimension k.
local SLOPE <const> = {
    mac = "0.25 * s.per.%s * (AT(%s, at + %s) + AT(%s, at + %s + %s) - AT(%s, at - %s) - AT(%s, at - %s + %s))",
    collocated = "0.5 * s.per.%s * (AT(%s, at + %s) - AT(%s, at - %s))",
}

local PUSH <const> = [=[
kernel void gather(Sides s, float confinement, INPUTS out V push<>) {
    I at = folded(indexof(push).PLACE, I(0), s);
    push = V(0.0) TERMS;
}
]=]

local CONFINE <const> = {
    [2] = [=[
V confined(V rise, float spin) { V n = rise / (length(rise) + 1e-12); return spin * vec2(n.y, -n.x); }
]=],
    [3] = [=[
V confined(V rise, vec3 spin) { return cross(rise / (length(rise) + 1e-12), spin); }
]=],
}
local CONFINED <const> =
    "+ confinement * confined(V(@{, length(AT(spin, at + STEP)) - length(AT(spin, at - STEP))}), AT(spin, at))"

local function curl_of(grid)
    local kind = grid.mac and "mac" or "collocated"
    return (CURL[grid.rank]:gsub("SLOPE%((%w+), (%d), (%d)%)", function(u, a, k)
        local along, across = grid.steps[a + 1], grid.steps[k + 1]
        local axis = ("xyz"):sub(a + 1, a + 1)
        if kind == "mac" then
            return SLOPE.mac:format(axis, u, along, u, along, across, u, along, u, along, across)
        end
        return SLOPE.collocated:format(axis, u, along, u, along)
    end))
end

--- forces.check(f, name, type): refuses a quantity of a type that f.buoyancy has another number of values for.
function forces.check(f, name, type_)
    local weight, count = f.buoyancy[name], tonumber(type_:match "%d") or 1
    local given = type(weight) == "table" and #weight or 1
    if weight and given ~= count then
        errors.fail("f:carry: option 'buoyancy' of the fluid has %d value%s for '%s', whose elements are %s", given,
            given == 1 and "" or "s", name, type_)
    end
end

--- forces.buoyant(f): the carried quantities that f.buoyancy names, each with how much a unit of it rises.
function forces.buoyant(f)
    local list = {}
    for _, q in ipairs(f.order) do
        local weight = f.buoyancy[q.name]
        list[#list + 1] = weight and {q = q, weight = weight} or nil
    end
    return list
end

-- The parameters and terms of a push, and the arguments.
local function parts(f)
    local inputs, terms, arguments = {}, {}, {}
    if f.force then
        inputs[1], terms[1], arguments[1] = "V force FIELD,", "+ AT(force, at - I(1))", f.force
    end
    for i, row in ipairs(f.buoyant) do
        local name = "b" .. i
        inputs[#inputs + 1] = ("%s c%d, %s %s FIELD,"):format(row.q.type, i, row.q.type, name)
        terms[#terms + 1] = ("- UP * dot(c%d, AT(%s, at - I(1)))"):format(i, name)
        joined(arguments, {row.weight, row.q.now.s})
    end
    if f.confinement > 0 then
        inputs[#inputs + 1] = f.grid.rank == 2 and "float spin FIELD," or "vec3 spin FIELD,"
        terms[#terms + 1], arguments[#arguments + 1] = CONFINED, f.spin
    end
    return table.concat(inputs, " "), table.concat(terms, " "), arguments
end

--- forces.gather(f): f.push anew, where something pushes; nil where nothing does.
function forces.gather(f)
    local grid = f.grid
    local changes = f.confinement > 0 or #f.buoyant > 0
    if not f.force and not changes then
        f.push = nil
        return
    elseif f.push and not changes and f.pushes == f.forces then
        return
    end
    f.push_room = f.push_room or grid:field("vec" .. grid.rank)
    if f.confinement > 0 then
        f.spin = f.spin or grid:field(grid.rank == 2 and "float" or "vec3")
        grid:program(curl_of(grid)).curl(table.unpack(joined({grid.sides}, f.u, {f.spin})))
    end
    local inputs, terms, arguments = parts(f)
    local text = CONFINE[grid.rank] .. PUSH:gsub("INPUTS", inputs):gsub("TERMS", terms)
    text = text:gsub("%f[%w]UP%f[%W]", grid.steps[2]:gsub("I", "V"))
    local strength = f.confinement * math.min(table.unpack(grid.spacing))
    grid:program(text).gather(table.unpack(joined({grid.sides, strength}, arguments, {f.push_room})))
    f.push, f.pushes = f.push_room, f.forces
end

return forces
