// Kernels of the queries: rays, distances and containment. Each element traverses the tree independently.
//
// The traversals need no stack. Nodes are numbered as in a heap, so the parent follows from the index. Therefore a traversal can be
// interrupted after $steps steps and continued in another launch, on devices that limit loops. Traversals descend, at most
// $nodes nodes, until all elements that run together are at leaves or finished, so that few elements wait while others
// test triangles (T. Aila and S. Laine, "Understanding the Efficiency of Ray Traversal on GPUs", 2009).
//
// Rays traverse the binary tree. One bit for each level on the path (`at.y`, the lowest bit for the current node) says whether the
// sibling at that level is finished (snippets/restart_trail.glsl). `at`: the node
// (0: finished), these bits, and the number of triangles of a leaf that were tested. Distances and containment traverse a tree with
// four children per node: see Path.
//
// Boxes are floats, enlarged by more than the rounding errors here. Triangles are tested in double precision. Among
// equally near triangles the one with the lowest index is used, so that results do not depend on the tree. Triangles
// compute identical numbers for a shared edge, because collide/aabb_tree.lua has sorted their corners.
$use(restart_trail)
typedef struct { vec3 low; vec3 high; } Span;

kernel void span(vec3 low<>, vec3 high<>, float pad, out Span s<>) { s.low = low - pad; s.high = high + pad; }
bool is_finite(vec3 v) { return all(notEqual(floatBitsToUint(v) & 0x7f800000u, uvec3(0x7f800000u))); }
bool is_empty(Span s) { return s.low.x > s.high.x; }
ivec3 next_triangle(ivec3 at, int leaf) { return at.z + 1 == leaf ? next_of(at) : ivec3(at.xy, at.z + 1); }

reduce void furthest(ivec3 at<>, reduce ivec3 most<>) { most = max(most, at); }

// ax * by - ay * bx with an exact sign, so that two triangles agree about a shared edge. If rounding might matter,
// products are split (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
double lost(double a, double b, double p) {
    precise double s = a * 134217729.0lf, t = b * 134217729.0lf;
    precise double ah = s - (s - a), bh = t - (t - b);
    precise double al = a - ah, bl = b - bh;
    precise double e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return e;
}
double side(dvec2 a, dvec2 b) {
    precise double p = a.x * b.y, q = a.y * b.x;
    precise double d = p - q;
    if (abs(d) <= 1e-15lf * (abs(p) + abs(q))) {
        precise double e = lost(a.x, b.y, p) - lost(a.y, b.x, q);
        d += e;
    }
    return d;
}

// ---- origins

// Points and origins are measured from `c`, the nearest point of the mesh's bounding box (the point itself if it is
// inside), so that rounding errors are relative to the size of the mesh, not to the distance.

// a - b and its rounding error (D. E. Knuth, The Art of Computer Programming, vol. 2 (1997), 4.2.2, theorem B).
dvec2 difference(double a, double b) {
    precise double d = a - b;
    precise double t = d - a;
    precise double e = (a - (d - t)) - (b + t);
    return dvec2(d, e);
}

// ---- rays: S. Woop, C. Benthin and I. Wald, "Watertight Ray/Triangle Intersection", 2013

// A ray in coordinates whose last axis is its main axis: the reference point c, the direction, where the ray crosses
// the plane through c perpendicular to the main axis (relative to c, times way.z), and t there.
typedef struct { int axis; dvec3 c; dvec3 way; dvec2 offset; double start; } Line;

