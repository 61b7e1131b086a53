$use(unit_of)
$use(span_of)
$use(slope_of)
// Places in the volume are in nodes, `way` is a direction in space and scale * way one in nodes; lengths along rays are in units of which `scale` is the part
// that nodes are, about one node: what is added to them below is a part of a node.
// The side that a normal must be on, for one who looks along a direction; towards the eye where nothing rises.
vec3 facing(vec3 slope, vec3 way) {
    vec3 normal = slope == vec3(0.0) ? -way : unit_of(-slope);
    return dot(normal, way) > 0.0 ? -normal : normal;
}
// The normal of the volume's own side at p, where a ray meets it; `last` is the outer node, beyond which the volume goes by `rim`.
vec3 side_of(vec3 p, vec3 last, float rim, vec3 way) {
    vec3 q = abs(p - 0.5 * last) / (0.5 * last + rim);
    vec3 axis = q.x >= max(q.y, q.z) ? vec3(1, 0, 0) : q.y >= q.z ? vec3(0, 1, 0) : vec3(0, 0, 1);
    return -axis * sign(dot(axis, way));
}
// How far from p along d values pass iso: upwards (side 1) or downwards (-1); 0 where p is beyond it, -1 where they do not before `end`.
kernel float passing(float rho[][][], float iso, float side, float stride, float end, vec3 p, vec3 d) {
    float t = 0.0, before = side * (0.25 * sample(rho, p) - 0.25 * iso), found = before > 0.0 && end >= 0.0 ? 0.0 : -1.0;
    for (int n = 0; n < $steps && t < end && found < 0.0; n++) {
        float piece = min(stride, end - t);
        t += piece;
        float now = side * (0.25 * sample(rho, p + t * d) - 0.25 * iso);
        if (now > 0.0) found = t - piece * now / (now - before);
        before = now;
    }
    return found;
}

// What is seen through a surface as that of water: reflected and refracted light, which leaves it where values fall below iso again, to what stands around,
// a sky and a floor of tiles. Where the volume ends within higher values its side is the surface. `to_length` is a node's place times it, from `low` on.
vec3 around(vec3 p, vec3 d, vec3 up, vec3 right, vec3 floor_at, float tile) {
    float fall = dot(d, up), high = dot(p - floor_at, up);
    vec3 sky = mix(vec3(0.95, 0.96, 0.98), vec3(0.42, 0.60, 0.85), clamp(fall, 0.0, 1.0));
    sky += vec3(0.9) * pow(max(0.0, dot(d, normalize(up + 0.5 * right))), 60.0);
    if (fall > -1e-3) return sky;
    vec3 hit = p - d * (high / fall) - floor_at, side = normalize(cross(up, right));
    vec2 tiles = floor(vec2(dot(hit, right), dot(hit, side)) / tile);
    vec3 stone = mix(vec3(0.80, 0.76, 0.70), vec3(0.48, 0.43, 0.40), mod(tiles.x + tiles.y, 2.0));
    return mix(sky, stone, exp(-0.02 * length(hit) / tile));
}
kernel vec3 watery(float rho[][][], float iso, float rim, float stride, vec3 eye, vec3 way, vec3 up, vec3 right, vec3 low,
                   vec3 to_length, vec3 scale, float clear, vec3 floor_at, float tile) {
    vec3 last = vec3(sizeof_stream(rho).xyz) - 1.0, colour = around(eye, way, up, right, floor_at, tile);
    vec3 p = (eye - low) / to_length, d = scale * way;
    vec2 span = span_of(p, d, vec3(-rim), last + rim);
    p += span.x <= span.y ? span.x * d : vec3(0.0);
    float t = passing(rho, iso, 1.0, stride, span.y - span.x, p, d);
    if (t >= 0.0) {
        vec3 hit = p + t * d;
        vec3 normal = t == 0.0 && span.x > 0.0 ? side_of(hit, last, rim, way) : facing(scale * slope_of(rho, hit), way);
        float shine = 0.02 + 0.98 * pow(1.0 - min(-dot(normal, way), 1.0), 5.0);
        vec3 mirrored = around(low + to_length * hit, reflect(way, normal), up, right, floor_at, tile);
        vec3 into = refract(way, normal, 0.75), e = scale * into;
        // Values are above iso a node from the surface on, else the surface would be found again.
        float end = max(span_of(hit, e, vec3(-rim), last + rim).y, 0.0), from = min(1.0, end);
        float through = passing(rho, iso, -1.0, stride, end - from, hit + from * e, e);
        bool cut = through < 0.0;
        through = cut ? end : from + through;
        vec3 out_at = hit + through * e;
        vec3 inner = cut ? side_of(out_at, last, rim, into) : facing(scale * slope_of(rho, out_at), into);
        vec3 leaving = refract(into, inner, 1.333);
        leaving = dot(leaving, leaving) < 0.5 ? reflect(into, inner) : leaving;
        vec3 passed = around(low + to_length * out_at, leaving, up, right, floor_at, tile);
        passed *= exp(-vec3(1.6, 0.5, 0.25) * through / clear);
        colour = mix(passed, mirrored, shine);
    }
    return colour;
}
