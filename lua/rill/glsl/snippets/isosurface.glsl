$use(unit_of)
$use(span_of)
$use(slope_of)
// Positions in the volume are in units of nodes. `way` is a direction in space, scale * way the direction in nodes. One unit of length along a ray is
// about the distance of two nodes.
// Returns the normal that points towards the viewer, who looks along `way`; -way if the gradient is 0.
vec3 facing(vec3 slope, vec3 way) {
    vec3 normal = slope == vec3(0.0) ? -way : unit_of(-slope);
    return dot(normal, way) > 0.0 ? -normal : normal;
}
// Returns the normal of the side of the volume at p, where a ray intersects it. `last` is the last node; the volume extends `rim` beyond it.
vec3 side_of(vec3 p, vec3 last, float rim, vec3 way) {
    vec3 q = abs(p - 0.5 * last) / (0.5 * last + rim);
    vec3 axis = q.x >= max(q.y, q.z) ? vec3(1, 0, 0) : q.y >= q.z ? vec3(0, 1, 0) : vec3(0, 0, 1);
    return -axis * sign(dot(axis, way));
}
// Returns the distance from p along d at which the values cross iso, upwards (side 1) or downwards (-1). Returns 0 if p is beyond iso already, and -1 if
// there is no crossing before `end`.
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

// Shades the isosurface like water. A ray is reflected and refracted at the surface; the refracted ray leaves where the values fall below iso again.
// Both rays see the environment, a sky and a floor of tiles. Where values above iso reach the side of the volume, the side is the surface. The
// position of a node in space is low + to_length * node.
// Returns the color of the environment in direction d from p.
vec3 environment(vec3 p, vec3 d, vec3 up, vec3 right, vec3 floor_at, float tile) {
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
    vec3 last = vec3(sizeof_stream(rho).xyz) - 1.0, color = environment(eye, way, up, right, floor_at, tile);
    vec3 p = (eye - low) / to_length, d = scale * way;
    vec2 span = span_of(p, d, vec3(-rim), last + rim);
    p += span.x <= span.y ? span.x * d : vec3(0.0);
    float t = passing(rho, iso, 1.0, stride, span.y - span.x, p, d);
    if (t >= 0.0) {
        vec3 hit = p + t * d;
        vec3 normal = t == 0.0 && span.x > 0.0 ? side_of(hit, last, rim, way) : facing(scale * slope_of(rho, hit), way);
        float shine = 0.02 + 0.98 * pow(1.0 - min(-dot(normal, way), 1.0), 5.0);
        vec3 mirrored = environment(low + to_length * hit, reflect(way, normal), up, right, floor_at, tile);
        vec3 into = refract(way, normal, 0.75), e = scale * into;
        // The search starts one node beyond the surface, since it would find the same surface again otherwise.
        float end = max(span_of(hit, e, vec3(-rim), last + rim).y, 0.0), from = min(1.0, end);
        float through = passing(rho, iso, -1.0, stride, end - from, hit + from * e, e);
        bool cut = through < 0.0;
        through = cut ? end : from + through;
        vec3 out_at = hit + through * e;
        vec3 inner = cut ? side_of(out_at, last, rim, into) : facing(scale * slope_of(rho, out_at), into);
        vec3 leaving = refract(into, inner, 1.333);
        leaving = dot(leaving, leaving) < 0.5 ? reflect(into, inner) : leaving;
        vec3 passed = environment(low + to_length * out_at, leaving, up, right, floor_at, tile);
        passed *= exp(-vec3(1.6, 0.5, 0.25) * through / clear);
        color = mix(passed, mirrored, shine);
    }
    return color;
}
