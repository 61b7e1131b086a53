// Rays against the triangles of a scene, for one structure ("bvh", "grid" or "none") and one mode ("closest", "any" or "count"). All structures test triangles
// with the same function, so that their results are identical.
//
// A ray is measured in units of the largest component of its direction, its main axis. Triangles are sheared along it and tested in two dimensions
// (S. Woop, C. Benthin, I. Wald, "Watertight Ray/Triangle Intersection", 2013). The signs of the edge functions are exact for the sheared corners: a difference
// of two rounded products has the sign of the exact difference unless it is 0, and then doubles are used, in which the products are exact.
typedef struct { int axis; vec3 o; vec3 way; vec2 shear; float turn; float size; double start; bool valid; } Line;

vec3 main_last(int k, vec3 v) { return k == 0 ? v.yzx : (k == 1 ? v.zxy : v); }
bool is_finite(vec3 v) { return all(notEqual(floatBitsToUint(v) & 0x7f800000u, uvec3(0x7f800000u))); }

// `middle`, `reach`: the center and the diagonal of the scene. The start of a ray that begins far away is moved close to the scene, by `start`.
Line line_of(vec3 o, vec3 d, vec3 middle, float reach) {
    vec3 size = abs(d);
    Line l;
    l.axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    vec3 m = main_last(l.axis, d);
    l.size = abs(m.z);
    l.valid = is_finite(o) && is_finite(d) && l.size > 0.0;
    l.turn = m.z < 0.0 ? -1.0 : 1.0;
    l.way = d / (l.valid ? l.size : 1.0);
    l.shear = m.xy / (l.valid ? m.z : 1.0);
    l.o = o;
    l.start = 0.0lf;
    vec3 gap = abs(middle - o);
    if (l.valid && max(max(gap.x, gap.y), gap.z) > 4.0 * reach) {
        dvec3 far = dvec3(middle) - dvec3(o), way = dvec3(l.way);
        double t = dot(far, way) / dot(way, way) - 2.0lf * double(reach);
        if (t > 0.0lf) {
            l.start = t;
            l.o = vec3(dvec3(o) + t * way);
        }
    }
    return l;
}
vec3 sheared(Line l, vec3 corner) {
    vec3 v = main_last(l.axis, corner - l.o);
    return vec3(v.xy - l.shear * v.z, v.z * l.turn);
}
dvec3 edges_of(vec3 a, vec3 b, vec3 c) {
    dvec2 p = dvec2(a.xy), q = dvec2(b.xy), r = dvec2(c.xy);
    return dvec3(r.x * q.y - r.y * q.x, p.x * r.y - p.y * r.x, q.x * p.y - q.y * p.x);
}
$if(mode == count){
// The sign of the edge function of q and p for an origin that is moved by (e, e^2) with an infinitesimal e, so that no ray meets an edge
// (H. Edelsbrunner and E. Muecke, "Simulation of Simplicity", 1990). 0 if q and p are equal.
int sign_of(double edge, vec3 p, vec3 q) {
    double s = edge != 0.0lf ? edge : (q.y != p.y ? double(q.y) - double(p.y) : double(p.x) - double(q.x));
    return s > 0.0lf ? 1 : (s < 0.0lf ? -1 : 0);
}
}
// The barycentric coordinates (x, y) of the second and third corner, and the position z of the crossing, in units of the main axis; z is negative
// without a crossing. `first` is the edge functions' sign test in floats, which rejects most triangles.
dvec3 crossing(Line l, vec3 corner0, vec3 corner1, vec3 corner2) {
    vec3 a = sheared(l, corner0), b = sheared(l, corner1), c = sheared(l, corner2);
    float u = c.x * b.y - c.y * b.x, v = a.x * c.y - a.y * c.x, w = b.x * a.y - b.y * a.x;
    dvec3 found = dvec3(0.0lf, 0.0lf, -1.0lf);
    if (!((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0))) {
        dvec3 e = edges_of(a, b, c);
        double sum = e.x + e.y + e.z;
$if(mode == count){
        int i = sign_of(e.x, b, c), j = sign_of(e.y, c, a), k = sign_of(e.z, a, b);
        bool hit = i != 0 && i == j && j == k;
}$else{
        bool hit = (e.x >= 0.0lf && e.y >= 0.0lf && e.z >= 0.0lf) || (e.x <= 0.0lf && e.y <= 0.0lf && e.z <= 0.0lf);
}
        if (hit && sum != 0.0lf) {
            found = dvec3(e.y / sum, e.z / sum, l.start + (e.x * double(a.z) + e.y * double(b.z) + e.z * double(c.z)) / sum);
        }
    }
    return found;
}

typedef struct { double near; float limit; int triangle; vec2 weight; int count; double far; } Found;

