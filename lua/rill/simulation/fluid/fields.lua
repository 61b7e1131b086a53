-- Sets and returns the fields of a fluid: velocities at cell centers, and carried quantities.
local rill = require "rill.core.public"
local advection = require "rill.simulation.fluid.advection"
local diffusion = require "rill.simulation.fluid.diffusion"
local forces = require "rill.simulation.fluid.forces"
local clock = require "rill.simulation.fluid.time_step"
local settings = require "rill.simulation.fluid.options"
local errors = require "rill.core.error"
local kernels <const> = require "rill.glsl.template".file "fields"
local fail <const> = errors.fail

local fields = {}

-- ---- velocities

local function program(f)
    return f.grid:program(kernels)
end

--- fields.velocity(f) returns the velocity at cell centers, a new stream.
function fields.velocity(f)
    local grid = f.grid
    local v = grid:stream("vec" .. grid.rank)
    grid:launch(program(f).center, {v = v}, {u = f.u})
    return v
end

-- Samples a function of positions where component k is stored.
local function component(f, name, k, value)
    local grid, shift = f.grid, {1.5, 1.5, 1.5} -- `padded` begins one element before the first cell
    shift[k] = grid.mac and 2 or 1.5
    return grid:sampled(true, shift, function(shape, from)
        return settings.sampled(name, "the velocity", "float", shape, grid.spacing, function(...)
            return (select(k, value(...)))
        end, nil, from)
    end)
end

--- fields.start(f, name, value) sets the velocity: a stream at cell centers, a function of positions, or nil for
-- rest.
function fields.start(f, name, value)
    local grid = f.grid
    if value ~= nil and type(value) ~= "function" then
        local v = settings.vectors(name, "the velocity", value, f)
        grid:launch(program(f).spread, {v = v}, {r = f.u})
        return
    end
    for k = 1, grid.rank do
        if value then
            local s <close> = component(f, name, k, value)
            settings.finite(name, "the velocity", s)
            f.w[k]:write(s)
        else
            f.w[k]:fill(0)
        end
    end
    grid:launch(program(f).settle, {}, {u = f.w, r = f.u})
end

-- ---- carried quantities

local TYPES <const> = {float = true, vec2 = true, vec3 = true, vec4 = true}

-- Returns a stream together with a view of it that has the fluid's boundary modes.
local function viewed(f, s)
    local modes, rank = {}, f.grid.rank
    for d = 1, rank do
        modes[rank + 1 - d] = f.grid.kinds[d][1].mode.stream
    end
    return {s = s, view = s:boundary(table.unpack(modes))}
end

-- Raises an error unless the option 'inflow' is a number, or one number per component.
local function check_fed(name, fed, count)
    local list = type(fed) == "table" and not rill.type(fed) and fed or {fed}
    for _, value in ipairs(list) do
        if type(value) ~= "number" or value - value ~= 0 then
            list = {}
        end
    end
    if #list ~= count then
        fail("f:carry: option 'inflow' of '%s': expected %s, got %s", name, count == 1 and "a number" or
            count .. " numbers", errors.told(fed))
    end
end

--- fields.carry(f, name, value, diffusivity, fed) adds a carried quantity, or replaces its values.
function fields.carry(f, name, value, diffusivity, fed)
    local s = settings.stream("f:carry", ("argument #2 'stream' (%s)"):format(name), value, f.grid, TYPES)
    settings.finite("f:carry", ("'%s'"):format(name), s)
    forces.check(f, name, tostring(s.type))
    if fed ~= nil then
        check_fed(name, fed, tonumber(tostring(s.type):match "%d") or 1)
    end
    local q = f.carried[name]
    if q and q.type ~= s.type then
        fail("f:carry: '%s' is carried as elements of %s, got elements of %s", name, q.type, tostring(s.type))
    elseif q then
        q.now.s:write(s)
        q.diffusion, q.fed = diffusivity, fed
        return
    end
    local function room()
        return f.grid:stream(s.type)
    end
    q = {name = name, type = s.type, diffusion = diffusivity, now = viewed(f, s:copy()), next = viewed(f, room())}
    q.fed, q.zero = fed, q.type == "float" and 0 or {0, 0, table.unpack({0, 0}, 1, tonumber(q.type:match "%d") - 2)}
    q.ahead = (f.corrects or diffusivity > 0) and viewed(f, room())
    q.low, q.high = f.corrects and room(), f.corrects and room()
    f.carried[name] = q
    f.order[#f.order + 1] = q
end

--- fields.move(f, rounds) advects and diffuses the carried quantities. rounds(diffusivity) returns the number of
-- diffusion iterations.
function fields.move(f, rounds)
    local reach = #f.order > 0 and clock.reach(f, f.timer) or nil
    for _, q in ipairs(f.order) do
        advection.carry(f, q, reach)
        if q.diffusion > 0 then
            q.ahead = q.ahead or viewed(f, f.grid:stream(q.type))
            diffusion.carry(f, q, rounds(q.diffusion))
        end
    end
end

return fields
