-- rill.image.resize. Along each axis a pixel of the result is a weighted sum of pixels. Lua computes, in double, the
-- first source pixel of each sum and its weights.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local kernels <const> = require "rill.glsl.template".file "resize"
local picture = require "rill.image.arguments"
local tables = require "rill.core.tables"
local fail <const> = errors.fail

-- ---- filters

-- math.sin(math.pi * x) is not exactly 0 for integers x.
local function sinc(x)
    return x == 0 and 1 or x == math.floor(x) and 0 or math.sin(math.pi * x) / (math.pi * x)
end

-- Keys's cubic convolution with a = -1/2 ("Cubic convolution interpolation for digital image processing", 1981).
local function cubic(x)
    x = math.abs(x)
    return x < 1 and (1.5 * x - 2.5) * x * x + 1 or x < 2 and ((-0.5 * x + 2.5) * x - 4) * x + 2 or 0
end

-- weight: the weight of a source pixel at distance x, in pixels; reach: the distance beyond which it is 0; stretched:
-- whether the filter is widened by the factor by which the image becomes smaller, so that no pixel is skipped.
local FILTERS <const> = {
    linear = {reach = 1, weight = function(x) return math.max(0, 1 - math.abs(x)) end},
    cubic = {reach = 2, weight = cubic},
    lanczos = {reach = 3, weight = function(x) return sinc(x) * sinc(x / 3) end, stretched = true},
}

-- Returns a function for resizing n pixels to m. For pixel i, 0-based, it returns the first source pixel, the weights
-- from it on, and their sum. Positions are integers in units of 1 / (2 m) of a source pixel, so that weights are
-- exactly 0 where the filter is.
local function sampled(filter, n, m)
    local unit <const> = 2 * (filter.stretched and math.max(n, m) or m) -- the filter's distance 1 in these units
    local reach <const> = filter.reach * unit
    return function(i)
        local center = (2 * i + 1) * n - m
        local first, weights, total = -((reach - center) // (2 * m)), {}, 0
        for j = first, (center + reach) // (2 * m) do
            local w = filter.weight((2 * m * j - center) / unit)
            weights[#weights + 1], total = w, total + w
        end
        return first, weights, total
    end
end

-- As sampled: the pixel that contains the center.
local function nearest(n, m)
    return function(i)
        return (2 * i + 1) * n // (2 * m), {1}, 1
    end
end

-- As sampled: the area of each pixel that the result's pixel covers, in units of 1 / m of a source pixel.
local function area(n, m)
    return function(i)
        local low, high = i * n, (i + 1) * n
        local first, weights = low // m, {}
        for j = first, (high - 1) // m do
            weights[#weights + 1] = math.min(high, (j + 1) * m) - math.max(low, j * m)
        end
        return first, weights, n
    end
end

local SUMS <const> = {nearest = nearest, area = area}
for name, filter in pairs(FILTERS) do
    SUMS[name] = function(n, m) return sampled(filter, n, m) end
end

-- ---- one axis

-- Returns a stream of the first pixels of sums, a stream {terms, m} of their weights, and the number of terms.
local function table_of(sum, m)
    local firsts, lists, terms = {}, {}, 0
    for i = 0, m - 1 do
        local first, weights, total = sum(i)
        firsts[i + 1], terms = first, math.max(terms, #weights)
        for k, w in ipairs(weights) do
            weights[k] = w / total
        end
        lists[i + 1] = weights
    end
    local flat = {}
    for k = 1, terms do
        for i = 1, m do flat[#flat + 1] = lists[i][k] or 0 end
    end
    return rill.from(firsts, "int"), rill.stream("float", {terms, m}, flat), terms
end

local AXES <const> = {{axis = "y", place = "ivec2(at.x, from + k)"}, {axis = "x", place = "ivec2(from + k, at.y)"}}
local WRITTEN_OUT <const> = 8 -- terms
local LOOP <const> = 4096 -- terms of one launch: some devices terminate loops after about 65,000 iterations

-- Computes sums of more terms than a launch may add, in parts.
local function in_parts(kernel, s, first, w, shape)
    local terms, m, total = w.shape[1], w.shape[2], nil
    for low = 0, terms - 1, LOOP do
        local high = math.min(terms, low + LOOP)
        local from = low == 0 and first or (first + low):eval()
        local rows <close> = w:domain({low + 1, 1}, {high, m})
        local part = kernel {s = s, first = from, w = rows, terms = high - low, shape = shape}
        if from ~= first then from:close() end
        local before = total
        total = before and (before + part):eval() or part
        if before then
            before:close()
            part:close()
        end
    end
    return total
end

local specialized = {}
local function kernel_for(type, axis, terms)
    local kernel = kernels:kernel {T = type, axis = AXES[axis].axis, place = AXES[axis].place}
    if terms > WRITTEN_OUT then
        return function(s, first, w, shape)
            return in_parts(kernel, s, first, w, shape)
        end
    end
    local key = ("%s %d %d"):format(type, axis, terms)
    specialized[key] = specialized[key] or kernel:specialize {terms = terms}
    return function(s, first, w, shape)
        return specialized[key] {s = s, first = first, w = w, shape = shape}
    end
end

local function along(s, type, axis, m, filter)
    local shape = s.shape
    local first, w, terms = table_of(SUMS[filter](shape[axis], m), m)
    shape[axis] = m
    local r = kernel_for(type, axis, terms)(s, first, w, shape)
    first:close()
    w:close()
    return r
end

-- ---- the function

local OPTIONS <const> = {filter = option.choice({"nearest", "linear", "cubic", "area", "lanczos"}, "linear")}

local function sizes_of(where, shape)
    local listed <const> = type(shape) == "table" and not rill.type(shape)
    shape = listed and tables.whole(shape) or shape
    local rows, columns = listed and shape[1], listed and shape[2]
    for _, n in ipairs {rows, columns} do
        if math.type(n) ~= "integer" or n < 0 or n > 1 << 24 then rows = nil end
    end
    if not rows or not columns or #shape ~= 2 then
        fail("%s: argument #2 'shape': expected {rows, columns}, got %s", where, errors.told(shape))
    elseif rows * columns >= 1 << 31 then -- before weights are made for each row
        fail("%s: argument #2 'shape': %d x %d pixels are more than a stream can have", where, rows, columns)
    end
    return rows, columns
end

--- rill.image.resize(s, shape [, {filter=}]) returns `s` in another shape, {rows, columns}, by a filter: "nearest",
-- "linear" (default), "cubic", "area" (the mean of the area that a pixel covers) or "lanczos" (radius 3, widened where
-- the image becomes smaller). Pixels are squares: the center of the first one is at half a pixel in both images.
local function resize(s, type, where, shape, options)
    local rows, columns = sizes_of(where, shape)
    local filter = option.take(where, options, OPTIONS).filter
    if rows * columns == 0 then
        return rill.stream(type, {rows, columns})
    elseif s.size == 0 then
        fail("%s: argument #1 's': an image without pixels cannot be resized to %s x %s", where, rows, columns)
    end
    s = picture.said_border(s)
    local by_rows <const> = rows * s.shape[2] <= columns * s.shape[1] -- the axis first whose result is smaller
    local axis, other = by_rows and 1 or 2, by_rows and 2 or 1
    local part = along(s, type, axis, by_rows and rows or columns, filter)
    local seen <close> = picture.with_border(part, s)
    return along(seen, type, other, by_rows and columns or rows, filter)
end

return {resize = picture.filter("resize", resize)}
