-- s:stats() and rill.debug.stats: statistics of a stream.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local types = require "rill.core.types"

local stats = {}

local COMPONENTS <const> = {"x", "y", "z", "w"}

--- stats.parts(s) returns the components of a stream of numbers or vectors as a table of streams; nil for structures.
function stats.parts(s)
    local info = types.list[s.type]
    if not info then
        return nil
    elseif info.components == 1 then
        return {s}
    end
    local parts = {}
    for c = 1, info.components do
        parts[c] = s[COMPONENTS[c]]
    end
    return parts
end

local Stats = { __name = "rill.debug.stats" }

function Stats:__tostring()
    return ("count %d, NaN %d, Inf %d, min %s, mean %s, max %s, quartiles %s, %s, %s"):format(self.count, self.nan,
        self.inf, tostring(self.min), tostring(self.mean), tostring(self.max), tostring(self.q1),
        tostring(self.median), tostring(self.q3))
end

-- Adds the statistics of a stream of numbers to a total.
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

-- Adds the quartiles of the finite numbers of all components.
local function add_quartiles(total, s)
    local info <const> = types.list[s.type]
    local line = info.components == 1 and s or s:copy():reshape(s.size):as(info.scalar)
    line = axes.reshaped(line, line.size)
    if total.nan + total.inf > 0 then
        line = line:filter(~(rill.isnan(line) | rill.isinf(line)))
    end
    if line.size > 0 then
        total.q1, total.median, total.q3 = table.unpack(line:quantile {0.25, 0.5, 0.75})
    end
end

--- stats.of(s [, plain]) returns the statistics of an open stream or expression, as rill.debug.stats. plain: without
-- quartiles.
function stats.of(s, plain)
    local parts = stats.parts(s)
    if not parts then
        errors.fail("rill.debug.stats: argument #1 's': expected a stream of numbers or vectors, got %s", s.type)
    end
    local total = {count = 0, nan = 0, inf = 0, finite = 0}
    for _, part in ipairs(s.size > 0 and parts or {}) do
        add_numbers(total, s.type == "bool" and part:cast "int" or part, types.is_real(s.type))
    end
    total.finite = nil
    if s.size > 0 and not plain then
        add_quartiles(total, s)
    end
    return setmetatable(total, Stats)
end
stats.of = errors.guard(stats.of, "rill.debug.stats")

--- s:stats() returns rill.debug.stats(s).
function stats.stats(s, ...)
    local other = errors.not_open(s)
    if other then
        errors.fail("s:stats: argument 's': expected an open stream, got %s", other)
    elseif select("#", ...) > 0 then
        errors.fail("s:stats: expected no argument, got %d", select("#", ...))
    end
    return stats.of(s)
end

return stats
