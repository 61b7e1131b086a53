$section(types)
typedef struct { $V p; int id; $pad } Point;
typedef struct { $V low; $V high; $box_pad } Box;
$section(build)
$use(morton)
$use(points_tree)
// The order of points along a Hilbert curve, and the bounding boxes of the tree. $V: the type of a point.

// ---- order

// `cell`: numbers below 2^$bits. Returns their index on a Hilbert curve of $rank dimensions, the high word last (J.
// Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004).
$if(rank == 2){
uint apart(uint v) {
    v = (v | (v << 8)) & 0x00FF00FFu;
    v = (v | (v << 4)) & 0x0F0F0F0Fu;
    v = (v | (v << 2)) & 0x33333333u;
    return (v | (v << 1)) & 0x55555555u;
}
uint together($U x) { return (apart(x.x) << 1) | apart(x.y); }
}$else{$if(rank == 3){
uint together($U x) { return morton(x); }
}}
$if(rank == 1){}$else{
uvec2 hilbert($U x) {
    for (uint q = 1u << ($bits - 1); q > 1u; q >>= 1) {
        uint p = q - 1u;
        $for(axis, axes){
        if ((x.$axis & q) != 0u) {
            x.x ^= p;
        } else {
            uint t = (x.x ^ x.$axis) & p;
            x.x ^= t;
            x.$axis ^= t;
        }
        }
    }
    x.y ^= x.x;
    $if(rank == 3){x.z ^= x.y;}
    uint last = x.$last, t = 0u;
    for (uint q = 1u << ($bits - 1); q > 1u; q >>= 1) t ^= (last & q) != 0u ? q - 1u : 0u;
    x ^= $U(t);
    uint high = together(x >> $half), low = together(x & ((1u << $half) - 1u)); // of 30 bits each
    return uvec2(low | (high << 30), (high >> 2) | 0x20000000u); // a normal double
}
// A double whose order is that of the index on the curve. The doubles are positive and finite.
double key_of($D p, $D low, double size) {
    $D at = size > 0.0lf ? (p - low) / size : $D(0.0lf);
    return packDouble2x32(hilbert($U(clamp(at * double(1u << $bits), 0.0lf, double((1u << $bits) - 1u)))));
}
kernel void keys($V p<>, $D low, double size, out double key<>) { key = key_of($D(p), low, size); }

// Points in one cell of the curve are ordered by a curve of their own bounding box. `cell` counts the cells from 1.
kernel void begins(neighbor double key<>, neighbor int cell<>, out bool first<>) {
    first = indexof(first).x == 0 || key[0] != key[-1] || cell[0] != cell[-1];
}
int end_of(int c, int first[], int count) { return c + 1 < sizeof_stream(first).x ? first[c + 1] : count; }
kernel void unresolved(neighbor $V p<>, int cell<>, int first[], out int found<>) {
    int from = first[cell - 1], end = end_of(cell - 1, first, sizeof_stream(p).x);
    found = indexof(p).x > from && end - from > $leaf && p[0] != p[-1] ? 1 : 0;
}
kernel void refined($V p<>, int cell<>, int first[], $V low[], $V high[], out double key<>) {
    int c = cell - 1, end = end_of(c, first, sizeof_stream(cell).x);
    $D l = $D(low[c]), e = $D(high[c]) - l;
    double size = $if(rank == 2){max(e.x, e.y)}$else{max(max(e.x, e.y), e.z)};
    key = end - first[c] > $leaf ? key_of($D(p), l, size) : 0.0lf;
}
}
kernel void pack($V p<>, int id<>, out Point r<>) {
    r.p = p;
    r.id = id;
}
kernel void places(Point p<>, inout int place[]) { place[p.id] = indexof(p).x; }

// ---- boxes: node 1 is the root, 2 i and 2 i + 1 are the children of node i. Node `leaves` + j has the points from j *
// $leaf. An empty node has `low` above `high`. `least`: the lowest index of a point.

kernel void around(int node<>, int leaves, Point p[], inout Box box[], inout int least[]) {
    int from = (node - leaves) * $leaf, end = min(from + $leaf, sizeof_stream(p).x), i = 2147483647;
    Box b;
    b.low = $V(1.0 / 0.0);
    b.high = $V(-1.0 / 0.0);
    for (int k = from; k < end; k++) {
        Point q = p[k];
        b.low = min(b.low, q.p);
        b.high = max(b.high, q.p);
        i = min(i, q.id);
    }
    box[node] = b;
    least[node] = i;
}
kernel void join(int node<>, inout Box box[], inout int least[]) {
    Box b = box[2 * node], c = box[2 * node + 1];
    b.low = min(b.low, c.low);
    b.high = max(b.high, c.high);
    box[node] = b;
    least[node] = min(least[2 * node], least[2 * node + 1]);
}
