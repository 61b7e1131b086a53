$use(collide_nodes)
$use(collide_triangles)
// Element k is a slot of the first leaf and a slot of the second leaf, of leaf pair first + k / (leaf.x * leaf.y).
// The pairs of group g begin at begins[g].
kernel void touch(int k<>, int first, ivec2 pool[], int begins[], ivec2 source[], ivec2 leaf, ivec2 leaves, int face_a[], int face_b[],
                  vec3 a[], vec3 b[], dvec4 ma[], dvec4 mb[], inout int found[], inout int count[], inout ivec3 hit[]) {
    int pair_number = first + k / (leaf.x * leaf.y), rest = k % (leaf.x * leaf.y), g = 0;
    int groups = sizeof_stream(source).x;
    for (int half_way = (groups + 1) / 2, high = groups; high - g > 1; half_way = (g + high) / 2) {
        if (begins[half_way] <= pair_number) g = half_way; else high = half_way;
    }
    ivec2 pair = pool[source[g].x + pair_number - begins[g]];
    int pose = source[g].y;
    int i = (pair.x - leaves.x) * leaf.x + rest / leaf.y, j = (pair.y - leaves.y) * leaf.y + rest % leaf.y;
    if (face_a[i] >= 0 && face_b[j] >= 0) {
        dvec4 m0 = ma[0], m1 = ma[1], m2 = ma[2];
        dvec4 w0 = mb[3 * pose], w1 = mb[3 * pose + 1], w2 = mb[3 * pose + 2];
        if (meet(moved(m0, m1, m2, dvec3(a[3 * i])), moved(m0, m1, m2, dvec3(a[3 * i + 1])),
                 moved(m0, m1, m2, dvec3(a[3 * i + 2])), moved(w0, w1, w2, dvec3(b[3 * j])),
                 moved(w0, w1, w2, dvec3(b[3 * j + 1])), moved(w0, w1, w2, dvec3(b[3 * j + 2])))) {
            found[pose] = 1;
            hit[atomicAdd(count[0], 1)] = ivec3(pose, face_a[i], face_b[j]);
        }
    }
}
kernel void least_of(ivec3 hit<>, ivec3 all[], vout ivec3 least<>) {
    int k = indexof(hit).x;
    if (k == 0 || all[max(k - 1, 0)].x != hit.x) push(least, hit);
}
kernel void shorter(ivec3 hit<>, out ivec2 pair<>) { pair = hit.yz; }
kernel void truth(int found<>, out bool yes<>) { yes = found != 0; }
