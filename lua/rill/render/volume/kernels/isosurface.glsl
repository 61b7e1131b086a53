$use(isosurface)
$use(volume_ray)
kernel void volume_surface(CAMERA float stride, float iso, vec3 tint, vec3 light, vec3 background, float s[][][],
                   out vec3 color<>) {
    RAY(color)
    o += span.x <= span.y ? span.x * d : vec3(0.0);
    float t = passing(s, iso, 1.0, stride, span.y - span.x, o, d);
    color = background;
    if (t >= 0.0) {
        vec3 p = o + t * d, to = dot(light, light) > 0.0 ? light : -way;
        vec3 normal = t == 0.0 && span.x > 0.0 ? side_of(p, outer, 0.5, way) : facing(per * slope_of(s, p), way);
        float shine = pow(max(0.0, dot(normal, unit_of(to - way))), 30.0);
        color = min(tint * (0.2 + 0.8 * max(0.0, dot(normal, to))) + 0.2 * shine, 1.0);
    }
}
kernel void volume_water(CAMERA vec3 up, float stride, float iso, vec3 low, vec3 to_length, float clear, vec3 floor_at,
                  float tile, float s[][][], out vec3 color<>) {
    RAY(color)
    color = watery(s, iso, 0.5, stride, eye + spread * aside, way, up, right, low, to_length, per, clear, floor_at, tile);
}
