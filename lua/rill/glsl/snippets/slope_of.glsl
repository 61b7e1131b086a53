// `slope_of(s, p)` returns the gradient of a volume, times a power of two: central differences, or one-sided ones at the border of the volume. Values
// are multiplied by 0.25, since their difference may overflow.
kernel vec3 slope_of(float s[][][], vec3 p) {
    vec3 last = vec3(sizeof_stream(s).xyz) - 1.0, a = clamp(p - 1.0, vec3(0.0), last), b = clamp(p + 1.0, vec3(0.0), last);
    vec3 rise = vec3(0.25 * sample(s, vec3(b.x, p.yz)) - 0.25 * sample(s, vec3(a.x, p.yz)),
                     0.25 * sample(s, vec3(p.x, b.y, p.z)) - 0.25 * sample(s, vec3(p.x, a.y, p.z)),
                     0.25 * sample(s, vec3(p.xy, b.z)) - 0.25 * sample(s, vec3(p.xy, a.z)));
    return rise / max(b - a, 0.5);
}
