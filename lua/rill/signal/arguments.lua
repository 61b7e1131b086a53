-- Arguments that are signals. The last dimension of a signal is the time, the others are a batch.
local axes = require "rill.stream.axes"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local types = require "rill.core.types"
local fail <const> = errors.fail

local arguments = {}

--- arguments.signal(where, i, value [, empty]) returns argument i, a signal, as a stream of floats or doubles: a
-- stream, an expression, or a list of numbers. Raises if it has no samples, unless `empty` is true.
function arguments.signal(where, i, value, empty)
    local what <const> = ("%s: argument #%d 'x'"):format(where, i)
    if option.table[1](value) and #value > 0 then
        value = core._from(where, "x", i, value)
    end
    local s = types.numbers(what, value)
    local real <const> = types.seen_scalar(s.type) == "double" and "double" or "float"
    s = s.type == real and s or s:cast(real)
    if not empty and s.shape[#s.shape] == 0 then
        fail("%s: the signal has no samples: its shape is %s", what, s.shape)
    end
    return s
end

--- arguments.untracked(where, name, value) raises if a value depends on the arguments of a function that is
-- differentiated, for operations without a derivative.
function arguments.untracked(where, name, value)
    if recorder.on and recorder.tracks(value) then
        fail("%s: argument '%s' depends on the arguments of the function that is differentiated, and this " ..
            "function has no derivative: pass rill.value(%s)", where, name, name)
    end
end

--- arguments.rows(s) returns a view of a signal as a matrix, a signal per row, and the shape without the time.
function arguments.rows(s)
    local shape <const> = s.shape
    local n <const> = table.remove(shape)
    return axes.reshaped(s, {n > 0 and s.size // n or 0, n}), shape
end

--- arguments.sizes(batch, ...) returns the shape of a batch, followed by other sizes.
function arguments.sizes(batch, ...)
    local shape <const> = table.move(batch, 1, #batch, 1, {})
    for _, n in ipairs {...} do shape[#shape + 1] = n end
    return shape
end

--- arguments.shaped(s, batch, ...) returns a view of the rows s in the shape of a batch, followed by other dimensions.
function arguments.shaped(s, batch, ...)
    return s:reshape(arguments.sizes(batch, ...))
end

return arguments
