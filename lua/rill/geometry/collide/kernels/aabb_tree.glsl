$use(collide_nodes)
$use(hilbert)
// AABBs are enlarged by `pad`, which covers rounding errors of the bounds.
kernel void codes(vec3 low, vec3 scale, ivec3 t<>, vec3 x[], out uint code<>) {
    vec3 middle = (x[t.x] + x[t.y] + x[t.z]) / 3.0;
    code = hilbert(uvec3(clamp((middle - low) * scale, 0.0, 1023.0)));
}
bool is_finite(vec3 v) { return all(notEqual(floatBitsToUint(v) & 0x7f800000u, uvec3(0x7f800000u))); }
kernel void ends(ivec3 t<>, vec3 x[], out vec3 low<>, out vec3 high<>) {
    vec3 a = x[t.x], b = x[t.y], c = x[t.z];
    low = min(min(a, b), c);
    high = max(max(a, b), c);
    if (!(is_finite(a) && is_finite(b) && is_finite(c))) low = high = a + b + c; // min and max may ignore NaN
}
kernel void fill(int faces, int order[], out int face<>) {
    int k = indexof(face).x;
    face = k < faces ? order[k] : -1;
}
bool is_less(vec3 a, vec3 b) { return a.x < b.x || (a.x == b.x && (a.y < b.y || (a.y == b.y && a.z < b.z))); }
void put_in_order(inout vec3 a, inout vec3 b) {
    if (is_less(b, a)) {
        vec3 v = a;
        a = b;
        b = v;
    }
}
// Corners are sorted by their coordinates, so that triangles with a common edge, or with equal corners, compute with
// identical numbers.
kernel void corners(int face<>, ivec3 t[], vec3 x[], inout vec3 corner[]) {
    int k = 3 * indexof(face).x;
    if (face >= 0) {
        ivec3 v = t[face];
        vec3 a = x[v.x], b = x[v.y], c = x[v.z];
        put_in_order(a, b);
        put_in_order(b, c);
        put_in_order(a, b);
        corner[k] = a;
        corner[k + 1] = b;
        corner[k + 2] = c;
    }
}
kernel void around(int node<>, int leaf, int leaves, int face[], vec3 corner[], inout vec3 low[], inout vec3 high[]) {
    vec3 least = vec3(3e38), most = vec3(-3e38);
    int from = (node - leaves) * leaf;
    for (int k = from; k < from + leaf && face[k] >= 0; k++) {
        vec3 a = corner[3 * k], b = corner[3 * k + 1], c = corner[3 * k + 2];
        least = min(least, min(min(a, b), c));
        most = max(most, max(max(a, b), c));
    }
    low[node] = least;
    high[node] = most;
}
kernel void join(int node<>, inout vec3 low[], inout vec3 high[]) {
    low[node] = min(low[2 * node], low[2 * node + 1]);
    high[node] = max(high[2 * node], high[2 * node + 1]);
}
kernel void aligned(vec3 low<>, vec3 high<>, float pad, out Box box<>) {
    vec3 half_side = 0.5 * (high - low) + pad;
    box.c = 0.5 * low + 0.5 * high;
    box.x = vec3(half_side.x, 0.0, 0.0);
    box.y = vec3(0.0, half_side.y, 0.0);
    box.z = vec3(0.0, 0.0, half_side.z);
}
kernel void pair_up(Box box[], out Twins two<>) {
    Box a = box[2 * indexof(two).x], b = box[2 * indexof(two).x + 1];
    two.c0 = a.c;
    two.h0 = vec3(a.x.x, a.y.y, a.z.z);
    two.c1 = b.c;
    two.h1 = vec3(b.x.x, b.y.y, b.z.z);
}