dvec3 main_last(int k, dvec3 v) { return k == 0 ? v.yzx : (k == 1 ? v.zxy : v); }
// (o - c) * way.z - way * (o.z - c.z). Products of two floats are exact as doubles.
double moment(double o, double o_z, double c, double c_z, double way, double way_z) {
    dvec2 p = difference(o * way_z, c * way_z), q = difference(way * o_z, way * c_z), d = difference(p.x, q.x);
    precise double m = d.x + (d.y + (p.y - q.y));
    return m;
}
Line line_of(vec3 o, vec3 d, vec3 low, vec3 high) {
    vec3 size = abs(d);
    Line l;
    l.axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    l.c = main_last(l.axis, dvec3(clamp(o, low, high)));
    l.way = main_last(l.axis, dvec3(d));
    dvec3 from = main_last(l.axis, dvec3(o));
    l.offset = dvec2(moment(from.x, from.z, l.c.x, l.c.z, l.way.x, l.way.z),
                     moment(from.y, from.z, l.c.y, l.c.z, l.way.y, l.way.z));
    l.start = (l.c.z - from.z) / l.way.z;
    return l;
}
// The point of the ray at l.start, with the original order of axes.
vec3 crossing(Line l) {
    dvec3 p = l.c + dvec3(l.offset / l.way.z, 0.0lf);
    return vec3(l.axis == 0 ? p.zxy : (l.axis == 1 ? p.yzx : p));
}
// Where a ray enters a box, in multiples of its longest component. The result is above `most` if it misses the box.
float entry(Span s, vec3 o, vec3 inverse, float most) {
    bvec3 up = greaterThan(inverse, vec3(0.0));
    vec3 a = (mix(s.high, s.low, up) - o) * inverse, b = (mix(s.low, s.high, up) - o) * inverse;
    float enter = max(max(max(a.x, a.y), a.z), 0.0), leave = min(min(b.x, b.y), b.z);
    return !is_empty(s) && enter * 0.999999 <= min(leave * 1.000001, most) ? enter : 3.4028235e38;
}
// A corner relative to the ray: its distance from the ray along the other two axes, times way.z, and its position
// along the main axis.
dvec3 sheared(Line l, vec3 corner) {
    dvec3 v = main_last(l.axis, dvec3(corner)) - l.c;
    precise dvec2 p = v.xy * l.way.z - l.way.xy * v.z;
    precise dvec2 q = p - l.offset;
    return dvec3(q, v.z);
}
// The position along the main axis where the ray meets an edge. It depends on the edge only; at the ends of the edge
// it is the position of the end.
double position_on(dvec3 a, dvec3 b) {
    dvec3 e = b - a;
    double z = abs(e.x) >= abs(e.y) ? a.z - a.x / e.x * e.z : a.z - a.y / e.y * e.z;
    return a.xy == dvec2(0.0lf) ? a.z : (b.xy == dvec2(0.0lf) ? b.z : z);
}
// t - l.start where the ray meets a triangle with sheared corners. Infinity behind the origin, and if the ray misses.
double struck(Line l, dvec3 a, dvec3 b, dvec3 c) {
    double u = side(c.xy, b.xy), v = side(a.xy, c.xy), w = side(b.xy, a.xy);
    double sum = u + v + w, z = 0.0lf;
    bool hit = (u >= 0.0lf && v >= 0.0lf && w >= 0.0lf) || (u <= 0.0lf && v <= 0.0lf && w <= 0.0lf);
    if (!hit || sum == 0.0lf) return 1.0lf / 0.0lf;
    if (u == 0.0lf) z = position_on(b, c);
    else if (v == 0.0lf) z = position_on(a, c);
    else if (w == 0.0lf) z = position_on(a, b);
    else z = clamp((u * a.z + v * b.z + w * c.z) / sum, min(min(a.z, b.z), c.z), max(max(a.z, b.z), c.z));
    double t = z / l.way.z;
    return t + l.start >= 0.0lf ? t : 1.0lf / 0.0lf;
}
kernel void ray(vec3 o<>, vec3 d<>, vec3 low, vec3 high, int leaves, int leaf, Span s[], int face[], vec3 corner[],
                inout ivec3 at<>, inout double best<>, inout int found<>) {
    ivec3 here = at;
    double near = best;
    int slot = found;
    Line l = line_of(o, d, low, high);
    double most = abs(l.way.z);
    if (!is_finite(o) || !is_finite(d) || most == 0.0lf) here.x = 0;
    vec3 from = crossing(l), unit = vec3(dvec3(d) / most);
    // Within the mesh, 1e-7 of a direction moves a ray by less than the padding of the boxes (2e-6 of the
    // coordinates).
    vec3 inverse = 1.0 / mix(unit, mix(vec3(1e-7), vec3(-1e-7), lessThan(unit, vec3(0.0))),
                             lessThan(abs(unit), vec3(1e-7)));
    float limit = float(near * most) * 1.000001;
    for (int step = 0; step < $steps; step++) {
        if (here.x == 0) break;
        for (int down = 0; down < $nodes; down++) {
            if (here.x == 0 || here.x >= leaves) break;
            float left = entry(s[2 * here.x], from, inverse, limit), right = entry(s[2 * here.x + 1], from, inverse, limit);
            here = below(here, left < 3.4028235e38, right < 3.4028235e38, right < left);
        }
        if (here.x >= leaves) {
            int i = (here.x - leaves) * leaf + here.z;
            int f = here.z > 0 || entry(s[here.x], from, inverse, limit) < 3.4028235e38 ? face[i] : -1;
            if (f >= 0) {
                vec3 a = corner[3 * i], b = corner[3 * i + 1], c = corner[3 * i + 2];
                double t = struck(l, sheared(l, a), sheared(l, b), sheared(l, c));
                if ((t < near || (t == near && f < face[max(slot, 0)])) &&
                    any(notEqual(cross(dvec3(b) - dvec3(a), dvec3(c) - dvec3(a)), dvec3(0.0lf)))) {
                    near = t;
                    slot = i;
                    limit = float(near * most) * 1.000001;
                }
            }
            here = f >= 0 ? next_triangle(here, leaf) : next_of(here);
        }
    }
    at = here;
    best = near;
    found = slot;
}
kernel void ray_end(vec3 o<>, vec3 d<>, vec3 low, vec3 high, double best<>, int slot<>, int face[],
                    out float distance<>, out int triangle<>) {
    distance = slot >= 0 ? float(best + line_of(o, d, low, high).start) : 1.0 / 0.0;
    triangle = slot >= 0 ? face[slot] : -1;
}

