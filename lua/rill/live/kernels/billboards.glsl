// A square for each point that faces the camera: four corners, two triangles.
kernel void corners(vec3 points[], vec3 right, vec3 above, float radius, out vec3 c<>) {
    int k = indexof(c).x, corner = k & 3;
    vec3 to = (corner == 1 || corner == 2 ? right : -right) + (corner >= 2 ? above : -above);
    c = points[k >> 2] + radius * to;
}
kernel void halves(out ivec3 t<>) {
    int k = indexof(t).x, first = 4 * (k >> 1);
    t = (k & 1) == 0 ? ivec3(first, first + 1, first + 2) : ivec3(first, first + 2, first + 3);
}
