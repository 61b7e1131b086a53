// Vertices i, j of a torus around the z axis: i along the ring, j around the tube.
kernel void torus(float ring, float tube, out vec3 p<>) {
    vec2 n = vec2(sizeof_stream(p).yx), at = vec2(indexof(p).yx);
    vec2 turn = 6.283185307179586 * at / n;
    float r = ring + tube * cos(turn.y);
    p = vec3(r * cos(turn.x), r * sin(turn.x), tube * sin(turn.y));
}
kernel void sheet(vec2 side, out vec3 p<>, out vec2 uv<>) {
    uv = vec2(indexof(p).xy) / vec2(sizeof_stream(p).xy - 1);
    p = vec3((uv - 0.5) * side, 0.0);
}
// Two triangles for each cell between rows x columns vertices. Indices wrap around, for closed rings.
kernel void cells(int rows, int columns, out ivec3 t<>) {
    int i = indexof(t).z, j = indexof(t).y;
    int down = (i + 1) % rows * columns, right = (j + 1) % columns;
    int a = i * columns + j, b = down + j, c = down + right, d = i * columns + right;
    t = indexof(t).x == 0 ? ivec3(a, b, c) : ivec3(a, c, d);
}
kernel void middles(vec3 p[], ivec2 edge<>, out vec3 q<>) { q = normalize(p[edge.x] + p[edge.y]); }