// ---- the tree with four children per node

// Its nodes are those of every second level of the binary tree, counted from the leaves. If the number of levels is odd, the root of
// the binary tree is the first of two children of a root above it. Children of node i are 4 i .. 4 i + 3. A node is stored as
// six vectors for containment, whose components belong to the children: the smallest x, y and z, and the largest. Empty children have
// the bounds 3e38 and -3e38.
kernel void widen(int node<>, int odd, Span s[], inout vec4 bounds[]) {
    int depth = findMSB(node);
    if ((depth & 1) == 0) {
        vec3 low[4], high[4];
        for (int k = 0; k < 4; k++) {
            int child = 4 * node + k, half_level = 2 << depth;
            bool there = odd == 0 || child < 3 * half_level;
            Span b = s[odd == 0 ? child : (there ? child - half_level : 1)];
            bool used = there && !is_empty(b);
            low[k] = used ? b.low : vec3(3e38);
            high[k] = used ? b.high : vec3(-3e38);
        }
        for (int d = 0; d < 3; d++) {
            bounds[6 * node + d] = vec4(low[0][d], low[1][d], low[2][d], low[3][d]);
            bounds[6 * node + 3 + d] = vec4(high[0][d], high[1][d], high[2][d], high[3][d]);
        }
    }
}

// The position of a traversal: the node to visit next (0: none), and the bits of the siblings that are to be visited, four for
// each level, the lowest for the node's own siblings. `tests`: up to four groups of leaves to test, the latest first (0: none); a group
// consists of four bits for siblings, and the index of the first sibling / 4 above them. `slot` is the number of slots of the first leaf
// that were tested.
typedef struct { int node; uvec2 wait; uvec4 tests; int slot; } Path;

Path path_of(uvec4 at, uvec4 tests) {
    Path t;
    t.node = int(at.x);
    t.wait = at.yz;
    t.tests = tests;
    t.slot = int(at.w);
    return t;
}
uvec4 stored(Path t) { return uvec4(t.node, t.wait, t.slot); }
// Whether to visit the next node: there is a place for another group, and no leaf was tested in part.
bool descends(Path t) { return t.node != 0 && t.tests.w == 0u && t.slot == 0; }
bool is_done(Path t) { return t.node == 0 && t.tests.x == 0u; }

