$section(steps)
$use(unit_normal)
// Positions are relative to the grid of cells, and scaled by the size of the mesh.
kernel void place(vec3 p<>, vec3 low, float scale, out vec3 q<>) { q = scale * (p - low); }
kernel void leaving(ivec3 t[], out int vertex<>, out int face<>) {
    int h = indexof(vertex).x;
    ivec3 v = t[h / 3];
    vertex = v[h % 3];
    face = h / 3;
}
// The normal of a triangle; 0 if its area is 0.
vec3 plane_of(ivec3 v, vec3 q[]) {
    vec3 a = q[v.x];
    return unit_normal(q[v.y] - a, q[v.z] - a);
}
// The center n of the smallest cap of the unit sphere that contains some normals, up to three of them that are at its border, and the least scalar product of n
// with any of them.
typedef struct { vec3 n; vec3 a; vec3 b; vec3 c; float least; } Cap;

// Returns `best`, or the cap through a, b and c (a and b, if c is b) if its least product with them and with the normals of `known` is larger.
Cap larger(Cap best, Cap known, vec3 a, vec3 b, vec3 c) {
    Cap k;
    k.a = a;
    k.b = b;
    k.c = c;
    k.n = unit_of(b == c ? a + b : cross(b - a, c - a));
    if (dot(k.n, a) < 0.0) k.n = -k.n;
    k.least = min(min(dot(k.n, a), dot(k.n, known.a)), min(dot(k.n, known.b), dot(k.n, known.c)));
    if (k.least > best.least) return k;
    return best;
}
// Returns the smallest cap for the normals of a cap and the normal w, which is outside of it.
Cap extended(Cap k, vec3 w) {
    Cap best = k;
    best.least = -2.0;
    best = larger(best, k, w, k.a, k.a);
    best = larger(best, k, w, k.b, k.b);
    best = larger(best, k, w, k.c, k.c);
    best = larger(best, k, w, k.a, k.b);
    best = larger(best, k, w, k.b, k.c);
    return larger(best, k, w, k.c, k.a);
}
// The normal of a vertex: the sum of the normals of its triangles by their angles. If it does not face all of them, the direction whose least scalar product with
// the normals of the triangles is largest.
kernel void normal(int start[], int ring[], ivec3 t[], vec3 q[], int i<>, out vec3 n<>) {
    vec3 sum = vec3(0.0);
    int from = start[i], to = start[i + 1];
    for (int k = from; k < to; k++) {
        ivec3 v = t[ring[k]];
        vec3 a = q[v.x], b = q[v.y], c = q[v.z];
        vec3 x = v.x == i ? b - a : v.y == i ? c - b : a - c, y = v.x == i ? c - a : v.y == i ? a - b : b - c;
        vec3 m = cross(x, y);
        float l = length(m);
        if (l > 0.0) sum += atan(l, dot(x, y)) / l * m;
    }
    Cap cap;
    cap.n = unit_of(sum);
    cap.least = 0.2;
    n = cap.n;
    float best = -2.0;
    for (int round = 0; round < 64; round++) {
        float least = 2.0;
        vec3 worst = vec3(0.0);
        for (int k = from; k < to; k++) {
            vec3 m = plane_of(t[ring[k]], q);
            if (m != vec3(0.0) && dot(m, cap.n) < least) { least = dot(m, cap.n); worst = m; }
        }
        if (least > best) { best = least; n = cap.n; }
        if (least >= cap.least - 1e-6) break;
        if (round == 0) { cap.a = worst; cap.b = worst; cap.c = worst; cap.n = worst; cap.least = 1.0; }
        else cap = extended(cap, worst);
    }
}
kernel void moved(vec3 p<>, vec3 n<>, float offset<>, float size, out vec3 r<>) { r = p + size * offset * n; }
kernel void corners(ivec3 t[], vec2 safe<>, inout float inner[], inout float outer[]) {
    int h = indexof(safe).x;
    ivec3 v = t[h / 3];
    inner[v[h % 3]] = safe.x;
    outer[v[h % 3]] = safe.y;
}
bool crosses(dvec3 a, dvec3 b, dvec3 u, dvec3 v, dvec3 w) {
    dvec3 n = cross(v - u, w - u);
    double da = dot(n, a - u), db = dot(n, b - u);
    dvec3 d = b - a;
    double x = dot(d, cross(u - a, v - a)), y = dot(d, cross(v - a, w - a)), z = dot(d, cross(w - a, u - a));
    bool sides = da >= 0.0LF && db <= 0.0LF || da <= 0.0LF && db >= 0.0LF;
    return sides && (x >= 0.0LF && y >= 0.0LF && z >= 0.0LF || x <= 0.0LF && y <= 0.0LF && z <= 0.0LF);
}
// Marks the vertices of triangles that intersect, from pairs whose bounds or corners may only touch: triangles with a common
// vertex meet in more than it if the opposite edge of one crosses the other; with a common edge, if they are folded onto
// each other.
kernel void mark(ivec2 pair<>, ivec3 t[], vec3 p[], inout int marks[], inout int first[]) {
    ivec3 f = t[pair.x], g = t[pair.y];
    int shared = 0, i = 0, j = 0;
    for (int k = 0; k < 9; k++) {
        if (f[k / 3] == g[k % 3]) { shared++; i += k / 3; j += k % 3; }
    }
    bool bad = pair.x < pair.y && (shared == 0 || shared == 3);
    if (pair.x < pair.y && shared == 1) {
        dvec3 a = dvec3(p[f[i]]), b = dvec3(p[f[(i + 1) % 3]]), c = dvec3(p[f[(i + 2) % 3]]);
        dvec3 d = dvec3(p[g[(j + 1) % 3]]), e = dvec3(p[g[(j + 2) % 3]]);
        bad = crosses(b, c, a, d, e) || crosses(d, e, a, b, c);
    }
    if (pair.x < pair.y && shared == 2) {
        i = 3 - i;
        j = 3 - j;
        dvec3 a = dvec3(p[f[i]]), b = dvec3(p[f[(i + 1) % 3]]), c = dvec3(p[f[(i + 2) % 3]]), d = dvec3(p[g[j]]);
        dvec3 m = cross(b - a, c - a), n = cross(b - d, c - d), e = c - b;
        double s = dot(m, n), l = dot(m, m) * dot(n, n);
        bad = s >= 0.0LF && dot(cross(e, a - b), cross(e, d - b)) >= 0.0LF && s * s >= l * (1.0LF - 1e-10LF);
    }
    if (bad) {
        atomicMin(first[0], indexof(pair).x);
        marks[f.x] = 1; marks[f.y] = 1; marks[f.z] = 1;
        marks[g.x] = 1; marks[g.y] = 1; marks[g.z] = 1;
    }
}
kernel void mark_second(ivec2 pair<>, ivec3 t[], inout int marks[]) {
    ivec3 g = t[pair.y];
    marks[g.x] = 1; marks[g.y] = 1; marks[g.z] = 1;
}
kernel void scaled(float offset<>, float size, out float r<>) { r = size * offset; }
kernel void halve(int mark<>, float offset<>, out float r<>) { r = mark != 0 ? 0.5 * offset : offset; }
$section(safe)
vec3 of_segments(vec3 p, vec3 d, vec3 q, vec3 e) {
    vec3 r = p - q;
    float a = dot(d, d), b = dot(d, e), c = dot(d, r), f = dot(e, e), g = dot(e, r);
    float den = a * f - b * b;
    float s = den > 1e-12 * a * f ? clamp((b * g - c * f) / den, 0.0, 1.0) : 0.0;
    float t = f > 0.0 ? (b * s + g) / f : 0.0;
    float u = clamp(t, 0.0, 1.0);
    if (u != t) s = a > 0.0 ? clamp((b * u - c) / a, 0.0, 1.0) : 0.0;
    return q + u * e - p - s * d;
}
// From a point to the plane of a triangle, if the nearest point is inside of the triangle; else a large vector. Edges are tested
// by of_segments.
vec3 to_plane(vec3 o, vec3 a, vec3 b, vec3 c) {
    vec3 n = cross(b - a, c - a);
    float l = dot(n, n);
    bool inside = dot(n, cross(b - a, o - a)) >= 0.0 && dot(n, cross(c - b, o - b)) >= 0.0 &&
        dot(n, cross(a - c, o - c)) >= 0.0;
    return inside && l > 0.0 ? -dot(n, o - a) / l * n : vec3(1e9);
}
vec3 nearer(vec3 x, vec3 y) { return dot(y, y) < dot(x, x) ? y : x; }
// The vector between the nearest points of two triangles that do not intersect.
vec3 gap(vec3 a, vec3 b, vec3 c, vec3 u, vec3 v, vec3 w) {
    vec3 r = to_plane(a, u, v, w);
    r = nearer(r, to_plane(b, u, v, w));
    r = nearer(r, to_plane(c, u, v, w));
    r = nearer(r, -to_plane(u, a, b, c));
    r = nearer(r, -to_plane(v, a, b, c));
    r = nearer(r, -to_plane(w, a, b, c));
    r = nearer(r, of_segments(a, b - a, u, v - u));
    r = nearer(r, of_segments(a, b - a, v, w - v));
    r = nearer(r, of_segments(a, b - a, w, u - w));
    r = nearer(r, of_segments(b, c - b, u, v - u));
    r = nearer(r, of_segments(b, c - b, v, w - v));
    r = nearer(r, of_segments(b, c - b, w, u - w));
    r = nearer(r, of_segments(c, a - c, u, v - u));
    r = nearer(r, of_segments(c, a - c, v, w - v));
    return nearer(r, of_segments(c, a - c, w, u - w));
}
// How far vertices may move until the plane between two triangles no longer separates them: d, the projections of the vertices
// on the normal of the plane; s, of their directions, positive if the gap closes.
float until(vec3 d, vec3 e, vec3 s, vec3 r, float least) {
    float best = 1e9;
    s = max(s, vec3(0.0));
    r = max(r, vec3(0.0));
    $for(i, axes){$for(j, axes){best = min(best, max(e.$j - d.$i, least) / max(s.$i + r.$j, 1e-9));
    }}
    return best;
}
// The safe distances of a vertex to the inside and the outside, at most `target` (J. Cohen et al., Simplification envelopes,
// 1996). A triangle keeps its orientation, and a plane separates it from each triangle without a common vertex.
kernel void safe(int i, vec3 q[], vec3 n[], ivec3 t[], int start[], int ring[], int offset[], int entry[], float side, int cells,
        float target, out vec2 r<>) {
    int from = start[i], to = start[i + 1], degree = to - from;
    vec3 low = q[i], high = low;
    float edge = 0.0, most = target;
    for (int k = from; k < to; k++) {
        ivec3 v = t[ring[k]];
        vec3 a = q[v.x], b = q[v.y] - a, c = q[v.z] - a;
        low = min(low, min(a, min(a + b, a + c)));
        high = max(high, max(a, max(a + b, a + c)));
        edge = max(edge, max(length(b), max(length(c), length(b - c))));
        vec3 m = cross(b, c);
        float area = length(m);
        m /= max(area, 1e-30);
        vec3 na = n[v.x], nb = n[v.y], nc = n[v.z];
        float first = abs(dot(nb, cross(c, m))) + abs(dot(nc, cross(m, b))) + abs(dot(na, cross(b - c, m)));
        float second = 3.0 - dot(na, m) * dot(na, m) - dot(nb, m) * dot(nb, m) - dot(nc, m) * dot(nc, m);
        second = max(second, 0.0);
        most = min(most, area / max(first + sqrt(first * first + 2.0 * second * area), 1e-20));
    }
    // The search is limited to some edges, and to the number of iterations that a device permits.
    float reach = min(2.0 * most, 8.0 * edge);
    ivec3 x = ivec3(0), y = ivec3(-1);
    for (int round = 0; round < 8; round++) {
        x = clamp(ivec3(floor((low - reach) / side)), 0, cells - 1);
        y = clamp(ivec3(floor((high + reach) / side)), 0, cells - 1);
        int count = 0;
        for (int z = x.z; z <= y.z; z++) {
            for (int k = x.y; k <= y.y; k++) {
                int row = (z * cells + k) * cells;
                count += offset[row + y.x + 1] - offset[row + x.x];
            }
        }
        if (count <= 40000 / (degree + 1)) break;
        reach *= 0.5;
    }
    most = min(most, 0.5 * reach);
    vec2 best = vec2(most);
    for (int z = x.z; z <= y.z; z++) {
        for (int line = x.y; line <= y.y; line++) {
            int row = (z * cells + line) * cells;
            int last = offset[row + y.x + 1];
            for (int k = offset[row + x.x]; k < last; k++) {
                ivec3 g = t[entry[k]];
                vec3 u = q[g.x], v = q[g.y], w = q[g.z];
                vec3 apart = max(max(min(u, min(v, w)) - high, low - max(u, max(v, w))), vec3(0.0));
                float far = 2.0 * max(best.x, best.y);
                if (dot(apart, apart) < far * far) {
                    vec3 nu = n[g.x], nv = n[g.y], nw = n[g.z];
                    for (int h = from; h < to; h++) {
                        ivec3 f = t[ring[h]];
                        bool joined = any(equal(f, g)) || any(equal(f, g.yzx)) || any(equal(f, g.zxy));
                        if (!joined) {
                            vec3 a = q[f.x], b = q[f.y], c = q[f.z];
                            vec3 d = gap(a, b, c, u, v, w);
                            float l = length(d);
                            d /= max(l, 1e-30);
                            vec3 here = vec3(dot(d, a), dot(d, b), dot(d, c));
                            vec3 there = vec3(dot(d, u), dot(d, v), dot(d, w));
                            vec3 s = vec3(dot(d, n[f.x]), dot(d, n[f.y]), dot(d, n[f.z]));
                            vec3 e = vec3(dot(d, nu), dot(d, nv), dot(d, nw));
                            float free = max(l - 1e-6, 0.0);
                            best = min(best, 0.98 * vec2(until(here, there, -s, e, free), until(here, there, s, -e, free)));
                        }
                    }
                }
            }
        }
    }
    r = best;
}
