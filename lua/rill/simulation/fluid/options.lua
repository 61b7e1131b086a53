-- What rill.fluid takes: options, and what stands for a field.
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local template = require "rill.glsl.template"
local fail <const> = errors.fail

local settings = {}

local AXES <const> = {"x", "y", "z"}

local function is_finite(value)
    return type(value) == "number" and value - value == 0
end

local function is_positive(value)
    return is_finite(value) and value > 0
end

local function is_count(value)
    return math.type(value) == "integer" and value >= 1
end

local function is_plain(value)
    return type(value) == "table" and not rill.type(value)
end

--- What came, for messages.
function settings.told(value)
    return type(value) == "number" and "number " .. errors.number(value) or
        type(value) == "string" and ('"%s"'):format(value) or errors.not_open(value) or rill.type(value) or type(value)
end
local told <const> = settings.told

local function one_of(...)
    local names, words = {...}, {}
    for i, name in ipairs(names) do
        names[name], words[i] = true, ('"%s"'):format(name)
    end
    return {function(value) return type(value) == "string" and names[value] end, table.concat(words, " or ")}
end

-- A number, or an array of numbers.
local function some(holds)
    return function(value)
        if not is_plain(value) then
            return holds(value)
        end
        for _, item in ipairs(value) do
            if not holds(item) then
                return false
            end
        end
        return #value > 0
    end
end

local function at_least_zero(value)
    return is_finite(value) and value >= 0
end

local function is_buoyancy(value)
    for name, weight in pairs(is_plain(value) and value or {}) do
        if type(name) ~= "string" or not some(is_finite)(weight) then
            return false
        end
    end
    return is_plain(value)
end

local ROWS <const> = {
    shape = {function(v) return option.is_shape(v, 2, 3) end,
        "a table of 2 or 3 whole numbers, 1 or more, at most 2147483647 elements"},
    spacing = {some(is_positive), "a number above 0, or a table of one per dimension"},
    dt = {is_positive, "a number of seconds above 0"},
    cfl = {is_positive, "a number above 0"},
    viscosity = {at_least_zero, "a number, 0 or more"},
    confinement = {at_least_zero, "a number, 0 or more"},
    tolerance = {is_positive, "a number above 0"},
    substeps = {function(v) return v == true or is_count(v) end, "a whole number, 1 or more, or true"},
    iterations = {is_count, "a whole number, 1 or more"},
    pressure = one_of("multigrid", "cg", "jacobi"),
    grid = one_of("mac", "collocated"),
    advection = one_of("maccormack", "semilagrangian"),
    boundary = {function(v) return boundary.accept(v, "fluid") or is_plain(v) end,
        boundary.quoted "fluid" .. ", or a table of {low, high} per axis"},
    buoyancy = {is_buoyancy, "a table of numbers, or of lists of numbers, by the names of carried quantities"},
    velocity = {function(v) return type(v) == "function" or not errors.not_open(v) end, "an open stream or a function"},
}

-- What a side is: {mode=, velocity=}.
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
    if not is_plain(velocity) or #velocity ~= rank or not some(is_finite)(velocity) then
        fail("%s'velocity': expected a table of %d numbers, got %s", words, rank,
            is_plain(velocity) and "another" or told(velocity))
    end
    return {mode = boundary.mode.wall, velocity = velocity}
end

-- An array of {low, high}, x first.
local function sides(value, rank)
    local list, seen = {}, {}
    for d = 1, rank do
        local axis = AXES[d]
        local pair = value
        if is_plain(value) then
            pair, seen[axis] = value[axis], true
        end
        local low, high = pair, pair
        if is_plain(pair) then
            low, high = pair[1], pair[2]
        elseif pair ~= nil and not boundary.accept(pair, "fluid") then
            fail("rill.fluid: option 'boundary': %s: expected {low, high}, %s, got %s", axis,
                boundary.quoted("fluid", " or "), told(pair))
        end
        list[d] = {side(low, axis, "low", rank), side(high, axis, "high", rank)}
        if (list[d][1].mode == boundary.mode.periodic) ~= (list[d][2].mode == boundary.mode.periodic) then
            fail("rill.fluid: option 'boundary': %s is periodic on one side: both are, or none", axis)
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

