// Whether a triangle, relative to the center of a cube with sides 2 h, overlaps the cube: T. Akenine-Moeller, Fast 3D
// triangle-box overlap testing, 2001. `h` includes a margin for rounding errors.
bool apart(vec3 n, vec3 a, vec3 b, vec3 c, float h) {
    vec3 d = vec3(dot(n, a), dot(n, b), dot(n, c));
    float r = h * (abs(n.x) + abs(n.y) + abs(n.z));
    return min(min(d.x, d.y), d.z) > r || max(max(d.x, d.y), d.z) < -r;
}
bool overlaps(vec3 a, vec3 b, vec3 c, float h) {
    vec3 low = min(min(a, b), c), high = max(max(a, b), c);
    bool far = any(greaterThan(low, vec3(h))) || any(lessThan(high, vec3(-h)));
    vec3 e = b - a, f = c - b, g = a - c;
    far = far || apart(cross(e, f), a, b, c, h);
    far = far || apart(vec3(0.0, -e.z, e.y), a, b, c, h) || apart(vec3(e.z, 0.0, -e.x), a, b, c, h) ||
        apart(vec3(-e.y, e.x, 0.0), a, b, c, h);
    far = far || apart(vec3(0.0, -f.z, f.y), a, b, c, h) || apart(vec3(f.z, 0.0, -f.x), a, b, c, h) ||
        apart(vec3(-f.y, f.x, 0.0), a, b, c, h);
    far = far || apart(vec3(0.0, -g.z, g.y), a, b, c, h) || apart(vec3(g.z, 0.0, -g.x), a, b, c, h) ||
        apart(vec3(-g.y, g.x, 0.0), a, b, c, h);
    return !far;
}
kernel void roots(ivec3 t<>, out ivec4 at<>) { at = ivec4(0, 0, 0, indexof(t).x); }
// Triangles in cells of a level -> in cells of the next level. at: the cell, x first, and the triangle. scale: of the
// positions, so that squares neither overflow nor underflow.
kernel void descend(ivec4 at<>, ivec3 t[], vec3 p[], vec3 low, float scale, float side, float pad, vout ivec4 child<>) {
    ivec3 v = t[at.w];
    vec3 a = scale * (p[v.x] - low), b = scale * (p[v.y] - low), c = scale * (p[v.z] - low);
    for (int k = 0; k < 8; k++) {
        ivec3 cell = 2 * at.xyz + ivec3(k & 1, k >> 1 & 1, k >> 2);
        vec3 center = side * (vec3(cell) + 0.5);
        if (overlaps(a - center, b - center, c - center, 0.5 * side + pad)) push(child, ivec4(cell, at.w));
    }
}
kernel void part(ivec4 at<>, int cells, out int cell<>, out int face<>) {
    cell = (at.z * cells + at.y) * cells + at.x;
    face = at.w;
}