// Goes from a node, whose children `hit` (bits) are to be visited, to its child `first` (one of these bits) or, if there is none, to
// the nearest waiting sibling of a node on the path. Children that are leaves are to be tested.
void advance(inout Path t, uint hit, uint first, int leaves) {
    bool last = 4 * t.node >= leaves, down = hit != 0u && !last;
    t.tests = last && hit != 0u ? uvec4(uint(t.node - (leaves >> 2)) << 4 | hit, t.tests.xyz) : t.tests;
    uint low = last ? t.wait.x : t.wait.x | hit;
    bool far = low == 0u;
    uint word = far ? t.wait.y : low, pick = down ? first : word & (0u - word);
    int place = findLSB(pick), rise = max(place, 0) >> 2, shift = 4 * rise;
    uvec2 wait = far ? uvec2(word & ~pick, 0u) : uvec2(word & ~pick, t.wait.y);
    wait = shift == 0 ? wait : uvec2(wait.x >> shift | wait.y << (32 - shift), wait.y >> shift);
    t.node = place < 0 ? 0 : 4 * (t.node >> 2 * (rise + (far ? 8 : 0))) + (place & 3);
    t.wait = uvec2(wait.x << 4, wait.y << 4 | wait.x >> 28);
}
// Goes from a triangle to the next one of its leaf, if there is one, or of the next leaf to test.
void next_test(inout Path t, bool filled, int leaf) {
    bool more = filled && t.slot + 1 < leaf;
    t.slot = more ? t.slot + 1 : 0;
    uint left = more ? t.tests.x : t.tests.x & (t.tests.x - 1u);
    t.tests = (left & 15u) == 0u ? uvec4(t.tests.yzw, 0u) : uvec4(left, t.tests.yzw);
}
int tested(Path t, int leaf) { return (int(t.tests.x >> 4) * 4 + findLSB(t.tests.x)) * leaf + t.slot; }
reduce void remaining(uvec4 at<>, reduce uvec4 some<>) { some |= at; }

// ---- oriented boxes

// Distances use boxes along the principal axes of their corners (Gottschalk 1996, see collide/obb_tree.lua), which are flat where a
// surface is smooth. A rotation is stored as the first three components of a quaternion, of 10 bits each. They are below 0.43 and the
// fourth is above 0.8, because the axes are ordered and directed such that they are near x, y and z. The sides of a box are measured
// along the axes after this rounding.
$use(collide_nodes)
const float TURN = 1.0 / 1024.0;
const uint UPRIGHT = 512u << 20 | 512u << 10 | 512u, EMPTY = 1u << 30;
vec4 quaternion_of(uint bits) {
    vec3 v = (vec3(uvec3(bits, bits >> 10, bits >> 20) & 1023u) - 512.0) * TURN;
    return vec4(v, sqrt(1.0 - dot(v, v)));
}
vec3 rotated(vec4 q, vec3 v) {
    vec3 t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}
// The rotation that turns three orthogonal axes to x, y and z.
uint bits_of(mat3 axes) {
    vec3 a = axes[0], b = axes[1], c = axes[2], v;
    if (abs(b.x) > abs(a.x)) { v = a; a = b; b = v; }
    if (abs(c.x) > abs(a.x)) { v = a; a = c; c = v; }
    if (abs(c.y) > abs(b.y)) { v = b; b = c; c = v; }
    a = a.x < 0.0 ? -a : a;
    b = b.y < 0.0 ? -b : b;
    c = cross(a, b);
    float w = 0.5 * sqrt(1.0 + a.x + b.y + c.z);
    uvec3 n = uvec3(clamp(vec3(c.y - b.z, a.z - c.x, b.x - a.y) / (4.0 * w * TURN) + 512.5, 0.0, 1023.0));
    return n.x | n.y << 10 | n.z << 20;
}
float area(vec3 d) { return d.x * d.y + d.y * d.z + d.z * d.x; }

