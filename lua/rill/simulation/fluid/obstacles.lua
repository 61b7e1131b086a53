-- Cells with a prescribed velocity: obstacles and inflows. The faces (or centers) of these cells keep their velocity
-- during a step; the pressure adapts the fluid around them.
local rill = require "rill.core.public"
local settings = require "rill.simulation.fluid.options"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"

local obstacles = {}

-- ---- arguments

local TAKE <const> = template.new "kernel void take($T mask<>, out float block<>) { block = $holds ? 1.0 : 0.0; }"
local HOLDS <const> = {bool = "mask", int = "mask != 0", uint = "mask != 0u", float = "mask < 0.0"}
local KINDS <const> = {bool = true, int = true, uint = true, float = true}

local function is_velocity(v, rank)
    for d = 1, rank do
        if type(v[d]) ~= "number" or v[d] - v[d] ~= 0 then
            return false
        end
    end
    return #v == rank
end

-- Sets the velocity of the cells: numbers for all of them, or a stream.
local function drive(f, name, place, velocity, checks)
    local vector = "vec" .. f.grid.rank
    velocity = velocity == nil and 0 or velocity
    if velocity == 0 or type(velocity) == "table" and not rill.type(velocity) then
        if velocity ~= 0 and not is_velocity(velocity, f.grid.rank) then
            errors.fail("%s: argument #2 'velocity': expected %d numbers, or a stream of %s", name, f.grid.rank, vector)
        end
        place.drive:fill(velocity)
        return
    end
    local given = settings.stream(name, "argument #2 'velocity'", velocity, f.grid, {[vector] = true})
    if checks then
        settings.finite(name, "argument #2 'velocity'", given)
    end
    place.drive:write(given)
end

-- Returns the streams for the mask and velocity of obstacles or inflows.
local function room(f)
    return {
        block = f.grid:stream "float", drive = f.grid:stream("vec" .. f.grid.rank), given = 0,
    }
end

-- Sets the cells of a mask or a signed distance. Arguments are checked for NaN at the 1st, 2nd, 4th, 8th ... call.
local function take(f, name, place, mask, velocity)
    mask = settings.stream(name, "argument #1 'mask'", mask, f.grid, KINDS)
    local type_, checks = tostring(mask.type), place.given & (place.given + 1) == 0
    place.given = place.given + 1
    if type_ == "float" and checks then
        settings.finite(name, "argument #1 'mask'", mask)
    end
    drive(f, name, place, velocity, checks)
    TAKE:kernel {T = type_, holds = HOLDS[type_]}(mask, place.block)
end

-- ---- kernels

local kernels <const> = template.file "obstacles"

--- obstacles.update(f) computes f.solid and f.held from the obstacles and inflows.
function obstacles.update(f)
    local grid = f.grid
    f.obstacle, f.source = f.obstacle or room(f), f.source or room(f)
    f.solid, f.faces = f.solid or grid:field(), f.faces or grid:fields()
    grid:launch(grid:program(kernels).update, {
        block = f.obstacle.block, drive = f.obstacle.drive, source = f.source.block, flow = f.source.drive,
        solid = f.solid,
    }, {held = f.faces})
    f.masks = (f.masks or 0) + 1 -- how often the solid cells were set
    f.held = (f.obstacle.given > 0 or f.source.given > 0) and f.faces or nil
    f.blocked = f.held and f.solid
end

--- obstacles.place(f, what, name, mask, velocity) sets the cells of obstacles (what = "obstacle") or inflows
-- ("source"), replacing earlier ones. mask = nil removes them.
function obstacles.place(f, what, name, mask, velocity)
    f[what] = f[what] or room(f)
    if mask == nil then
        f[what].block:fill(0)
        f[what].given = 0
    else
        take(f, name, f[what], mask, velocity)
    end
    obstacles.update(f)
end

return obstacles
