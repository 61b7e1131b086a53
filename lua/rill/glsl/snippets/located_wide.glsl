$use(wide_clip)
// `located` of shading.glsl in double precision: the weights, whose sum is 1, and the distance to the nearest edge; the normal of the triangle; and the distance of
// the point along the camera's axis.
typedef struct { vec4 at; vec3 normal; double far; } Place;
Place located_wide(vec2 pixel, vec3 p, vec3 q, vec3 r, dvec3 eye, dvec3 right, dvec3 above, dvec3 ahead, double focus, int parallel) {
    dvec4 a = wide_clip(p, eye, right, above, ahead, focus, parallel), b = wide_clip(q, eye, right, above, ahead, focus, parallel);
    dvec4 c = wide_clip(r, eye, right, above, ahead, focus, parallel);
    dvec2 o = dvec2(pixel);
    dvec3 u = dvec3(a.xy - o * a.z, a.z), v = dvec3(b.xy - o * b.z, b.z), w = dvec3(c.xy - o * c.z, c.z);
    dvec3 bc = cross(v, w), ca = cross(w, u), ab = cross(u, v), weight = dvec3(bc.z, ca.z, ab.z);
    dvec3 away = abs(weight) / max(dvec3(length(bc.xy), length(ca.xy), length(ab.xy)), dvec3(1e-30lf));
    double side = weight.x + weight.y + weight.z < 0.0lf ? 1.0lf : -1.0lf;
    dvec3 normal = side * (bc + ca + ab);
    normal.z -= dot(o, normal.xy);
    double most = max(max(abs(normal.x), abs(normal.y)), abs(normal.z));
    weight = max(-side * weight, dvec3(0.0lf));
    double sum = weight.x + weight.y + weight.z;
    weight = sum > 0.0lf ? weight / sum : dvec3(1.0lf, 0.0lf, 0.0lf);
    Place here;
    here.at = vec4(vec3(weight), float(min(min(min(away.x, away.y), away.z), 1e30lf)));
    here.normal = most > 0.0lf ? vec3(normal / most) : vec3(0.0);
    here.far = dot(weight, dvec3(a.w, b.w, c.w));
    return here;
}
