$section(common)
struct Piece { ivec2 a; ivec2 b; ivec2 c; vec3 z; int face; };

// Converts a depth to an integer with the same order. The result is never 0.
uint level(float z) {
    uint bits = floatBitsToUint(z);
    return (bits >> 31) != 0u ? ~bits : bits | 0x80000000u;
}
// 0 for a top or left edge, which owns the pixels on it, else 1.
int open(ivec2 way) { return way.y < 0 || way.y == 0 && way.x > 0 ? 0 : 1; }
ivec3 opens(ivec2 ab, ivec2 bc, ivec2 ca) { return ivec3(open(bc), open(ca), open(ab)); }
// The edge function at a point, in double precision: products of integers below 2^25 are exact.
double edge(ivec2 from, ivec2 way, ivec2 p) {
    return double(way.x) * double(p.y - from.y) - double(way.y) * double(p.x - from.x);
}
int cross2(ivec2 u, ivec2 v) { return u.x * v.y - u.y * v.x; }
// The pixels whose centers may be inside the bounding box of three points: the first pixel and their number.
void box(ivec2 a, ivec2 b, ivec2 c, ivec2 extent, out ivec2 low, out ivec2 many) {
    low = max((min(min(a, b), c) + 127) >> 8, ivec2(0));
    many = max(min((max(max(a, b), c) - 128) >> 8, extent - 1) - low + 1, ivec2(0));
}
bool is_small(ivec2 a, ivec2 b, ivec2 c, ivec2 many) {
    ivec2 size = max(max(a, b), c) - min(min(a, b), c);
    return max(size.x, size.y) <= 16384 && many.x * many.y <= 64;
}
// The signed distance from a clip plane: 0 is the near plane, 1 to 4 are around the image.
float inside_of(vec4 c, int plane, float limit) {
    if (plane == 0) return limit * c.w - c.z;
    float value = plane < 3 ? c.x : c.y;
    return $guard * c.w + ((plane & 1) != 0 ? value : -value);
}
// Because framing.scaled keeps the distance to the target between 1e-6 and 1e6, 1e30 counts as infinite. Its products
// with pixels would overflow.
bool is_inside(vec4 c, float limit) {
    return c.w > 0.0 && c.w < 1e30 && c.z <= c.w * limit && max(abs(c.x), abs(c.y)) <= $guard * c.w;
}
bool is_finite(vec4 c) { return max(max(abs(c.x), abs(c.y)), max(abs(c.z), abs(c.w))) <= 1e30; }
ivec2 snapped(vec4 c) { return ivec2(floor(c.xy / c.w * 256.0 + 0.5)); }
// A vertex that clipping kept has the same snapped position as in adjacent triangles.
ivec2 placed(vec4 c, vec4 corner, ivec4 place, ivec2 other) { return place.w != 0 && c == corner ? place.xy : other; }

$section(frame)
$use(coverage_common)
// Projects vertices. clip: pixel coordinates times w, a depth that increases towards the eye, and w. place: snapped
// coordinates, the bits of the depth, and whether the vertex is inside all planes.
kernel void project(vec3 eye, vec3 right, vec3 above, vec3 ahead, float focus, vec2 middle, int parallel, float limit, vec3 p<>,
                    out vec4 clip<>, out ivec4 place<>) {
    vec3 d = p - eye;
    float far = dot(d, ahead), w = parallel != 0 ? 1.0 : far;
    clip = vec4(w * middle + focus * vec2(dot(d, right), -dot(d, above)), parallel != 0 ? -far : 1.0, w);
    if (!(abs(far) <= 1e30)) clip = vec4(uintBitsToFloat(0x7fc00000u));
    bool good = is_inside(clip, limit);
    place = good ? ivec4(snapped(clip), floatBitsToInt(clip.z / clip.w), 1) : ivec4(0);
}

