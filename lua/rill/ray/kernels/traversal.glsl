// Rays against the triangles of a scene, for one structure ("bvh", "grid" or "none") and one mode ("closest", "any" or "count"). All structures test triangles
// with the same function, so that their results are identical. The result of a ray is the index in `corner` of the nearest triangle or -1 ("closest"), or the
// number of crossings.
//
// A ray is measured in units of the largest component of its direction, its main axis. Triangles are sheared along it and tested in two dimensions
// (S. Woop, C. Benthin, I. Wald, "Watertight Ray/Triangle Intersection", 2013), in double precision: at grazing rays, an error of the sheared corners is
// multiplied by the inverse of the sine of the angle. The corners are scaled so that the size of the scene is about 1, by `scale`, a power of two.
typedef struct { int axis; vec3 o; dvec3 from; vec3 way; dvec2 shear; double turn; double size; double start; float slack; bool valid; } Line;

vec3 main_last(int k, vec3 v) { return k == 0 ? v.yzx : (k == 1 ? v.zxy : v); }
bool is_finite(vec3 v) { return all(notEqual(floatBitsToUint(v) & 0x7f800000u, uvec3(0x7f800000u))); }

// `middle`, `reach`: the center and the diagonal of the scaled scene. The start of a ray that begins far away is moved close to the scene, by `start`. `o` is
// the start for tests of boxes; `from` is the start for tests of triangles, whose last component belongs to the main axis. slack: more than the rounding error
// of `o`.
Line line_of(vec3 o, vec3 d, vec3 middle, float reach, float scale) {
    vec3 size = abs(d);
    Line l;
    l.axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    vec3 m = main_last(l.axis, d);
    l.valid = is_finite(o) && is_finite(d) && m.z != 0.0;
    m.z = l.valid ? m.z : 1.0;
    l.way = d / abs(m.z);
    l.size = double(abs(m.z)) * double(scale);
    l.turn = m.z < 0.0 ? -1.0lf : 1.0lf;
    l.shear = dvec2(m.xy) / double(m.z);
    l.from = dvec3(main_last(l.axis, o)) * double(scale);
    l.start = 0.0lf;
    dvec3 gap = dvec3(main_last(l.axis, middle)) - l.from;
    vec3 apart = abs(vec3(gap));
    if (l.valid && max(max(apart.x, apart.y), apart.z) > 4.0 * reach) {
        double t = l.turn * (dot(gap.xy, l.shear) + gap.z) / (1.0lf + dot(l.shear, l.shear)) - 2.0lf * double(reach);
        if (t > 0.0lf) {
            l.start = t;
            l.from += t * l.turn * dvec3(l.shear, 1.0lf);
        }
    }
    vec3 f = vec3(l.from);
    l.o = l.axis == 0 ? f.zxy : (l.axis == 1 ? f.yzx : f);
    l.slack = 4e-6 * reach + 2.4e-7 * max(max(abs(middle.x), abs(middle.y)), abs(middle.z));
    return l;
}
dvec3 sheared(Line l, vec3 corner) {
    dvec3 v = dvec3(main_last(l.axis, corner)) - l.from;
    precise dvec2 p = v.xy - l.shear * v.z;
    return dvec3(p, v.z);
}
// Whether the half-line from the origin along x crosses the edge from p to q. The origin is moved by (e, e^2) with an infinitesimal e, so that it is on no edge
// (H. Edelsbrunner and E. Muecke, "Simulation of Simplicity", 1990). The result does not depend on the order of p and q.
bool is_right(dvec3 p, dvec3 q, double edge) { return p.y > 0.0lf != q.y > 0.0lf && (q.y > 0.0lf ? edge > 0.0lf : edge < 0.0lf); }
$if(filter){
// Whether a ray certainly misses a triangle. Doubles take much more time than floats on most GPUs.
bool is_missed(Line l, vec3 corner0, vec3 corner1, vec3 corner2) {
    vec3 x = main_last(l.axis, corner0 - l.o), y = main_last(l.axis, corner1 - l.o), z = main_last(l.axis, corner2 - l.o);
    vec2 shear = vec2(l.shear), a = x.xy - shear * x.z, b = y.xy - shear * y.z, c = z.xy - shear * z.z;
    float u = c.x * b.y - c.y * b.x, v = a.x * c.y - a.y * c.x, w = b.x * a.y - b.y * a.x;
    vec2 most = max(max(abs(a), abs(b)), abs(c));
    float bound = 4.0 * l.slack * (most.x + most.y + l.slack);
    return min(min(u, v), w) < -bound && max(max(u, v), w) > bound;
}
}
// The barycentric coordinates (x, y) of the second and third corner, and the position z of the crossing relative to the start, in units of the main axis; z is
// -infinity without a crossing. A ray crosses a triangle if the half-line of `is_right` crosses an odd number of its edges. Since this depends on each edge
// alone, a ray crosses a closed mesh an even number of times whatever the rounding errors, and finds no gap between triangles.
dvec3 crossing(Line l, vec3 corner0, vec3 corner1, vec3 corner2) {
    dvec3 a = sheared(l, corner0), b = sheared(l, corner1), c = sheared(l, corner2);
    precise dvec3 e = dvec3(b.x * c.y - b.y * c.x, c.x * a.y - c.y * a.x, a.x * b.y - a.y * b.x);
    bool hit = is_right(b, c, e.x) != (is_right(c, a, e.y) != is_right(a, b, e.z));
    e = abs(e);
    double sum = e.x + e.y + e.z;
    return hit ? dvec3(e.y / sum, e.z / sum, l.turn * (e.x * a.z + e.y * b.z + e.z * c.z) / sum) : dvec3(0.0lf, 0.0lf, -1.0lf / 0.0lf);
}