// The boxes of the children of a node are stored as seven vectors, whose components belong to the children: the centers x, y and z, the
// half sides, and the rotations. Boxes with more than $fitted slots are aligned with the axes.
kernel void orient(int child<>, int levels, int leaf, float pad, Span s[], int face[], vec3 corner[], inout uint boxes[]) {
    int odd = levels & 1, depth = findMSB(child), half_level = 1 << (depth - 1);
    if ((depth & 1) == 0) {
        bool there = odd == 0 || child < 3 * half_level;
        int node = there ? child - odd * half_level : 1;
        Span box = s[node];
        bool used = there && !is_empty(box);
        vec3 center = 0.5 * box.low + 0.5 * box.high, half_side = 0.5 * (box.high - box.low);
        uint bits = used ? UPRIGHT : EMPTY;
        int first = first_slot(node, levels, leaf), span = leaf << (levels - findMSB(node));
        if (used && span <= $fitted) {
            float size = max(max(max(half_side.x, half_side.y), half_side.z), 1e-36), count = 0.0;
            vec3 sum = vec3(0.0), values;
            mat3 products = mat3(0.0), axes;
            for (int i = first; i < first + span && face[i] >= 0; i++) {
                for (int k = 3 * i; k < 3 * i + 3; k++) {
                    vec3 v = (corner[k] - center) / size;
                    sum += v;
                    products += outerProduct(v, v);
                    count += 1.0;
                }
            }
            eigen_symmetric(products / count - outerProduct(sum / count, sum / count), values, axes);
            uint fitted = bits_of(axes);
            vec4 q = quaternion_of(fitted);
            vec3 low = vec3(3.0), high = vec3(-3.0);
            for (int i = first; i < first + span && face[i] >= 0; i++) {
                for (int k = 3 * i; k < 3 * i + 3; k++) {
                    vec3 v = rotated(q, (corner[k] - center) / size);
                    low = min(low, v);
                    high = max(high, v);
                }
            }
            if (area(0.5 * (high - low)) < area(half_side / size)) {
                bits = fitted;
                center += size * rotated(vec4(-q.xyz, q.w), 0.5 * (low + high));
                half_side = size * 0.5 * (high - low);
            }
        }
        half_side += 3.0 * pad;
        int to = 28 * (child >> 2) + (child & 3);
        for (int d = 0; d < 3; d++) {
            boxes[to + 4 * d] = floatBitsToUint(center[d]);
            boxes[to + 4 * d + 12] = floatBitsToUint(half_side[d]);
        }
        boxes[to + 24] = bits;
    }
}
// Four vectors, and the rotations of four quaternions.
typedef struct { vec4 x; vec4 y; vec4 z; } Vectors;
typedef struct { Vectors v; vec4 w; } Rotations;
Rotations rotations_of(uvec4 bits) {
    Rotations q;
    q.v.x = (vec4(bits & 1023u) - 512.0) * TURN;
    q.v.y = (vec4(bits >> 10 & 1023u) - 512.0) * TURN;
    q.v.z = (vec4(bits >> 20 & 1023u) - 512.0) * TURN;
    q.w = sqrt(1.0 - q.v.x * q.v.x - q.v.y * q.v.y - q.v.z * q.v.z);
    return q;
}
Vectors rotated_by(Rotations q, Vectors v) {
    vec4 x = 2.0 * (q.v.y * v.z - q.v.z * v.y), y = 2.0 * (q.v.z * v.x - q.v.x * v.z), z = 2.0 * (q.v.x * v.y - q.v.y * v.x);
    Vectors r;
    r.x = v.x + q.w * x + (q.v.y * z - q.v.z * y);
    r.y = v.y + q.w * y + (q.v.z * x - q.v.x * z);
    r.z = v.z + q.w * z + (q.v.x * y - q.v.y * x);
    return r;
}

$use(hilbert)
// The place of a point in the order in which traversals of nearby points run together.
kernel void places(dvec3 p<>, vec3 low, vec3 high, out uint place<>) {
    vec3 size = max(high - low, vec3(1e-36));
    place = hilbert(uvec3(clamp((vec3(p) - low) / size * 511.0 + 256.0, 0.0, 1023.0)));
}

// ---- distances

// For a query point p and a point q of the mesh, (q - p)^2 is (p - c)^2 plus the sum over the axes of (q - c)^2 - 2
// (p - c) (q - c). Neither term of this sum is negative, because the mesh is on the other side of c. Therefore the
// sum is as accurate as q - c.

typedef struct { dvec3 p; dvec3 c; dvec3 beyond; } Query;
typedef struct { dvec3 point; double more; } Near; // a point; its squared distance minus the squared distance of c

