$section(any)
$use(collide_boxes)
// Boxes of any direction, transformed by any matrices. The unit of length is the largest coordinate, so that products
// of floats do not underflow.
#define Store Box
#define Shape Box
typedef struct { Box one; Box other; } Two;
typedef struct { vec4 a0; vec4 a1; vec4 a2; vec4 b0; vec4 b1; vec4 b2; } Motion;

Two two_of(Box s[], int i, bool parted) {
    Two t;
    t.one = s[parted ? 2 * i : i];
    t.other = s[parted ? 2 * i + 1 : i];
    return t;
}
double far(dvec4 row, double most) { return (abs(row.x) + abs(row.y) + abs(row.z)) * most + abs(row.w); }
Motion motion_of(dvec4 a0, dvec4 a1, dvec4 a2, dvec4 b0, dvec4 b1, dvec4 b2, double most_a, double most_b) {
    double a = max(max(far(a0, most_a), far(a1, most_a)), far(a2, most_a));
    double b = max(max(far(b0, most_b), far(b1, most_b)), far(b2, most_b));
    double unit = max(max(a, b), 1e-30lf); // the inverse of a smaller number overflows a float
    Motion m;
    m.a0 = vec4(a0 / unit); m.a1 = vec4(a1 / unit); m.a2 = vec4(a2 / unit);
    m.b0 = vec4(b0 / unit); m.b1 = vec4(b1 / unit); m.b2 = vec4(b2 / unit);
    return m;
}
float girth(Box b) { return dot(b.x, b.x) + dot(b.y, b.y) + dot(b.z, b.z); }
bool apart_in(Box a, Box b, Motion m) { return apart(placed(a, m.a0, m.a1, m.a2), placed(b, m.b0, m.b1, m.b2)); }
bool wider(Box a, Box b, Motion m) {
    return girth(placed(a, m.a0, m.a1, m.a2)) >= girth(placed(b, m.b0, m.b1, m.b2));
}

$section(aligned)
// AABBs of trees whose transforms overlap.allows_aligned accepts, in the space of the first tree (S. Gottschalk, M.
// C. Lin and D. Manocha, "OBBTree" (1996)). Terms that depend on the pose only are computed once: products of the
// axes of the second box with each other and with the axes of the first. `slack` covers the rounding errors of the
// exact triangle test for triangles that are moved far away.
#define Store Twins
typedef struct { vec3 c; vec3 h; } Shape;
typedef struct { Shape one; Shape other; } Two;
typedef struct { vec3 u; vec3 v; vec3 w; vec3 t; vec3 cu; vec3 cv; vec3 cw; vec3 own; vec3 mixed; float slack; } Motion;

Two two_of(Twins s[], int i, bool parted) {
    Twins k = s[parted ? i : i >> 1];
    bool first = parted || (i & 1) == 0, second = parted || (i & 1) == 1;
    Two t;
    t.one.c = first ? k.c0 : k.c1;
    t.one.h = first ? k.h0 : k.h1;
    t.other.c = second ? k.c1 : k.c0;
    t.other.h = second ? k.h1 : k.h0;
    return t;
}
vec3 product(dvec3 x, dvec3 y, dvec3 z, dvec3 p) { return vec3(dot(x, p), dot(y, p), dot(z, p)); }
Motion motion_of(dvec4 a0, dvec4 a1, dvec4 a2, dvec4 b0, dvec4 b1, dvec4 b2, double most_a, double most_b) {
    dvec3 x = dvec3(a0.x, a1.x, a2.x), y = dvec3(a0.y, a1.y, a2.y), z = dvec3(a0.z, a1.z, a2.z);
    dvec3 f = dvec3(a0.w, a1.w, a2.w), g = dvec3(b0.w, b1.w, b2.w);
    double size = dot(x, cross(y, z));
    dvec3 i = cross(y, z) / size, j = cross(z, x) / size, k = cross(x, y) / size;
    Motion m;
    m.u = product(i, j, k, dvec3(b0.x, b1.x, b2.x));
    m.v = product(i, j, k, dvec3(b0.y, b1.y, b2.y));
    m.w = product(i, j, k, dvec3(b0.z, b1.z, b2.z));
    m.t = product(i, j, k, g - f);
    // For nearly parallel axes both sides of a comparison may underflow. 1e-7 of a box is less than the tolerance of
    // the other terms.
    m.cu = abs(cross(m.v, m.w)) + 1e-7;
    m.cv = abs(cross(m.w, m.u)) + 1e-7;
    m.cw = abs(cross(m.u, m.v)) + 1e-7;
    m.own = vec3(dot(m.u, m.u), dot(m.v, m.v), dot(m.w, m.w));
    m.mixed = abs(vec3(dot(m.v, m.w), dot(m.w, m.u), dot(m.u, m.v)));
    m.slack = float(1e-14lf * (length(f) + length(g)) * (length(i) + length(j) + length(k)));
    return m;
}
// Separating axes that are perpendicular to an axis of each box.
bool crossed(vec3 t, vec3 h, vec3 u, vec3 near) {
    return any(greaterThan(abs(t.yzx * u.zxy - t.zxy * u.yzx), h.yzx * abs(u.zxy) + h.zxy * abs(u.yzx) + near));
}
bool apart_in(Shape a, Shape b, Motion m) {
    vec3 u = abs(m.u), v = abs(m.v), w = abs(m.w), c = abs(b.c), g = b.h;
    vec3 t = m.u * b.c.x + m.v * b.c.y + m.w * b.c.z + m.t - a.c;
    vec3 e = u * g.x + v * g.y + w * g.z;
    vec3 h = a.h + 1e-6 * (abs(a.c) + u * c.x + v * c.y + w * c.z + abs(m.t) + a.h + e) + m.slack;
    vec3 along = abs(vec3(dot(m.u, t), dot(m.v, t), dot(m.w, t)));
    vec3 near = vec3(dot(u, h), dot(v, h), dot(w, h)) + m.own * g + m.mixed.zxy * g.yzx + m.mixed.yzx * g.zxy;
    return any(greaterThan(abs(t), h + e)) || any(greaterThan(along, near))
        || crossed(t, h, m.u, g.y * m.cw + g.z * m.cv) || crossed(t, h, m.v, g.z * m.cu + g.x * m.cw)
        || crossed(t, h, m.w, g.x * m.cv + g.y * m.cu);
}
bool wider(Shape a, Shape b, Motion m) { return dot(a.h, a.h) >= dot(b.h * b.h, m.own); }
