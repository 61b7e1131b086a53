// `span_of(p, d, low, high)` is how far from p along d a box begins and ends; it begins after it ends where the ray passes by. One component of
// d is about 1. Components below 1e-37, which is near the least float, are taken for that, since 0 / 0 is NaN: over any distance they move nothing.
vec2 span_of(vec3 p, vec3 d, vec3 low, vec3 high) {
    vec3 safe = mix(d, vec3(1e-37), lessThan(abs(d), vec3(1e-37)));
    vec3 a = (low - p) / safe, b = (high - p) / safe, enter = min(a, b), leave = max(a, b);
    return vec2(max(max(max(enter.x, enter.y), enter.z), 0.0), min(min(leave.x, leave.y), leave.z));
}
