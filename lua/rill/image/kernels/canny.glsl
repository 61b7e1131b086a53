$section(gradient)
// Computes the gradient with Sobel's weights. `size` is the square of its length, `way` its direction as multiples of 45 degrees, 0 to 3.
kernel void gradient(neighbor float s<>, out float size<>, out int way<>) {
    float a = s[-1][-1], b = s[-1][1], c = s[1][-1], d = s[1][1];
    float x = ((b - a) + 2.0 * (s[0][1] - s[0][-1]) + (d - c)) / 8.0;
    float y = ((c - a) + 2.0 * (s[1][0] - s[-1][0]) + (d - b)) / 8.0;
    size = x * x + y * y;
    way = abs(y) <= 0.41421356 * abs(x) ? 0 : abs(x) <= 0.41421356 * abs(y) ? 2 : (x > 0.0) == (y > 0.0) ? 1 : 3;
}

$section(ridges)
// Writes 2 on strong ridges, 1 on weak ridges and 0 elsewhere. Of two neighbors of equal size the first is the ridge.
kernel void ridges(neighbor float size<>, int way<>, float low, float high, out int mark<>) {
    float here = size[0][0], before, after;
    if (way == 0) { before = size[0][-1]; after = size[0][1]; }
    else if (way == 1) { before = size[-1][-1]; after = size[1][1]; }
    else if (way == 2) { before = size[-1][0]; after = size[1][0]; }
    else { before = size[-1][1]; after = size[1][-1]; }
    bool ridge = here > before && here >= after && here > 0.0;
    mark = !ridge || !(here >= low) ? 0 : here >= high ? 2 : 1;
}

$section(hysteresis)
// Every set is a tree in `parent` whose root is the set's first pixel. A pixel is united with those preceding neighbors that are not already
// connected to each other.
#define ROOT(i) for (int up = parent[i]; up != i; up = parent[i]) i = up
#define JOIN(i, k) for (int a = i, b = k;;) { \
    ROOT(a); ROOT(b); \
    if (a == b) break; \
    int more = max(a, b), less = min(a, b), was = atomicMin(parent[more], less); \
    if (was == more) break; \
    a = was; b = less; \
}
kernel void unite(int mark<>, int marks[][], inout int parent[]) {
    ivec4 at = indexof(mark), size = sizeof_stream(mark);
    int i = at.y * size.x + at.x;
    if (mark > 0) {
        bool inner = at.x > 0, above = at.y > 0;
        bool north = above && marks[at.y - 1][at.x] > 0;
        bool west = inner && marks[at.y][at.x - 1] > 0;
        bool corner = inner && above && marks[at.y - 1][at.x - 1] > 0;
        bool east = above && at.x + 1 < size.x && marks[at.y - 1][at.x + 1] > 0;
        int first = north ? i - size.x : west ? i - 1 : corner ? i - size.x - 1 : -1;
        int second = !north && east ? i - size.x + 1 : -1;
        if (first >= 0) JOIN(i, first)
        if (second >= 0) JOIN(i, second)
    }
}
kernel void roots(int mark<>, int parent[], out int root<>, inout int strong[]) {
    int i = indexof(mark).y * sizeof_stream(mark).x + indexof(mark).x;
    if (mark > 0) ROOT(i);
    root = i;
    if (mark == 2) strong[i] = 1;
}
kernel void kept(int mark<>, int root<>, int strong[], out bool r<>) { r = mark > 0 && strong[root] != 0; }
