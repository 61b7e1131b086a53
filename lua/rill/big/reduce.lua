-- Reductions, scans, histograms, quantiles, the distinct and the largest elements of big streams: values of tiles,
-- combined.
local errors = require "rill.core.error"
local fold = require "rill.parts.fold"
local histogram = require "rill.parts.histogram"
local quantile = require "rill.parts.quantile"
local scan = require "rill.parts.scan"
local top_k = require "rill.parts.top_k"
local unique = require "rill.parts.unique"
local option = require "rill.core.options"
local types = require "rill.core.types"
local tiles = require "rill.big.tiles"
local fail <const> = errors.fail

local SCAN_OPTIONS <const> = {exclusive = option.default(option.flag, false)}

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

    -- The provider of a big stream: see rill.parts.fold.
    local function provide(where, name, b, other)
        local state = (name == "top_k" and big.line or big.numbers)(b, name)
        local second = name == "dot" and operand(where, state, other)
        if second and types.seen_scalar(state.type) == "float" then -- the first operand determines the types
            state, second = second, state
        end
        local elements = tiles.elements(state, second and state.bytes + second.bytes)
        return {where = where, type = state.type, size = state.size, each = function(f)
            local inputs = {{state = state}, second and {state = second} or nil}
            tiles.each_of(where, inputs, elements, function(streams, first)
                f(streams[1], function(i) return fold.indices(state.shape, first + i) end, streams[2])
            end)
        end}
    end

    --- b:sum() and the other reductions of streams, of all elements. Integers are added exactly below 2^63. Indices of
    -- elements are one per dimension.
    fold.define(methods, "b", provide)

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
        local element <const> = empty:scan().type
        local wide <const> = types.is_real(element) and "double" or element
        local per = tiles.elements(state, 8)
        local sink <close> = tiles.sink(where, path, element, state.shape, per)
        scan.of(function(f)
            tiles.each(where, state, per, function(s)
                local line <close> = s:cast(wide)
                local own <close> = f(line)
                local done <close> = own:cast(element)
                sink:put(done)
            end)
        end, wide, "add", o)
        sink:finish()
        return big.result(path, element, state)
    end, "b:scan")

    --- b:histogram([options]) counts the elements in each of a row of bins. Returns the counts and the edges, as
    -- s:histogram does; the counts are doubles if there are 2^31 elements or more. Options: bins, min, max,
    -- outside. Without min and max, the file is read twice.
    histogram.define(methods, "b", provide)

    --- b:quantile(q), b:percentile(p) and b:median() return numbers with the bits of s:quantile, s:percentile and
    -- s:median, of all elements. The file is read twice for one quantile, four times if it is of doubles.
    quantile.define(methods, "b", provide)

    --- b:unique() returns the distinct elements in ascending order, and how often each occurs: int, or double from 2^31
    -- elements on. Both must fit into the memory of the device.
    unique.define(methods, "b", provide)

    --- b:top_k(k [, options]) returns the first k elements of the sorted big stream, and their 0-based indices:
    -- int, or double from 2^31 elements on. If several elements are equal, the first ones are taken. Option:
    -- largest (default true): false takes the smallest.
    top_k.define(methods, "b", provide)
end