// Tests triangle i and records a crossing. Crossings before `from`, or at `to` and after it, belong to other cells of a grid.
void test(Line l, vec4 corner[], int i, float from, float to, inout Found f) {
    vec4 a = corner[3 * i], b = corner[3 * i + 1], c = corner[3 * i + 2];
    dvec3 t = crossing(l, a.xyz, b.xyz, c.xyz);
    if (t.z >= 0.0lf) {
        int face = floatBitsToInt(a.w);
$if(mode == closest){
        if (t.z < f.near || (t.z == f.near && face < f.triangle)) {
            f.near = t.z;
            f.triangle = face;
            f.weight = vec2(t.xy);
            f.limit = float(t.z - l.start) * 1.000002 + 1e-37;
        }
}$else{
        float at = float(t.z - l.start);
        if (t.z <= f.far$if(mode == count){ && at >= from && at < to}) f.count++;
}
    }
}
Found nothing(Line l, float far) {
    Found f;
    f.near = 1.0lf / 0.0lf;
    f.limit = 1.0 / 0.0;
    f.triangle = -1;
    f.weight = vec2(0.0);
    f.count = 0;
    f.far = 1.0lf / 0.0lf;
$if(mode == closest){}$else{
    f.far = double(far) * double(l.size);
    f.limit = isinf(far) ? 1.0 / 0.0 : float(f.far - l.start) * 1.000002 + 1e-37;
}
    return f;
}
bool is_done(Found f) { return $if(mode == any){f.count > 0}$else{false}; }

