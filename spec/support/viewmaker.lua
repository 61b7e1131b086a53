-- Random views with lists of their expected elements. `viewmaker.each(rounds, f)` calls f(view, reference, shape)
-- for every view of `rounds` random compositions of domain, stride, tile, replicate, transpose, flip and copy over streams
-- of 1 to 3 dimensions. `reference` is the flat list of the expected elements, initially the elements of rill.iota.
local rill = require "rill"

local viewmaker = {}

local function size_of(shape)
    local size = 1
    for _, n in ipairs(shape) do
        size = size * n
    end
    return size
end

-- Returns the elements of a new shape; `source(index)` returns the index in the old shape.
local function rebuild(shape, reference, new_shape, source)
    local result, index = {}, {}
    local function go(d)
        if d <= #new_shape then
            for k = 1, new_shape[d] do
                index[d] = k
                go(d + 1)
            end
            return
        end
        local flat = 0
        for e, k in ipairs(source(index)) do
            flat = flat * shape[e] + k - 1
        end
        result[#result + 1] = reference[flat + 1]
    end
    go(1)
    return result
end

local function map_index(f)
    return function(index)
        local result = {}
        for d, k in ipairs(index) do
            result[d] = f(k, d, index)
        end
        return result
    end
end

-- Rows: the arguments of the method for a shape and random counts n, the new shape, and the source index of each
-- element.
local operations = {
    domain = function(shape)
        local first, last, new = {}, {}, {}
        for d, size in ipairs(shape) do
            first[d] = math.random(size)
            last[d] = math.random(first[d], size)
            new[d] = last[d] - first[d] + 1
        end
        local arguments = #shape == 1 and {first[1], last[1]} or {first, last}
        return arguments, new, map_index(function(k, d) return k + first[d] - 1 end)
    end,
    stride = function(shape, n)
        local new = {}
        for d, size in ipairs(shape) do
            new[d] = (size + n[d] - 1) // n[d]
        end
        return n, new, map_index(function(k, d) return (k - 1) * n[d] + 1 end)
    end,
    tile = function(shape, n)
        local new = {}
        for d, size in ipairs(shape) do
            new[d] = size * n[d]
        end
        return n, new, map_index(function(k, d) return (k - 1) % shape[d] + 1 end)
    end,
    replicate = function(shape, n)
        local new = {}
        for d, size in ipairs(shape) do
            new[d] = size * n[d]
        end
        return n, new, map_index(function(k, d) return (k - 1) // n[d] + 1 end)
    end,
    transpose = function(shape)
        local new = {}
        for d in ipairs(shape) do
            new[d] = shape[#shape + 1 - d]
        end
        return {}, new, map_index(function(_, d, index) return index[#index + 1 - d] end)
    end,
    flip = function(shape)
        local axis = math.random(#shape)
        return {axis}, shape, map_index(function(k, d) return d == axis and shape[d] + 1 - k or k end)
    end,
    copy = function(shape)
        return {}, shape, map_index(function(k) return k end)
    end,
}
local names = {"domain", "stride", "tile", "replicate", "transpose", "copy", "flip"}

local MOST_ELEMENTS = 600

local function random_counts(rank)
    local n = {}
    for d = 1, rank do
        n[d] = math.random(3)
    end
    return n
end

-- Returns a random view of a view, or nothing if the view would need a copy first or become too large.
local function step(view, reference, shape)
    local name = names[math.random(#names)]
    local arguments, new_shape, source = operations[name](shape, random_counts(#shape))
    local made, new = pcall(view[name], view, table.unpack(arguments))
    if not made then
        assert(new:find ":copy()", new)
        return
    end
    if size_of(new_shape) <= MOST_ELEMENTS then
        return new, rebuild(shape, reference, new_shape, source), new_shape
    end
end

function viewmaker.each(rounds, f)
    for _ = 1, rounds do
        local shape = {}
        for d = 1, math.random(3) do
            shape[d] = math.random(5)
        end
        local view, reference = rill.iota(shape), {}
        for i = 1, size_of(shape) do
            reference[i] = i - 1
        end
        for _ = 1, math.random(4) do
            view, reference, shape = step(view, reference, shape)
            if not view then
                break
            end
            f(view, reference, shape)
        end
    end
end

-- Converts the flat index `flat` (1-based) to one index per dimension.
function viewmaker.index(shape, flat)
    local index = {}
    flat = flat - 1
    for d = #shape, 1, -1 do
        index[d] = flat % shape[d] + 1
        flat = flat // shape[d]
    end
    return table.unpack(index)
end

return viewmaker
