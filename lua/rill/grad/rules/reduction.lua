-- Gradients of reductions. The results of full reductions of tracked streams are streams of one element.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local places = require "rill.grad.places"
local tables = require "rill.core.tables"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
local rule <const> = tape.rule

-- Returns the axes of a reduction, sorted (nil for all elements), the shape of its result with sizes of 1 for the axes,
-- and the other options.
local function form_of(where, s, axis, options)
    if type(axis) == "table" and #axis == 0 and next(axis) ~= nil then
        axis, options = nil, axis
    end
    local rest = tables.copy(options)
    axis = axis == nil and rest.axis or axis
    local shape <const>, list = s.shape, nil
    if axis ~= nil then
        list = axes.several(where .. ": argument #1 'axis'", type(axis) == "table" and axis or {axis}, #shape)
    end
    local kept = {}
    for d, size in ipairs(shape) do
        kept[d] = list == nil and 1 or size
    end
    for _, d in ipairs(list or {}) do
        kept[d] = 1
    end
    return list, kept, rest
end

-- Returns the elements of a stream or an expression in one dimension.
local function flat(s)
    if #s.shape == 1 then
        return s
    end
    local own <const> = places.stream(s)
    return axes.reshaped(own, own.size)
end

-- Runs a reduction. The result of a full one is a stream of one element.
local function reduced(call, s, list, axis, options)
    if list == nil and not (options and options.keep) then
        local others = tables.copy(options)
        others.axis, others.reproducible = nil, nil
        return call:run(flat(s), 1, next(others) and others or nil)
    end
    return call:run(s, axis, options)
end

-- Defines the rule of a reduction. pull(kept, g, y) gets the adjoint g and the result y, with sizes of 1 for the axes
-- that are reduced, and the stream or expression kept.s; it returns the adjoint of the stream.
local function reduction(name, keeps, pull)
    rule("s:" .. name, function(call, s, axis, options, ...)
        local where <const> = "s:" .. name
        if not types.is_real(s.type) or select("#", ...) > 0 then
            return call:run(s, axis, options, ...)
        end
        local list, kept_shape, rest = form_of(where, s, axis, options)
        local shape <const>, count = s.shape, 1
        for d, size in ipairs(shape) do
            count = count * (kept_shape[d] == 1 and size or 1)
        end
        local y <const> = reduced(call, s, list, axis, options)
        if rill.type(y) ~= "stream" then -- of no elements
            return y
        end
        local keep = {}
        keep.s = keeps:find "s" and s or nil
        keep.y = keeps:find "y" and y or nil
        call:record({s}, {y}, keep, function(kept, g)
            local full <const> = places.stream(g):reshape(kept_shape)
            return pull(full, kept.s, kept.y and kept.y:reshape(kept_shape), {
                count = count, list = list, shape = shape, ddof = rest.ddof or 0,
            })
        end)
        return y
    end)
end

reduction("sum", "", function(g) return g end)
reduction("mean", "", function(g, _, _, o) return g / o.count end)
reduction("norm", "sy", function(g, s, y) return rill.where(y:eq(0), 0, g / y) * s end)