// Divides the triangles that `small` does not draw into pieces that are inside all planes.
kernel void cut(int base, ivec2 extent, float limit, ivec3 t<>, vec4 clips[], ivec4 places[], vout Piece piece<>) {
    int vertices = sizeof_stream(places).x;
    bool known = min(min(t.x, t.y), t.z) >= 0 && max(max(t.x, t.y), t.z) < vertices;
    ivec4 p = places[t.x], q = places[t.y], r = places[t.z];
    vec4 u = clips[t.x], v = clips[t.y], w = clips[t.z];
    ivec2 low, many;
    Piece one;
    one.face = base + indexof(t).x;
    if (known && (p.w & q.w & r.w) != 0) {
        box(p.xy, q.xy, r.xy, extent, low, many);
        if (many.x * many.y > 0 && !is_small(p.xy, q.xy, r.xy, many)) {
            one.a = p.xy; one.b = q.xy; one.c = r.xy;
            one.z = vec3(intBitsToFloat(p.z), intBitsToFloat(q.z), intBitsToFloat(r.z));
            push(piece, one);
        }
    } else if (known && is_finite(u) && is_finite(v) && is_finite(w)) {
        vec4 corners[9], kept[9];
        corners[0] = u; corners[1] = v; corners[2] = w;
        int n = 3;
        for (int plane = 0; plane < 5; plane++) {
            int m = 0;
            for (int i = 0; i < n; i++) {
                vec4 from = corners[i], to = corners[i + 1 < n ? i + 1 : 0];
                float here = inside_of(from, plane, limit), there = inside_of(to, plane, limit);
                if (here >= 0.0) { kept[m] = from; m++; }
                // Interpolates from the inside vertex, so that both triangles of an edge compute the same point.
                if (here >= 0.0 && there < 0.0) { kept[m] = mix(from, to, here / (here - there)); m++; }
                if (here < 0.0 && there >= 0.0) { kept[m] = mix(to, from, there / (there - here)); m++; }
            }
            n = m;
            for (int i = 0; i < n; i++) corners[i] = kept[i];
        }
        for (int i = 2; i < n; i++) {
            if (min(min(corners[0].w, corners[i - 1].w), corners[i].w) > 0.0) {
                ivec2 at[3];
                for (int k = 0; k < 3; k++) {
                    vec4 c = corners[k == 0 ? 0 : i + k - 2];
                    at[k] = placed(c, u, p, placed(c, v, q, placed(c, w, r, snapped(c))));
                }
                one.a = at[0]; one.b = at[1]; one.c = at[2];
                one.z = vec3(corners[0].z / corners[0].w, corners[i - 1].z / corners[i - 1].w, corners[i].z / corners[i].w);
                box(one.a, one.b, one.c, extent, low, many);
                if (many.x * many.y > 0) push(piece, one);
            }
        }
    }
}

// The number of tiles of a piece. Tiles start at the first pixel of its bounding box.
kernel int tiles(ivec2 extent, Piece piece<>) {
    ivec2 low, many;
    box(piece.a, piece.b, piece.c, extent, low, many);
    many = (many + 7) >> 3;
    return many.x * many.y;
}

$section(draw)
$use(coverage_common)
kernel void small(int base, ivec2 extent, ivec3 t<>, ivec4 places[], inout uint depth[], inout int seen[], int last[]) {
    int vertices = sizeof_stream(places).x, id = base + indexof(t).x;
    bool known = min(min(t.x, t.y), t.z) >= 0 && max(max(t.x, t.y), t.z) < vertices;
    ivec4 p = places[t.x], q = places[t.y], r = places[t.z];
    ivec2 a = p.xy, b = q.xy, c = r.xy, low, many;
    box(a, b, c, extent, low, many);
    if (known && (p.w & q.w & r.w) != 0 && many.x * many.y > 0 && is_small(a, b, c, many)) {
        vec3 z = vec3(intBitsToFloat(p.z), intBitsToFloat(q.z), intBitsToFloat(r.z));
        int turn = cross2(b - a, c - a);
        if (turn < 0) { ivec2 other = b; b = c; c = other; z = z.xzy; }
        ivec2 o = (low << 8) + 128, ab = b - a, bc = c - b, ca = a - c;
        ivec3 value = ivec3(cross2(bc, o - b), cross2(ca, o - c), cross2(ab, o - a)), e = (value - opens(ab, bc, ca)) >> 8;
        float area = float(abs(turn)), start = z.x + (float(value.y) * (z.y - z.x) + float(value.z) * (z.z - z.x)) / area;
        if (turn != 0) { $call(coverage_cover) }
    }
}

