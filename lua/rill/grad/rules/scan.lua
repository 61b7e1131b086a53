-- Gradients of scans and segmented reductions.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local filter = require "rill.signal.filter"
local ewm = require "rill.stream.numerical.ewm"
local places = require "rill.grad.places"
local tables = require "rill.core.tables"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
local rule <const> = tape.rule

-- Composes maps r -> y + x r, from right to left.
local COMPOSE <const> = "reduce void compose(%s f<>, reduce %s r<>) { r = %s(f.x * r.x, f.x * r.y + f.y); }"
local composes <const> = {}

local function compose(kind)
    composes[kind] = composes[kind] or rill.kernel(COMPOSE:format(kind, kind, kind))
    return composes[kind]
end

local function reversed(options)
    local own = tables.copy(options)
    own.reverse = not own.reverse
    return own
end

-- Returns the adjoint of the elements x of running products, whose adjoint is g. It does not divide by elements, which
-- may be 0: it is P R, where P are the exclusive products, and R[i] the sum of g[j] times the product of the elements
-- between i and j, which is a scan of maps in the other direction.
local function of_products(g, x, options)
    local info <const> = types.list[x.type]
    if info.components > 1 then
        errors.fail("s:scan: running products of vectors have no gradient: scan their components, like s.x")
    end
    local kind <const> = info.seen == "double" and "dvec2" or "vec2"
    local before, after = tables.copy(options), reversed(options)
    before.exclusive, after.exclusive = true, true
    local sums <const> = rill.vec2(x, options.exclusive and g or x * g):eval():scan(compose(kind), after).y
    return x:scan("mul", before) * (options.exclusive and sums or g + sums)
end

rule("s:ewm sums", function(call, a, b, ...)
    local y <const> = call:run(a, b, ...)
    call:record({b}, {y}, {a = a}, function(kept, g)
        local n <const> = kept.a.shape[2]
        local after <const> = axes.part(kept.a, 2, math.min(2, n), n):pad {after = {0, n > 1 and 1 or 0, 0}}
        return ewm.recurrence(after, g:cast "double", true)
    end)
    return y
end)

-- The adjoint of a filter is the same filter, backwards in time.
rule("rill.signal.lfilter outputs", function(call, v, a, ...)
    local y <const> = call:run(v, a, ...)
    call:record({v}, {y}, {}, function(_, g)
        return filter.recursive(g:flip(2):copy():cast "double", a, "double"):flip(2):copy()
    end)
    return y
end)

rule("s:scan", function(call, s, op, options, ...)
    if type(op) == "table" and not rill.type(op) and options == nil then
        op, options = nil, op
    end
    op = op == nil and "add" or op
    if op ~= "add" and op ~= "mul" or not types.is_real(s.type) or select("#", ...) > 0 then
        errors.fail("s:scan: a scan by %s has no gradient: rill.constant(x) is a stream without one",
            type(op) == "string" and "'" .. op .. "'" or errors.told(op))
    end
    local own <const> = tables.copy(options)
    local y <const> = call:run(s, op, own)
    call:record({s}, {y}, op == "mul" and {s = s} or {}, function(kept, g)
        return op == "add" and g:scan("add", reversed(own)) or of_products(g, kept.s, own)
    end)
    return y
end)

-- Returns for each of n elements the index of its segment. `segments`: flags or lengths.
local function segment_numbers(segments, n)
    if type(segments) == "table" and not rill.type(segments) then
        segments = rill.from(segments, type(segments[1]) == "boolean" and "bool" or "int")
    end
    if segments.type == "bool" then
        local flags <const> = segments:reshape(n)
        return (rill.where(rill.iter("int", n, 0, n):eq(0), 1, flags):eval():scan() - 1):eval()
    end
    return rill.searchsorted(segments:cast "int":scan(), rill.iota(n), {side = "right"})
end

local function check_sum(where, values, op)
    if op ~= nil and op ~= "add" or not types.is_real(values.type) then
        errors.fail("%s: only sums have a gradient: rill.constant(x) is a stream without one", where)
    end
end

rule("rill.segmented_reduce", function(call, values, segments, op, ...)
    check_sum("rill.segmented_reduce", values, op)
    local shape <const> = values.shape
    local y <const> = call:run(values, segments, op, ...)
    local at <const> = tape.suspended(segment_numbers, segments, tables.product(shape))
    call:record({values}, {y}, {at = at}, function(kept, g)
        return rill.gather(places.stream(g), kept.at):reshape(shape)
    end)
    return y
end)

-- Returns the flags of the first elements of the runs of equal keys.
local function heads(keys, n)
    local line <const> = keys:reshape(n)
    local flags = rill.stream("bool", n)
    if n > 1 then
        flags:write(line:domain(2, n):ne(line:domain(1, n - 1)), 2, n)
    end
    return flags
end

rule("rill.reduce_by_key", function(call, keys, values, op, ...)
    check_sum("rill.reduce_by_key", values, op)
    local shape <const> = values.shape
    local first, y = call:run(keys, values, op, ...)
    local at <const> = tape.suspended(function()
        local n <const> = tables.product(shape)
        local own = rill.type(keys) == "expression" and keys:eval() or keys
        return segment_numbers(heads(own, n), n)
    end)
    call:record({values}, {y}, {at = at}, function(kept, g)
        return rill.gather(places.stream(g), kept.at):reshape(shape)
    end)
    return first, y
end)