$section(finish)
// The distance along a ray of the crossing with the triangle that "closest" found, the triangle, and the barycentric coordinates.
kernel void finish(vec3 o<>, vec3 d<>, vec3 middle, float reach, float scale, uvec4 corner[], int at<>, out float distance<>, out int triangle<>, out vec2 weight<>) {
    Line l = line_of(o, d, middle, reach, scale);
    int i = max(at, 0);
    uvec4 a = corner[3 * i];
    dvec3 t = crossing(l, uintBitsToFloat(a.xyz), uintBitsToFloat(corner[3 * i + 1].xyz), uintBitsToFloat(corner[3 * i + 2].xyz));
    distance = at < 0 ? 1.0 / 0.0 : float((l.start + t.z) / l.size);
    triangle = at < 0 ? -1 : int(a.w);
    weight = at < 0 ? vec2(0.0) : vec2(t.xy);
}

$section(trace)
// near, face, at: the nearest crossing so far, its triangle, and the index of the triangle in `corner`. limit: traversal continues up to it. far: the distance
// up to which crossings count.
typedef struct { float near; float limit; int face; int at; int count; double far; } Found;

// Tests triangle i and records a crossing. Crossings before `from`, or at `to` and after it, belong to other cells of a grid.
void test(Line l, uvec4 corner[], int i, float from, float to, inout Found f) {
    uvec4 a = corner[3 * i], b = corner[3 * i + 1], c = corner[3 * i + 2];
    vec3 p = uintBitsToFloat(a.xyz), q = uintBitsToFloat(b.xyz), r = uintBitsToFloat(c.xyz);
    dvec3 t = dvec3(-1.0lf / 0.0lf);
    $if(filter){if (!is_missed(l, p, q, r))} t = crossing(l, p, q, r);
    if (t.z >= -l.start$if(structure == none){ && c.w == 0u}) {
        float at = float(t.z);
$if(mode == closest){
        int face = int(a.w);
        if (at < f.near || (at == f.near && face < f.face)) {
            f.near = at;
            f.face = face;
            f.at = i;
            f.limit = at * 1.000002 + 1e-37;
        }
}$else{
        if (t.z <= f.far$if(mode == count){ && at >= from && at < to}) f.count++;
}
    }
}
// The middle between a float and the next one: distances below it are rounded to a float that is not larger.
double rounded_to(float far) {
    return far > 0.0 && !isinf(far) ? 0.5lf * (double(far) + double(uintBitsToFloat(floatBitsToUint(far) + 1u))) : double(far);
}
Found nothing(Line l, float far) {
    Found f;
    f.near = 1.0 / 0.0;
    f.limit = 1.0 / 0.0;
    f.face = -1;
    f.at = -1;
    f.count = 0;
    f.far = 1.0lf / 0.0lf;
$if(mode == closest){}$else{
    f.far = rounded_to(far) * l.size - l.start;
    f.limit = isinf(far) ? 1.0 / 0.0 : float(f.far) * 1.000002 + 1e-37;
}
    return f;
}
bool is_done(Found f) { return $if(mode == any){f.count > 0}$else{false}; }

