-- Forces on a fluid: the user's force, buoyancy of carried quantities, and vorticity confinement (Fedkiw and others
-- 2001), which strengthens eddies. They are added to one field of accelerations at cell centers per step.
local errors = require "rill.core.error"
local programs <const> = require "rill.glsl.template".sections "forces"

local forces = {}

--- forces.check(f, name, type) raises an error if the type of a quantity does not match the number of its buoyancy
-- values.
function forces.check(f, name, type_)
    local weight, count = f.buoyancy[name], tonumber(type_:match "%d") or 1
    local given = type(weight) == "table" and #weight or 1
    if weight and given ~= count then
        errors.fail("f:carry: option 'buoyancy' of the fluid has %d value%s for '%s', whose elements are %s", given,
            given == 1 and "" or "s", name, type_)
    end
end

--- forces.buoyant(f) returns the carried quantities that have a buoyancy, each with its weight.
function forces.buoyant(f)
    local list = {}
    for _, q in ipairs(f.order) do
        local weight = f.buoyancy[q.name]
        list[#list + 1] = weight and {q = q, weight = weight} or nil
    end
    return list
end

-- Computes the curl of the velocity in a stream with halo.
local function curl(f, spin)
    f.grid:launch(f.grid:program(programs.curl).curl, {spin = spin}, {u = f.u})
end

-- Returns a stream with halo for the curl of the velocity.
local function curl_room(grid)
    return grid:field(grid.rank == 2 and "float" or "vec3")
end

--- forces.vorticity(f) returns the curl of the velocity at cell centers, a new stream.
function forces.vorticity(f)
    local spin <close> = curl_room(f.grid)
    curl(f, spin)
    local cells <close> = f.grid:cells(spin)
    return cells:copy()
end

-- Returns the template values of the kernel `gather`, and its arguments.
local function parts(f)
    local values = {force = f.force ~= nil, buoyant = {}, confines = f.confinement > 0}
    local arguments = {
        confinement = f.confinement * math.min(table.unpack(f.grid.spacing)), force = f.force,
        spin = values.confines and f.spin or nil, push = f.push_room,
    }
    for i, row in ipairs(f.buoyant) do
        values.buoyant[i] = {i = i, type = row.q.type}
        arguments["c" .. i], arguments["b" .. i] = row.weight, row.q.now.s
    end
    return values, arguments
end

--- forces.gather(f) computes the accelerations f.push, or sets it to nil if there are none.
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
        f.spin = f.spin or curl_room(grid)
        curl(f, f.spin)
    end
    local values, arguments = parts(f)
    grid:launch(grid:program(programs.push, values).gather, arguments)
    f.push, f.pushes = f.push_room, f.forces
end

return forces
