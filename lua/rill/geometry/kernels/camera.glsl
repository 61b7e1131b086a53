// Vertices 1e30 away and more are not shown, because their products with focus and pixels overflow. They count as 3e38 in
// minima.
bool is_shown(vec3 p) { return max(max(abs(p.x), abs(p.y)), abs(p.z)) < 1e30; }
kernel vec3 outermost(vec3 p<>, float sign) { return is_shown(p) ? sign * p : vec3(3e38); }
// The distance from the target that the eye needs so that the vertex is in the image.
kernel float away(vec3 p<>, vec3 target, vec3 right, vec3 above, vec3 ahead, vec2 widths) {
    vec3 d = p - target;
    return is_shown(p) ? max(abs(dot(d, right)) * widths.x, abs(dot(d, above)) * widths.y) - dot(d, ahead) : 0.0;
}
