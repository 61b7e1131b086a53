-- Checks the options of rill.fluid and the arguments for fields.
local boundary = require "rill.core.boundary"
local errors = require "rill.core.error"
local grids = require "rill.stream.grid"
local option = require "rill.core.options"
local provider = require "rill.stream.provider"
local simulation = require "rill.simulation.simulation"
local template = require "rill.glsl.template"
local fail <const> = errors.fail

local settings = {}

local AXES <const> = {"x", "y", "z"}

local is_plain <const>, told <const> = option.table[1], errors.told

local function is_buoyancy(value)
    for name, weight in pairs(is_plain(value) and value or {}) do
        if type(name) ~= "string" or not option.some(option.is_finite)(weight) then
            return false
        end
    end
    return is_plain(value)
end

local ROWS <const> = {
    shape = {function(v) return option.is_shape(v, 2, 3) end,
        "a table of 2 or 3 whole numbers, 1 or more, at most 2147483647 elements"},
    spacing = {option.some(option.is_positive), "a number above 0, or a table of one per dimension", 1},
    dt = {option.is_positive, "a number of seconds above 0"}, cfl = option.default(option.positive, 1),
    viscosity = option.default(option.not_negative, 0), confinement = option.default(option.not_negative, 0),
    tolerance = option.default(option.positive, 1e-4), substeps = simulation.substeps, iterations = option.count,
    pressure = option.words({"multigrid", "cg", "jacobi"}, "multigrid"),
    grid = option.words({"mac", "collocated"}, "mac"),
    advection = option.words({"maccormack", "semilagrangian"}, "maccormack"),
    boundary = {function(v) return boundary.accept(v, "fluid") or is_plain(v) end,
        boundary.quoted "fluid" .. ", or a table of {low, high} per axis", "wall"},
    buoyancy = {is_buoyancy, "a table of numbers, or of lists of numbers, by the names of carried quantities"},
    velocity = {function(v) return type(v) == "function" or provider.accepts(v) end, "an open stream or a function"},
    on = provider.row,
}

-- Returns {mode =, velocity =} for a side.
local function side(value, axis, end_, rank)
    local words = ("rill.fluid: option 'boundary': the %s side of %s: "):format(end_, axis)
    if not is_plain(value) then
        local mode = value == nil and boundary.mode.wall or boundary.accept(value, "fluid")
        if not mode then
            fail("%sexpected %s or {velocity = {...}}, got %s", words, boundary.quoted "fluid", told(value))
        end
        return {mode = mode}
    end
    local velocity = value.velocity
    for key in pairs(value) do
        if key ~= "velocity" then
            fail("%sunknown key '%s': expected velocity", words, tostring(key))
        end
    end
    if not is_plain(velocity) or #velocity ~= rank or not option.is_vector(velocity) then
        fail("%s'velocity': expected a table of %d numbers, got %s", words, rank,
            is_plain(velocity) and "another table" or told(velocity))
    end
    return {mode = boundary.mode.wall, velocity = velocity}
end

-- Returns an array of {low, high} for each axis, x first.
local function sides(value, rank)
    local list, seen = {}, {}
    for d = 1, rank do
        local axis = AXES[d]
        local pair = value
        if is_plain(value) then
            pair, seen[axis] = value[axis], true
        end
        local low, high = pair, pair
        if is_plain(pair) and (pair.velocity == nil or #pair > 0) then
            for key in pairs(pair) do
                if key ~= 1 and key ~= 2 then
                    fail("rill.fluid: option 'boundary': %s: unknown key '%s': expected {low, high}", axis,
                        tostring(key))
                end
            end
            low, high = pair[1], pair[2]
        elseif pair ~= nil and not is_plain(pair) and not boundary.accept(pair, "fluid") then
            fail("rill.fluid: option 'boundary': %s: expected {low, high}, %s, got %s", axis,
                boundary.quoted("fluid", " or "), told(pair))
        end
        list[d] = {side(low, axis, "low", rank), side(high, axis, "high", rank)}
        if (list[d][1].mode == boundary.mode.periodic) ~= (list[d][2].mode == boundary.mode.periodic) then
            fail("rill.fluid: option 'boundary': %s is periodic on one side only: set both sides, or neither", axis)
        end
    end
    for key in pairs(is_plain(value) and value or {}) do
        if not seen[key] then
            fail("rill.fluid: option 'boundary': unknown axis '%s': expected %s", tostring(key),
                table.concat(AXES, ", ", 1, rank))
        end
    end
    return list
end

--- settings.take(given) returns the options of rill.fluid, checked and with defaults. sides and spacing are arrays,
-- x first.
function settings.take(given)
    local taken = option.take("rill.fluid", given, ROWS)
    if not taken.shape then
        fail("rill.fluid: option 'shape' is missing: {rows, columns}, or {layers, rows, columns}")
    end
    local rank = #taken.shape
    taken.sides = sides(taken.boundary, rank)
    taken.spacing = select(2, option.per_dimension("rill.fluid", "spacing", taken.spacing, rank))
    return taken
end

-- ---- fields

local FAULT <const> = template.new "kernel int fault($T x<>) { return $any(isnan(x)) ? 2 : $any(isinf(x)) ? 1 : 0; }"

--- settings.finite(name, what, s) raises an error if a stream contains NaN or infinity.
function settings.finite(name, what, s)
    local type_ = tostring(s.type)
    local fault = FAULT:kernel {T = type_, any = type_ == "float" and "" or "any"}
    local bad <close> = fault(s)
    local worst = bad:max()
    if worst > 0 then
        fail("%s: %s has %s at element %s", name, what, worst == 2 and "NaN" or "infinity",
            table.concat({bad:argmax()}, ", "))
    end
end

local function shape_text(shape)
    return table.concat(shape, "x")
end

--- settings.stream(name, what, value, grid, types) returns an open stream of the cells of a grid and one of the types
-- (a set). Expressions are evaluated. Raises an error for other values.
function settings.stream(name, what, value, grid, types)
    if not provider.accepts(value) then
        fail("%s: %s: expected an open stream, got %s", name, what, told(value))
    end
    local shape = grid.shape
    value = grid.on.open(("%s: %s"):format(name, what), value)
    if shape_text(value.shape) ~= shape_text(shape) then
        fail("%s: %s has shape %s, but the fluid has shape %s", name, what, shape_text(value.shape), shape_text(shape))
    elseif not types[tostring(value.type)] then
        local list = {}
        for type in pairs(types) do
            list[#list + 1] = type
        end
        table.sort(list)
        fail("%s: %s: expected elements of %s, got elements of %s", name, what, table.concat(list, ", "),
            tostring(value.type))
    end
    return grid:take(value)
end

--- settings.sampled(name, what, ...) calls grid.sampled(...). Errors about the function's results name `what`.
function settings.sampled(name, what, ...)
    return errors.guard(grids.sampled, name .. ": " .. what, "^rill%.stream: argument #3 'init'")(...)
end

--- settings.vectors(name, what, value, f) returns a vector field at cell centers, given as a stream or a function of
-- positions.
function settings.vectors(name, what, value, f)
    local grid, type_ = f.grid, "vec" .. f.grid.rank
    if type(value) == "function" then
        local f_of = value
        value = grid:sampled(false, {0.5, 0.5, 0.5}, function(shape, shift)
            return settings.sampled(name, what, type_, shape, grid.spacing, f_of, nil, shift)
        end)
    end
    value = settings.stream(name, what, value, grid, {[type_] = true})
    settings.finite(name, what, value)
    return value
end

return settings
