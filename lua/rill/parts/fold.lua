-- Reductions of data in parts: the pages of a container, the tiles of a file, the parts on ranks. The state of a part
-- is computed on the device, and the states are joined there (core._state, core._join).
--
-- A provider describes the data. It is a table:
--   where        the name of the method for messages: "b:sum"
--   type         the type of the elements
--   size         the number of elements of the whole; histogram, quantile, unique and top_k read it
--   each(f)      calls f(s, index, t) for each part of this process. s: its elements, a stream. index(i, value):
--                returns the 1-based indices in the whole of the first element that is equal to element i (from 0) of
--                s, which has this value. t: the second operand of "dot"
--   gather(list) returns a list with the value of each process, in their order. nil: there is one process
local core = require "rill.core"
local errors = require "rill.core.error"
local reductions = require "rill.core.reductions"
local tables = require "rill.core.tables"
local types = require "rill.core.types"

local fold = {}

--- fold.indices(shape, flat) returns the list of the 1-based indices of the element with a flat 0-based index.
function fold.indices(shape, flat)
    local list = {}
    for d = #shape, 1, -1 do
        list[d] = flat % shape[d] + 1
        flat = flat // shape[d]
    end
    return list
end

--- fold.gather(provider, f) returns a list of f(s, index, t) for each part with elements of all processes, and the
-- number of elements.
function fold.gather(provider, f)
    local own, all, total = {size = 0}, {}, 0
    provider.each(function(s, ...)
        if s.size > 0 then
            own[#own + 1] = f(s, ...)
            own.size = own.size + s.size
        end
    end)
    for _, list in ipairs(provider.gather and provider.gather(own) or {own}) do
        table.move(list, 1, #list, #all + 1, all)
        total = total + list.size
    end
    return all, total
end

-- The value of a state with an index, by the type of the elements in kernels.
local FORMAT <const> = {float = "<f", double = "<d", int = "<i4", uint = "<I4", bool = "<i4"}

-- Reductions whose result are indices. NaN takes precedence; of equal elements the first in row-major order does.
local function place(provider, name)
    local format <const>, largest = FORMAT[types.seen_scalar(provider.type)] .. "i4", name:find "max$"
    local states <const> = fold.gather(provider, function(s, index)
        local value, i = string.unpack(format, core._state(provider.where, name, s))
        return {value = value, at = index(i, value)}
    end)
    local best
    for _, state in ipairs(states) do
        local a, b = state.value, best and best.value
        local same = a == b or a ~= a and b ~= b
        if not best or same and tables.precedes(state.at, best.at) or
            not same and b == b and (a ~= a or (largest and a > b or not largest and a < b)) then
            best = state
        end
    end
    if best then
        return table.unpack(best.at)
    end
end

-- Reductions that are computed from the number of elements that are not zero.
local COUNTED <const> = {
    count = function(n) return n end, any = function(n) return n > 0 end, all = function(n, size) return n == size end,
}

--- fold.reduce(provider, name) returns the reduction of all elements; `name`: of rill.core.reductions. Results, also
-- for no elements, are those of the methods of streams. Raises if the elements do not have the reduction.
function fold.reduce(provider, name)
    local where <const>, element <const> = provider.where, provider.type
    local empty <const> = core._join(where, name, element, {}, 0)
    if reductions[name].indices then
        return place(provider, name)
    elseif COUNTED[name] then
        local counts, size = fold.gather(provider, function(s) return s:count() end)
        local total = 0
        for _, n in ipairs(counts) do
            total = total + n
        end
        return COUNTED[name](total, size)
    end
    local center -- of variances: the mean
    if name == "var" or name == "std" then
        local states <const>, size <const> = fold.gather(provider, function(s)
            return core._state(where, "center", s)
        end)
        center = size > 0 and core._join(where, "center", element, states, size) or nil
    end
    local states, size = fold.gather(provider, function(s, _, t) return core._state(where, name, s, t, center) end)
    if size == 0 then
        return empty
    end
    return core._join(where, name, element, states, size, center)
end

--- fold.whole(where, most, rest) raises if `rest`, an argument after the `most` (0 or 1) that a method takes, is given:
-- for methods of streams, an axis.
function fold.whole(where, most, rest)
    if rest ~= nil then
        errors.fail("%s: expected %s, got %s: data in parts is reduced as a whole", where,
            most == 0 and "no argument" or "one argument", errors.told(rest))
    end
end

--- fold.define(methods, letter, provide) adds the reductions to the methods of a class. `letter`: stands for an object
-- in messages. provide(where, name, object, other) checks the arguments and returns a provider; `other` is the second
-- operand of "dot".
function fold.define(methods, letter, provide)
    for _, row in ipairs(reductions) do
        local name <const>, where <const> = row.name, letter .. ":" .. row.name
        local operands <const> = row.operands or 0
        methods[name] = errors.guard(function(object, ...)
            local provider <const> = provide(where, name, object, (...))
            fold.whole(where, operands, (select(operands + 1, ...)))
            return fold.reduce(provider, name)
        end, where)
    end
end

return fold
