$section(sorted)
kernel void corners(ivec3 t<>, inout int count[], out ivec3 slot<>) {
    int a = atomicAdd(count[t.x], 1), b = atomicAdd(count[t.y], 1);
    slot = ivec3(a, b, atomicAdd(count[t.z], 1));
}
// last: the running sum of the numbers of corners.
kernel void place(ivec3 t<>, ivec3 slot<>, int last[], inout int list[]) {
    int h = 3 * indexof(t).x;
    list[last[t.x] - 1 - slot.x] = h;
    list[last[t.y] - 1 - slot.y] = h + 1;
    list[last[t.z] - 1 - slot.z] = h + 2;
}
kernel void halves(ivec3 t[], out int low<>, out int high<>) {
    int h = indexof(low).x, k = h % 3;
    ivec3 v = t[h / 3];
    ivec2 e = ivec2(v[k], v[k == 2 ? 0 : k + 1]);
    low = min(e.x, e.y);
    high = max(e.x, e.y);
}
// 1 where an edge begins in the order of edges.
kernel void heads(int order<>, int low[], int high[], int orders[], out int head<>) {
    int i = indexof(head).x;
    int before = orders[max(i - 1, 0)];
    head = i == 0 || low[before] != low[order] || high[before] != high[order] ? 1 : 0;
}
kernel void number(int order<>, int running<>, inout int edge[]) { edge[order] = running - 1; }
kernel void first(int head<>, int running<>, inout int start[]) { if (head == 1) start[running - 1] = indexof(head).x; }
kernel void edges(int start<>, int starts[], int order[], int low[], int high[], int edges, int n, out ivec2 e<>,
        out ivec2 side<>) {
    int i = indexof(e).x, h = order[start];
    int count = (i + 1 < edges ? starts[i + 1] : n) - start;
    e = ivec2(low[h], high[h]);
    side = count == 2 ? ivec2(order[start + 1], h) : ivec2(h, count == 1 ? -1 : -2);
}
kernel void count_ends(ivec2 e<>, inout int valence[]) {
    atomicAdd(valence[e.x], 1);
    if (e.y != e.x) atomicAdd(valence[e.y], 1);
}
kernel void twins(int edge<>, ivec2 sides[], out int twin<>) {
    ivec2 s = sides[edge];
    twin = s.y < 0 ? s.y : s.x + s.y - indexof(twin).x;
}

$section(ring)
// The number of edges of which a vertex is the lower end, and the number of all edges at the vertex.
kernel void own(int last<>, int corners<>, int list[], ivec3 t[], out int own<>, out int valence<>) {
    int self = indexof(last).x, from = last - corners, to = last, higher = 0, all = 0;
    $call(vertex_ring)
    $for(i, ring_slots){if (near$i.n != NONE && near$i.n != near$i.before) { all++; higher += near$i.n >= self ? 1 : 0; }
    }own = higher;
    valence = all;
}
// The edges of which a vertex is the lower end follow each other. running: the running sum of their numbers.
kernel void number(int last<>, int corners<>, int running<>, int own<>, int list[], ivec3 t[], inout int edge[],
        inout ivec2 edges[], inout ivec2 sides[]) {
    int self = indexof(last).x, from = last - corners, to = last, e = running - own - 1;
    $call(vertex_ring)
    $for(i, ring_slots){if (near$i.n != NONE && near$i.n >= self) {
        if (near$i.n != near$i.before) {
            bool two = near$i.after == near$i.n, more = near$i.second == near$i.n;
            e++;
            edges[e] = ivec2(self, near$i.n);
            sides[e] = two && !more ? ivec2(max(side$i.n, side$i.after), min(side$i.n, side$i.after)) :
                ivec2(side$i.n, two ? -2 : -1);
        }
        edge[side$i.n] = e;
    }
    }
}
