-- Gradients of gathers and scatters.
local rill = require "rill.core.public"
local core = require "rill.core"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local match = require "rill.stream.match"
local places = require "rill.grad.places"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
local rule <const> = tape.rule

-- Returns the flat indices of the elements that a gather reads: -1 for a value outside of the stream. `modes`: the
-- boundary modes of the stream, nil for the default.
local function read_by(shape, modes, index)
    local numbers = rill.iota(shape)
    if modes then
        for d, mode in ipairs(modes) do
            modes[d] = (mode == "zero" or type(mode) == "number") and -1 or mode
        end
        numbers = numbers:boundary(table.unpack(modes))
    end
    local at <const> = rill.gather(numbers, index)
    return at:reshape(at.size)
end

-- Returns the sums of the elements of g at flat indices, in a stream of a shape.
local function added(g, at, kind, shape)
    local sums = rill.stream(kind, shape)
    if sums.size > 0 then
        rill.scatter(sums:reshape(sums.size), at, axes.reshaped(places.stream(g), at.size), "add")
    end
    return sums
end

rule("rill.gather", function(call, src, index, ...)
    local y <const> = call:run(src, index, ...)
    local kind <const>, shape <const> = src.type, src.shape
    local modes <const> = rill.type(src) == "stream" and core._boundary(src) or nil
    local at <const> = tape.suspended(read_by, shape, modes, index)
    call:record({src}, {y}, {at = at}, function(kept, g)
        return added(g, kept.at, types.list[kind].seen, shape)
    end)
    return y
end)

-- The sums of the groups of rill.frame.
rule("rill.frame", function(call, codes, numbers, count)
    local y <const> = call:run(codes, numbers, count)
    call:record({numbers}, {y}, {codes = codes}, function(kept, g) return rill.gather(g, kept.codes) end)
    return y
end)

rule("rill.lookup", function(call, keys, table_keys, table_values, ...)
    local y <const> = call:run(keys, table_keys, table_values, ...)
    local kind <const>, n <const> = y.type, table_values.size
    local at <const> = tape.suspended(function()
        local own <const> = places.stream(keys)
        return match.find({axes.reshaped(own, own.size)}, {places.stream(table_keys)}, {missing = n})
    end)
    call:record({table_values}, {y}, {at = at}, function(kept, g) -- element n is for the default
        return added(g, kept.at, types.list[kind].seen, n + 1):domain(1, n)
    end)
    return y
end)

-- Returns the elements of g at the indices of a scatter, 0 for indices out of range.
local function read_at(g, index)
    g = places.stream(g)
    local own = g
    if types.list[index.type].components == 1 then -- flat
        own = axes.reshaped(g, g.size)
    end
    return rill.gather(own:boundary "zero", index)
end

local function scatter(call, dst, index, src, op, ...)
    op = op == nil and "set" or op
    if op ~= "add" and op ~= "set" then
        errors.fail("rill.scatter: a scatter by %s has no gradient: rill.constant(x) is a stream without one",
            type(op) == "string" and "'" .. op .. "'" or errors.told(op))
    end
    index = places.stream(index)
    local entry <const> = call:begin({dst, src}, {index = index})
    call:writes(dst)
    local shape <const> = dst.shape
    local last = nil -- for each element of dst the number of the element of src that remains, or -1
    if op == "set" and entry.all ~= 0 then
        last = tape.suspended(function()
            return rill.scatter(rill.stream("int", shape, -1), index, rill.iota(index.shape))
        end)
    end
    call:run(dst, index, src, op, ...)
    tape.complete(entry, {dst}, function(kept, g)
        if op == "add" then
            return g, read_at(g, kept.index)
        end
        local own <const> = tape.suspended(function()
            return read_at(last, kept.index):eq(rill.iota(kept.index.shape)):eval()
        end)
        return rill.where(last:lt(0), g, 0), rill.where(own, read_at(g, kept.index), 0)
    end)
    return dst