-- One spacing per dimension, x first.
local function spacings(value, rank)
    local list = {}
    if type(value) == "table" and #value ~= rank then
        fail("rill.fluid: option 'spacing' has %d value%s, the grid has %d dimensions", #value, #value == 1 and "" or
            "s",
            rank)
    end
    for d = 1, rank do
        list[d] = type(value) ~= "table" and value or value[rank + 1 - d]
    end
    return list
end

--- settings.take(given): the options of rill.fluid, checked and filled in; sides and spacing are arrays, x first.
function settings.take(given)
    errors.options("rill.fluid", given)
    if given == nil or given.shape == nil then
        fail("rill.fluid: option 'shape' is missing: {rows, columns}, or {layers, rows, columns}")
    end
    local taken = {
        spacing = 1, cfl = 1, viscosity = 0, confinement = 0, tolerance = 1e-4, grid = "mac", advection = "maccormack",
        pressure = "multigrid", boundary = "wall",
    }
    for key, value in pairs(given) do
        local row = ROWS[key]
        if not row then
            option.refuse("rill.fluid", key, ROWS)
        elseif not row[1](value) then
            fail("rill.fluid: option '%s': expected %s, got %s", key, row[2], told(value))
        end
        taken[key] = value
    end
    local rank = #taken.shape
    taken.sides, taken.spacing = sides(taken.boundary, rank), spacings(taken.spacing, rank)
    return taken
end

-- ---- fields

local FAULT <const> = template.new "kernel int fault($T x<>) { return $any(isnan(x)) ? 2 : $any(isinf(x)) ? 1 : 0; }"

--- settings.finite(name, what, s): refuses NaN and infinity in a stream.
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

--- settings.stream(name, what, value, shape, types): an open stream of a shape, of one of the types (a set);
-- expressions are evaluated.
function settings.stream(name, what, value, shape, types)
    local other = errors.not_open(value)
    if other then
        fail("%s: %s: expected an open stream, got %s", name, what, told(value))
    end
    value = rill.type(value) == "expression" and value:eval() or value
    if shape_text(value.shape) ~= shape_text(shape) then
        fail("%s: %s has shape %s, the fluid %s", name, what, shape_text(value.shape), shape_text(shape))
    elseif not types[tostring(value.type)] then
        local list = {}
        for type in pairs(types) do
            list[#list + 1] = type
        end
        table.sort(list)
        fail("%s: %s: expected elements of %s, got elements of %s", name, what, table.concat(list, ", "),
            tostring(value.type))
    end
    return value
end

--- settings.filled(name, what, type, shape, f): a stream of what f(i, j, ...) returns; an error about that says `what` is filled.
function settings.filled(name, what, ...)
    return errors.guard(function(...) return rill.stream(...) end, name .. ": " .. what,
        "^rill%.stream: argument #3 'init'")(...)
end

--- settings.vectors(name, what, value, f): a field of vectors at the middles of cells: a stream, or a function of
-- positions.
function settings.vectors(name, what, value, f)
    local grid = f.grid
    local type_ = "vec" .. grid.rank
    local made = value
    if type(value) == "function" then
        made = settings.filled(name, what, type_, grid.shape, function(...)
            local place, at = {...}, {}
            for d = 1, grid.rank do
                at[d] = (place[grid.rank + 1 - d] - 0.5) * grid.spacing[d]
            end
            return value(table.unpack(at))
        end)
    end
    made = settings.stream(name, what, made, grid.shape, {[type_] = true})
    settings.finite(name, what, made)
    return made
end

return settings
