-- rill.debug: statistics of streams, and a search for the source of a NaN.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local expression = require "rill.algebra.expression"
local stats = require "rill.stream.stats"
local types = require "rill.core.types"

local debug = {}

--- rill.debug.stats(s), s:stats() returns statistics of a stream or expression: a table with the counts `count` (all
-- numbers, of all components of vectors), `nan` and `inf`, and `min`, `mean` and `max` of the finite numbers (nil if
-- there are none). tostring() gives one line.
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

-- Returns the flat 1-based index of the first element with a NaN; nil if there is none.
local function first_nan(s)
    if not types.is_real(s.type) or s.size == 0 then
        return nil
    end
    local any
    for _, part in ipairs(stats.parts(s)) do
        any = any and any | rill.isnan(part) or rill.isnan(part)
    end
    local indices = any:find(any)
    return #indices > 0 and indices[1] + 1 or nil
end

-- Returns the description of the kernel or expression that wrote a NaN.
local function source_of(kernel, output)
    local text = require("rill.algebra.instructions").text(kernel)
    return text and ("an expression, %s,"):format(text) or ("kernel '%s': output '%s'"):format(kernel.name, output)
end

local watching = false

--- rill.debug.watch(f) runs f() and checks the outputs of each kernel that it launches. The first NaN raises an error
-- that names the kernel, the output and the element. Structures and integers are not checked. Returns the results of f.
-- It waits for each launch, so it is slow.
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
            local index = first_nan(stream)
            if index then
                looking = false
                error(("rill.debug.watch: %s has a NaN, first at element %d (1-based) of stream<%s>[%s]"):format(
                    source_of(kernel, name), index, stream.type, tostring(stream.shape)), 0)
            end
        end
        looking = false
    end
    if watching then
        errors.fail("rill.debug.watch: a watch is running already")
    end
    watching, expression.watched = true, true
    core._watch(look)
    local results = errors.whole("rill.debug.watch", f)
    core._watch(nil)
    watching, expression.watched = false, false
    if not results[1] then
        error(results[2], 0)
    end
    return table.unpack(results, 2, results.n)
end

return errors.strict(debug, "rill.debug")
