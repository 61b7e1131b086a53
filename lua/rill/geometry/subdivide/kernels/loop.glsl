$section(rules)
// An edge is sharp if it is a crease or a boundary, or if more than two triangles share it. A vertex of two sharp
// edges lies on their curve. A vertex of three or more stays. Up to SORTED neighbors are sorted.
#define SORTED 12
kernel void borders(ivec2 side<>, out int sharp<>) { sharp = side.y < 0 ? 1 : 0; }
kernel void crease(ivec2 c<>, ivec2 e[], int edges, inout int sharp[], inout int missing[]) {
    ivec2 key = ivec2(min(c.x, c.y), max(c.x, c.y));
    int low = 0, high = edges;
    for (int i = 0; i < 32 && low < high; i++) {
        int middle = (low + high) / 2;
        ivec2 at = e[middle];
        if (at.x < key.x || at.x == key.x && at.y < key.y) low = middle + 1; else high = middle;
    }
    if (low < edges && e[min(low, edges - 1)] == key) sharp[low] = 1; else atomicMin(missing[0], indexof(c).x);
}
kernel void ends(ivec2 e[], int edges, out int vertex<>, out int edge<>) {
    int i = indexof(vertex).x;
    edge = i < edges ? i : i - edges;
    ivec2 v = e[edge];
    vertex = i < edges ? v.x : v.y;
}
kernel void odd(ivec2 e<>, ivec2 side<>, int sharp<>, ivec3 t[], vec3 p[], out vec3 q<>) {
    precise vec3 s = 0.5 * p[e.x] + 0.5 * p[e.y];
    if (sharp == 0) {
        ivec3 here = t[side.x / 3], there = t[side.y / 3];
        vec3 c = p[here[(side.x + 2) % 3]], d = p[there[(side.y + 2) % 3]];
        s = 0.75 * s + (0.125 * c + 0.125 * d);
    }
    q = s;
}
// weights: of a neighbor, by valence. side: of a neighbor on a curve. A vertex of an edge in `stays` does not move.
kernel void even(vec3 p<>, vec3 all[], int start[], int ring[], ivec2 e[], int sharp[], int stays[], float weights[],
        float side, out vec3 q<>) {
    int v = indexof(q).x, from = start[v], to = start[v + 1], n = 0, creases = 0;
    bool stay = false;
    vec3 near[SORTED];
    precise vec3 sum = vec3(0.0), curve = vec3(0.0);
    for (int i = from; i < to; i++) {
        int edge = ring[i];
        ivec2 v2 = e[edge];
        if (v2.x != v2.y) {
            vec3 x = all[v2.x == v ? v2.y : v2.x];
            stay = stay || stays[edge] != 0;
            if (sharp[edge] != 0) { creases++; curve += x; }
            if (to - from > SORTED) sum += x;
            else {
                for (int j = 0; j < n; j++) {
                    bvec3 less = lessThan(x, near[j]);
                    vec3 low = mix(near[j], x, less);
                    x = mix(x, near[j], less);
                    near[j] = low;
                }
                near[n] = x;
            }
            n++;
        }
    }
    if (to - from <= SORTED) for (int j = 0; j < n; j++) sum += near[j];
    precise vec3 r = p;
    if (!stay && creases == 2) r = (1.0 - 2.0 * side) * p + side * curve;
    if (!stay && creases < 2) r = (1.0 - float(n) * weights[n]) * p + weights[n] * sum;
    q = r;
}
// The vertex at which each half-edge begins; `first` finds the lowest half-edge of each vertex.
kernel void leaving(ivec3 t[], out int vertex<>) { int h = indexof(vertex).x; ivec3 v = t[h / 3]; vertex = v[h % 3]; }
kernel void first(int vertex<>, inout int leave[]) { atomicMin(leave[vertex], indexof(vertex).x); }
// The normal of the limit surface for a smooth vertex whose neighbors form a ring, else `plain`.
kernel void normal(vec3 plain<>, int leave<>, int valence<>, int twin[], ivec3 t[], vec3 p[], float scale, out vec3 n<>) {
    int v = indexof(n).x, h = leave, count = 0;
    vec3 along = vec3(0.0), across = vec3(0.0);
    vec3 center = p[v];
    bool ring = h < 0x7fffffff;
    for (int i = 0; i < valence && ring; i++) {
        ivec3 corners = t[h / 3];
        ring = corners[h % 3] == v;
        vec3 x = scale * (p[corners[(h % 3 + 1) % 3]] - center);
        float angle = 6.283185307179586 * float(i) / float(valence);
        along += cos(angle) * x;
        across += sin(angle) * x;
        h = ring ? twin[h / 3 * 3 + (h % 3 + 2) % 3] : -1;
        ring = ring && h >= 0;
        count++;
        if (h == leave) break;
    }
    vec3 r = cross(along, across);
    float most = max(max(abs(r.x), abs(r.y)), abs(r.z));
    // `scale` normalizes the size of the mesh to 1. Lengths below 1e-30 are rounding errors.
    n = ring && h == leave && count == valence && most > 1e-30 ? normalize(r / most) : plain;
}
kernel void count_sharp(ivec2 e<>, int sharp<>, inout int count[]) {
    if (sharp != 0) { atomicAdd(count[e.x], 1); atomicAdd(count[e.y], 1); }
}
kernel void smooth_only(int creases<>, int valence<>, out int r<>) { r = creases < 2 ? valence : 0; }
kernel void recrease(ivec2 e<>, int crease<>, int split<>, int place<>, int n, vout ivec2 c<>) {
    if (crease != 0 && split != 0) { push(c, ivec2(e.x, n + place - 1)); push(c, ivec2(e.y, n + place - 1)); }
    if (crease != 0 && split == 0) push(c, e);
}

