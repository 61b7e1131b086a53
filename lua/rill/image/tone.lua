-- Tones: rill.image.tonemap and rill.image.cel. Alpha stays as it is.
local blame = require "rill.support.blame"
local given = require "rill.support.given"
local picture = require "rill.image.picture"
local rill = require "rill"

local tone = {}

-- ---- high dynamic range

-- How bright, and what is brightest of a pixel, by type; what a pixel is scaled by, and what stays.
local READS <const> = {
    float = {light = "p", most = "p", scaled = "f * p"},
    vec3 = {light = "dot(p, WEIGHTS)", most = "max(max(p.x, p.y), p.z)", scaled = "f * p"},
    vec4 = {light = "dot(p.rgb, WEIGHTS)", most = "max(max(p.x, p.y), p.z)", scaled = "vec4(f * p.rgb, p.a)"},
}

local TEXT <const> = [=[
    float bright(float x) { return x > 0.0 ? x : 0.0; } // NaN is not
    kernel void most(T p<>, out float r<>) { r = bright(MOST); }
    kernel void levels(T p<>, out float light<>, out float level<>) {
        light = bright(LIGHT);
        level = log(1e-6 + light);
    }
    kernel void linear(T p<>, float most[], out T r<>) {
        float f = most[0] > 0.0 ? 1.0 / most[0] : 1.0;
        r = SCALED;
    }
    kernel void reinhard(T p<>, float most[], float level[], float count, float key, float white, out T r<>) {
        float to = key / exp(level[0] / count), l = to * bright(LIGHT);
        float w = white > 0.0 ? white : to * most[0];
        float f = to * (1.0 + l / (w * w)) / (1.0 + l);
        if (!(w > 0.0)) f = 1.0;
        r = SCALED;
    }
]=]

local programs = {}
local function program(type)
    local row = READS[type]
    programs[type] = programs[type] or rill.program((TEXT:gsub("%u%u%u+", {
        MOST = row.most, LIGHT = row.light, SCALED = row.scaled,
    }):gsub("WEIGHTS", "vec3(0.2126, 0.7152, 0.0722)"):gsub("%f[%w_]T%f[^%w_]", type)))
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
    local light, level = p.levels(s)
    local most <close> = whole(light, "max")
    local sum <close> = whole(level, "sum")
    light:close()
    level:close()
    return p.reinhard(s, most, sum, s.size, o.key, o.white or 0)
end

local OPERATORS <const> = {linear = linear, reinhard = reinhard}

local TONEMAP <const> = {
    operator = given.choice({"linear", "reinhard"}, "reinhard"), key = given.number(0.0, 1e6, 0.18, true),
    white = {function(v) return type(v) == "number" and v > 0 and v < math.huge end, "a number above 0"},
}

--- rill.image.tonemap(s [, {operator=, key=, white=}]): light of any range, linear, to 0 to 1. "linear": so that the largest component is 1. "reinhard" (unless told):
-- luminances L, scaled so that their geometric mean is `key` (0.18 unless told), become L (1 + L / white^2) / (1 + L); `white`, of scaled ones, is what becomes
-- 1, the brightest pixel unless told (Reinhard and others, "Photographic tone reproduction for digital images", 2002, equations 1, 2 and 4).
tone.tonemap = blame.guard(function(s, options)
    local where <const> = "rill.image.tonemap"
    local type
    s, type = picture.take(where, s)
    local o = given.take(where, options, TONEMAP)
    return s.size == 0 and rill.stream(type, s.shape) or OPERATORS[o.operator](program(type), s, o)
end, "rill.image.tonemap")

-- ---- few levels

local CEL <const> = {
    float = "r = level(p, last);", vec3 = "r = vec3(level(p.x, last), level(p.y, last), level(p.z, last));",
    vec4 = "r = vec4(level(p.x, last), level(p.y, last), level(p.z, last), p.w);",
}

--- rill.image.cel(s [, {levels=}]): each component 0 to 1 becomes one of so many levels (4 unless told) from 0 to 1, bands of equal width; NaN stays (exercise 28.3-1).
tone.cel = blame.guard(function(s, options)
    local where <const> = "rill.image.cel"
    local type
    s, type = picture.take(where, s)
    local levels = given.take(where, options, {levels = given.number(2, 1 << 20, 4)}).levels
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
