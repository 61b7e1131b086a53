-- Gradients of reductions. The results of full reductions of tracked streams are streams of one element.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
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

-- Runs a reduction with other options than axis. The result of a full one is a stream of one element.
local function reduced(call, s, list, options)
    local others = tables.copy(options)
    others.axis = nil
    if list == nil and not others.keep then
        others.reproducible = nil
        s, list = flat(s), {1}
    end
    return call:run(s, list and #list == 1 and list[1] or list, next(others) and others or nil)
end

-- Returns the row of a reduction: what its pull needs besides the streams.
local function row_of(s, list, kept, options)
    local shape <const>, count = s.shape, 1
    for d, size in ipairs(shape) do
        count = count * (kept[d] == 1 and size or 1)
    end
    return {shape = shape, list = list, kept = kept, count = count, ddof = options.ddof or 0}
end

-- Defines the rule of a reduction. pull(g, s, y, row) gets the adjoint g and the result y, with sizes of 1 for the axes
-- that are reduced; it returns the adjoint of the stream s. `keeps`: "s" and "y" if it needs them.
local function reduction(name, keeps, pull)
    local where <const> = "s:" .. name
    rule(where, function(call, s, axis, options, ...)
        if not types.is_real(s.type) or select("#", ...) > 0 then
            return call:run(s, axis, options, ...)
        end
        local list, kept, rest = form_of(where, s, axis, options)
        local y <const> = reduced(call, s, list, rest)
        local row <const> = row_of(s, list, kept, rest)
        local keep <const> = {s = keeps:find "s" and s or nil, y = keeps:find "y" and y or nil}
        call:record({s}, {y}, keep, function(values, g)
            return pull(places.reshaped(g, kept), values.s, values.y and values.y:reshape(kept), row)
        end)
        return y
    end)
end

reduction("sum", "", function(g) return g end)
reduction("mean", "", function(g, _, _, row)
    local number <const> = places.number(g)
    return number and places.constant(g.type, row.kept, number / row.count) or g / row.count
end)
reduction("norm", "sy", function(g, s, y) return rill.where(y:eq(0), 0, g / y) * s end)

-- Returns the differences of the elements to their mean.
local function centered(s, row)
    return s - places.summed(s, row.kept) / row.count
end

reduction("var", "s", function(g, s, _, row)
    return g * (2 / (row.count - row.ddof)) * centered(s, row)
end)
reduction("std", "sy", function(g, s, y, row)
    return rill.where(y:eq(0), 0, g / y) / (row.count - row.ddof) * centered(s, row)
end)

-- ---- reductions whose rule is for one axis

-- Returns a reduction along one axis that is equal to one over all or several axes: the stream, the axis, and the shape
-- of the result.
local function along_one(s, list, keep)
    if list == nil and not keep then
        return flat(s), 1, {1}
    end
    local own <const>, seen = places.stream(s), {}
    if list == nil then
        list = {}
        for d = 1, #own.shape do
            list[d] = d
        end
    end
    for _, d in ipairs(list) do
        seen[d] = true
    end
    local view, axis, rest, kept = axes.merged(own, list, seen)
    return view, axis, keep and kept or #rest > 0 and rest or {1}
end

-- Defines the rule of a reduction along one axis. pull(g, s, axis, kept) returns the adjoint of the stream; `keep(s,
-- axis)` the values that it gets as `kept`.
local function along_axis(name, keep, pull)
    local where <const> = "s:" .. name
    rule(where, function(call, s, axis, options, ...)
        if not types.is_real(s.type) or select("#", ...) > 0 then
            return call:run(s, axis, options, ...)
        end
        local list, _, rest = form_of(where, s, axis, options)
        local view, one, shape = along_one(s, list, rest.keep)
        local y <const> = call:run(view, one)
        local shape_kept <const> = view.shape
        local n <const> = shape_kept[one]
        shape_kept[one] = 1
        call:record({view}, {y}, keep(view, one), function(values, g)
            return pull(places.reshaped(g, shape_kept), values, one, n)
        end)
        return y:reshape(shape)
    end)
end

along_axis("prod", function(s) return {s = s} end, function(g, values, axis)
    local s <const> = values.s
    return g * s:scan("mul", {axis = axis, exclusive = true}) *
        s:scan("mul", {axis = axis, exclusive = true, reverse = true})
end)

for name, index in pairs {min = "argmin", max = "argmax"} do
    along_axis(name, function(s, axis)
        if types.list[s.type].components > 1 then
            errors.fail("s:%s: the %s of vectors has no gradient: reduce their components, like s.x", name, name)
        end
        return {at = tape.suspended(s[index], s, axis)}
    end, function(g, values, axis, n)
        local shape <const> = g.shape
        return rill.where(places.ramp(n, axis, #shape):eq(values.at:reshape(shape)), g, 0)
    end)
end

rule("s:dot", function(call, s, t, axis, options, ...)
    if select("#", ...) > 0 or axis ~= nil and type(axis) ~= "number" or rill.type(t) ~= "stream" and
        rill.type(t) ~= "expression" or s.shape ~= t.shape then
        return call:run(s, t, axis, options, ...)
    end
    local full <const> = axis == nil
    local a, b = s, t
    if full then
        a, b = flat(s), flat(t)
    end
    local y <const> = call:run(a, b, full and 1 or axis, not full and options or nil)
    local kept <const> = a.shape
    kept[full and 1 or axis < 0 and axis + #kept + 1 or axis] = 1
    call:record({a, b}, {y}, {a = a, b = b}, function(values, g)
        g = places.reshaped(g, kept)
        return g * values.b, g * values.a
    end)
    return y
end)

-- ---- softmax and logsumexp along axes, with the dimensions kept

rule("s:softmax values", function(call, s, axis)
    local y <const> = call:run(s, axis)
    call:record({s}, {y}, {y = y}, function(kept, g)
        return kept.y * (g - (g * kept.y):sum(axis, {keep = true}))
    end)
    return y
end)

rule("s:logsumexp values", function(call, s, axis)
    local y <const> = call:run(s, axis)
    call:record({s}, {y}, {s = s, y = y}, function(kept, g) return g * rill.exp(kept.s - kept.y) end)
    return y
end)

-- ---- integers and bools: the derivative is 0

for name in ("s:any s:all s:count s:argmin s:argmax s:find s:isin rill.argsort rill.lexsort " ..
    "rill.searchsorted rill.active"):gmatch "%S+" do
    rule(name, function(call, ...) return call:run(...) end)
end
