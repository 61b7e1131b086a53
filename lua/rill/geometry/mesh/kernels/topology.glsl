ivec2 ends(ivec3 t, int k) { return ivec2(t[k], t[k == 2 ? 0 : k + 1]); }
// 1 for a half-edge with the same direction as another half-edge of its edge.
kernel void same_way(ivec3 t[], int twin<>, out int same<>) {
    int h = indexof(twin).x, other = max(twin, 0);
    same = twin == -2 || twin >= 0 && ends(t[other / 3], other % 3).x == ends(t[h / 3], h % 3).x ? 1 : 0;
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
