-- The provider of distributed streams for simulations: see rill.stream.provider.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local constructor = require "rill.mpi.constructor"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local order = require "rill.mpi.order"
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

return provider
