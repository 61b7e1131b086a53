const int NONE = 2147483647;
kernel void mark(bool mask<>, out int last<>, out int next<>) {
    int x = indexof(last).x;
    last = mask ? -1 : x;
    next = mask ? NONE : x;
}
kernel void square(int last<>, int next<>, out $T f<>) {
    int x = indexof(f).x;
    int near = min(last < 0 ? NONE : x - last, next == NONE ? NONE : next - x);
    f = near == NONE ? $far : $T(near) * $T(near);
}
$T cost($T f[][], int x, int y, int j) {
    $T apart = $T(abs(y - j));
    return f[j][x] + apart * apart;
}

// Finds the row of the minimum for row `at.y * step`. `above` has the results of the previous pass, for every second row of this one. all: this is the first pass.
void search($T f[][], int above[][], ivec2 at, int step, bool all, out int best, out $T least) {
    int y = at.y * step, end = sizeof_stream(f).y - 1;
    int low = all ? 0 : above[at.y / 2][at.x];
    int after = (at.y + 1) / 2;
    int high = all || after >= sizeof_stream(above).y ? end : above[after][at.x];
    $T bound = min(min(cost(f, at.x, y, low), cost(f, at.x, y, high)), f[y][at.x]);
    if (bound < $far) {
        int reach = int(sqrt(float(bound))) + 1;
        low = max(low, y - reach);
        high = min(high, y + reach);
    }
    best = low;
    least = cost(f, at.x, y, low);
    for (int j = low + 1; j <= high; j++) {
        $T c = cost(f, at.x, y, j);
        if (c < least) {
            least = c;
            best = j;
        }
    }
}
kernel void halve($T f[][], int above[][], int step, bool all, out int best<>) {
    $T least;
    search(f, above, indexof(best).xy, step, all, best, least);
}
kernel void finish($T f[][], int above[][], bool all, out float r<>) {
    int best;
    $T least;
    search(f, above, indexof(r).xy, 1, all, best, least);
    r = least < $far ? float(sqrt(double(least))) : 1.0 / 0.0;
}
