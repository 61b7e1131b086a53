-- Gradients of rill.convolve and rill.correlate, and of these and separable filters of images.
local core = require "rill.core"
local errors = require "rill.core.error"
local rill = require "rill.core.public"
local option = require "rill.core.options"
local places = require "rill.grad.places"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
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

-- Returns the index along dimension d of the element that each element of a padded stream copies.
local function copied(d, p)
    return rill.iota(p.shape[d]):pad {before = p.before[d], after = p.after[d], boundary = p.modes[d] or "clamp"}
end

-- Returns a stream with the elements outside along dimension d that its boundary mode defines.
local function padded(a, d, p)
    local rank <const>, mode <const> = #p.shape, p.modes[d] or "clamp"
    if recorder.on and type(mode) == "string" then
        return a:select(copied(d, p), d) -- it has a rule, which needs no kernel
    end
    return a:pad {
        before = unit(rank, d, p.before[d]), after = unit(rank, d, p.after[d]),
        boundary = type(mode) == "string" and mode or nil, value = type(mode) == "number" and mode or nil,
    }
end

local function extended(a, p)
    for d = 1, #p.shape do
        a = p.before[d] + p.after[d] > 0 and padded(a, d, p) or a
    end
    return a
end

-- Returns the view of `count` elements along dimension d, from `first` on.
local function slab(s, d, first, count)
    local from, to = {}, {}
    for k, size in ipairs(s.shape) do
        from[k], to[k] = k == d and first or 1, k == d and first + count - 1 or size
    end
    return s:domain(from, to)
end

local MOST_ADDED <const> = 32 -- elements outside that are added one by one

-- Adds the elements before and after those of `result` along dimension d to the elements from which they are copied.
local function add_outer(result, e, d, p)
    local n <const>, before <const>, after <const>, indices <const> = p.shape[d], p.before[d], p.after[d], copied(d, p)
    local outer <const> = {}
    for k = 1, before + after do
        outer[k] = k <= before and k or n + k
    end
    for _, k in ipairs(outer) do
        local inner <const> = slab(result, d, indices:get(k) + 1, 1)
        inner:write(inner + slab(e, d, k, 1))
    end
    return result
end

-- Returns the adjoint of a from the adjoint e of extended(a, p).
local function folded(e, p)
    for d = #p.shape, 1, -1 do
        local count <const>, mode <const> = p.before[d] + p.after[d], p.modes[d]
        local inner <const> = slab(e, d, p.before[d] + 1, p.shape[d])
        if count > MOST_ADDED and mode ~= "zero" and type(mode) ~= "number" then
            local _, pull <const> = rill.vjp(function(a) return padded(a, d, p) end, rill.stream(e.type, inner.shape))
            e = pull(e)
        elseif count == 0 or mode == "zero" or type(mode) == "number" then
            e = inner
        else
            e = add_outer(inner:copy(), e, d, p)
        end
    end
    return e
end

-- Returns the sums with the weights b, or reversed weights if flip is set, without elements outside of a.
local function filtered(a, b, flip)
    return (flip and rill.convolve or rill.correlate)(a, b, {boundary = "zero"})
end

-- Returns the adjoint of a.
local function of_elements(b, g, p)
    return folded(filtered(g:pad {before = p.before, after = p.after}, b, not p.flip), p)
end

local FEW <const> = 64 -- weights: with more, transforms are faster than a sum for each weight

-- Returns the adjoint of a few weights by a sum for each of them. outer: the elements outside and inside.
local function by_sums(outer, g, p)
    local result <const> = rill.stream(types.list[outer.type].scalar, p.weights)
    local count <const> = #result
    local flat <const> = result:reshape(count)
    for t = 0, count - 1 do
        local first, last, rest = {}, {}, t
        for d = #p.weights, 1, -1 do
            first[d] = rest % p.weights[d] + 1
            last[d], rest = first[d] + p.shape[d] - 1, rest // p.weights[d]
        end
        local at <const> = p.flip and count - t or t + 1
        local view <const> = outer:domain(first, last)
        flat:domain(at, at):write((p.components > 1 and rill.dot(g, view) or g * view):sum(p.all))
    end
    return result
end

-- Returns the adjoint of the weights from one component of the elements outside and inside.
local function by_transforms(outer, g, p)
    local sums <const> = filtered(outer, g, false)
    local first, last = {}, {}
    for d, n in ipairs(p.weights) do
        first[d] = p.shape[d] // 2 + 1
        last[d] = first[d] + n - 1
    end
    local part <const> = sums:domain(first, last)
    return p.flip and part:flip(p.all) or part
end

local function of_weights(outer, g, p)
    if tables.product(p.weights) <= FEW then
        return by_sums(outer, g, p)
    elseif p.components == 1 then
        return by_transforms(outer, g, p)
    end
    local sum
    for c = 1, p.components do
        local part <const> = by_transforms(outer[XYZW[c]], g[XYZW[c]], p)
        sum = sum and sum + part or part
    end
    return sum
end

-- Returns the adjoints of a (nil if b is) and b (nil if a is) from the adjoint g of the sums.
local function adjoints(a, b, g, p)
    if #g == 0 then
        return nil
    end
    g = places.stream(g)
    local of_a <const> = b and of_elements(b, g, p)
    return of_a, a and of_weights(extended(a, p), g, p)
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

-- Its kernels compute with the bits of floats, so that their derivatives would be 0.
tape.rule("rill.image.median", function(_, s)
    errors.fail("rill.image.median: it depends on %s, and this operation has no gradient: rill.constant(x) is a " ..
        "stream without one", tape.names(tape.touches(s)))
end)
