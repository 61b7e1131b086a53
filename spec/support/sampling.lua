-- Texture sampling in plain Lua: elements beyond the edge, filters, mipmaps; and kernels that sample.
local assert = require "luassert"
local rill = require "rill"
local borders = require "spec.support.borders"

-- The permitted error of hardware filters for each dimension, relative to the difference of the elements: weights
-- have at least eight bits. Filters of bytes may also round their results to bytes.
local WEIGHT <const>, BYTE <const> = 1 / 256, 1 / 255

local function components(type)
    return type:match "4$" and 4 or type:match "2$" and 2 or 1
end

-- Returns component c of the element at indices (x first) of flat values.
local function element(values, shape, n, mode, at, c)
    local number, rank = 0, #shape
    for d = rank, 1, -1 do
        local size = shape[rank + 1 - d]
        local i = borders.place(mode, at[d], size)
        if not i then return 0 end
        number = number * size + i
    end
    return values[number * n + c]
end

-- Interpolates linearly between elements at p, x first.
local function linear(values, shape, n, mode, p, c)
    local sum = 0
    for corner = 0, (1 << #shape) - 1 do
        local weight, at = 1, {}
        for d = 1, #shape do
            local f, bit = p[d] - math.floor(p[d]), corner >> (d - 1) & 1
            weight = weight * (bit == 1 and f or 1 - f)
            at[d] = math.floor(p[d]) + bit
        end
        sum = sum + (weight > 0 and weight * element(values, shape, n, mode, at, c) or 0)
    end
    return sum
end

local function nearest(values, shape, n, mode, p, c)
    local at = {}
    for d = 1, #shape do at[d] = math.floor(p[d] + 0.5) end
    return element(values, shape, n, mode, at, c)
end

local vectors <const> = {"float", "vec2", "vec3"}

local function sampler(type, rank)
    return rill.kernel(("kernel void k(%s p<>, %s c%s, out %s r<>) { r = sample(c, p); }"):format(
        vectors[rank], type, ("[]"):rep(rank), type))
end

local function seen(type)
    local n = components(type)
    return n == 1 and "float" or "vec" .. n
end

-- Returns positions around and inside a shape, except those at which the nearest element changes, and flat lists of
-- them.
local function positions(shape, count, normalized)
    local list, given = {}, {}
    for i = 1, count do
        local p, g = {}, {}
        for d = 1, #shape do
            local size = shape[#shape + 1 - d]
            local whole = math.random(-size - 1, 2 * size)
            p[d] = whole + math.random(-28, 28) / 64
            g[d] = normalized and (p[d] + 0.5) / size or p[d]
        end
        list[i], given[i] = p, #shape == 1 and g[1] or g
    end
    return list, rill.from(given, vectors[#shape])
end

local function numbers(type, shape)
    local n = components(type)
    return rill.stream(type, shape, function()
        local e = {}
        for c = 1, n do e[c] = math.random(0, 255) / 255 end
        return n == 1 and e[1] or e
    end)
end

-- Samples c, whose elements are `data`, and compares.
local function compare(c, data, type, shape, options, mode)
    local n = components(type)
    local list, p = positions(shape, 60, options.normalized)
    local got, values = sampler(seen(type), #shape)(p, c):values(), data:values()
    local how = options.filter == "nearest" and nearest or linear
    local allowed = how == nearest and 1e-6 or #shape * WEIGHT + (type:find "unorm" and BYTE or 0)
    for i, at in ipairs(list) do
        for k = 1, n do
            assert.are.near(how(values, shape, n, mode, at, k), got[(i - 1) * n + k], allowed,
                ("%s %s %s %s at %s"):format(table.concat(shape, "x"), options.filter, options.normalized, mode,
                    table.concat(at, " ")))
        end
    end
end

-- Returns a mipmap level (default: the next) of flat values: halves each dimension, except the faces of a cube
-- (slowest first), with means of boxes.
local function halved(values, shape, n, level, cube)
    local next_shape, strides, count = {}, {}, 1
    for d = #shape, 1, -1 do
        strides[d], count = count, count * shape[d]
        next_shape[d] = cube and d == 1 and 6 or math.max(1, shape[d] >> level)
    end
    -- Returns the elements in box i of `parts` boxes, each with the fraction of the box that it covers.
    local function box(size, i, parts)
        local from, to, list = i * size / parts, (i + 1) * size / parts, {}
        for k = math.floor(from), math.ceil(to) - 1 do
            list[#list + 1] = {k, (math.min(to, k + 1) - math.max(from, k)) / (to - from)}
        end
        return list
    end
    local result = {}
    local function mean(at, d, base, weight, c)
        if d > #shape then return weight * values[base * n + c] end
        local sum = 0
        for _, part in ipairs(box(shape[d], at[d], next_shape[d])) do
            sum = sum + mean(at, d + 1, base + part[1] * strides[d], weight * part[2], c)
        end
        return sum
    end
    local function each(at, d)
        if d > #shape then
            for c = 1, n do result[#result + 1] = mean(at, 1, 0, 1, c) end
            return
        end
        for i = 0, next_shape[d] - 1 do
            at[d] = i
            each(at, d + 1)
        end
    end
    each({}, 1)
    return result, next_shape
end

local function level_sampler(type, rank)
    return rill.kernel(("kernel void k(%s p<>, float l<>, %s c%s, out %s r<>) { r = sample(c, p, l); }"):format(
        vectors[rank], type, ("[]"):rep(rank), type))
end

return {WEIGHT = WEIGHT, BYTE = BYTE, components = components, linear = linear, vectors = vectors, sampler = sampler,
    level_sampler = level_sampler, seen = seen, numbers = numbers, compare = compare, halved = halved}
