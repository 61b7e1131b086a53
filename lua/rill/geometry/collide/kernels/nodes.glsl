$section(nodes)
typedef struct { vec3 c; vec3 x; vec3 y; vec3 z; } Box;
typedef struct { vec3 c0; vec3 h0; vec3 c1; vec3 h1; } Twins; // AABBs of nodes 2 i and 2 i + 1: centers, half sides

// The first slot of node i. The leaves are `levels` below the root.
int first_slot(int i, int levels, int leaf) {
    return ((i << (levels - findMSB(i))) - (1 << levels)) * leaf;
}
vec3 turned(vec4 r0, vec4 r1, vec4 r2, vec3 v) { return vec3(dot(r0.xyz, v), dot(r1.xyz, v), dot(r2.xyz, v)); }
Box placed(Box b, vec4 r0, vec4 r1, vec4 r2) {
    Box p;
    p.c = turned(r0, r1, r2, b.c) + vec3(r0.w, r1.w, r2.w);
    p.x = turned(r0, r1, r2, b.x);
    p.y = turned(r0, r1, r2, b.y);
    p.z = turned(r0, r1, r2, b.z);
    return p;
}
float reach(Box b, vec3 l) { return abs(dot(l, b.x)) + abs(dot(l, b.y)) + abs(dot(l, b.z)); }

$section(boxes)
// Separating axis test (Gottschalk 1996): if the projections on any line are disjoint, the boxes are separated. Each
// axis is sufficient by itself, so with a matrix that is not rigid the test may miss a separation, but never reports
// a false one. `slack` bounds the rounding errors, and 1e-36 the underflow of products.
bool parts(vec3 l, vec3 t, Box a, Box b, vec3 slack) {
    return abs(dot(l, t)) > reach(a, l) + reach(b, l) + dot(abs(l), slack) + 1e-36;
}
bool apart(Box a, Box b) {
    vec3 t = b.c - a.c;
    vec3 slack = 1e-6 * (abs(a.c) + abs(b.c) + abs(a.x) + abs(a.y) + abs(a.z) + abs(b.x) + abs(b.y) + abs(b.z));
    return parts(a.x, t, a, b, slack) || parts(a.y, t, a, b, slack) || parts(a.z, t, a, b, slack)
        || parts(b.x, t, a, b, slack) || parts(b.y, t, a, b, slack) || parts(b.z, t, a, b, slack)
        || parts(cross(a.x, b.x), t, a, b, slack) || parts(cross(a.x, b.y), t, a, b, slack)
        || parts(cross(a.x, b.z), t, a, b, slack) || parts(cross(a.y, b.x), t, a, b, slack)
        || parts(cross(a.y, b.y), t, a, b, slack) || parts(cross(a.y, b.z), t, a, b, slack)
        || parts(cross(a.z, b.x), t, a, b, slack) || parts(cross(a.z, b.y), t, a, b, slack)
        || parts(cross(a.z, b.z), t, a, b, slack);
}

$section(triangles)
// Two triangles are separated if an axis separates them: a normal, a cross product of two edges, or, if they are
// coplanar, a perpendicular of an edge in the plane. A triangle without area is treated as a segment or point: its
// normal is 0, and the axes `along` and `flat_on` are used. If coordinates are integers up to 2^12, the test is
// exact.
dvec3 moved(dvec4 r0, dvec4 r1, dvec4 r2, dvec3 v) {
    return dvec3(dot(r0.xyz, v) + r0.w, dot(r1.xyz, v) + r1.w, dot(r2.xyz, v) + r2.w);
}
dvec3 one_of(int k, dvec3 a, dvec3 b, dvec3 c) { return k == 0 ? a : (k == 1 ? b : c); }
bool none(dvec3 v) { return v.x == 0.0lf && v.y == 0.0lf && v.z == 0.0lf; }
dvec3 longer(dvec3 a, dvec3 b) { return dot(a, a) >= dot(b, b) ? a : b; }
bool cut(dvec3 l, dvec3 p0, dvec3 p1, dvec3 p2, dvec3 q0, dvec3 q1, dvec3 q2) {
    double a = dot(l, p0), b = dot(l, p1), c = dot(l, p2), d = dot(l, q0), e = dot(l, q1), f = dot(l, q2);
    return max(max(a, b), c) < min(min(d, e), f) || max(max(d, e), f) < min(min(a, b), c);
}
bool meet(dvec3 a0, dvec3 a1, dvec3 a2, dvec3 b0, dvec3 b1, dvec3 b2) {
    dvec3 p0 = dvec3(0.0lf), p1 = a1 - a0, p2 = a2 - a0, q0 = b0 - a0, q1 = b1 - a0, q2 = b2 - a0;
    dvec3 f0 = q1 - q0, f1 = q2 - q0, g = p2 - p1, h = q2 - q1;
    dvec3 n = cross(p1, p2), m = cross(f0, f1), flat_on = none(n) ? m : n, along = dvec3(0.0lf);
    if (none(n) && none(m)) {
        dvec3 d = longer(longer(p1, p2), g), e = longer(longer(f0, f1), h);
        along = longer(d, e);
        flat_on = cross(d, e);
        if (none(flat_on)) flat_on = cross(q0, along);
        if (none(along)) along = q0;
    }
    bool free = cut(n, p0, p1, p2, q0, q1, q2);
    for (int k = 1; k < 19 && !free; k++) {
        dvec3 l = m;
        if (k >= 17) l = k == 17 ? along : flat_on;
        else if (k >= 14) l = cross(flat_on, one_of(k - 14, f0, f1, h));
        else if (k >= 11) l = cross(flat_on, one_of(k - 11, p1, p2, g));
        else if (k >= 2) l = cross(one_of((k - 2) / 3, p1, p2, g), one_of((k - 2) % 3, f0, f1, h));
        free = cut(l, p0, p1, p2, q0, q1, q2);
    }
    return !free;
}
