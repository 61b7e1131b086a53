-- Gradients of sorts, selections by order and by predicates: those of the permutation or the elements that were chosen.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local by_key = require "rill.stream.quantile"
local places = require "rill.grad.places"
local sort_key = require "rill.stream.sort_key"
local tables = require "rill.core.tables"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
local rule <const> = tape.rule

-- Returns the adjoint of elements that were moved along an axis: element j came from place `order`[j].
local function moved_back(g, order, axis)
    g = places.stream(g)
    if #g.shape == 1 then
        return rill.scatter(rill.stream(g.type, g.shape), order, g)
    end
    local inverse <const> = tape.suspended(rill.argsort, order, {axis = axis})
    return rill.take_along(g, inverse, axis)
end

-- Returns the places 0 .. n - 1 along an axis of a shape.
local function places_along(shape, axis)
    local sizes, times = {}, {}
    for d, size in ipairs(shape) do
        sizes[d], times[d] = d == axis and size or 1, d == axis and 1 or math.max(size, 1)
    end
    if tables.product(shape) == 0 then
        return rill.stream("int", shape)
    end
    return rill.iota(shape[axis]):reshape(sizes):tile(table.unpack(times)):copy()
end

local function axis_of(s, axis)
    axis = axis == nil and -1 or axis
    return axis < 0 and axis + #s.shape + 1 or axis
end

rule("s:sort", function(call, s, options, ...)
    local y <const> = call:run(s, options, ...)
    local key, own = options and options.key, tables.copy(options)
    own.key = nil
    local axis <const> = axis_of(s, own.axis)
    local order = tape.suspended(function()
        if key == nil or key == false then
            return rill.argsort(s, own)
        end
        return select(2, rill.sort_by_key(sort_key.keys(s, key), places_along(s.shape, axis), own))
    end)
    call:record({s}, {y}, {order = order}, function(kept, g) return moved_back(g, kept.order, axis) end)
    return y
end)

