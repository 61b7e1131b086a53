-- Mathematical morphology: rill.image.erode, dilate, open and close (Serra, "Image analysis and mathematical
-- morphology", 1982).
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local picture = require "rill.image.arguments"
local kernels <const> = require "rill.glsl.template".sections "morphology"
local types = require "rill.core.types"
local fail <const> = errors.fail

local morphology = {}

local WRITTEN_OUT <const> = 32 -- offsets that are unrolled in a kernel
local MOST_RADIUS <const> = 15 -- of one pass; a larger square is processed in several passes
local LOOP <const> = 4096 -- elements of a mask that one launch processes

-- The GLSL function that selects one of two values, and its neutral element.
local ORDERS <const> = {erode = {"less", "1.0 / 0.0"}, dilate = {"more", "-1.0 / 0.0"}}

-- Returns the GLSL expression that applies `order` to a and b component by component.
local function chosen(order, type, a, b)
    local count = type == "float" and 1 or math.tointeger(type:sub(4))
    if count == 1 then
        return ("%s(%s, %s)"):format(order, a, b)
    end
    local parts = {}
    for c in ("xyzw"):sub(1, count):gmatch "." do
        parts[#parts + 1] = ("%s(%s.%s, %s.%s)"):format(order, a, c, b, c)
    end
    return ("%s(%s)"):format(type, table.concat(parts, ", "))
end

-- ---- squares and short lists of offsets

local function over_offsets(s, type, name, offsets)
    local lines, order = {}, ORDERS[name][1]
    for i = 2, #offsets do
        lines[#lines + 1] = ("x = s[%d][%d]; r = %s;"):format(offsets[i][2], offsets[i][1],
            chosen(order, type, "r", "x"))
    end
    return kernels.over_offsets:kernel {
        T = type, name = name, x = offsets[1][1], y = offsets[1][2], others = table.concat(lines, " "),
    }(s)
end

local function line(s, type, name, axis, radius)
    local offsets = {}
    for k = -radius, radius do
        offsets[#offsets + 1] = axis == 1 and {0, k} or {k, 0}
    end
    return over_offsets(s, type, name, offsets)
end

-- Successive squares are equivalent to one square of the sum of their radii, for every boundary: a pixel outside
-- depends on no pixel of the image that the pixels inside do not depend on too.
local function square(s, type, name, radius)
    local from = s
    repeat
        local part = math.min(radius, MOST_RADIUS)
        radius = radius - part
        local down = picture.with_border(line(from, type, name, 1, part), s)
        local whole = line(down, type, name, 2, part)
        down:close()
        if from ~= s then from:close() end
        from = picture.with_border(whole, s)
    until radius == 0
    return from
end

-- ---- masks

-- Returns the offsets {dx, dy} from the center at which the rows of a mask are true, negated for a dilation.
local function offsets_of(rows, name)
    local offsets, sign = {}, name == "dilate" and -1 or 1
    for j, row in ipairs(rows) do
        for i, value in ipairs(row) do
            if value and value ~= 0 then
                offsets[#offsets + 1] = {sign * (i - 1 - #row // 2), sign * (j - 1 - #rows // 2)}
            end
        end
    end
    return offsets
end

local function over_mask(s, type, name, mask)
    local order, worst = table.unpack(ORDERS[name])
    local values = {T = type, worst = worst, chosen = chosen(order, type, "r", "x")}
    local r, kernel = rill.stream(type, s.shape), kernels.over_mask:kernel(values)
    for first = 0, mask.size - 1, LOOP do
        kernel(s, mask, name == "dilate" and -1 or 1, first, math.min(first + LOOP, mask.size), r)
    end
    return r
end

local function by_rows(s, type, name, rows)
    local offsets = offsets_of(rows, name)
    if #offsets > 0 and #offsets <= WRITTEN_OUT then
        return over_offsets(s, type, name, offsets)
    end
    local numbers = {}
    for j, row in ipairs(rows) do
        numbers[j] = {}
        for i, value in ipairs(row) do numbers[j][i] = value and value ~= 0 and 1 or 0 end
    end
    local mask <close> = rill.from(numbers)
    return over_mask(s, type, name, mask)
end

-- ---- arguments

local function is_rows(value)
    if type(value) ~= "table" or rill.type(value) or type(value[1]) ~= "table" then
        return false
    end
    for _, row in ipairs(value) do
        if type(row) ~= "table" or #row ~= #value[1] then return false end
        for i = 1, #row do
            if type(row[i]) ~= "number" and type(row[i]) ~= "boolean" then return false end
        end
    end
    return #value[1] > 0
end

local function is_radius(value)
    return type(value) == "number" and value >= 0 and value <= 10000 and math.tointeger(value) ~= nil
end

-- Checks the second argument. Returns a function(s, type, name) that performs a step with it, and a stream to close
-- after all steps, or nil.
local function shape_of(where, shape)
    if is_radius(shape) then
        return function(s, type, name) return square(s, type, name, math.tointeger(shape)) end
    elseif is_rows(shape) then
        return function(s, type, name) return by_rows(s, type, name, shape) end
    elseif errors.not_open(shape) or #shape.shape ~= 2 or shape.size == 0 or not types.scalar(shape.type) then
        fail("%s: argument #2: expected a radius, a whole number from 0 to 10000, or a mask of rows and columns, " ..
            "got %s", where, errors.told(shape))
    end
    local mask = shape.type == "float" and rill.type(shape) == "stream" and shape or shape:cast "float"
    return function(s, type, name) return over_mask(s, type, name, mask) end,
        mask ~= shape and rill.type(mask) == "stream" and mask or nil
end

local STEPS <const> = {erode = {"erode"}, dilate = {"dilate"}, open = {"erode", "dilate"}, close = {"dilate", "erode"}}

for name, steps in pairs(STEPS) do
    morphology[name] = picture.filter(name, function(s, type, where, shape)
        local step, cast = shape_of(where, shape)
        local r = s
        for _, each in ipairs(steps) do
            local from = r
            r = picture.with_border(step(from, type, each), s)
            if from ~= s then from:close() end
        end
        if cast then cast:close() end
        return r
    end)
end

return morphology
