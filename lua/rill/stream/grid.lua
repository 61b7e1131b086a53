-- Regular grids for simulations: their options, fields and masks; arguments that are volumes.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local provider = require "rill.stream.provider"
local types = require "rill.core.types"
local fail <const> = errors.fail

local lattice = {}

-- Returns whether 1 / value^2, also multiplied by the factors that grids use, is in the range of float.
local function is_width(value)
    return option.is_positive(value) and value >= 1e-18 and value <= 1e18
end

--- Rows for option.take: options of every grid.
lattice.shape = {function(v) return option.is_shape(v, 1, 3) end,
    "a table of 1 to 3 whole numbers, 1 or more, at most 2147483647 elements"}
lattice.spacing = {option.some(is_width), "a number from 1e-18 to 1e18, or a table of one per dimension"}

--- lattice.number_or_stream(holds, words) returns a row for an option that is a number that passes the test `holds`, or
-- a stream with a number for each cell.
function lattice.number_or_stream(holds, words)
    return {function(value)
        return type(value) == "number" and holds(value) or type(value) ~= "number" and provider.accepts(value)
    end, words .. ", or an open stream of them (rill.from makes one of a table)"}
end

--- lattice.new(where, shape, spacing [, on]) returns a grid. Arguments have the slowest dimension first. `on`: the
-- option `on` of a simulation. Fields of the grid: `spacing`, x first; `per`, the reciprocals of the squared spacings
-- along x, y and z; `stiff`, their sum; `on`, the provider of its streams.
function lattice.new(where, shape, spacing, on)
    local rank = #shape
    local _, sides = option.per_dimension(where, "spacing", spacing, rank)
    local self = {shape = shape, rank = rank, spacing = {}, per = {0, 0, 0}, stiff = 0, on = provider.of(on)}
    for d = 1, rank do
        local h = sides[d]
        self.spacing[d], self.per[d], self.stiff = h, 1 / (h * h), self.stiff + 1 / (h * h)
    end
    return self
end

--- lattice.all_finite(what, s) raises if an element of a stream or container is NaN or infinite. The message begins
-- with `what` and names the element.
function lattice.all_finite(what, s)
    local faults = rill.where(rill.isnan(s) + rill.isinf(s), 1, 0)
    if (faults:max() or 0) > 0 then
        local bad <close> = faults:eval()
        local index = {bad:argmax()}
        fail("%s: element %s is %s", what, table.concat(index, ", "), errors.number(s:get(table.unpack(index))))
    end
end

--- lattice.field(where, name, self, value) returns a new stream of floats for a field: a copy of a stream, or one
-- number everywhere. Default: 0. Raises for NaN and infinity. The stream is one of the provider self.on.
function lattice.field(where, name, self, value)
    if value == nil or type(value) == "number" then
        if value and not option.is_finite(value) then
            fail("%s: option '%s': expected a finite number or an open stream, got %s", where, name, errors.told(value))
        end
        return self.on.stream("float", self.shape, value or 0)
    elseif not provider.accepts(value) then
        fail("%s: option '%s': expected a number or an open stream, got %s", where, name, errors.told(value))
    end
    value = self.on.open(("%s: option '%s'"):format(where, name), value)
    local shape, here = table.concat(value.shape, "x"), table.concat(self.shape, "x")
    if shape ~= here or value.type ~= "float" then
        fail("%s: option '%s': expected a stream of floats of shape %s, got %s of shape %s", where, name, here,
            value.type, shape)
    end
    lattice.all_finite(("%s: option '%s'"):format(where, name), value)
    return self.on.take(value):copy()
end

--- lattice.mask(what, mask, shape, holds, lacks [, on]) returns floats: `holds` where an element of the mask is
-- nonzero, else `lacks`. Raises if the mask has another shape or contains NaN. Messages begin with `what`. `on`: the
-- provider of the result, default: streams of this process.
function lattice.mask(what, mask, shape, holds, lacks, on)
    on = on or provider.streams
    mask = on.open(what, mask)
    local got, here = table.concat(mask.shape, "x"), table.concat(shape, "x")
    if got ~= here then
        fail("%s has shape %s: expected a mask of shape %s", what, got, here)
    elseif not types.scalar(mask.type) then
        fail("%s: expected a mask of numbers or bools, got elements of %s", what, mask.type)
    end
    if mask.type ~= "bool" and mask.size > 0 then
        lattice.all_finite(what, mask)
    end
    return rill.where(on.take(mask), holds, lacks):cast "float"
end

--- lattice.sampled(type, shape, step, f [, low, shift]) returns a stream of f(x, y, ...) at the nodes low + (i - shift)
-- * step of a grid, where i is 1-based. step, low and shift are arrays, x first. Default: low 0, shift 1.
function lattice.sampled(type, shape, step, f, low, shift)
    local rank <const> = #shape
    return rill.stream(type, shape, function(...)
        local index, at = {...}, {}
        for d = 1, rank do
            at[d] = (low and low[d] or 0) + (index[rank + 1 - d] - (shift and shift[d] or 1)) * step[d]
        end
        return f(table.unpack(at))
    end)
end

local MOST_PARTS <const> = 100000

--- lattice.parts(where, dt, substeps, longest) returns the number of substeps for a step of dt seconds: `substeps`, or
-- if it is true the smallest number for which a substep takes at most `longest` seconds, with a tolerance of 1e-6
-- substeps for rounding.
function lattice.parts(where, dt, substeps, longest)
    if substeps ~= true then
        return substeps
    end
    local parts = math.max(1, math.ceil(dt / longest - 1e-6))
    if parts > MOST_PARTS then
        fail("%s: %g seconds need %.0f steps of at most %.3g: take steps of less than %.3g", where, dt, dt / longest,
            longest, MOST_PARTS * longest)
    end
    return parts
end

--- lattice.volume(where, s) returns argument #1, a stream or container of three dimensions whose elements kernels can
-- read as floats; raises for other values.
function lattice.volume(where, s)
    local container <const> = core._is_open_container(s)
    if not container and errors.not_open(s) then
        fail("%s: argument #1 's': expected a volume, a stream {layers, rows, columns}, got %s", where, errors.told(s))
    end
    s = rill.type(s) == "expression" and s:eval() or s
    local info = types.scalar(s.type)
    local shape <const> = s.shape and table.concat(s.shape, "x") or "none"
    if not info or not s.shape or #s.shape ~= 3 then
        fail("%s: argument #1 's': expected a volume, {layers, rows, columns} of numbers, got %s of shape %s", where,
            s.type, shape)
    elseif info.seen == "double" or info.seen == "bool" then
        s = s:cast "float"
    end
    for d = 1, 3 do
        if s.shape[d] == 0 then
            fail("%s: argument #1 's': the volume is empty: its shape is %s", where, shape)
        end
    end
    return s
end

return lattice
