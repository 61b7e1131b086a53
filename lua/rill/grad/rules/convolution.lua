-- Gradients of rill.convolve and rill.correlate, and of these and separable filters of images.
local core = require "rill.core"
local rill = require "rill.core.public"
local option = require "rill.core.options"
local places = require "rill.grad.places"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"

local XYZW <const> = {"x", "y", "z", "w"}

local function is_tracked(s)
    return tape.depends(s) ~= 0
end

-- Returns the numbers of elements that the sums for a stream read before and after it, for each dimension.
local function margins(b, flip)
    local before, after = {}, {}
    for d, n in ipairs(b.shape) do
        before[d] = flip and (n - 1) // 2 or n // 2
        after[d] = n - 1 - before[d]
    end
    return before, after
end

local function unit(rank, d, value)
    local list = {}
    for k = 1, rank do
        list[k] = k == d and value or 0
    end
    return list
end

-- Returns a stream with the elements outside that its boundary modes define.
local function extended(a, modes, before, after)
    local rank <const> = #a.shape
    for d = 1, rank do
        local mode <const> = modes[d] or modes[1] or "clamp"
        if before[d] + after[d] > 0 then
            a = a:pad {
                before = unit(rank, d, before[d]), after = unit(rank, d, after[d]),
                boundary = type(mode) == "string" and mode or nil,
                value = type(mode) == "number" and mode or nil,
            }
        end
    end
    return a
end

-- Returns the sums with the weights b, or reversed weights if flip is set, without elements outside of a.
local function filtered(a, b, flip)
    return (flip and rill.convolve or rill.correlate)(a, b, {boundary = "zero"})
end

-- Returns the adjoint of a, which has a shape and a type.
local function of_elements(b, g, p)
    local padded <const> = g:pad {before = p.before, after = p.after}
    local outer <const> = filtered(padded, b, not p.flip)
    local _, pull <const> = rill.vjp(function(a)
        return extended(a, p.modes, p.before, p.after)
    end, rill.stream(outer.type, p.shape))
    return pull(outer)
end

-- Returns the adjoint of the weights, which have a shape, from one component of the elements outside and inside.
local function of_weights(outer, g, p)
    local sums <const> = filtered(outer, g, false)
    local first, last = {}, {}
    for d, n in ipairs(p.weights) do
        first[d] = p.shape[d] // 2 + 1
        last[d] = first[d] + n - 1
    end
    local part <const> = sums:domain(first, last)
    return p.flip and part:flip(p.all) or part
end

-- Returns the adjoints of a (nil if b is) and b (nil if a is) from the adjoint g of the sums.
local function adjoints(a, b, g, p)
    if #g == 0 then
        return nil
    end
    g = places.stream(g)
    local of_a <const> = b and of_elements(b, g, p)
    if not a then
        return of_a, nil
    end
    local outer <const> = extended(a, p.modes, p.before, p.after)
    if p.components == 1 then
        return of_a, of_weights(outer, g, p)
    end
    local sum
    for c = 1, p.components do
        local part <const> = of_weights(outer[XYZW[c]], g[XYZW[c]], p)
        sum = sum and sum + part or part
    end
    return of_a, sum
end

-- Returns what `adjoints` needs to know.
local function form_of(a, b, modes, flip)
    local p = {shape = a.shape, weights = b.shape, modes = modes or {}, flip = flip, all = {}}
    p.components = types.list[types.list[a.type].seen].components
    p.before, p.after = margins(b, flip)
    for d = 1, #a.shape do
        p.all[d] = d
    end
    return p
end

-- Records sums with weights that have been computed.
local function record(call, a, b, modes, flip, result)
    local p <const> = form_of(a, b, modes, flip)
    call:record({a, b}, {result}, {a = is_tracked(b) and a or nil, b = is_tracked(a) and b or nil}, function(kept, g)
        return adjoints(kept.a, kept.b, g, p)
    end)
    return result
end

-- Returns the boundary modes of a stream with the option 'boundary'.
local function modes_of(where, a, options)
    return core._boundary(option.bounded(where, a, (options or {}).boundary))
end

local function weights_of(b)
    return option.table[1](b) and rill.from(b) or places.stream(b)
end

for prefix, flips in pairs {["rill."] = 1, ["rill.image."] = 2} do
    for name, flip in pairs {convolve = true, correlate = false} do
        local whole <const> = prefix .. name
        tape.rule(whole, function(call, a, b, options, ...)
            a = places.stream(a)
            local result <const> = call:run(a, flips == 1 and weights_of(b) or b, options, ...)
            return record(call, a, weights_of(b), modes_of(whole, a, options), flip, result)
        end)
    end
end

-- A line of weights as a stream.
local function line_of(w)
    return type(w) == "table" and not rill.type(w) and rill.from(w) or places.stream(w)
end

-- The result has the weights wy[j] wx[i].
tape.rule("rill.image.separable", function(call, s, wy, wx, ...)
    s = places.stream(s)
    local result <const> = call:run(s, wy, wx, ...)
    return record(call, s, rill.outer(line_of(wy), line_of(wx)), core._boundary(s), true, result)
end)
