$section(tonemap)
// Computes in units of the brightest pixel, so that nothing overflows or underflows. Powers of two keep the denominator and its inverse normal floats.
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

kernel void most($T p<>, out float r<>) { r = $most; }
kernel void lights($T p<>, out float light<>) { light = $light; }
kernel void levels(float light<>, float most[], out float level<>) {
    float black = most[0] > 1.0 ? max(1e-6 / most[0], 1e-37) : 1e-6;
    level = log(black + (most[0] > 0.0 ? ratio(light, most[0]) : 0.0));
}
kernel void linear($T p<>, float most[], out $T r<>) {
    float f = 1.0;
    r = most[0] > 0.0 ? $scaled : p;
}
kernel void reinhard($T p<>, float most[], float level[], float count, float key, float white, out $T r<>) {
    float to = key * exp(-level[0] / count), w = white > 0.0 ? white : to;
    float l = to * ratio($light, most[0]);
    float f = to * (1.0 + l / w / w) / (1.0 + l);
    r = most[0] > 0.0 ? $scaled : p;
}

$section(cel)
float level(float x, float last) {
    float n = floor(x * (last + 1.0));
    return isnan(x) ? x : clamp(n, 0.0, last) / last;
}
kernel void cel($T p<>, float last, out $T r<>) {
    $if(T == float){r = level(p, last);}
    $if(T == vec3){r = vec3(level(p.x, last), level(p.y, last), level(p.z, last));}
    $if(T == vec4){r = vec4(level(p.x, last), level(p.y, last), level(p.z, last), p.w);}
}
