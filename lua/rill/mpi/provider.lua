-- The provider of distributed streams: its functions for simulations are those of rill.stream.provider; solvers
-- (rill.solve), which find it in the field __provider of the metatable, use the others. All ranks call the functions.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local constructor = require "rill.mpi.constructor"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local divide = require "rill.mpi.grid"
local launch = require "rill.mpi.launch"
local order = require "rill.mpi.order"
local wire = require "rill.mpi.wire"
local passes = require "rill.mpi.passes"
local fail <const> = errors.fail

local provider = {}

--- provider.stream(element, shape [, value]) returns a distributed stream in the standard cut.
function provider.stream(element, shape, value)
    return constructor.stream(element, shape, {init = value})
end

--- provider.open(where, value) returns a distributed stream as it is, and other values as errors.open does.
function provider.open(where, value)
    if not distributed.is(value) then
        return errors.open(where, value)
    end
    local c = value:eval()._state.data.cut
    if not cut.is_rows(c) then
        fail("%s: expected a distributed stream that is cut along its first dimension only, got %s", where, cut.text(c))
    end
    return value
end

--- provider.take(s) returns a distributed stream in the standard cut with the elements of a distributed stream, or of a
-- stream of the whole shape that every rank has.
function provider.take(s)
    if rill.type(s) == "stream" then
        return constructor.stream(s.type, s.shape, {init = s})
    end
    local data = s._state.data
    local target = cut.new("rill.mpi", data.cut.shape)
    return cut.same(data.cut, target) and s or order.recut(s, target)
end

--- provider.whole(d) returns all elements of a distributed stream on every rank, a new stream; and a stream as it is.
function provider.whole(d)
    return distributed.is(d) and d:collect "all" or d
end

--- provider.part(d) returns this rank's elements of a distributed stream of one dimension, which may then be written,
-- and the number of elements before them.
function provider.part(d)
    d:changed()
    return d.part, d._state.data.cut.first[1]
end

-- Returns the value for which `pick` is true of two, a NaN if one is NaN, or the one that is not nil.
local function join(a, b, pick)
    return (a == nil or a == a and (b ~= b or pick(b, a))) and b or a
end

--- provider.extent(d) returns the least and the greatest value of each component of all elements, two tables.
function provider.extent(d)
    local part, low, high = d.part, nil, nil
    for _, own in ipairs(wire.gather(part.size > 0 and {part:min(), part:max()} or {})) do
        for k = 1, own[1] and #own[1] or 0 do
            low, high = low or {}, high or {}
            low[k] = join(low[k], own[1][k], function(b, a) return b < a end)
            high[k] = join(high[k], own[2][k], function(b, a) return b > a end)
        end
    end
    return low, high
end

--- provider.particles: the passes of rill.sph over ranks.
provider.particles = passes

--- provider.divide(grid, where, periodic): see rill.mpi.grid. provider.speaks: whether this rank writes warnings.
provider.divide, provider.speaks = divide, wire.rank == 1

-- ---- for solvers

local function is_real(state)
    return state.data.type == "float" or state.data.type == "double"
end

--- provider.check(where, name, d) raises an error unless d is an open distributed stream of float or double.
function provider.check(where, name, d)
    local state = distributed.check(where, name, d)
    if not is_real(state) then
        fail("%s: argument '%s': expected elements of float or double, got %s: use D:cast \"float\"", where, name,
            state.data.type)
    end
end

--- provider.told(d) returns the cut of d, for messages.
function provider.told(d)
    return cut.text(d._state.data.cut)
end

--- provider.difference(x, d) returns nil if x is a distributed stream of float or double cut like d, else a description
-- of x.
function provider.difference(x, d)
    if not distributed.is(x) then
        return errors.told(x)
    elseif x._state.data.closed then
        return "a closed one"
    elseif not is_real(x._state) then
        return "one of " .. x._state.data.type
    elseif not cut.same(x._state.data.cut, d._state.data.cut) then
        return ("one cut otherwise (%s): D:rebalance() gives the standard cut"):format(provider.told(x))
    end
end

--- provider.like(type, d) returns a new distributed stream of zeros with the cut of d, without boundary modes.
function provider.like(type, d)
    return distributed.create(type, d._state.data.cut)
end

--- provider.cut(d) returns the cut of d; provider.coarse is cut.coarse, and provider.create(type, cut) returns a new
-- distributed stream of zeros.
function provider.cut(d)
    return d._state.data.cut
end
provider.coarse, provider.create = cut.coarse, distributed.create

--- provider.neighborhood(d, reach) is launch.neighborhood for the distributed stream d.
function provider.neighborhood(d, reach)
    return launch.neighborhood(d._state, reach)
end

--- provider.set(d, s) sets the elements of d to those of a stream that all ranks have.
function provider.set(d, s)
    constructor.set("rill.solve", d, s)
    d:changed()
end

--- provider.overlap(x, d) returns whether x and d have the same elements in memory.
function provider.overlap(x, d)
    return x._state.data == d._state.data
end

distributed.class.metatable.__provider = provider
return provider
