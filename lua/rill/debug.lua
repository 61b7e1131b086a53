-- rill.debug: what is in a stream, and where a NaN comes from.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local types = require "rill.core.types"

local debug = {}

local COMPONENTS <const> = { "x", "y", "z", "w" }
-- "float" or "int", and the number of components; nil of a structure.
local function shape_of(type)
    local info = types.list[type]
    if info then
        return types.is_real(type) and "float" or "int", info.components
    end
end

local function parts_of(s, count)
    if count == 1 then
        return { s }
    end
    local parts = {}
    for c = 1, count do
        parts[c] = s[COMPONENTS[c]]
    end
    return parts
end

local Stats = { __name = "rill.debug.stats" }

function Stats:__tostring()
    return ("count %d, NaN %d, Inf %d, min %s, mean %s, max %s"):format(self.count, self.nan, self.inf,
        tostring(self.min), tostring(self.mean), tostring(self.max))
end

-- Adds what a stream of numbers holds.
local function add_numbers(total, part, floats)
    local nan, inf, low, high, sum = 0, 0, part, part, part
    if floats then
        nan, inf = rill.isnan(part):count(), rill.isinf(part):count()
    end
    local finite = part.size - nan - inf
    if nan + inf > 0 then
        local rest = (rill.isnan(part) | rill.isinf(part)):eval()
        low = rill.where(rest, math.huge, part)
        high = rill.where(rest, -math.huge, part)
        sum = rill.where(rest, 0, part)
    end
    total.count, total.nan, total.inf = total.count + part.size, total.nan + nan, total.inf + inf
    if finite > 0 then
        local least, most = low:min(), high:max()
        total.min = total.min and math.min(total.min, least) or least
        total.max = total.max and math.max(total.max, most) or most
        local before <const>, all <const> = total.finite, sum:sum()
        total.finite = before + finite
        local share <const> = all - all == 0 and all / total.finite or sum:mean() * (sum.size / total.finite)
        total.mean = (total.mean or 0) * (before / total.finite) + share
    end
end

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
    local kind, count = shape_of(s.type)
    if not kind then
        errors.fail("rill.debug.stats: argument #1 's': expected a stream of numbers or vectors, got %s", s.type)
    end
    local total = { count = 0, nan = 0, inf = 0, finite = 0 }
    for _, part in ipairs(parts_of(s, count)) do
        if s.type == "bool" then
            part = part:cast "int"
        end
        if s.size > 0 then
            add_numbers(total, part, kind == "float")
        end
    end
    total.finite = nil
    return setmetatable(total, Stats)
end
debug.stats = errors.guard(debug.stats, "rill.debug.stats")

-- The flat number, from 1, of the first element with a NaN; nil where there is none.
local function first_nan(s)
    local kind, count = shape_of(s.type)
    if kind ~= "float" or s.size == 0 then
        return nil
    end
    local any
    for _, part in ipairs(parts_of(s, count)) do
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
