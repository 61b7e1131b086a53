// `span_of(p, d, low, high)` returns the distances from p along d at which a ray enters and leaves a box. If the ray misses the box, it enters after it
// leaves. One component of d must be about 1. Components below 1e-37, which is close to the smallest normal float, are replaced by 1e-37, since
// 0 / 0 is NaN; they do not change a position noticeably.
vec2 span_of(vec3 p, vec3 d, vec3 low, vec3 high) {
    vec3 safe = mix(d, vec3(1e-37), lessThan(abs(d), vec3(1e-37)));
    vec3 a = (low - p) / safe, b = (high - p) / safe, enter = min(a, b), leave = max(a, b);
    return vec2(max(max(max(enter.x, enter.y), enter.z), 0.0), min(min(leave.x, leave.y), leave.z));
}
