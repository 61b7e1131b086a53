-- Transfer functions of rill.volume: color and opacity by value, given as points of a piecewise linear function or as
-- a GLSL function.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local fail <const> = errors.fail

local transfer = {}

local MOST <const> = 32 -- points; each adds a term to the cost of a sample
local LARGEST <const> = 2.0 ^ 128 - 2.0 ^ 104 -- the largest float, which limits the slope of a jump

-- Values are from 0 to 1. Opacities are per longest side of the volume.
local PRESETS <const> = {
    gray = {{0, {0, 0, 0}, 0}, {1, {1, 1, 1}, 12}},
    smoke = {{0, {0.62, 0.64, 0.68}, 0}, {1, {0.95, 0.95, 0.95}, 30}},
    fire = {
        {0, {0.10, 0.00, 0.02}, 0}, {0.15, {0.45, 0.03, 0.02}, 2}, {0.4, {0.95, 0.30, 0.03}, 9},
        {0.7, {1.00, 0.75, 0.20}, 20}, {1, {1.00, 0.98, 0.80}, 40},
    },
    tissue = {
        {0, {0.55, 0.20, 0.14}, 0}, {0.12, {0.55, 0.20, 0.14}, 0}, {0.25, {0.80, 0.48, 0.36}, 3},
        {0.5, {0.93, 0.75, 0.62}, 12}, {0.75, {0.98, 0.93, 0.85}, 45}, {1, {1.00, 1.00, 0.97}, 110},
    },
}

local function preset_names()
    local names = {}
    for name in pairs(PRESETS) do
        names[#names + 1] = ('"%s"'):format(name)
    end
    table.sort(names)
    return table.concat(names, ", ")
end

-- Returns five numbers for {value, {red, green, blue}, opacity} or {value =, color =, opacity =}.
local function point(i, given)
    local value, color, opacity
    if type(given) == "table" then
        value, color, opacity = given.value or given[1], given.color or given[2], given.opacity or given[3]
        color = color or given.colour -- the old name
    end
    local good = option.is_finite(value) and option.is_vector(color, 3) and option.is_finite(opacity)
    if not good or opacity < 0 then
        fail("rill.volume: option 'transfer': point %d: expected {value, {red, green, blue}, opacity}, an opacity of 0 "
            .. "or more, got %s", i, errors.told(given))
    end
    return {value, color[1], color[2], color[3], opacity}
end

local function points_of(given)
    if #given < 2 or #given > MOST then
        fail("rill.volume: option 'transfer': expected 2 to %d points, got %d", MOST, #given)
    end
    local list = {}
    for i, each in ipairs(given) do
        list[i] = point(i, each)
        if i > 1 and list[i][1] < list[i - 1][1] then
            fail("rill.volume: option 'transfer': values must not decrease: point %d has %g after %g", i, list[i][1],
                list[i - 1][1])
        end
    end
    return list
end

-- Returns the kernel arguments for a list of points: color and opacity of the first point, and the difference that
-- each further point adds above the previous value.
local function constants(list, low, high, density)
    local function of(p) return {p[2], p[3], p[4], p[5] * density} end
    local values = {c0 = of(list[1])}
    for i = 2, #list do
        local a, b, from = of(list[i - 1]), of(list[i]), low + (high - low) * list[i - 1][1]
        local width = (high - low) * (list[i][1] - list[i - 1][1])
        values["v" .. i], values["w" .. i] = from, math.min(1 / width, LARGEST)
        values["c" .. i] = {b[1] - a[1], b[2] - a[2], b[3] - a[3], b[4] - a[4]}
    end
    return values
end

-- Returns the declarations of these arguments, and GLSL text that computes vec4 c for float v.
local function text(n)
    local declared, body = {"vec4 c0, "}, {"vec4 c = c0;"}
    for i = 2, n do
        declared[i] = ("float v%d, float w%d, vec4 c%d, "):format(i, i, i)
        body[i] = (" c += clamp((v - v%d) * w%d, 0.0, 1.0) * c%d;"):format(i, i, i)
    end
    return table.concat(declared), table.concat(body)
end

local function is_text(value)
    local parameter = type(value) == "string" and value:match "%f[%w_]%a+4%s+transfer%s*%(%s*(%a+)%s"
    return parameter == "float"
end

--- transfer.is_one(value) returns whether a value may be a transfer function. Points are checked later, with their
-- own messages.
function transfer.is_one(value)
    return PRESETS[value] ~= nil or is_text(value) or
        type(value) == "table" and getmetatable(value) == nil
end
transfer.words = "a list of points {value, {red, green, blue}, opacity}, the text of a function "
    .. "vec4 transfer(float value), or one of " .. preset_names()

--- transfer.spans(value) returns whether a value is a preset, which spans the values of the volume.
function transfer.spans(value)
    return PRESETS[value] ~= nil
end

--- transfer.take(value, low, high, reach, density) returns a transfer function as a table: before, GLSL functions;
-- declared, kernel parameters; body, GLSL text that computes vec4 c (color and opacity per length) for float v;
-- values, the arguments; key. A preset spans low to high, and its opacities are per `reach` lengths.
function transfer.take(value, low, high, reach, density)
    if type(value) == "string" and not PRESETS[value] then
        return {
            before = value .. "\n", declared = "float density, ", body = "vec4 c = transfer(v); c.w *= density;",
            values = {density = density}, key = value,
        }
    end
    local preset <const> = PRESETS[value]
    local list = points_of(preset or value)
    local declared, body = text(#list)
    local values = preset and constants(list, low, high, density / reach) or constants(list, 0, 1, density)
    return {before = "", declared = declared, body = body, values = values, key = #list}
end

return transfer