Query query_of(vec3 p, vec3 low, vec3 high) {
    Query k;
    k.p = dvec3(p);
    k.c = dvec3(clamp(p, low, high));
    k.beyond = k.p - k.c;
    return k;
}
Near near_of(Query k, dvec3 point, dvec3 offset) {
    Near r;
    r.point = point;
    r.more = dot(offset, offset - 2.0lf * k.beyond);
    return r;
}
// An approximation of `more` for the nearest point of an edge.
double edge_more(Query k, dvec3 a, dvec3 e) {
    double l = dot(e, e);
    dvec3 offset = a - k.c + (l > 0.0lf ? clamp(dot(k.p - a, e) / l, 0.0lf, 1.0lf) : 0.0lf) * e;
    return dot(offset, offset - 2.0lf * k.beyond);
}
// The nearest point of an edge depends on its ends only, given in sorted order. If it is an end within rounding
// errors, it is exactly the end, so that adjacent edges agree. 1e-15 bounds the rounding error of a scalar product,
// relative to the sum of the absolute values of its terms.
Near on_edge(Query k, dvec3 a, dvec3 b) {
    dvec3 e = b - a, x = k.p - a, y = b - k.p;
    double from = dot(x, e), to = dot(y, e);
    if (from <= 1e-15lf * dot(abs(x), abs(e))) return near_of(k, a, a - k.c);
    if (to <= 1e-15lf * dot(abs(y), abs(e))) return near_of(k, b, b - k.c);
    dvec3 v = from / dot(e, e) * e;
    return near_of(k, a + v, a - k.c + v);
}
// The terms of a cross product with positive signs, which bound its rounding error.
dvec3 terms(dvec3 a, dvec3 b) { return abs(a.yzx * b.zxy) + abs(a.zxy * b.yzx); }
// The nearest point is in the interior of the triangle only if it is so by more than rounding errors (2e-15 of the
// terms), so that triangles agree about their edges.
Near nearest(Query k, vec3 low, vec3 high, dvec3 a, dvec3 b, dvec3 c) {
    dvec3 e = b - a, f = c - b, g = c - a, n = cross(e, g);
    dvec3 x = k.p - a, y = k.p - b, z = k.p - c;
    double l = dot(n, n);
    dvec3 sides = dvec3(dot(cross(n, e), x), dot(cross(n, f), y), dot(cross(g, n), z));
    if (l > 0.0lf && all(greaterThan(sides, dvec3(0.0lf)))) {
        dvec3 m = terms(e, g);
        dvec3 lost = dvec3(dot(terms(m, e), abs(x)), dot(terms(m, f), abs(y)), dot(terms(m, g), abs(z)));
        if (all(greaterThan(sides, 2e-15lf * lost))) {
            dvec3 offset = n * (dot(n, a - k.c) / l) + cross(n, cross(k.beyond, n) / l);
            offset = clamp(offset, dvec3(low) - k.c, dvec3(high) - k.c);
            return near_of(k, k.c + offset, offset);
        }
    }
    double ab = edge_more(k, a, e), bc = edge_more(k, b, f), ca = edge_more(k, a, g);
    return on_edge(k, bc < min(ab, ca) ? b : a, ab <= min(bc, ca) ? b : c);
}
// Smaller limits are replaced by the smallest normal float.
float limit_of(double more, double scale) { return min(float(more * scale) * 1.00001 + 1.1754944e-38, 3e38); }
// Distances of the points order[i], for each i of `entry`. found: the slot of the nearest triangle so far, or -1. If `seeds` is not
// 0, the nearest triangle of the point order[i / seeds * seeds] is known.
kernel void distance(int entry<>, int order[], int seeds, vec3 p[], vec3 low, vec3 high, int leaves, int leaf, uvec4 boxes[],
                     int face[], vec3 corner[], inout uvec4 at<>, inout uvec4 tests<>, inout int found[]) {
    int me = order[entry], slot = found[me];
    vec3 point = p[me];
    bool valid = is_finite(point);
    if (slot < 0 && seeds > 0 && valid) slot = found[order[entry / seeds * seeds]];
    Path here = path_of(valid ? at : uvec4(0u), valid ? tests : uvec4(0u));
    Query k = query_of(point, low, high);
    double near = 1e300lf; // larger than any squared distance: squares of floats are below 1e78
    if (slot >= 0) near = nearest(k, low, high, dvec3(corner[3 * slot]), dvec3(corner[3 * slot + 1]), dvec3(corner[3 * slot + 2])).more;
    int best = slot >= 0 ? face[slot] : 0;
    // Floats neither overflow nor underflow in units of the size of the mesh or of the distance, whichever is larger.
    vec3 c = vec3(k.c), far = max(high - low, vec3(abs(k.beyond)));
    float size = max(max(max(far.x, far.y), far.z), 1.1754944e-38);
    double scale = 1.0lf / double(size);
    vec3 beyond = vec3(k.beyond * scale);
    float limit = limit_of(near, scale), unit = float(scale), most = 2.0 * (abs(beyond.x) + abs(beyond.y) + abs(beyond.z));
    for (int step = 0; step < $steps; step++) {
        if (is_done(here)) break;
        for (int down = 0; down < $nodes; down++) {
            if (!descends(here)) break;
            // Lower bounds of `more` for the points of the children's boxes, in units of 1 / `scale`: along each axis of a box, the
            // point of the box that is nearest to p. 2e-6 of the terms bounds the rounding errors, which `beyond` may cancel.
            int i = 7 * here.node;
            uvec4 bits = boxes[i + 6];
            Rotations q = rotations_of(bits);
            Vectors v, w;
            v.x = uintBitsToFloat(boxes[i]) - c.x;
            v.y = uintBitsToFloat(boxes[i + 1]) - c.y;
            v.z = uintBitsToFloat(boxes[i + 2]) - c.z;
            w.x = vec4(beyond.x);
            w.y = vec4(beyond.y);
            w.z = vec4(beyond.z);
            v = rotated_by(q, v);
            w = rotated_by(q, w);
            vec4 hx = uintBitsToFloat(boxes[i + 3]), hy = uintBitsToFloat(boxes[i + 4]), hz = uintBitsToFloat(boxes[i + 5]);
            vec4 x = clamp(w.x * size, v.x - hx, v.x + hx), y = clamp(w.y * size, v.y - hy, v.y + hy),
                 z = clamp(w.z * size, v.z - hz, v.z + hz), all = abs(x) + abs(y) + abs(z);
            vec4 d = x * (x * unit - 2.0 * w.x) + y * (y * unit - 2.0 * w.y) + z * (z * unit - 2.0 * w.z) -
                     2e-6 * all * (all * unit + most);
            d = mix(d, vec4(3.4e38), greaterThanEqual(bits, uvec4(EMPTY)));
            uint hit = (d.x <= limit ? 1u : 0u) | (d.y <= limit ? 2u : 0u) | (d.z <= limit ? 4u : 0u) | (d.w <= limit ? 8u : 0u);
            float least = min(min(d.x, d.y), min(d.z, d.w));
            advance(here, hit, least == d.x ? 1u : (least == d.y ? 2u : (least == d.z ? 4u : 8u)), leaves);
        }
        for (int test = 0; test < $nodes; test++) {
            if (here.tests.x == 0u) break;
            int i = tested(here, leaf), f = face[i];
            if (f >= 0) {
                double more = nearest(k, low, high, dvec3(corner[3 * i]), dvec3(corner[3 * i + 1]), dvec3(corner[3 * i + 2])).more;
                if (more < near || (more == near && f < best)) {
                    near = more;
                    slot = i;
                    best = f;
                    limit = limit_of(near, scale);
                }
            }
            next_test(here, f >= 0, leaf);
        }
    }
    at = stored(here);
    tests = here.tests;
    found[me] = slot;
}
kernel void distance_end(vec3 p<>, vec3 low, vec3 high, int slot<>, int face[], vec3 corner[], out float distance<>,
                         out int triangle<>, out vec3 point<>) {
    int i = 3 * max(slot, 0);
    Query k = query_of(p, low, high);
    Near q = nearest(k, low, high, dvec3(corner[i]), dvec3(corner[i + 1]), dvec3(corner[i + 2]));
    float nan = 0.0 / 0.0, far = is_finite(p) ? 1.0 / 0.0 : nan;
    distance = slot >= 0 ? float(sqrt(dot(k.beyond, k.beyond) + q.more)) : far;
    triangle = slot >= 0 ? face[slot] : -1;
    point = slot >= 0 ? vec3(q.point) : vec3(nan);
}

