-- Tones: rill.image.tonemap and rill.image.cel. Alpha stays as it is.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local rill = require "rill.core.public"

local tone = {}

-- ---- high dynamic range

-- The luminance of a pixel, its largest component, and the pixel with its colors multiplied, by type.
local READS <const> = {
    float = {light = "bright(p)", most = "bright(p)", scaled = "f * ratio(p, most[0])"},
    vec3 = {light = "luminance(p)", most = "largest(p)", scaled = "f * ratios(p, most[0])"},
    vec4 = {light = "luminance(p.rgb)", most = "largest(p.rgb)", scaled = "vec4(f * ratios(p.rgb, most[0]), p.a)"},
}

-- Everything is computed in units of the brightest pixel, so that it neither overflows nor vanishes. Powers of two keep the denominator and its inverse normal floats.
local TEXT <const> = [=[
    const float LARGE = 18446744073709551616.0; // 2^64
    float bright(float x) { return x > 0.0 && !isinf(x) ? x : 0.0; } // NaN is not above 0
    vec3 brights(vec3 p) { return vec3(bright(p.x), bright(p.y), bright(p.z)); }
    float luminance(vec3 p) { return dot(brights(p), vec3(0.2126, 0.7152, 0.0722)); }
    float largest(vec3 p) {
        vec3 b = brights(p);
        return max(max(b.x, b.y), b.z);
    }
    float unit(float most) { return most < 1.0 / LARGE ? LARGE : (most > LARGE ? 1.0 / LARGE : 1.0); }
    float ratio(float x, float most) { return x * unit(most) / (most * unit(most)); }
    vec3 ratios(vec3 x, float most) { return x * unit(most) / (most * unit(most)); }

    kernel void most(T p<>, out float r<>) { r = MOST; }
    kernel void lights(T p<>, out float light<>) { light = LIGHT; }
    kernel void levels(float light<>, float most[], out float level<>) {
        float black = most[0] > 1.0 ? max(1e-6 / most[0], 1e-37) : 1e-6;
        level = log(black + (most[0] > 0.0 ? ratio(light, most[0]) : 0.0));
    }
    kernel void linear(T p<>, float most[], out T r<>) {
        float f = 1.0;
        r = most[0] > 0.0 ? SCALED : p;
    }
    kernel void reinhard(T p<>, float most[], float level[], float count, float key, float white, out T r<>) {
        float to = key * exp(-level[0] / count), w = white > 0.0 ? white : to;
        float l = to * ratio(LIGHT, most[0]);
        float f = to * (1.0 + l / w / w) / (1.0 + l);
        r = most[0] > 0.0 ? SCALED : p;
    }
]=]

local programs = {}
local function program(type)
    local row = READS[type]
    programs[type] = programs[type] or rill.program((TEXT:gsub("%u%u%u+", {
        MOST = row.most, LIGHT = row.light, SCALED = row.scaled,
    }):gsub("%f[%w_]T%f[^%w_]", type)))
    return programs[type]
end

-- The sum or the most of all pixels as a stream of one, so that nothing is read back.
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

--- rill.image.tonemap(s [, {operator=, key=, white=}]): light of any range, linear, to 0 to 1. "linear": so that the largest component is 1. "reinhard" (unless told):
-- luminances L, scaled so that their geometric mean is `key` (0.18 unless told), become L (1 + L / white^2) / (1 + L); `white`, of scaled ones, is what becomes
-- 1 (default: the brightest pixel; Reinhard and others, "Photographic tone reproduction for digital images", 2002, equations 1, 2 and 4). Components that are
-- negative, NaN or infinite do not count; NaN and infinities stay.
tone.tonemap = errors.guard(function(s, options)
    local where <const> = "rill.image.tonemap"
    local type
    s, type = picture.take(where, s)
    local o = option.take(where, options, TONEMAP)
    return s.size == 0 and rill.stream(type, s.shape) or OPERATORS[o.operator](program(type), s, o)
end, "rill.image.tonemap")

-- ---- few levels

local CEL <const> = {
    float = "r = level(p, last);", vec3 = "r = vec3(level(p.x, last), level(p.y, last), level(p.z, last));",
    vec4 = "r = vec4(level(p.x, last), level(p.y, last), level(p.z, last), p.w);",
}

--- rill.image.cel(s [, {levels=}]): each component 0 to 1 becomes one of so many levels (4 unless told) from 0 to 1, bands of equal width; NaN stays (exercise 28.3-1).
tone.cel = errors.guard(function(s, options)
    local where <const> = "rill.image.cel"
    local type
    s, type = picture.take(where, s)
    local levels = option.take(where, options, {levels = option.number(2, 1 << 20, 4)}).levels
    local text <const> = [=[
        float level(float x, float last) {
            float n = floor(x * (last + 1.0));
            return isnan(x) ? x : clamp(n, 0.0, last) / last;
        }
        kernel void cel(T p<>, float last, out T r<>) { %s }
    ]=]
    return picture.kernel(text:format(CEL[type]), type)(s, levels - 1)
end, "rill.image.cel")

return tone
