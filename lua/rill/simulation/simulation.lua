-- Common parts of time-stepping simulations: objects with a state, checked options and arguments, steps in parts.
local class = require "rill.core.class"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local grid = require "rill.stream.grid"
local fail <const> = errors.fail

local simulation = {}

--- simulation.substeps, simulation.seconds: rows of options that several simulations have.
simulation.substeps = {function(v) return v == true or math.type(v) == "integer" and v >= 1 end,
    "a whole number, 1 or more, or true"}
simulation.seconds = {option.is_positive, "seconds above 0"}

--- simulation.define(spec) returns a class of simulations. spec has the fields of class.define, and
--   streams  the fields of the state that hold the streams that close frees; release(state) may free more
--   shows    fields of objects that equal fields of the state with the same name
--   describe a function of the state. Default: "wave[64x64] at 0.5 s"
--   where    the name of the constructor in messages. Default: the type
-- The result also has finish(new), which must be called after all methods are defined. It returns the public
-- constructor.
function simulation.define(spec)
    local name <const> = spec.type:match "[%w_]+$"
    local release <const> = spec.release
    spec.closed = spec.closed or "closed " .. name
    spec.describe = spec.describe or function(state)
        return ("%s[%s] at %.6g s"):format(name, table.concat(state.shape, "x"), state.time)
    end
    function spec.release(state)
        for _, field in ipairs(spec.streams) do
            state[field]:close()
        end
        if release then release(state) end
    end
    local made <const> = class.define(spec)
    for _, field in ipairs(spec.shows or {}) do
        made.fields[field] = field
    end
    function made.finish(new)
        class.guard(made.methods, spec.letter)
        return errors.guard(new, spec.where or spec.type)
    end
    return made
end

--- simulation.take(where, given, rows, ...) returns the options of a simulation. Raises an error if one of the
-- options `...` is missing.
function simulation.take(where, given, rows, ...)
    local taken = option.take(where, given, rows)
    for _, needed in ipairs {...} do
        if taken[needed] == nil then
            fail("%s: option '%s' is missing: %s", where, needed, rows[needed][2])
        end
    end
    return taken
end

--- simulation.factors(where, name, self, value) returns the largest value of an option that is a positive number or
-- a stream of positive numbers, one per cell, and a stream of the values relative to it.
function simulation.factors(where, name, self, value)
    if type(value) == "number" then
        return value, self.on.stream("float", self.shape, 1)
    end
    local all <close> = grid.field(where, name, self, value)
    local least, greatest = all:min(), all:max()
    if least <= 0 then
        fail("%s: option '%s': expected numbers above 0, the smallest is %s", where, name, errors.number(least))
    end
    return greatest, (all / greatest):eval()
end

--- simulation.dt(where, dt [, holds]) returns the argument of a method step. Raises an error unless it is nil, a
-- positive number, or a value for which `holds` is true.
function simulation.dt(where, dt, holds)
    if dt ~= nil and not (holds or option.is_positive)(dt) then
        fail("%s: argument #1 'dt': expected seconds above 0, got %s", where, errors.told(dt))
    end
    return dt
end

--- simulation.advance(name, where, state, dt, most, advance) advances by dt seconds in state.substeps parts, or, if
-- that is true, in parts of at most `most` seconds. Calls advance(state, seconds) for each part. Warns once if parts
-- are longer than state.limit.
function simulation.advance(name, where, state, dt, most, advance)
    local parts = grid.parts(where, dt, state.substeps, most)
    if dt / parts > 1.000001 * state.limit and not state.warned then
        state.warned = true
        local say = state.on.speaks and warn or function() end
        say(("%s: a time step of %.3g s exceeds the stable limit of %.3g s: use a shorter dt, or substeps = true")
            :format(name, dt / parts, state.limit))
    end
    for _ = 1, parts do
        advance(state, dt / parts)
    end
end

--- simulation.flat(where, what, rank) raises an error unless the simulation has two dimensions. `what`: "a wave".
function simulation.flat(where, what, rank)
    if rank ~= 2 then
        fail("%s: %s of %d dimension%s cannot be drawn: use rill.plot for lines, rill.show for slices",
            where, what, rank,
            rank == 1 and "" or "s")
    end
end

return simulation