$if(structure == bvh){
const int DONE = 0x7fffffff, STACK = $stack;

vec4 bytes(uint w) {
    return vec4(float(w & 255u), float((w >> 8) & 255u), float((w >> 16) & 255u), float(w >> 24));
}
void order(inout float t, inout int r, inout float u, inout int s) {
    bool swap = u < t;
    float f = swap ? u : t;
    int k = swap ? s : r;
    u = swap ? t : u;
    s = swap ? r : s;
    t = f;
    r = k;
}
// A stack entry is the index of a node, or -1 - (3 bits of count and an index) of a leaf's triangles.
int leaf_of(uint first, uint count) { return -1 - int(first << 2 | count); }

void trace(Line l, uvec4 node[], vec4 corner[], inout Found f, inout bool unfinished) {
    int refs[$stack];
    float enters[$stack];
    int top = 0, here = 0, left = $budget;
    vec3 way = mix(l.way, mix(vec3(1e-7), vec3(-1e-7), lessThan(l.way, vec3(0.0))), lessThan(abs(l.way), vec3(1e-7)));
    vec3 inverse = 1.0 / way;
    bvec3 down = lessThan(way, vec3(0.0));
    while (here != DONE && left > 0) {
        while (here >= 0 && here != DONE && left > 0) {
            left--;
            uvec4 p = node[3 * here], q = node[3 * here + 1], r = node[3 * here + 2];
            vec3 base = (uintBitsToFloat(p.xyz) - l.o) * inverse;
            vec3 unit = uintBitsToFloat((uvec3(p.w, p.w >> 8, p.w >> 16) & 255u) << 23) * inverse;
            vec4 enter = max(max(base.x + unit.x * bytes(down.x ? q.y : q.x), base.y + unit.y * bytes(down.y ? q.w : q.z)),
                             max(base.z + unit.z * bytes(down.z ? r.y : r.x), vec4(0.0)));
            vec4 leave = min(min(base.x + unit.x * bytes(down.x ? q.x : q.y), base.y + unit.y * bytes(down.y ? q.z : q.w)),
                             min(base.z + unit.z * bytes(down.z ? r.x : r.y), vec4(f.limit)));
            uint kinds = p.w >> 24;
            uint k0 = kinds & 3u, k1 = (kinds >> 2) & 3u, k2 = (kinds >> 4) & 3u, k3 = kinds >> 6;
            bvec4 hit = lessThanEqual(enter * 0.999998, leave * 1.000002);
            float t0 = hit.x ? enter.x : 3.4e38, t1 = hit.y ? enter.y : 3.4e38;
            float t2 = hit.z ? enter.z : 3.4e38, t3 = hit.w ? enter.w : 3.4e38;
            uint n1 = r.z + (k0 == 0u ? 1u : 0u), n2 = n1 + (k1 == 0u ? 1u : 0u), n3 = n2 + (k2 == 0u ? 1u : 0u);
            uint f1 = r.w + k0, f2 = f1 + k1, f3 = f2 + k2;
            int r0 = k0 == 0u ? int(r.z) : leaf_of(r.w, k0), r1 = k1 == 0u ? int(n1) : leaf_of(f1, k1);
            int r2 = k2 == 0u ? int(n2) : leaf_of(f2, k2), r3 = k3 == 0u ? int(n3) : leaf_of(f3, k3);
            order(t0, r0, t1, r1);
            order(t2, r2, t3, r3);
            order(t0, r0, t2, r2);
            order(t1, r1, t3, r3);
            order(t1, r1, t2, r2);
            if (t3 < 3.3e38) { refs[top] = r3; enters[top] = t3; top++; }
            if (t2 < 3.3e38) { refs[top] = r2; enters[top] = t2; top++; }
            if (t1 < 3.3e38) { refs[top] = r1; enters[top] = t1; top++; }
            here = r0;
            if (t0 >= 3.3e38) {
                while (top > 0 && enters[top - 1] * 0.999998 > f.limit && left > 0) { top--; left--; }
                here = top > 0 ? refs[top - 1] : DONE;
                top = max(top - 1, 0);
            }
        }
        if (here < 0) {
            int leaf = -1 - here, first = leaf >> 2, end = first + (leaf & 3);
            for (int i = first; i < end; i++) {
                left--;
                test(l, corner, i, -1.0 / 0.0, 1.0 / 0.0, f);
            }
            while (top > 0 && enters[top - 1] * 0.999998 > f.limit && left > 0) { top--; left--; }
            here = top > 0 && !is_done(f) ? refs[top - 1] : DONE;
            top = max(top - 1, 0);
        }
    }
    unfinished = here != DONE;
}
}
$if(structure == grid){
typedef struct { ivec3 size; vec3 low; vec3 cell; } Grid;

void trace(Line l, Grid g, uvec2 cells[], int entries[], vec4 corner[], inout Found f, inout bool unfinished) {
    vec3 way = mix(l.way, mix(vec3(1e-7), vec3(-1e-7), lessThan(l.way, vec3(0.0))), lessThan(abs(l.way), vec3(1e-7)));
    vec3 inverse = 1.0 / way, from = g.low - l.o;
    vec3 a = from * inverse, b = (from + vec3(g.size) * g.cell) * inverse;
    vec3 near = min(a, b), far = max(a, b);
    float enter = max(max(near.x, near.y), max(near.z, 0.0)), leave = min(far.x, min(far.y, far.z));
    ivec3 at = clamp(ivec3(floor((enter * way - from) / g.cell)), ivec3(0), g.size - 1);
    ivec3 ahead = ivec3(greaterThan(way, vec3(0.0))), turn = 2 * ahead - 1;
    bool inside = enter * 0.999998 <= leave * 1.000002;
    float begin = -1.0 / 0.0;
    int left = $budget;
    while (inside && left > 0) {
        uvec2 c = uvec2(0u);
        float end = begin, start = begin;
        while (inside && c.y == 0u && left > 0) { // to the next cell with triangles
            left--;
            vec3 next = (from + vec3(at + ahead) * g.cell) * inverse;
            c = cells[(at.z * g.size.y + at.y) * g.size.x + at.x];
            start = begin;
            end = max(begin, min(next.x, min(next.y, next.z)));
            begin = end;
            int axis = next.x <= min(next.y, next.z) ? 0 : (next.y <= next.z ? 1 : 2);
            at += axis == 0 ? ivec3(turn.x, 0, 0) : (axis == 1 ? ivec3(0, turn.y, 0) : ivec3(0, 0, turn.z));
            bvec3 off = bvec3(at.x < 0 || at.x >= g.size.x, at.y < 0 || at.y >= g.size.y, at.z < 0 || at.z >= g.size.z);
            inside = !any(off) && end * 0.999998 <= f.limit;
        }
        for (int k = 0; k < int(c.y) && left > 0; k++) {
            left--;
            test(l, corner, entries[int(c.x) + k], start, end, f);
            if (is_done(f)) break;
        }
        inside = inside && end * 0.999998 <= f.limit && !is_done(f);
        unfinished = left <= 0;
    }
}
}
$if(structure == none){
// As in section 3.2 of "Brook for GPUs" (2004), a kernel tests each ray against triangles of a list: here `count` of them, from `first` on.
}
kernel void $name(vec3 o<>, vec3 d<>, float far<>, vec3 middle, float reach, vec4 corner[],
                  $if(structure == bvh){uvec4 node[],}$if(structure == grid){vec3 size, vec3 low, vec3 cell, uvec2 cells[], int entries[],}
                  $if(structure == none){int first, int count,}$if(mode == closest){$if(structure == none){inout double near<>,}}
                  inout int tally[],
                  $if(mode == closest){$mark float distance<>, $mark int triangle<>, $mark vec2 weight<>}$else{$mark int crossings<>}) {
    Line l = line_of(o, d, middle, reach);
    Found f = nothing(l, far);
    bool unfinished = false;
$if(structure == none){
$if(mode == closest){
    if (first > 0 && triangle >= 0) {
        f.near = near;
        f.triangle = triangle;
        f.weight = weight;
    }
}$else{
    if (first > 0) f.count = crossings;
}
    int end = l.valid ? first + count : 0;
    for (int i = first; i < end; i++) {
        test(l, corner, i, -1.0 / 0.0, 1.0 / 0.0, f);
    }
    if (first == 0 && !l.valid) atomicAdd(tally[0], 1);
$if(mode == closest){
    near = f.near;
}
}$else{
$if(structure == grid){
    Grid g;
    g.size = ivec3(size);
    g.low = low;
    g.cell = cell;
}
    if (l.valid) trace(l, $if(structure == bvh){node, corner}$else{g, cells, entries, corner}, f, unfinished);
    if (!l.valid) atomicAdd(tally[0], 1);
    if (unfinished) atomicAdd(tally[1], 1);
}
$if(mode == closest){
    distance = f.triangle < 0 ? 1.0 / 0.0 : float(f.near / double(l.size));
    triangle = unfinished ? -2 : f.triangle;
    weight = f.weight;
}$else{
    crossings = unfinished ? -2 : f.count;
}
}
