-- rill.image.convert: colour spaces. Each but srgb says how to come to another one and back, so that a way between any two goes from each up to where both meet.
local errors = require "rill.core.error"
local kernels <const> = require "rill.glsl.template".file "color"
local picture = require "rill.image.arguments"
local fail <const> = errors.fail

-- up: the space that it is defined by; to, from: functions of the text below that lead there, and back.
local SPACES <const> = {
    srgb = {}, linear = {up = "srgb", to = "encode", from = "decode"},
    lab = {up = "linear", to = "from_lab", from = "to_lab"},
    hsv = {up = "srgb", to = "from_hsv", from = "to_hsv"}, ycbcr = {up = "srgb", to = "from_ycbcr", from = "to_ycbcr"},
    gray = {up = "srgb", to = "from_gray", from = "to_gray"},
}

-- A space and those it is defined by.
local function chain(name)
    local list = {}
    while name do
        list[#list + 1] = name
        name = SPACES[name].up
    end
    return list
end

-- The functions from one space to another, the first applied first.
local function way(from, to)
    local up, down = chain(from), chain(to)
    while #up > 1 and #down > 1 and up[#up - 1] == down[#down - 1] do
        up[#up], down[#down] = nil, nil
    end
    local list = {}
    for i = 1, #up - 1 do
        list[#list + 1] = SPACES[up[i]].to
    end
    for i = #down - 1, 1, -1 do
        list[#list + 1] = SPACES[down[i]].from
    end
    return list
end

local function known_space(where, number, what, name)
    if not SPACES[name] then
        fail("%s: argument #%d '%s': expected \"srgb\", \"linear\", \"hsv\", \"lab\", \"ycbcr\" or \"gray\", got %s",
            where, number, what, errors.told(name))
    end
end

-- Whether pictures of a type can be in a space.
local function check_type(where, type, from)
    if (from == "gray") ~= (type == "float") then
        local expected <const> = from == "gray" and "float" or "vec3 or vec4"
        fail("%s: a picture in '%s' is of %s, this one of %s", where, from, expected, type)
    end
end

--- rill.image.convert(s, from, to): s in another colour space: "srgb", "linear" (light), "hsv" (all of 0 to 1), "lab" (L from 0 to 100), "ycbcr" (Cb and Cr around 0.5),
-- of vec3, or of vec4, whose alpha stays; "gray", of float.
local function convert(s, type, where, from, to)
    known_space(where, 2, "from", from)
    known_space(where, 3, "to", to)
    check_type(where, type, from)
    if from == to then
        return s:cast(type)
    end
    local value = type == "vec4" and "p.rgb" or "p"
    for _, name in ipairs(way(from, to)) do
        value = ("%s(%s)"):format(name, value)
    end
    local result = to == "gray" and "float" or from == "gray" and "vec3" or type
    value = result == "vec4" and ("vec4(%s, p.a)"):format(value) or value
    return kernels:kernel {from = type, to = result, value = value}(s)
end

return {convert = picture.filter("convert", convert)}
