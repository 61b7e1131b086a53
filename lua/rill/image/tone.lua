-- rill.image.tonemap and rill.image.cel. They do not change alpha.
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local kernels <const> = require "rill.glsl.template".sections "tone"
local rill = require "rill.core.public"

local tone = {}

-- ---- high dynamic range

-- By type of pixel, GLSL expressions of its luminance, its largest component, and the pixel with its colors scaled.
local READS <const> = {
    float = {T = "float", light = "bright(p)", most = "bright(p)", scaled = "f * ratio(p, most[0])"},
    vec3 = {T = "vec3", light = "luminance(p)", most = "largest(p)", scaled = "f * ratios(p, most[0])"},
    vec4 = {
        T = "vec4", light = "luminance(p.rgb)", most = "largest(p.rgb)",
        scaled = "vec4(f * ratios(p.rgb, most[0]), p.a)",
    },
}

-- Returns the sum or the maximum of all pixels as a stream of one element, so that nothing is read back.
local function whole(s, method)
    local flat <close> = s:reshape {1, s.size}
    return flat[method](flat, 2)
end

local function linear(p, s)
    local each <close> = p.most(s)
    local most <close> = whole(each, "max")
    return p.linear(s, most)
end

local function reinhard(p, s, o)
    local light = p.lights(s)
    local most <close> = whole(light, "max")
    local level = p.levels(light, most)
    light:close()
    local sum <close> = whole(level, "sum")
    level:close()
    return p.reinhard(s, most, sum, s.size, o.key, o.white or 0)
end

local OPERATORS <const> = {linear = linear, reinhard = reinhard}

local TONEMAP <const> = {
    operator = option.choice({"linear", "reinhard"}, "reinhard"), key = option.number(0.0, 1e6, 0.18, true),
    white = {function(v) return type(v) == "number" and v > 0 and v < math.huge end, "a number above 0"},
}

--- rill.image.tonemap(s [, {operator=, key=, white=}]) maps an image in linear light, of any range, to 0 to 1. "linear"
-- makes the largest component 1. "reinhard" (default) scales luminances so that their geometric mean is `key` (default:
-- 0.18); a scaled luminance L becomes L (1 + L / white^2) / (1 + L). `white` is the scaled luminance that becomes 1
-- (default: the luminance of the brightest pixel; Reinhard and others, "Photographic tone reproduction for digital
-- images", 2002, equations 1, 2 and 4). Negative, NaN and infinite components do not count; NaN and infinities do not
-- change.
tone.tonemap = picture.filter("tonemap", function(s, type, where, options)
    local o = option.take(where, options, TONEMAP)
    local p = kernels.tonemap:program(READS[type])
    return s.size == 0 and rill.stream(type, s.shape) or OPERATORS[o.operator](p, s, o)
end)

-- ---- few levels

--- rill.image.cel(s [, {levels=}]) returns `s` with each component from 0 to 1 replaced by one of `levels` (default: 4)
-- equally spaced levels from 0 to 1, in bands of equal width; NaN does not change (exercise 28.3-1).
tone.cel = picture.filter("cel", function(s, type, where, options)
    local levels = option.take(where, options, {levels = option.number(2, 1 << 20, 4)}).levels
    return kernels.cel:kernel {T = type}(s, levels - 1)
end)

return tone
