$use(collide_triangles)
kernel void first_faces(int part<>, inout int first[]) { atomicMin(first[part], indexof(part).x); }
kernel void corners(int face<>, int part[], int first[], vec3 corner[], inout vec3 point[]) {
    if (face >= 0 && first[part[face]] == face) point[part[face]] = corner[3 * indexof(face).x];
}
// A corner of each part, moved by the transform of its mesh, in the space of the other mesh. NaN if triangles
// intersect, or if the other transform has no inverse.
kernel void seen(vec3 point[], int from, dvec4 own[], int own_step, dvec4 other[], int other_step, int found[],
                 out dvec3 p<>) {
    ivec2 at = indexof(p).xy;
    int pose = at.y + from, i = pose * own_step, j = pose * other_step;
    dvec3 v = moved(own[i], own[i + 1], own[i + 2], dvec3(point[at.x]));
    dvec3 x = other[j].xyz, y = other[j + 1].xyz, z = other[j + 2].xyz;
    double det = dot(x, cross(y, z));
    v -= dvec3(other[j].w, other[j + 1].w, other[j + 2].w);
    p = found[pose] != 0 || det == 0.0lf ? dvec3(0.0 / 0.0)
                                         : (cross(y, z) * v.x + cross(z, x) * v.y + cross(x, y) * v.z) / det;
}
kernel void note(bool inside<>, int from, int bit, inout int flags[]) {
    if (inside) atomicOr(flags[indexof(inside).y + from], bit);
}
