$use(collide_nodes)
typedef struct { float area; vec3 first; vec3 own; vec3 mixed; } Moments;
typedef struct { vec3 low; vec3 high; } Span;
typedef struct { vec3 from; vec3 x; vec3 y; vec3 z; } Axes;

kernel void slots(int faces, out int face<>) { face = indexof(face).x < faces ? indexof(face).x : -1; }

// Moments of a triangle's surface (section 4). A triangle without area has a very small weight, so that nodes that
// contain only such triangles have axes too.
kernel void moments(int face<>, int faces[], int block, float unit, ivec3 t[], vec3 x[], out Moments m<>) {
    m.area = 0.0;
    m.first = m.own = m.mixed = vec3(0.0);
    if (face >= 0) {
        vec3 from = x[t[faces[indexof(face).x / block * block]].x];
        ivec3 v = t[face];
        vec3 p = (x[v.x] - from) * unit, q = (x[v.y] - from) * unit, r = (x[v.z] - from) * unit;
        vec3 c = p + q + r;
        m.area = 0.5 * length(cross(q - p, r - p)) + 1e-12;
        m.first = m.area / 3.0 * c;
        m.own = m.area / 12.0 * (c * c + p * p + q * q + r * r);
        m.mixed = m.area / 12.0 * (c * c.yzx + p * p.yzx + q * q.yzx + r * r.yzx);
    }
}
reduce void total(Moments m<>, reduce Moments sum<>) {
    sum.area += m.area;
    sum.first += m.first;
    sum.own += m.own;
    sum.mixed += m.mixed;
}

// Jacobi rotation that makes element q (row i, column k) zero. r, s: the other elements of the two rows. u, v:
// columns of the eigenvectors.
void turn(inout float a, inout float b, inout float q, inout float r, inout float s, inout vec3 u, inout vec3 v) {
    if (abs(q) <= 1e-9 * (abs(a) + abs(b)) + 1e-37) return;
    float h = 0.5 * (b - a) / q;
    float g = (h < 0.0 ? -1.0 : 1.0) / (abs(h) + sqrt(1.0 + min(h * h, 1e37)));
    float c = inversesqrt(1.0 + g * g), d = g * c;
    a -= g * q;
    b += g * q;
    q = 0.0;
    float r0 = r;
    vec3 u0 = u;
    r = c * r0 - d * s;
    s = d * r0 + c * s;
    u = c * u0 - d * v;
    v = d * u0 + c * v;
}
kernel void axes(Moments m<>, int face[], int block, ivec3 t[], vec3 x[], out Axes own<>) {
    int f = face[indexof(m).x * block];
    own.x = vec3(1.0, 0.0, 0.0);
    own.y = vec3(0.0, 1.0, 0.0);
    own.z = vec3(0.0, 0.0, 1.0);
    own.from = vec3(0.0);
    if (f >= 0) {
        own.from = x[t[f].x];
        vec3 mean = m.first / m.area, a = m.own / m.area - mean * mean, b = m.mixed / m.area - mean * mean.yzx;
        float most = max(max(a.x, a.y), a.z);
        a = most > 0.0 ? a / most : vec3(0.0);
        b = most > 0.0 ? b / most : vec3(0.0);
        vec3 u = own.x, v = own.y, w = own.z;
        for (int k = 0; k < $sweeps; k++) { // b: xy, yz, zx
            turn(a.x, a.y, b.x, b.z, b.y, u, v);
            turn(a.y, a.z, b.y, b.x, b.z, v, w);
            turn(a.z, a.x, b.z, b.y, b.x, w, u);
        }
        own.x = normalize(u);
        own.y = normalize(v - dot(v, own.x) * own.x);
        own.z = cross(own.x, own.y);
    }
}
vec3 along(Axes a, vec3 p) { return vec3(dot(a.x, p - a.from), dot(a.y, p - a.from), dot(a.z, p - a.from)); }
kernel void project(int face<>, Axes a[], int block, ivec3 t[], vec3 x[], out Span s<>) {
    s.low = vec3(3e38);
    s.high = vec3(-3e38);
    if (face >= 0) {
        Axes own = a[indexof(face).x / block];
        ivec3 v = t[face];
        vec3 p = along(own, x[v.x]), q = along(own, x[v.y]), r = along(own, x[v.z]);
        s.low = min(min(p, q), r);
        s.high = max(max(p, q), r);
    }
}
reduce void widest(Span s<>, reduce Span all_of<>) {
    all_of.low = min(all_of.low, s.low);
    all_of.high = max(all_of.high, s.high);
}
// `pad` covers the rounding errors of positions, and 4e-6 of the sides covers the rounding errors of axes and
// projections.
kernel void box(Axes a<>, Span s<>, float pad, out Box b<>) {
    vec3 middle = 0.5 * s.low + 0.5 * s.high, side = 0.5 * s.high - 0.5 * s.low;
    side += 4e-6 * (side.x + side.y + side.z) + pad;
    b.c = a.from + middle.x * a.x + middle.y * a.y + middle.z * a.z;
    b.x = side.x * a.x;
    b.y = side.y * a.y;
    b.z = side.z * a.z;
}
// Sort keys of triangles within their nodes: the center along the longest side. Empty slots come last.
kernel void keys(int face<>, Axes a[], Span s[], int block, int bits, ivec3 t[], vec3 x[], out uint key<>) {
    int node = indexof(face).x / block;
    uint last = (1u << bits) - 1u, place = last;
    if (face >= 0) {
        Span own = s[node];
        vec3 side = own.high - own.low;
        int k = side.x >= side.y && side.x >= side.z ? 0 : (side.y >= side.z ? 1 : 2);
        ivec3 v = t[face];
        Axes about = a[node];
        vec3 middle = (along(about, x[v.x]) + along(about, x[v.y]) + along(about, x[v.z])) / 3.0;
        float share = side[k] > 0.0 ? clamp((middle[k] - own.low[k]) / side[k], 0.0, 1.0) : 0.0;
        place = min(uint(share * float(last)), last - 1u);
    }
    key = (uint(node) << bits) | place;
}