$section(even)
$use(float_key)
// As `even` above, for vertices whose corners are listed. Loads the neighbors in ascending order, each once, with a mark at sharp edges, and then sorts up to $most
// positions. A loop, because llvmpipe skips a loop that no lane enters, but not a branch.
kernel void even(vec3 p<>, vec3 all[], int last<>, int corners<>, int list[], ivec3 t[],
        $if(marked){int edge[], int sharp[], int stays[], }float weights[], float side, out vec3 q<>) {
    int self = indexof(p).x, from = last - corners, to = last, n = 0, creases = 0;
    bool stay = false;
    const uint END = 0xffffffffu;
    $call(vertex_ring)
    $for(i, ring_slots){uint key$i.n = END;
    if (near$i.n != NONE && near$i.n != self && near$i.n != near$i.before) {
        $if(marked){int e = edge[side$i.n];
        bool crease = sharp[e] != 0;
        stay = stay || stays[e] != 0;}$else{bool crease = near$i.after != near$i.n || near$i.second == near$i.n;}
        key$i.n = uint(near$i.n) << 1 | uint(crease);
        creases += int(crease);
        n++;
    }
    }$for(x, ring_exchanges){{ uint low = min(key$x.a, key$x.b); key$x.b = max(key$x.a, key$x.b); key$x.a = low; }
    }precise vec3 sum = vec3(0.0), curve = vec3(0.0), unsorted = vec3(0.0);
    $for(i, nearest){ivec3 x$i.n = ivec3(NONE);
    if (key$i.n != END) {
        vec3 x = all[int(key$i.n >> 1)];
        x$i.n = key(x);
        unsorted += x;
        if ((key$i.n & 1u) != 0u) curve += x;
    }
    }$for(x, value_exchanges){{ ivec3 low = min(x$x.a, x$x.b); x$x.b = max(x$x.a, x$x.b); x$x.a = low; }
    }$for(i, nearest){if (n >= $i.n) sum += value(x$i.n);
    }if (n > $most) sum = unsorted;
    int more = n - $most;
    while (more > 0) {
        $for(i, others){if (key$i.n != END) {
            vec3 x = all[int(key$i.n >> 1)];
            sum += x;
            if ((key$i.n & 1u) != 0u) curve += x;
        }
        }more = 0;
    }
    precise vec3 r = p;
    if (!stay && creases == 2) r = (1.0 - 2.0 * side) * p + side * curve;
    if (!stay && creases < 2) r = (1.0 - float(n) * weights[n]) * p + weights[n] * sum;
    q = r;
}
