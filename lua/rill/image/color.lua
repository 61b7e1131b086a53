-- rill.image.convert: color spaces. Every space except srgb is defined by a parent space and conversions to it and from
-- it. A conversion between two spaces goes up to their common ancestor and down again.
local errors = require "rill.core.error"
local kernels <const> = require "rill.glsl.template".file "color"
local picture = require "rill.image.arguments"
local fail <const> = errors.fail

-- up: the parent space; to, from: the functions of color.glsl that convert to the parent and back.
local SPACES <const> = {
    srgb = {}, linear = {up = "srgb", to = "encode", from = "decode"},
    lab = {up = "linear", to = "from_lab", from = "to_lab"},
    hsv = {up = "srgb", to = "from_hsv", from = "to_hsv"}, ycbcr = {up = "srgb", to = "from_ycbcr", from = "to_ycbcr"},
    gray = {up = "srgb", to = "from_gray", from = "to_gray"},
}

-- Returns a space and its ancestors.
local function chain(name)
    local list = {}
    while name do
        list[#list + 1] = name
        name = SPACES[name].up
    end
    return list
end

-- Returns the functions that convert from one space to another, in the order in which they are applied.
local function conversions(from, to)
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

-- Raises an error if images of a type cannot be in a space.
local function check_type(where, type, from)
    if (from == "gray") ~= (type == "float") then
        local expected <const> = from == "gray" and "float" or "vec3 or vec4"
        fail("%s: an image in '%s' must be of %s, got %s", where, from, expected, type)
    end
end

--- rill.image.convert(s, from, to) converts `s` to another color space: "srgb", "linear" (light), "hsv" (each 0 to 1),
-- "lab" (L from 0 to 100) or "ycbcr" (Cb and Cr around 0.5), each of vec3, or of vec4 whose alpha does not change; or
-- "gray", of float.
local function convert(s, type, where, from, to)
    known_space(where, 2, "from", from)
    known_space(where, 3, "to", to)
    check_type(where, type, from)
    if from == to then
        return s:cast(type)
    end
    local value = type == "vec4" and "p.rgb" or "p"
    for _, name in ipairs(conversions(from, to)) do
        value = ("%s(%s)"):format(name, value)
    end
    local result = to == "gray" and "float" or from == "gray" and "vec3" or type
    value = result == "vec4" and ("vec4(%s, p.a)"):format(value) or value
    return kernels:kernel {from = type, to = result, value = value}(s)
end

return {convert = picture.filter("convert", convert)}
