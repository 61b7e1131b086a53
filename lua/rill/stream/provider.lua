-- Providers: where a simulation stores its streams. provider.streams stores them in this process. rill.mpi adds a
-- provider of distributed streams (lua/rill/mpi/provider.lua), which the option `on` of a simulation selects. A
-- provider is a table of functions:
--   stream(type, shape [, value])  returns a new stream, as rill.stream does
--   open(where, value)             returns a stream or the value of an expression; raises an error for other values
--   take(stream)                   returns a stream of this provider with the elements of a stream that `open` returned
--   whole(stream)                  returns all elements of a stream of this provider, a stream of this process
--   part(stream)                   returns the elements of this process of a stream of this provider, and the number of
--                                  elements before them
--   extent(stream)                 returns the least and the greatest value of each component
-- and the field `speaks`, whether this process writes warnings. A provider of distributed streams also has the function
-- divide(grid, where, periodic): see rill.mpi.grid.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local fail <const> = errors.fail

local provider = {}

--- provider.modules: the providers, by the modules that are values of the option `on`.
provider.modules = {}

--- provider.streams: the provider of streams of this process.
provider.streams = {
    stream = function(...) return rill.stream(...) end,
    open = function(where, value)
        if rill.type(value) == "mpi.stream" then
            fail("%s: a distributed stream requires a simulation on all ranks: set its option on = rill.mpi", where)
        end
        return errors.open(where, value)
    end,
    take = function(stream) return stream end,
    whole = function(stream) return stream end,
    part = function(stream) return stream, 0 end,
    extent = function(stream) return stream:min(), stream:max() end,
    speaks = true,
}

--- provider.row: the row of the option `on`.
provider.row = {function(value) return provider.modules[value] ~= nil end, "the module rill.mpi"}

--- provider.of(module) returns the provider of a value of the option `on`. Default: streams of this process.
function provider.of(module)
    return provider.modules[module] or provider.streams
end

--- provider.accepts(value) returns whether a value is an open stream or expression, or a distributed stream.
function provider.accepts(value)
    return not errors.not_open(value) or rill.type(value) == "mpi.stream"
end

--- provider.option: the row of an option that is a stream.
provider.option = {provider.accepts, "an open stream"}

return provider
