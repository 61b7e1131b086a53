-- Reductions, scans, histograms and the largest elements of big streams: values of tiles, combined.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
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

local function is_less(a, b)
    if type(a) == "boolean" then
        return not a and b
    end
    return a < b
end

-- Functions that tell whether another value replaces the best.
local BETTER <const> = {
    min = function(a, b) return is_nan(a) and not is_nan(b) or is_less(a, b) end,
    max = function(a, b) return is_nan(a) and not is_nan(b) or is_less(b, a) end,
}

local SCAN_OPTIONS <const> = {exclusive = option.default(option.flag, false)}
local TOP_OPTIONS <const> = {largest = option.default(option.flag, true)}
local HISTOGRAM_OPTIONS <const> = {
    bins = option.count, min = option.finite, max = option.finite, outside = option.choice {"drop", "clamp"},
}

return function(big, methods)
    -- Calls f(stream, first, count) for each tile of a big stream.
    local function each(state, name, f)
        tiles.each("b:" .. name, state, tiles.elements(state), f)
    end

    -- Defines a method without arguments, of big streams of numbers.
    local function define(name, f)
        methods[name] = errors.guard(function(b, ...)
            local state = big.numbers(b, name)
            if (...) ~= nil then
                fail("b:%s: expected no argument, got %s: big streams are reduced as a whole", name, errors.told((...)))
            end
            return f(state, name)
        end, "b:" .. name)
    end

    -- Returns a list of the sums or the norms of all tiles.
    local function of_tiles(op, state, name, scale)
        local list = {}
        each(state, name, function(s) list[#list + 1] = parts.reduce(op, s, scale) end)
        return list
    end

    -- Returns the sum of all elements divided by n. If sums of parts exceed the range of doubles, the elements are added
    -- again, times 2^-64.
    local function sum_of(state, name, n)
        if not types.is_real(state.type) then
            local total = 0
            each(state, name, function(s) total = total + s:sum() end)
            return n and total / n or total
        end
        local total = parts.join("sum", of_tiles("sum", state, name))
        if total - total == 0 then
            return total / (n or 1)
        end
        return parts.join("sum", of_tiles("sum", state, name, 0x1p-64)) / (n or 1) * 0x1p64
    end

    --- b:sum() returns the sum of all elements: an integer, exact below 2^63, or a float, whose tiles are added in
    -- double precision.
    define("sum", function(state, name) return sum_of(state, name) end)

    --- b:mean() returns the mean of all elements; nil if there is none.
    define("mean", function(state, name)
        if state.size > 0 then
            return sum_of(state, name, state.size)
        end
    end)

    --- b:count() returns the number of elements that are not zero.
    define("count", function(state, name)
        local n = 0
        each(state, name, function(s) n = n + s:count() end)
        return n
    end)

    --- b:any(), b:all() return whether some or all elements are not zero.
    define("any", function(state, name)
        local found = false
        each(state, name, function(s) found = s:any() or found end)
        return found
    end)
    define("all", function(state, name)
        local holds = true
        each(state, name, function(s) holds = s:all() and holds end)
        return holds
    end)

    --- b:norm() returns the square root of the sum of the squares.
    define("norm", function(state, name) return parts.join("norm", of_tiles("norm", state, name)) end)

    --- b:var() returns the population variance, b:std() its square root; nil if there is no element.
    local function deviation(state, name)
        local means, deviations, sizes = {}, {}, {}
        each(state, name, function(s, _, count)
            local own = core._moments(s)
            means[#means + 1], deviations[#deviations + 1], sizes[#sizes + 1] = own.mean, own.deviation, count
        end)
        return state.size > 0 and parts.deviation(means, deviations, sizes, state.size) or nil
    end
    define("std", deviation)
    define("var", function(state, name)
        local value = deviation(state, name)
        return value and value * value
    end)

    --- b:min(), b:max() return the least and the largest element; nil if there is none. The result is NaN if an
    -- element is NaN.
    --- b:argmin(), b:argmax() return the 1-based indices of the first of them, one per dimension; nil if there is
    -- none.
    for name, better in pairs(BETTER) do
        define(name, function(state)
            local best
            each(state, name, function(s)
                local value = s[name](s)
                best = (best == nil or better(value, best)) and value or best
            end)
            return best
        end)
        define("arg" .. name, function(state)
            local best, at
            each(state, "arg" .. name, function(s, first)
                local index = s["arg" .. name](s)
                local value = s:get(index)
                if at == nil or better(value, best) then
                    best, at = value, first + index - 1
                end
            end)
            local index = {}
            for d = #state.shape, 1, -1 do
                index[d] = at and at % state.shape[d] + 1
                at = at and at // state.shape[d]
            end
            return table.unpack(index, 1, at and #state.shape or 1)
        end)
    end

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
