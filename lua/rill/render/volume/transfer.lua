-- Transfer functions of rill.volume: colour and opacity by value, as points between which both are linear, or as a function of the user's.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local fail <const> = errors.fail

local transfer = {}

local MOST <const> = 32 -- points: each is a term of what a sample costs
local LARGEST <const> = 2.0 ^ 128 - 2.0 ^ 104 -- float: how steep a jump is

-- Values from 0 to 1; opacities per longest side of the volume.
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

-- {value, {red, green, blue}, opacity}, also as {value =, colour =, opacity =}: five numbers.
local function point(i, given)
    local value, colour, opacity
    if type(given) == "table" then
        value, colour, opacity = given.value or given[1], given.colour or given[2], given.opacity or given[3]
    end
    local good = option.is_finite(value) and option.is_vector(colour, 3) and option.is_finite(opacity)
    if not good or opacity < 0 then
        fail("rill.volume: option 'transfer': point %d: expected {value, {red, green, blue}, opacity}, an opacity of 0 "
            .. "or more, got %s", i, errors.told(given))
    end
    return {value, colour[1], colour[2], colour[3], opacity}
end

local function points_of(given)
    if #given < 2 or #given > MOST then
        fail("rill.volume: option 'transfer': expected 2 to %d points, got %d", MOST, #given)
    end
    local list = {}
    for i, each in ipairs(given) do
        list[i] = point(i, each)
        if i > 1 and list[i][1] < list[i - 1][1] then
            fail("rill.volume: option 'transfer': values must not fall: point %d has %g after %g", i, list[i][1],
                list[i - 1][1])
        end
    end
    return list
end

-- The constants of a launch for a list of points: the first point's colour and opacity, and what each further one adds from its `from` on.
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

-- The declarations of those constants, and the text that finds `c` for `v` by them.
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

--- transfer.is_one(value): whether the option may be this; points are looked at later, and say what is wrong.
function transfer.is_one(value)
    return PRESETS[value] ~= nil or is_text(value) or
        type(value) == "table" and getmetatable(value) == nil
end
transfer.words = "a list of points {value, {red, green, blue}, opacity}, the text of a function "
    .. "vec4 transfer(float value), or one of " .. preset_names()

--- transfer.spans(value): whether it is a preset, which spans the volume's values.
function transfer.spans(value)
    return PRESETS[value] ~= nil
end

--- transfer.take(value, low, high, reach, density): what it is as {before = text of functions, declared = parameters, body = the text that
-- finds vec4 c, colour and opacity per length, for float v, values = of the parameters, key}. A preset spans low to high and its opacities `reach` lengths.
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
