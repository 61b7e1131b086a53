$use(unit_of)
// An edge with NaN is not split.
kernel void longer(ivec2 e<>, vec3 p[], float most, out int split<>) { split = distance(p[e.x], p[e.y]) > most ? 1 : 0; }
// The length of the edge in the image, if it were perpendicular to the line of sight to its midpoint.
kernel void larger(ivec2 e<>, vec3 p[], vec3 eye, int parallel, float focus, float most, out int split<>) {
    vec3 a = p[e.x], b = p[e.y];
    float far = parallel == 1 ? 1.0 : distance(0.5 * a + 0.5 * b, eye);
    split = focus * distance(a, b) > most * far ? 1 : 0;
}
// Bent edges of final triangles do not count, because slivers are bends at any level. Sharp edges do not count
// either, because they must stay sharp.
kernel void bent(ivec2 side<>, int sharp<>, ivec3 t[], int live[], vec3 p[], float most, out int split<>) {
    int own = side.x, other = side.y;
    if (sharp != 0 || live[own / 3] == 0 || live[max(other, 0) / 3] == 0) other = -1;
    ivec3 u = t[own / 3], v = t[max(other, 0) / 3];
    vec3 m = unit_of(cross(p[u.y] - p[u.x], p[u.z] - p[u.x])), n = unit_of(cross(p[v.y] - p[v.x], p[v.z] - p[v.x]));
    if (u[own % 3] == v[max(other, 0) % 3]) n = -n; // the orientations of the two triangles differ
    vec3 turn = cross(m, n);
    split = other >= 0 && (turn != vec3(0.0) || dot(m, n) < 0.0) && atan(length(turn), dot(m, n)) > most ? 1 : 0;
}
kernel void touch(ivec2 e<>, int bent<>, inout int touched[]) { if (bent != 0) { touched[e.x] = 1; touched[e.y] = 1; } }
kernel void spread(ivec3 t<>, int live<>, int edge[], int touched[], inout int wanted[]) {
    int h = 3 * indexof(t).x;
    bool all = live != 0 && touched[t.x] + touched[t.y] + touched[t.z] > 0;
    for (int k = 0; k < 3; k++) { if (all) wanted[edge[h + k]] = 1; }
}
kernel void both(ivec2 e<>, vec3 p[], out vec3 a<>, out vec3 b<>) { a = p[e.x]; b = p[e.y]; }
kernel void invert(int split<>, out int stays<>) { stays = 1 - split; }
// Live triangles with an edge to be split are split into four; all others become final.
kernel void mark_red(int live<>, int edge[], int wanted[], inout int split[], inout int stays[], out int red<>) {
    int h = 3 * indexof(red).x;
    ivec3 e = ivec3(edge[h], edge[h + 1], edge[h + 2]);
    red = live != 0 && wanted[e.x] + wanted[e.y] + wanted[e.z] > 0 ? 1 : 0;
    for (int k = 0; k < 3; k++) {
        if (red != 0) split[e[k]] = 1; else stays[e[k]] = 1;
    }
}
// An edge of a triangle that is not split into four is split at its midpoint, so its halves are half as long, and no
// adjacent triangle becomes flat.
kernel void straighten(int edge[], int split[], inout int straight[], out int done<>) {
    int h = 3 * indexof(done).x;
    ivec3 e = ivec3(edge[h], edge[h + 1], edge[h + 2]);
    done = split[e.x] + split[e.y] + split[e.z];
    for (int k = 0; k < 3; k++) if (done < 3) straight[e[k]] = 1;
}
// An edge is split only if at least one of its triangles is live, so edges between slivers are not.
kernel void live_only(int split<>, int alive<>, out int r<>) { r = split * alive; }
kernel void mark_live(int live<>, int edge[], inout int alive[], out int done<>) {
    int h = 3 * indexof(done).x;
    done = 1 - live;
    for (int k = 0; k < 3; k++) if (live != 0) alive[edge[h + k]] = 1;
}
kernel void cut(ivec3 t<>, int red<>, int edge[], int split[], int place[], vec3 p[], int n, int sliver, vout ivec3 q<>,
        vout int live<>) {
    int h = 3 * indexof(t).x;
    ivec3 e = ivec3(edge[h], edge[h + 1], edge[h + 2]), v = t;
    ivec3 s = ivec3(split[e.x], split[e.y], split[e.z]);
    ivec3 m = n - 1 + ivec3(place[e.x], place[e.y], place[e.z]);
    int count = s.x + s.y + s.z;
    if (sliver == 1 && red == 0) {
        push(q, v); push(live, 0);
        if (s.x == 1) { push(q, ivec3(v.y, v.x, m.x)); push(live, 0); }
        if (s.y == 1) { push(q, ivec3(v.z, v.y, m.y)); push(live, 0); }
        if (s.z == 1) { push(q, ivec3(v.x, v.z, m.z)); push(live, 0); }
    } else if (count == 3) {
        push(q, ivec3(v.x, m.x, m.z)); push(q, ivec3(m.x, v.y, m.y)); push(q, ivec3(m.z, m.y, v.z)); push(q, m);
        for (int k = 0; k < 4; k++) push(live, 1);
    } else if (count == 0) {
        push(q, v); push(live, 1);
    } else {
        // Rotates the corners so that a single split edge is the first, and two split edges are the first two.
        bool second = count == 1 ? s.y == 1 : s.x == 0, third = count == 1 ? s.z == 1 : s.y == 0;
        if (second) { v = v.yzx; m = m.yzx; }
        if (third) { v = v.zxy; m = m.zxy; }
        push(live, 1); push(live, 1);
        if (count == 1) {
            push(q, ivec3(v.x, m.x, v.z)); push(q, ivec3(m.x, v.y, v.z));
        } else {
            push(q, ivec3(m.x, v.y, m.y)); push(live, 1);
            bool shorter = distance(p[v.x], p[m.y]) <= distance(p[m.x], p[v.z]);
            push(q, shorter ? ivec3(v.x, m.x, m.y) : ivec3(v.x, m.x, v.z));
            push(q, shorter ? ivec3(v.x, m.y, v.z) : ivec3(m.x, m.y, v.z));
        }
    }
}