$if(structure == bvh){
vec4 highest(vec4 a, vec4 b) { return mix(b, a, greaterThan(a, b)); }
vec4 lowest(vec4 a, vec4 b) { return mix(b, a, lessThan(a, b)); }
// The four bytes of a word b as 1 + b / 256.
vec4 parts(uint w) { return uintBitsToFloat(uvec4(w << 15, w << 7, w >> 1, w >> 9) & 0x7f8000u | 0x3f800000u); }

// Each invocation traces up to `most` rays, one after the other: rays b, b + lanes, b + 2 lanes ... Lanes of a subgroup that finish a ray
// early begin the next one, so that they do not wait for the others (T. Aila, S. Laine, "Understanding the Efficiency of Ray Traversal on GPUs", 2009).
// A word of `groups` stands for children of a node that a ray has yet to visit: the index of the first child (30 bits) and their number (2 bits). The word
// of `nears` is a lower bound of their distance, whose last six bits are replaced by the numbers of the children, the nearest first.
kernel void $name(vec3 o[], vec3 d[], float far[], int total, int strideo, int strided, int stridefar, int lanes, int most, vec3 middle, float reach, float scale,
                  uvec4 corner[], inout int result[], inout int tally[], out int left<>) {
    uint groups[$stack];
    uint nears[$stack];
    int begin = indexof(left).x / lanes * lanes * most, end = min(begin + lanes * most, total);
    int ray = begin + indexof(left).x % lanes - lanes, invalid = 0, turns = 0;
    Line l = line_of(vec3(0.0), vec3(1.0), middle, reach, scale);
    Found f = nothing(l, 0.0);
    vec3 inverse = vec3(1.0);
    // The node to visit or -1; the children to visit next; triangles first + k to test, for each bit k of
    // `leaves`; the same for the leaves found next.
    int here = -1, top = 0, first = 0, firstnext = 0;
    uint group = 0u, near = 0u, leaves = 0u, leavesnext = 0u;
    do {
        turns++;
        if (here < 0 && leaves == 0u && top == 0 && (group & 3u) == 0u) {
            if (ray >= begin) result[ray] = $if(mode == closest){f.at}$else{f.count};
            ray += lanes;
            if (ray < end) {
                l = line_of(o[ray * strideo], d[ray * strided], middle, reach, scale);
                f = nothing(l, far[ray * stridefar]);
                vec3 way = mix(l.way, mix(vec3(1e-7), vec3(-1e-7), lessThan(l.way, vec3(0.0))), lessThan(abs(l.way), vec3(1e-7)));
                inverse = 1.0 / way;
                invalid += l.valid ? 0 : 1;
                here = l.valid ? 0 : -1;
            }
        }
        bvec3 down = lessThan(inverse, vec3(0.0));
$for(round, rounds){
$if(loops){
        while (leaves == 0u && (here >= 0 || top > 0 || (group & 3u) != 0u) && turns < $budget)
}
        {
            $if(loops){turns++;}
            if (here < 0) {
                group = uintBitsToFloat(near) * 0.99999 > f.limit ? 0u : group;
                if ((group & 3u) == 0u && top > 0) {
                    top--;
                    near = nears[top];
                    group = uintBitsToFloat(near) * 0.99999 > f.limit ? 0u : groups[top];
                }
                if ((group & 3u) != 0u) {
                    here = int((group >> 2) + (near & 3u));
                    near = (near & 0xffffffc0u) | ((near & 63u) >> 2);
                    group--;
                }
            }
            uint waiting = group, after = near;
            int push = 0;
            if (here >= 0 && leavesnext == 0u) {
                uvec4 p = corner[3 * here], q = corner[3 * here + 1], r = corner[3 * here + 2];
                vec3 unit = uintBitsToFloat((uvec3(p.w << 23, p.w << 15, p.w << 7) & 0x7f800000u) + 0x04000000u) * inverse;
                vec3 base = (uintBitsToFloat(p.xyz) - l.o) * inverse - unit;
                vec4 enter = highest(highest(base.x + unit.x * parts(down.x ? q.y : q.x), base.y + unit.y * parts(down.y ? q.w : q.z)),
                                     highest(base.z + unit.z * parts(down.z ? r.y : r.x), vec4(0.0)));
                vec4 leave = lowest(lowest(base.x + unit.x * parts(down.x ? q.x : q.y), base.y + unit.y * parts(down.y ? q.z : q.w)),
                                    lowest(base.z + unit.z * parts(down.z ? r.x : r.y), vec4(f.limit)));
                bvec4 hit = lessThanEqual(enter, leave * 1.000004);
                uint k0 = (p.w >> 24) & 3u, k1 = (p.w >> 26) & 3u, k2 = (p.w >> 28) & 3u, k3 = p.w >> 30;
                // Nodes are sorted by their distance, whose last two bits are replaced by the number of the child.
                uvec4 key = floatBitsToUint(enter) & 0xfffffffcu;
                uint a0 = hit.x && k0 == 0u ? key.x : 0xffffffffu, a1 = hit.y && k1 == 0u ? key.y + 1u : 0xffffffffu;
                uint a2 = hit.z && k2 == 0u ? key.z + 2u : 0xffffffffu, a3 = hit.w && k3 == 0u ? key.w + 3u : 0xffffffffu;
                uint b0 = min(a0, a1), b1 = max(a0, a1), b2 = min(a2, a3), b3 = max(a2, a3);
                uint c0 = min(b0, b2), c1 = min(b1, b3), c2 = max(b0, b2), c3 = max(b1, b3);
                uint e1 = min(c1, c2), e2 = max(c1, c2);
                uint found = (hit.x ? (1u << k0) - 1u : 0u) | (hit.y ? ((1u << k1) - 1u) << k0 : 0u)
                           | (hit.z ? ((1u << k2) - 1u) << (k0 + k1) : 0u) | (hit.w ? ((1u << k3) - 1u) << (k0 + k1 + k2) : 0u);
                bool full = leaves != 0u;
                firstnext = full ? int(r.w) : firstnext;
                leavesnext = full ? found : 0u;
                first = full ? first : int(r.w);
                leaves = full ? leaves : found;
                here = c0 != 0xffffffffu ? int(r.z + (c0 & 3u)) : -1;
                if (e1 != 0xffffffffu) {
                    push = (group & 3u) != 0u ? 1 : 0;
                    group = (r.z << 2) | (e2 == 0xffffffffu ? 1u : (c3 == 0xffffffffu ? 2u : 3u));
                    near = (e1 & 0xffffffc0u) | ((c3 & 3u) << 4) | ((e2 & 3u) << 2) | (e1 & 3u);
                }
            }
            groups[top] = waiting; // a store that all lanes execute takes less time, so that it does not depend on `push`
            nears[top] = after;
            top += push;
        }
        {
            $if(loops){while}$else{if} (leaves != 0u) {
                $if(loops){turns++;}
                test(l, corner, first + findLSB(leaves), -1.0 / 0.0, 1.0 / 0.0, f);
                leaves &= leaves - 1u;
$if(mode == any){
                if (is_done(f)) { here = -1; top = 0; group = 0u; leaves = 0u; leavesnext = 0u; }
}
            }
            if (leaves == 0u) { leaves = leavesnext; first = firstnext; leavesnext = 0u; }
        }
}
    } while (ray < end && turns < $budget);
    left = ray < end ? 1 : 0;
    if (invalid > 0) atomicAdd(tally[0], invalid);
}
}
$if(structure == grid){
kernel void $name(vec3 o[], vec3 d[], float far[], int total, int strideo, int strided, int stridefar, int lanes, int most, vec3 middle, float reach, float scale,
                  uvec4 corner[], vec3 size, vec3 low, vec3 cell, uvec2 cells[], int entries[], inout int result[], inout int tally[], out int left<>) {
    int begin = indexof(left).x / lanes * lanes * most, end = min(begin + lanes * most, total);
    int ray = begin + indexof(left).x % lanes - lanes, invalid = 0, turns = 0;
    Line l = line_of(vec3(0.0), vec3(1.0), middle, reach, scale);
    Found f = nothing(l, 0.0);
    vec3 inverse = vec3(1.0);
    // The next cell, where the ray leaves the cell before it, and whether there is one; the entries of a cell to test, and the ray's interval in it.
    ivec3 at = ivec3(0), last = ivec3(size) - 1;
    float exit = 0.0, from = 0.0, to = 0.0;
    bool inside = false;
    uvec2 list = uvec2(0u);
    do {
        turns++;
        if (list.y == 0u && !(inside && exit * 0.999998 <= f.limit)) {
            if (ray >= begin) result[ray] = $if(mode == closest){f.at}$else{f.count};
            ray += lanes;
            if (ray < end) {
                l = line_of(o[ray * strideo], d[ray * strided], middle, reach, scale);
                f = nothing(l, far[ray * stridefar]);
                vec3 way = mix(l.way, mix(vec3(1e-7), vec3(-1e-7), lessThan(l.way, vec3(0.0))), lessThan(abs(l.way), vec3(1e-7)));
                inverse = 1.0 / way;
                invalid += l.valid ? 0 : 1;
                vec3 a = (low - l.o) * inverse, b = (low - l.o + size * cell) * inverse;
                vec3 near = min(a, b), away = max(a, b);
                float enter = max(max(near.x, near.y), max(near.z, 0.0));
                inside = l.valid && enter * 0.999998 <= min(away.x, min(away.y, away.z)) * 1.000002;
                at = clamp(ivec3(floor((enter * way - (low - l.o)) / cell)), ivec3(0), last);
                exit = -1.0 / 0.0;
            }
        }
        bvec3 up = greaterThan(inverse, vec3(0.0));
        ivec3 ahead = ivec3(up), turn = 2 * ahead - 1;
        while (list.y == 0u && inside && exit * 0.999998 <= f.limit && turns < $budget) { // to the next cell with triangles
            turns++;
            vec3 next = (low - l.o + vec3(at + ahead) * cell) * inverse;
            list = cells[(at.z * (last.y + 1) + at.y) * (last.x + 1) + at.x];
            from = exit;
            to = max(exit, min(next.x, min(next.y, next.z)));
            exit = to;
            int axis = next.x <= min(next.y, next.z) ? 0 : (next.y <= next.z ? 1 : 2);
            at += axis == 0 ? ivec3(turn.x, 0, 0) : (axis == 1 ? ivec3(0, turn.y, 0) : ivec3(0, 0, turn.z));
            inside = !any(bvec3(at.x < 0 || at.x > last.x, at.y < 0 || at.y > last.y, at.z < 0 || at.z > last.z));
        }
        while (list.y > 0u && turns < $budget) {
            turns++;
            test(l, corner, entries[int(list.x)], from, to, f);
            list = uvec2(list.x + 1u, list.y - 1u);
$if(mode == any){
            if (is_done(f)) { list.y = 0u; inside = false; }
}
        }
    } while (ray < end && turns < $budget);
    left = ray < end ? 1 : 0;
    if (invalid > 0) atomicAdd(tally[0], invalid);
}
}
$if(structure == none){
// As in section 3.2 of "Brook for GPUs" (2004), a kernel tests each ray against triangles of a list: here `count` of them, from `first` on.
kernel void $name(vec3 o<>, vec3 d<>, float far<>, int first, int count, vec3 middle, float reach, float scale, uvec4 corner[], $if(mode == closest){inout float near<>,}
                  inout int result<>, inout int tally[]) {
    Line l = line_of(o, d, middle, reach, scale);
    Found f = nothing(l, far);
    if (first > 0) {
$if(mode == closest){
        f.near = near;
        f.at = result;
        f.face = result < 0 ? -1 : int(corner[3 * result].w);
}$else{
        f.count = result;
}
    }
    int end = l.valid ? first + count : 0;
    for (int i = first; i < end; i++) test(l, corner, i, -1.0 / 0.0, 1.0 / 0.0, f);
    if (first == 0 && !l.valid) atomicAdd(tally[0], 1);
$if(mode == closest){
    near = f.near;
}
    result = $if(mode == closest){f.at}$else{f.count};
}
}
