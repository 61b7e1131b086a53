-- rill.debug: what is in a stream, and where a NaN comes from.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local stats = require "rill.stream.stats"
local types = require "rill.core.types"

local debug = {}

--- rill.debug.stats(s), s:stats(): what a stream or expression holds: a table with `count` (numbers; of vectors those of all
-- components), `nan`, `inf`, and of the finite numbers `min`, `mean` and `max` (nil when there are none). tostring() is one line.
function debug.stats(s, ...)
    local contained = rill.type(s) == "container" or rill.type(s) == "expression" and s._sparse
    local other = not contained and errors.not_open(s)
    if other then
        errors.fail("rill.debug.stats: argument #1 's': expected an open stream, got %s", other)
    elseif select("#", ...) > 0 then
        errors.fail("rill.debug.stats: expected 1 argument, got %d", 1 + select("#", ...))
    end
    if contained then
        return s:stats()
    end
    return stats.of(s)
end
debug.stats = errors.guard(debug.stats, "rill.debug.stats")

-- The flat number, from 1, of the first element with a NaN; nil where there is none.
local function first_nan(s)
    if not types.is_real(s.type) or s.size == 0 then
        return nil
    end
    local any
    for _, part in ipairs(stats.parts(s)) do
        any = any and any | rill.isnan(part) or rill.isnan(part)
    end
    local places = any:find(any)
    return #places > 0 and places[1] + 1 or nil
end

-- What wrote a NaN.
local function source_of(kernel, output)
    local text = require("rill.algebra.instructions").text(kernel)
    return text and ("an expression, %s,"):format(text) or ("kernel '%s': output '%s'"):format(kernel.name, output)
end

local watching = false

--- rill.debug.watch(f): runs f() and looks at what every kernel launched in it has written: the first NaN raises an error
-- that names the kernel, the output and the element. Structures and integers are not looked into. Returns what f returns.
-- Every launch is waited for: for finding errors only.
function debug.watch(f)
    if type(f) ~= "function" then
        errors.fail("rill.debug.watch: argument #1 'f': expected a function, got %s", rill.type(f) or type(f))
    end
    local looking = false
    local function look(kernel, ...)
        if looking then
            return
        end
        looking = true
        for i = 1, select("#", ...), 2 do
            local name, stream = select(i, ...)
            local place = first_nan(stream)
            if place then
                looking = false
                error(("rill.debug.watch: %s has a NaN, first at element %d of stream<%s>[%s]"):format(
                    source_of(kernel, name), place, stream.type, tostring(stream.shape)), 0)
            end
        end
        looking = false
    end
    if watching then
        errors.fail("rill.debug.watch: a watch is running already")
    end
    watching = true
    core._watch(look)
    local results = errors.whole("rill.debug.watch", f)
    core._watch(nil)
    watching = false
    if not results[1] then
        error(results[2], 0)
    end
    return table.unpack(results, 2, results.n)
end

return errors.strict(debug, "rill.debug")