end

rule("rill.scatter", scatter, true)
rule("rill.scatter_op", scatter, true)

-- Returns the flat indices in a stream of a shape of the elements at indices along an axis. `at` has the shape {before,
-- n, after}: at[i, j, k] is the index of the element in place i, k.
local function along(shape, axis, at)
    local before, n, after = 1, shape[axis], 1
    for d, size in ipairs(shape) do
        before, after = d < axis and before * size or before, d > axis and after * size or after
    end
    at = rill.where(at:lt(0), at + n, at)
    if before * n * after == 0 then
        return at:eval()
    end
    return (rill.iter("int", {before, 1, 1}, 0, before * n * after) + at * after +
        rill.iter("int", {1, 1, after}, 0, after)):eval()
end

-- Returns indices, a stream or a table, as a stream of ints.
local function indices_of(indices)
    if type(indices) == "table" and not rill.type(indices) then
        indices = rill.from(indices, "int")
    end
    indices = places.stream(indices)
    return indices.type == "int" and indices or indices:cast "int"
end

-- Returns whether indices of a shape choose one element of each line of a stream along an axis.
local function is_one_each(at, shape, axis)
    for d, size in ipairs(shape) do
        if at[d] ~= (d == axis and 1 or size) then
            return false
        end
    end
    return #at == #shape
end

rule("rill.take_along", function(call, s, indices, axis, ...)
    local shape <const>, kind <const> = s.shape, types.list[s.type].seen
    local own = axis == nil and #shape or axis < 0 and axis + #shape + 1 or axis
    local at = indices_of(indices)
    local y <const> = call:run(s, indices, axis, ...)
    if is_one_each(at.shape, shape, own) then -- each element of g has a line of s of its own
        call:record({s}, {y}, {at = at}, function(kept, g)
            return rill.where(places.ramp(shape[own], own, #shape):eq(kept.at % shape[own]), g, 0)
        end)
        return y
    end
    at = tape.suspended(function()
        local sizes = #at.shape < #shape and at:expand(own) or at
        local times = {}
        for d, size in ipairs(sizes.shape) do
            times[d] = d ~= own and size == 1 and shape[d] or 1
            if d ~= own and shape[d] ~= size and size ~= 1 then
                errors.fail("rill.take_along: elements that are repeated have no gradient: repeat them with s:tile")
            end
        end
        local whole = sizes:tile(table.unpack(times)):copy()
        return along(shape, own, (axes.layered(whole, own))):reshape(whole.size)
    end)
    call:record({s}, {y}, {at = at}, function(kept, g)
        return added(g, kept.at, kind, shape)
    end)
    return y
end)

rule("s:select", function(call, s, indices, axis, ...)
    if type(indices) == "table" and not rill.type(indices) and type(indices[1]) == "boolean" then
        indices = rill.from(indices, "bool")
    end
    if rill.type(indices) and indices.type == "bool" then
        if axis == nil and indices.shape == s.shape then
            return s:filter(indices)
        end
        indices = indices:find(indices)
        axis = axis or 1
    end
    local shape <const>, kind <const> = s.shape, types.list[s.type].seen
    local own = axis and (axis < 0 and axis + #shape + 1 or axis)
    local y <const> = call:run(s, indices, axis, ...)
    local at = indices_of(indices)
    at = tape.suspended(function()
        local line <const> = at:reshape {1, at.size, 1}
        if not own then
            return along({s.size}, 1, line):reshape(at.size)
        end
        local before, after = 1, 1
        for d, size in ipairs(shape) do
            before, after = d < own and before * size or before, d > own and after * size or after
        end
        local whole = line:tile(before, 1, after):copy()
        return along(shape, own, whole):reshape(whole.size)
    end)
    call:record({s}, {y}, {at = at}, function(kept, g)
        return added(g, kept.at, kind, shape)
    end)
    return y
end)