// ---- containment

// Counts crossings of a ray along z. Its origin is displaced from the point by (e, e^2), with an infinitesimal e (H.
// Edelsbrunner and E. Muecke, "Simulation of Simplicity", 1990), so the ray meets no edge.

double side_displaced(dvec2 a, dvec2 b) {
    double d = side(a, b);
    return d != 0.0lf ? d : (a.y != b.y ? a.y - b.y : b.x - a.x);
}
bool crossed(dvec3 a, dvec3 b, dvec3 c) {
    double u = side_displaced(b.xy, c.xy), v = side_displaced(c.xy, a.xy), w = side_displaced(a.xy, b.xy);
    bool through = (u > 0.0lf && v > 0.0lf && w > 0.0lf) || (u < 0.0lf && v < 0.0lf && w < 0.0lf);
    if (!through || max(max(a.z, b.z), c.z) <= 0.0lf) return false;
    if (min(min(a.z, b.z), c.z) > 0.0lf) return true;
    double x = side(b.xy, c.xy), y = side(c.xy, a.xy), z = side(a.xy, b.xy);
    double height = x * a.z + y * b.z + z * c.z;
    return x + y + z > 0.0lf ? height > 0.0lf : height < 0.0lf;
}
kernel void contains(dvec3 p<>, int leaves, int leaf, vec4 bounds[], int face[], vec3 corner[], inout uvec4 at<>, inout uvec4 tests<>,
                     inout int crossings<>) {
    vec3 near = vec3(p);
    bool valid = is_finite(near);
    Path here = path_of(valid ? at : uvec4(0u), valid ? tests : uvec4(0u));
    int count = crossings;
    for (int step = 0; step < $steps; step++) {
        if (is_done(here)) break;
        for (int down = 0; down < $nodes; down++) {
            if (!descends(here)) break;
            int i = 6 * here.node;
            vec4 d = max(max(max(bounds[i] - near.x, near.x - bounds[i + 3]), max(bounds[i + 1] - near.y, near.y - bounds[i + 4])),
                         near.z - bounds[i + 5]);
            uint hit = (d.x <= 0.0 ? 1u : 0u) | (d.y <= 0.0 ? 2u : 0u) | (d.z <= 0.0 ? 4u : 0u) | (d.w <= 0.0 ? 8u : 0u);
            advance(here, hit, hit & (0u - hit), leaves);
        }
        for (int test = 0; test < $nodes; test++) {
            if (here.tests.x == 0u) break;
            int i = tested(here, leaf);
            bool filled = face[i] >= 0;
            if (filled && crossed(dvec3(corner[3 * i]) - p, dvec3(corner[3 * i + 1]) - p,
                                  dvec3(corner[3 * i + 2]) - p)) count++;
            next_test(here, filled, leaf);
        }
    }
    at = stored(here);
    tests = here.tests;
    crossings = count;
}
kernel void contains_end(dvec3 p<>, int crossings<>, out bool inside<>) { inside = is_finite(vec3(p)) && (crossings & 1) == 1; }

