ivec2 ends(ivec3 t, int k) { return ivec2(t[k], t[k == 2 ? 0 : k + 1]); }
kernel void halves(ivec3 t[], out int low<>, out int high<>) {
    int h = indexof(low).x;
    ivec2 e = ends(t[h / 3], h % 3);
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
// twin: the other half-edge of an edge with two triangles; -1 at a boundary, -2 if the edge has more than two.
kernel void twins(int order[], int start[], int edge<>, int edges, int n, out int twin<>) {
    int from = start[edge];
    int to = edge + 1 < edges ? start[edge + 1] : n;
    int own = indexof(twin).x;
    twin = to - from == 1 ? -1 : to - from > 2 ? -2 : order[from] + order[from + 1] - own;
}
// 1 for a half-edge with the same direction as another half-edge of its edge.
kernel void same_way(ivec3 t[], int order[], int start<>, int starts[], int edges, int n, out int same<>) {
    int e = indexof(same).x;
    int to = e + 1 < edges ? starts[e + 1] : n;
    int a = order[start];
    ivec2 first = ends(t[a / 3], a % 3);
    int count = to - start;
    same = first.x == first.y || count > 2 ? min(count - 1, 1) : 0;
    if (count == 2) {
        int b = order[start + 1];
        same = ends(t[b / 3], b % 3).x == first.x ? 1 : 0;
    }
}
kernel void vertices(int start<>, int order[], int low[], int high[], out ivec2 e<>) {
    e = ivec2(low[order[start]], high[order[start]]);
}
kernel void count_ends(ivec2 e<>, inout int valence[]) {
    atomicAdd(valence[e.x], 1);
    if (e.y != e.x) atomicAdd(valence[e.y], 1);
}
kernel void open_edges(ivec3 t[], int twin<>, vout ivec2 e<>) {
    int h = indexof(twin).x;
    if (twin == -1) push(e, ends(t[h / 3], h % 3));
}
kernel void use(ivec3 t<>, inout int used[]) { used[t.x] = 1; used[t.y] = 1; used[t.z] = 1; }
// Links the corners at the same vertex on both sides of an edge, at both ends. The two triangles may traverse the
// edge in the same direction.
kernel void fan_links(ivec3 t[], int twin<>, vout ivec2 link<>) {
    int h = indexof(twin).x;
    if (twin > h) {
        int after = h % 3 == 2 ? h - 2 : h + 1, behind = twin % 3 == 2 ? twin - 2 : twin + 1;
        bool same = ends(t[twin / 3], twin % 3).x == ends(t[h / 3], h % 3).x;
        push(link, ivec2(h, same ? twin : behind));
        push(link, ivec2(after, same ? behind : twin));
    }
}
// Hooks a root below a lower root that a link leads to. Other nodes of the tree follow in `rise`.
kernel void hook(ivec2 link<>, int parent[], inout int to[]) {
    int a = parent[link.x], b = parent[link.y];
    if (a != b) atomicMin(to[max(a, b)], min(a, b));
}
kernel void rise(int parent[], out int higher<>) {
    int i = parent[indexof(higher).x];
    for (int k = 0; k < 16; k++) i = parent[i];
    higher = i;
}
kernel void apart(ivec2 link<>, int parent[], out int r<>) { r = parent[link.x] != parent[link.y] ? 1 : 0; }
kernel void moved(int now<>, int before<>, out int r<>) { r = now != before ? 1 : 0; }
kernel void alone(int twin<>, out int r<>) { r = twin == -1 ? 1 : 0; }
kernel void roots(int parent<>, out int root<>) { root = parent == indexof(root).x ? 1 : 0; }
kernel void tops(int parent<>, int used<>, out int root<>) { root = used == 1 && parent == indexof(root).x ? 1 : 0; }
kernel void name(ivec3 t<>, int parent[], int running[], out int part<>) { part = running[parent[t.x]] - 1; }
kernel void sides(ivec3 t<>, vout ivec2 link<>) { push(link, t.xy); push(link, t.yz); }
kernel void quarters(ivec3 t[], int edge[], int n, out ivec3 q<>) {
    int f = indexof(q).x / 4, k = indexof(q).x % 4;
    ivec3 v = t[f], m = n + ivec3(edge[3 * f], edge[3 * f + 1], edge[3 * f + 2]);
    q = k == 0 ? ivec3(v.x, m.x, m.z) : k == 1 ? ivec3(m.x, v.y, m.y) : k == 2 ? ivec3(m.z, m.y, v.z) : m;
}
kernel void pinched(ivec3 t<>, out int r<>) { r = t.x == t.y || t.y == t.z || t.z == t.x ? 1 : 0; }
