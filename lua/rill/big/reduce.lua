-- Reductions, scans, histograms and the largest elements of big streams: values of tiles, combined.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local fold = require "rill.parts.fold"
local option = require "rill.core.options"
local parts = require "rill.stream.parts"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local tiles = require "rill.big.tiles"
local fail <const> = errors.fail

local LARGEST <const> = (1 << 31) - 1

local SHIFT <const> = template.new [[
    kernel void shift(int i<>, $type first, out $type r<>) { r = $type(i) + first; }
]]

local CARRY <const> = template.new [[
    kernel void carry(${wide} x<>, ${wide} before, out $type r<>) { r = $type(x + before); }
]]

local function is_nan(x) return x ~= x end

-- Returns an object that adds numbers with the rounding errors (A. Neumaier 1974).
local function adder()
    local sum, lost = 0, 0
    return {
        add = function(x)
            local total = sum + x
            if math.type(total) == "float" then
                lost = lost + (math.abs(sum) >= math.abs(x) and (sum - total) + x or (x - total) + sum)
            end
            sum = total
        end,
        sum = function()
            local whole = sum + lost
            return lost ~= 0 and not is_nan(whole) and whole or sum
        end,
    }
end

local SCAN_OPTIONS <const> = {exclusive = option.default(option.flag, false)}
local TOP_OPTIONS <const> = {largest = option.default(option.flag, true)}
local HISTOGRAM_OPTIONS <const> = {
    bins = option.count, min = option.finite, max = option.finite, outside = option.choice {"drop", "clamp"},
}

return function(big, methods)
    -- Returns the state of the second operand of a dot product.
    local function operand(where, state, other)
        if not big.is(other) then
            fail("%s: argument #1 'other': expected a big stream of the same shape, got %s", where, errors.told(other))
        end
        local second = big.numbers(other, "dot")
        if table.concat(second.shape, "x") ~= table.concat(state.shape, "x") then
            fail("%s: the shapes differ: %s and %s", where, table.concat(state.shape, "x"),
                table.concat(second.shape, "x"))
        end
        return second
    end

    -- Calls f(stream, first, count) for each tile of a big stream.
    local function each(state, name, f)
        tiles.each("b:" .. name, state, tiles.elements(state), f)
    end

    --- b:sum() and the other reductions of streams, of all elements. Integers are added exactly below 2^63. Indices of
    -- elements are one per dimension.
    fold.define(methods, "b", function(where, name, b, other)
        local state = big.numbers(b, name)
        local second = name == "dot" and operand(where, state, other)
        local elements = tiles.elements(state, second and state.bytes + second.bytes)
        return {where = where, type = state.type, each = function(f)
            local inputs = {{state = state}, second and {state = second} or nil}
            tiles.each_of(where, inputs, elements, function(streams, first)
                f(streams[1], function(i) return fold.indices(state.shape, first + i) end, streams[2])
            end)
        end}
    end)

    --- b:scan(path [, options]) writes the running sums of a big stream of one dimension to a .npy file, and
    -- returns its big stream. Floats are added as doubles. Integers wrap at 2^32, as those of s:scan. Option:
    -- exclusive (default false): an element is not part of its own sum.
    methods.scan = errors.guard(function(b, path, options, ...)
        local where <const> = "b:scan"
        local state = big.line(b, "scan")
        tiles.check_path(where, 1, state, path)
        errors.none(where, 3, 2, (...))
        local o = option.take(where, options, SCAN_OPTIONS)
        local empty <close> = tiles.empty(state)
        local element = empty:scan().type
        local real = types.is_real(element)
        local carry = CARRY:kernel {type = element, wide = real and "double" or element}
        local per = tiles.elements(state, 8)
        local sink <close> = tiles.sink(where, path, element, state.shape, per)
        local before = real and adder() or 0
        tiles.each(where, state, per, function(s)
            local wide = real and s:cast "double" or s
            local sums <close> = wide:scan("add", {exclusive = o.exclusive})
            local total = wide:sum()
            local done <close> = carry(sums, real and before.sum() + 0.0 or before)
            sink:put(done)
            if real then
                before.add(total)
                wide:close()
            else
                before = (before + total) & 0xffffffff
                before = element == "int" and before >= 1 << 31 and before - (1 << 32) or before
            end
        end)
        sink:finish()
        return big.result(path, element, state)
    end, "b:scan")

    --- b:histogram([options]) counts the elements in each of a row of bins. Returns the counts and the edges, as
    -- s:histogram does; the counts are doubles if there are more than 2^31 elements. Options: bins, min, max,
    -- outside. Without min and max, the file is read twice.
    methods.histogram = errors.guard(function(b, options, ...)
        local where <const> = "b:histogram"
        local state = big.numbers(b, "histogram")
        errors.none(where, 2, 1, (...))
        local o = option.take(where, options, HISTOGRAM_OPTIONS)
        local ranges
        if not (o.min and o.max) and state.size > 0 then
            ranges = {}
            each(state, "histogram", function(s) parts.extend(ranges, {core._histogram_range(s)}) end)
        end
        local empty <close> = tiles.empty(state)
        local counts, edges = core._histogram(empty, o, ranges, where)
        counts = state.size > 1 << 31 and counts:cast "double" or counts
        each(state, "histogram", function(s)
            local own = core._histogram(s, o, ranges, where)
            counts:write(counts + own)
            own:close()
        end)
        return counts, edges
    end, "b:histogram")

    --- b:top_k(k [, options]) returns the first k elements of the sorted big stream, and their 0-based indices:
    -- int, or double from 2^31 elements on. If several elements are equal, the first ones are taken. Option:
    -- largest (default true): false takes the smallest.
    methods.top_k = errors.guard(function(b, k, options, ...)
        local where <const> = "b:top_k"
        local state = big.line(b, "top_k")
        errors.none(where, 3, 2, (...))
        local o = option.take(where, options, TOP_OPTIONS)
        k = tables.whole(k)
        if math.type(k) ~= "integer" or k < 0 or k > state.size then
            fail("%s: argument #1 'k': expected a whole number from 0 to %d, got %s", where, state.size, errors.told(k))
        end
        local index_type = state.size > LARGEST and "double" or "int"
        local shift = SHIFT:kernel {type = index_type}
        local values, indices = rill.stream(state.type, 0), rill.stream(index_type, 0)
        each(state, "top_k", function(s, first, count)
            local own, at = s:top_k(math.min(k, count), o)
            local all <close> = rill.concat {values, own}
            local places <close> = rill.concat {indices, shift(at, first)}
            values:close()
            indices:close()
            local chosen
            values, chosen = all:top_k(math.min(k, all.size), o)
            indices = rill.gather(places, chosen)
        end)
        return values, core._set_indices(indices, true)
    end, "b:top_k")
end
