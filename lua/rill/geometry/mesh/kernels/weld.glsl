$use(morton)
kernel void bits(vec3 p<>, out ivec3 c<>) { c = floatBitsToInt(mix(p, vec3(0.0), equal(p, vec3(0.0)))); }
kernel void cells(vec3 p<>, vec3 low, float side, out ivec3 c<>) {
    c = ivec3(floor((dvec3(p) - dvec3(low)) / double(side)));
}
kernel void along(int order<>, ivec3 c[], int axis, out int key<>) { key = c[order][axis]; }
kernel void whole(out int order<>) { order = indexof(order).x; }
kernel void heads(ivec3 s[], out int head<>) {
    int i = indexof(head).x;
    head = i == 0 || s[i] != s[max(i - 1, 0)] ? 1 : 0;
}
kernel void starts(int head<>, int running<>, inout int start[]) {
    if (head == 1) start[running - 1] = indexof(head).x;
}
kernel void firsts(int order<>, int running<>, int start[], int orders[], inout int parent[]) {
    parent[order] = orders[start[running - 1]];
}
bool before(ivec3 a, ivec3 b) {
    return a.z != b.z ? a.z < b.z : a.y != b.y ? a.y < b.y : a.x < b.x;
}
int lower(ivec3 s[], int n, ivec3 c) {
    int from = 0;
    for (int to = n; from < to;) {
        int middle = (from + to) / 2;
        if (before(s[middle], c)) from = middle + 1; else to = middle;
    }
    return from;
}
// Sort key of the vertices of a cell: vertices that follow each other are close to each other.
kernel void finer(vec3 p<>, ivec3 c<>, vec3 low, float side, out uint key<>) {
    vec3 part = vec3((dvec3(p) - dvec3(low)) / double(side) - dvec3(c));
    key = morton(uvec3(clamp(part * 1024.0, 0.0, 1023.0)));
}
kernel void bounds(vec3 p[], int orders[], int n, out vec3 low<>, out vec3 high<>) {
    int first = indexof(low).x * $block;
    low = high = p[orders[first]];
    for (int i = first + 1; i < min(first + $block, n); i++) {
        low = min(low, p[orders[i]]);
        high = max(high, p[orders[i]]);
    }
}
kernel void wider(vec3 lows[], vec3 highs[], int n, out vec3 low<>, out vec3 high<>) {
    int first = indexof(low).x * $block;
    low = lows[first];
    high = highs[first];
    for (int i = first + 1; i < min(first + $block, n); i++) {
        low = min(low, lows[i]);
        high = max(high, highs[i]);
    }
}
bool is_far(dvec3 p, vec3 low, vec3 high, double most) {
    dvec3 away = max(max(dvec3(low) - p, p - dvec3(high)), dvec3(0.0lf));
    return dot(away, away) > most;
}
// The later cells, in the order of cells, that may have vertices near the vertices of a cell are in 13 rows of five.
// In the first row only the last two cells are later.
ivec3 place_of(int row, int across) {
    return row == 0 ? ivec3(across, 0, 0) : ivec3(across, row < 3 ? row : (row - 3) % 5 - 2, row < 3 ? 0 : (row - 3) / 5 + 1);
}
// Records in which later cells a vertex has neighbors: bit 5 * row + 2 + offset along x, in three 32-bit words per
// cell. Cells already recorded and blocks of vertices that are too far away are skipped.
kernel void near(int order<>, ivec3 s[], vec3 p[], int orders[], int running[], int start[], int cells, vec3 low[],
                 vec3 high[], vec3 lowest[], vec3 highest[], int n, float epsilon, inout uint noted[]) {
    int i = indexof(order).x, words = 3 * (running[i] - 1);
    ivec3 c = s[i];
    dvec3 own = dvec3(p[order]);
    double most = double(epsilon) * double(epsilon);
    for (int row = 0; row < 13; row++) {
        ivec3 from = c + place_of(row, row == 0 ? 1 : -2);
        int j = lower(s, n, from);
        while (j < n) {
            ivec3 other = s[j];
            if (other.z != from.z || other.y != from.y || other.x > c.x + 2) break;
            int bit = 5 * row + 2 + other.x - c.x, end = running[j] < cells ? start[running[j]] : n;
            if ((noted[words + bit / 32] >> uint(bit % 32) & 1u) != 0u) {
                j = end;
            } else {
                int block = j / $block, many = block / $block, stop = min(end, (block + 1) * $block);
                if (is_far(own, lowest[many], highest[many], most)) {
                    j = stop = min(end, (many + 1) * $block * $block);
                } else if (is_far(own, low[block], high[block], most)) {
                    j = stop;
                }
                for (; j < stop; j++) {
                    dvec3 d = dvec3(p[orders[j]]) - own;
                    if (dot(d, d) <= most) {
                        atomicOr(noted[words + bit / 32], 1u << uint(bit % 32));
                        break;
                    }
                }
                if (j < stop) j = end;
            }
        }
    }
}
kernel void least_of(int order<>, int running<>, inout int least[]) { atomicMin(least[running - 1], order); }
kernel void links(int least<>, ivec3 s[], int running[], int start[], int all[], uint noted[], int n, vout ivec2 link<>) {
    int cell = indexof(least).x;
    for (int bit = 0; bit < 65; bit++) {
        if ((noted[3 * cell + bit / 32] >> uint(bit % 32) & 1u) != 0u) {
            int j = lower(s, n, s[start[cell]] + place_of(bit / 5, bit % 5 - 2));
            push(link, ivec2(least, all[running[j] - 1]));
        }
    }
}
kernel void homes(int order<>, int running<>, int least[], int root[], inout int parent[]) {
    parent[order] = root[least[running - 1]];
}
kernel void tops(int parent<>, out int top<>) { top = parent == indexof(parent).x ? 1 : 0; }
kernel void renumber(ivec3 t<>, int parent[], int running[], out ivec3 r<>) {
    r = ivec3(running[parent[t.x]], running[parent[t.y]], running[parent[t.z]]) - 1;
}
kernel void proper(ivec3 t<>, out int r<>) { r = t.x != t.y && t.y != t.z && t.z != t.x ? 1 : 0; }
kernel void corners(ivec3 t[], int face[], out int vertex<>) {
    int c = indexof(vertex).x;
    vertex = t[face[c / 3]][c % 3];
}
kernel void numbers(int face[], out int corner<>) {
    int c = indexof(corner).x;
    corner = 3 * face[c / 3] + c % 3;
}
kernel void differ2(vec2 a<>, vec2 b<>, out int r<>) { r = a != b ? 1 : 0; }
kernel void differ3(vec3 a<>, vec3 b<>, out int r<>) { r = a != b ? 1 : 0; }