rule("rill.sort_by_key", function(call, keys, ...)
    local values, options = table.pack(...), nil
    local last <const> = values[values.n]
    if type(last) == "table" and not rill.type(last) then
        options, values.n = last, values.n - 1
    elseif last == nil then
        values.n = math.max(values.n - 1, 0)
    end
    local axis <const> = axis_of(keys, options and options.axis)
    local order <const> = tape.suspended(rill.argsort, keys, options)
    local results = table.pack(call:run(keys, ...))
    local inputs, outputs = {}, {}
    for k = 0, values.n do
        local value = k == 0 and keys or values[k]
        if types.is_real(value.type) then
            inputs[#inputs + 1], outputs[#outputs + 1] = value, results[k + 1]
        end
    end
    call:record(inputs, outputs, {order = order}, function(kept, ...)
        local list = {}
        for k = 1, #inputs do
            list[k] = moved_back(select(k, ...), kept.order, axis)
        end
        return table.unpack(list, 1, #inputs)
    end)
    return table.unpack(results, 1, results.n)
end)

-- Returns the elements of g at flat indices of a stream of n elements, else zeros.
local function spread(g, at, n)
    g = places.stream(g)
    return rill.scatter(rill.stream(g.type, n), at, g)
end

rule("s:top_k", function(call, s, ...)
    local y, at = call:run(s, ...)
    local n <const> = s.size
    call:record({s}, {y}, {at = at}, function(kept, g) return spread(g, kept.at, n) end)
    return y, at
end)

-- ---- predicates

local function chosen(call, s, y, at)
    local shape <const> = s.shape
    call:record({s}, {y}, {at = at}, function(kept, g)
        return spread(g, kept.at, tables.product(shape)):reshape(shape)
    end)
end

rule("s:filter", function(call, s, ...)
    s = places.stream(s)
    local y <const> = call:run(s, ...)
    chosen(call, s, y, tape.suspended(s.find, s, ...))
    return y
end)

rule("s:partition", function(call, s, pred, ...)
    s = places.stream(s)
    local yes, no = call:run(s, pred, ...)
    local more <const> = ...
    local at, others = tape.suspended(function()
        local found <const> = s:find(pred, more)
        local rest = rill.stream("bool", s.size, true)
        rill.scatter(rest, found, false)
        return found, rest:find(rest)
    end)
    chosen(call, s, yes, at)
    chosen(call, s, no, others)
    return yes, no
end)

-- ---- quantiles

-- Returns a stream for a number or a table of numbers.
local function stream_of(value, kind)
    return rill.from(type(value) == "table" and value or {value}, kind)
end

-- Returns the stream of one dimension, or with the axes merged, along which quantiles are taken; the axis, and the list
-- of the axes.
local function line_of(where, s, axis, keep)
    if axis == nil and not keep then
        local own <const> = places.stream(s)
        return axes.reshaped(own, own.size), 1
    end
    local own <const> = places.stream(s)
    if axis == nil then
        axis = {}
        for d = 1, #own.shape do
            axis[d] = d
        end
    end
    local list, seen = axes.several(where, type(axis) == "table" and axis or {axis}, #own.shape)
    local view, merged = axes.merged(own, list, seen)
    return view, merged
end

-- Records quantiles: y has one for each fraction, in the first dimension.
local function record(call, view, axis, fractions, y, method)
    local n <const> = view.shape[axis]
    local order <const> = tape.suspended(rill.argsort, view, {axis = axis})
    local kept_shape = view.shape
    kept_shape[axis] = 1
    local ramp = {}
    for d = 1, #kept_shape do
        ramp[d] = d == axis and n or 1
    end
    call:record({view}, {y}, {order = order}, function(kept, g)
        local sum = 0
        local list <const> = places.stream(g):reshape {#fractions, tables.product(kept_shape)}
        local numbers <const> = rill.iter("int", ramp, 0, n)
        for k, q in ipairs(fractions) do
            local at <const> = by_key.place(method, q, n)
            local low <const> = math.tointeger(at // 1)
            local part <const> = list[k]:reshape(kept_shape)
            for step = 0, at > low and 1 or 0 do
                local place <const> = axes.part(kept.order, axis, low + step + 1, low + step + 1)
                local weight <const> = step == 0 and 1 - (at - low) or at - low
                sum = rill.where(numbers:eq(place), part * weight, 0) + sum
            end
        end
        return sum
    end)
    return y
end

rule("rill.quantile_by_key", function(call, keys, values, q, ...)
    if not types.is_real(values.type) then
        return call:run(keys, values, q, ...)
    end
    values = places.stream(values)
    local first, order, sizes, _, qs, is_list = tape.suspended(by_key.by_key, keys, values, q)
    local result <const> = by_key.of_groups(axes.reshaped(values, values.size), order, sizes, qs)
    return first, is_list and result or result:reshape(result.size)
end)

local function fractions_of(q, most)
    local list = {}
    for k, value in ipairs(type(q) == "table" and q or {q}) do
        list[k] = value / most
    end
    return list
end

local function quantile(where, most)
    return function(call, s, q, options, ...)
        local view, axis = line_of(where, s, options and options.axis, options and options.keep)
        local y = call:run(s, q, options, ...)
        if options == nil or options.axis == nil and not options.keep then
            local own <const> = stream_of(y, types.seen_scalar(s.type))
            record(call, view, axis, fractions_of(q, most), own, options and options.method)
            if type(q) ~= "table" then
                return own
            end
            local list = {}
            for k = 1, #q do
                list[k] = own:domain(k, k)
            end
            return list
        end
        return record(call, view, axis, fractions_of(q, most), y, options.method)
    end
end

rule("s:quantile", quantile("s:quantile: option 'axis'", 1))
rule("s:percentile", quantile("s:percentile: option 'axis'", 100))

rule("s:median", function(call, s, axis, options, ...)
    if type(axis) == "table" and #axis == 0 and next(axis) ~= nil and options == nil then
        axis, options = nil, axis
    end
    axis = axis == nil and options and options.axis or axis
    local keep <const> = options and options.keep
    local view, merged = line_of("s:median: argument #1 'axis'", s, axis, keep)
    local y = call:run(s, axis, keep and {keep = keep} or nil, ...)
    y = type(y) == "number" and stream_of(y, types.seen_scalar(s.type)) or y
    return record(call, view, merged, {0.5}, y)
end)
