$section(ray)
$use(unit_of)
$use(span_of)
$use(slope_of)
// `parallel` is 1 for a parallel projection, else 0. Rays start in the plane through `eye`; `spread` is the ratio of
// their distances there to their distances one unit in front of their intersection (1 for parallel rays). DETAILS:
// the parameters of the transfer function and the light.
#define CAMERA vec3 eye, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus, float parallel, float spread, vec3 per,
// The ray of a pixel: o + t d, in voxels and voxels per length. `way` is its direction in lengths.
#define RAY(r) \
    vec2 at = (vec2(indexof(r).xy) - middle) / focus; \
    vec3 aside = at.x * right - at.y * above, way = normalize(ahead + (1.0 - parallel) * aside); \
    vec3 o = (eye + spread * aside) * per - 0.5, d = way * per, outer = vec3(sizeof_stream(s).xyz) - 1.0; \
    vec2 span = span_of(o, d, vec3(-0.5), outer + 0.5);

$section(passes)
$use(volume_ray)
$before
// Blends a segment of length ds behind `sum`: the color so far, and the fraction of light that passes.
kernel vec4 volume_behind(vec4 sum, float ds, vec3 p, vec3 way, vec3 per, $details float s[][][]) {
    float v = sample(s, p);
    $transfer
    $if(lit){
    // Lambert's law where the values change: the side of lower values is lit. Without a direction the light comes
    // from the eye.
    if (c.w > 0.0) {
        vec3 slope = unit_of(per * slope_of(s, p)), to = dot(light, light) > 0.0 ? light : -way;
        if (slope != vec3(0.0)) c.xyz *= 0.3 + 0.7 * max(0.0, -dot(slope, to));
    }
    }
    float through = exp(-c.w * ds);
    return vec4(sum.xyz + sum.w * (1.0 - through) * c.xyz, sum.w * through);
}

kernel void volume_march(CAMERA float step, vec3 background, $details float s[][][], out vec3 color<>) {
    RAY(color)
    float n = ceil((span.y - span.x) / step - 1e-3), ds = (span.y - span.x) / max(n, 1.0);
    vec4 sum = vec4(0.0, 0.0, 0.0, 1.0);
    o += span.x * d;
    for (int i = 0; i < $steps && float(i) < n && sum.w > 1e-4; i++) {
        sum = volume_behind(sum, ds, o + (float(i) + 0.5) * ds * d, way, per, $passed s);
    }
    color = sum.xyz + sum.w * background;
}

// Blends slices of thickness `step`, perpendicular to the camera's axis. `first` is the depth of the first slice. An
// oblique ray has longer segments in each slice.
kernel void volume_slices(CAMERA float step, float first, int count, $details float s[][][], inout vec4 sum<>) {
    RAY(sum)
    float slant = dot(way, ahead), last = min(float(count), ceil((span.y * slant - first) / step));
    float i = max(0.0, floor((span.x * slant - first) / step));
    for (int n = 0; n < 64 && i < last && sum.w > 1e-4; n++) {
        float from = max((first + i * step) / slant, span.x), to = min((first + (i + 1.0) * step) / slant, span.y);
        sum = volume_behind(sum, max(to - from, 0.0), o + 0.5 * (from + to) * d, way, per, $passed s);
        i += 1.0;
    }
}
kernel void volume_finish(vec4 sum<>, vec3 background, out vec3 color<>) { color = sum.xyz + sum.w * background; }