kernel void tile(int total, ivec2 extent, int item<>, Piece pieces[], int ends[], inout uint depth[], inout int seen[], int last[]) {
    int least = 0, above = sizeof_stream(ends).x - 1;
    while (least < above) {
        int half = (least + above) >> 1;
        if (ends[half] > item) above = half;
        else least = half + 1;
    }
    Piece piece = pieces[least];
    ivec2 a = piece.a, b = piece.b, c = piece.c, low, many;
    vec3 z = piece.z;
    int id = piece.face, nth = item - (least > 0 ? ends[least - 1] : 0);
    box(a, b, c, extent, low, many);
    int across = max((many.x + 7) >> 3, 1);
    ivec2 skip = ivec2(nth % across, nth / across) << 3;
    low += skip;
    many = min(many - skip, ivec2(8));
    double turn = edge(a, b - a, c);
    if (turn < 0.0lf) { ivec2 other = b; b = c; c = other; z = z.xzy; }
    ivec2 o = (low << 8) + 128, ab = b - a, bc = c - b, ca = a - c;
    dvec3 value = dvec3(edge(b, bc, o), edge(c, ca, o), edge(a, ab, o));
    ivec3 e = ivec3(clamp(floor((value - dvec3(opens(ab, bc, ca))) / 256.0lf), dvec3(-536870912.0lf), dvec3(536870912.0lf)));
    float area = float(abs(turn)), start = float(dot(value, dvec3(z)) / abs(turn));
    if (turn != 0.0lf && item < total) { $call(coverage_cover) }
}

$section(cover)
// Visits `many` pixels from `low` on of the triangle a, b, c with depths z and edges ab, bc and ca. `e` is
// floor(value / 256) of each edge function at the first pixel: an integer with the same sign. `start` is the depth
// there. The passes use loops of at most one iteration instead of branches, because a loop is skipped if no
// invocation of the group enters it, and a branch may not be.
ivec3 right = -ivec3(bc.y, ca.y, ab.y), down = ivec3(bc.x, ca.x, ab.x);
ivec3 most = e + max(right, 0) * (many.x - 1) + max(down, 0) * (many.y - 1);
vec2 slope = 256.0 / area * (vec2(right.y, down.y) * (z.y - z.x) + vec2(right.z, down.z) * (z.z - z.x));
float nearest = max(max(z.x, z.y), z.z), farthest = min(min(z.x, z.y), z.z);
int count = min(min(most.x, most.y), most.z) < 0 ? 0 : many.x * many.y;
ivec2 at = ivec2(0);
for (int k = 0; k < count; k++) {
    ivec3 inside = e + right * at.x + down * at.y;
    if ((inside.x | inside.y | inside.z) >= 0) {
        uint near = level(clamp(start + slope.x * float(at.x) + slope.y * float(at.y), farthest, nearest));
        int pixel = (low.y + at.y) * extent.x + low.x + at.x;
        $if(pass == 0){for (bool on = near > depth[pixel]; on; on = false) atomicMax(depth[pixel], near);}
        $if(pass == 1){for (bool on = near == depth[pixel]; on; on = false) atomicMin(seen[pixel], id);}
        $if(pass == 2){for (bool on = near > depth[pixel]; on; on = false) atomicAdd(seen[pixel], 1);}
        $if(pass == 3){for (bool on = near > depth[pixel] && id > last[pixel]; on; on = false) atomicMin(seen[pixel], id);}
    }
    at.x++;
    if (at.x == many.x) at = ivec2(0, at.y + 1);
}