// ---- closed surfaces

// XORs a hash of the ends of each edge, independent of their order. An edge with an even number of triangles cancels.

uint mixed(uint h) {
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}
uvec2 number_of(uvec3 v) {
    uint a = mixed(mixed(mixed(v.x) + v.y) + v.z), b = mixed(mixed(mixed(v.z ^ 0x9e3779b9u) + v.x) + v.y);
    return uvec2(a, b);
}
uvec2 vertex_number(vec3 p) { return number_of(floatBitsToUint(mix(p, vec3(0.0), equal(p, vec3(0.0))))); }
uvec2 edge_number(uvec2 a, uvec2 b) {
    if (a == b) return uvec2(0u);
    bool turn = a.x > b.x || (a.x == b.x && a.y > b.y);
    uvec2 low = turn ? b : a, high = turn ? a : b;
    return number_of(uvec3(low.x, low.y, high.x)) ^ number_of(uvec3(high.y, high.x, low.y));
}
kernel void edges(int face<>, vec3 corner[], out uvec2 sum<>) {
    int i = 3 * indexof(face).x;
    uvec2 a = vertex_number(corner[i]), b = vertex_number(corner[i + 1]), c = vertex_number(corner[i + 2]);
    sum = face < 0 ? uvec2(0u) : edge_number(a, b) ^ edge_number(b, c) ^ edge_number(c, a);
}
reduce void odd(uvec2 sum<>, reduce uvec2 all_of<>) { all_of ^= sum; }
