-- Functions of vectors and of rays that texts of kernels begin with.
local tracing = {}

--- tracing.unit: `unit_of(v)` has the direction of v and length 1; it is 0 where v is. The squares of v may be beyond what floats hold.
tracing.unit = [=[
    vec3 unit_of(vec3 v) {
        float most = max(max(abs(v.x), abs(v.y)), abs(v.z));
        return most > 0.0 ? normalize(v / most) : vec3(0.0);
    }
]=]

--- tracing.span: `span_of(p, d, low, high)` is how far from p along d a box begins and ends; it begins after it ends where the ray passes by. One component of
-- d is about 1. Components below 1e-37, which is near the least float, are taken for that, since 0 / 0 is NaN: over any distance they move nothing.
tracing.span = [=[
    vec2 span_of(vec3 p, vec3 d, vec3 low, vec3 high) {
        vec3 safe = mix(d, vec3(1e-37), lessThan(abs(d), vec3(1e-37)));
        vec3 a = (low - p) / safe, b = (high - p) / safe, enter = min(a, b), leave = max(a, b);
        return vec2(max(max(max(enter.x, enter.y), enter.z), 0.0), min(min(leave.x, leave.y), leave.z));
    }
]=]

--- tracing.slope: `slope_of(s, p)` is how fast a volume's values rise along its axes, times one power of two: differences over two nodes, or as much of
-- that as is within the volume. A quarter of each value, since the difference of two may be beyond what floats hold.
tracing.slope = [=[
    kernel vec3 slope_of(float s[][][], vec3 p) {
        vec3 last = vec3(sizeof_stream(s).xyz) - 1.0, a = clamp(p - 1.0, vec3(0.0), last), b = clamp(p + 1.0, vec3(0.0), last);
        vec3 rise = vec3(0.25 * sample(s, vec3(b.x, p.yz)) - 0.25 * sample(s, vec3(a.x, p.yz)),
                         0.25 * sample(s, vec3(p.x, b.y, p.z)) - 0.25 * sample(s, vec3(p.x, a.y, p.z)),
                         0.25 * sample(s, vec3(p.xy, b.z)) - 0.25 * sample(s, vec3(p.xy, a.z)));
        return rise / max(b - a, 0.5);
    }
]=]

return tracing
