-- The switch of lua/rill/grad, which records operations while a function is differentiated. `on` is false outside of
-- such functions, and while an operation that is recorded as a whole runs.
local core = require "rill.core"

local recorder = {on = false}

--- recorder.set(on) switches recording, also in C. Returns whether it was on.
function recorder.set(on)
    recorder.on = on
    return core._recording(on)
end

--- recorder.wrap(name, f) returns a function that calls f, and lets the rule for `name` record it.
function recorder.wrap(name, f)
    return function(...)
        if recorder.on then
            return recorder.call(name, f, ...)
        end
        return f(...)
    end
end

--- recorder.parts: by rill.type, a function that returns the stream with the elements of an object, on which the
-- results of its methods depend.
recorder.parts = {}

--- recorder.number(s) returns the element of a stream of one element, or the stream if it is tracked.
function recorder.number(s)
    return recorder.on and recorder.tracks(s) and s or s:get(1)
end

--- recorder.tracks(s) returns whether a stream depends on the arguments of a function that is differentiated.
--- recorder.call(name, f, ...) calls f by the rule for `name` if it has one and the arguments are tracked.
--- recorder.evaluate(e) returns the values of an expression with tracked leaves; nil for other expressions.
--- recorder.expired(e, s) returns whether values that an expression had before, the stream s, are not tracked although
-- its leaves are. rill.grad.tape sets these functions.

return recorder
