$section(forward)
// Eliminates rows `first` to last - 1 of a system per lane. Pivot row j, q x[j] + r x[j + 1] + t x[j + 2] = g, of system s is stored in w at (4 * j + k) * systems + s,
// k = 0 to 3 for q, r, t, g. `carry` has the current row from one launch to the next.
kernel void forward($T lower[], $T diagonal[], $T upper[], int ls, int ds, int us, int shift, $T b[], int n, int systems, int first,
                    int last, inout $T w[], inout $T carry[], inout int bad[], iter int lane<>) {
    int s = indexof(lane).x;
    $T p = carry[3 * s], r = carry[3 * s + 1], g = carry[3 * s + 2];
    if (first == 0) {
        p = diagonal[s * ds];
        r = n > 1 ? upper[s * us] : $T(0);
        g = b[s * n];
    }
    for (int j = first; j < last; j++) {
        int i = min(j + 1, n - 1), e = 4 * j * systems + s;
        bool more = j + 1 < n;
        $T l = more ? lower[s * ls + max(i - shift, 0)] : $T(0), d = more ? diagonal[s * ds + i] : $T(0);
        $T u = i + 1 < n ? upper[s * us + min(i, max(n - 2, 0))] : $T(0), y = more ? b[s * n + i] : $T(0);
        bool stay = abs(p) >= abs(l);
        $T q = stay ? p : l, f = stay ? l : p;
        if (q == $T(0)) {
            if (bad[s] == 0) { bad[s] = j + 1; }
            q = $T(1);
            f = $T(0);
        }
        f /= q;
        w[e] = q;
        w[e + systems] = stay ? r : d;
        w[e + 2 * systems] = stay ? $T(0) : u;
        w[e + 3 * systems] = stay ? g : y;
        p = stay ? d - f * r : r - f * d;
        r = stay ? u : -f * u;
        g = stay ? y - f * g : g - f * y;
    }
    carry[3 * s] = p;
    carry[3 * s + 1] = r;
    carry[3 * s + 2] = g;
}

$section(back)
kernel void back($T w[], int n, int systems, int first, int last, inout $T x[], inout $T carry[], iter int lane<>) {
    int s = indexof(lane).x;
    $T one = last == n ? $T(0) : carry[3 * s], two = last == n ? $T(0) : carry[3 * s + 1];
    for (int j = last - 1; j >= first; j--) {
        int e = 4 * j * systems + s;
        $T v = (w[e + 3 * systems] - w[e + systems] * one - w[e + 2 * systems] * two) / w[e];
        x[s * n + j] = v;
        two = one;
        one = v;
    }
    carry[3 * s] = one;
    carry[3 * s + 1] = two;
}

$section(reduce)
// Reduces a part to two rows of the smaller system, for its first and last unknown. The pivot rows between them are stored in w as in `forward`, but with a
// fifth coefficient a, of the part's first unknown. Far from it, a is negligible compared with the pivot, and is set to zero before it becomes denormal,
// because denormal numbers are slow on most devices.
int rill_first(int k, int n, int parts) { return k * (n / parts) + min(k, n % parts); }
kernel void reduce_parts($T lower[], $T diagonal[], $T upper[], int ls, int ds, int us, int shift, $T b[], int n, int parts, int systems,
                         inout $T w[], inout int bad[], out $T low<>, out $T middle<>, out $T high<>, out $T right<>) {
    int lane = indexof(low).x / 2, s = lane / parts, k = lane % parts, side = indexof(low).x % 2, lanes = parts * systems;
    int begin = rill_first(k, n, parts), end = rill_first(k + 1, n, parts) - 1, step = side == 1 ? 1 : -1;
    int i = side == 1 ? begin + 1 : end - 1, place = s * parts + k;
    $T lv = i > 0 ? lower[s * ls + i - shift] : $T(0), uv = i < n - 1 ? upper[s * us + i] : $T(0);
    $T a = side == 1 ? lv : uv, p = diagonal[s * ds + i], r = side == 1 ? uv : lv, g = b[s * n + i];
    for (int t = 0; t < end - begin - 1; t++) {
        i += step;
        lv = i > 0 ? lower[s * ls + max(i - shift, 0)] : $T(0);
        uv = i < n - 1 ? upper[s * us + min(i, max(n - 2, 0))] : $T(0);
        $T l = side == 1 ? lv : uv, d = diagonal[s * ds + i], u = side == 1 ? uv : lv, y = b[s * n + i];
        bool stay = abs(p) >= abs(l);
        $T q = stay ? p : l, f = stay ? l : p;
        if (q == $T(0)) {
            bad[s] = 1;
            q = $T(1);
            f = $T(0);
        }
        f /= q;
        if (side == 1) {
            int e = 5 * t * lanes + place;
            w[e] = q;
            w[e + lanes] = stay ? r : d;
            w[e + 2 * lanes] = stay ? $T(0) : u;
            w[e + 3 * lanes] = stay ? g : y;
            w[e + 4 * lanes] = stay ? a : $T(0);
        }
        a = stay ? -f * a : a;
        p = stay ? d - f * r : r - f * d;
        r = stay ? u : -f * u;
        g = stay ? y - f * g : g - f * y;
        a = abs(a) < abs(p) * $T(1e-25) ? $T(0) : a;
    }
    low = side == 1 ? a : r;
    middle = p;
    high = side == 1 ? r : a;
    right = g;
}

$section(expand)
int rill_first(int k, int n, int parts) { return k * (n / parts) + min(k, n % parts); }
kernel void expand_parts($T w[], $T y[], int n, int parts, int systems, inout $T x[], iter int lane<>) {
    int s = indexof(lane).x / parts, k = indexof(lane).x % parts, lanes = parts * systems, place = s * parts + k;
    int begin = rill_first(k, n, parts), end = rill_first(k + 1, n, parts) - 1, c = 2 * place;
    $T first = y[c], one = y[c + 1], two = k + 1 < parts ? y[min(c + 2, 2 * lanes - 1)] : $T(0);
    x[s * n + begin] = first;
    x[s * n + end] = one;
    for (int t = end - begin - 2; t >= 0; t--) {
        int e = 5 * t * lanes + place;
        $T v = (w[e + 3 * lanes] - w[e + 4 * lanes] * first - w[e + lanes] * one - w[e + 2 * lanes] * two) / w[e];
        x[s * n + begin + 1 + t] = v;
        two = one;
        one = v;
    }
}

$section(residual)
kernel void residual($A lower[], $A diagonal[], $A upper[], int ls, int ds, int us, int shift, $B b[], $X x[], int n,
                     out double r<>) {
    int e = indexof(r).x, s = e / n, i = e % n;
    double sum = double(b[e]) - double(diagonal[s * ds + i]) * double(x[e]);
    sum -= i > 0 ? double(lower[s * ls + max(i - shift, 0)]) * double(x[max(e - 1, 0)]) : 0.0lf;
    int last = s * n + n - 1;
    sum -= i < n - 1 ? double(upper[s * us + min(i, max(n - 2, 0))]) * double(x[min(e + 1, last)]) : 0.0lf;
    r = sum;
}

$section(take)
kernel void take($B b<>, double by[], int n, out $T r<>) {
    r = $T(double(b) * by[min(indexof(r).x / n, sizeof_stream(by).x - 1)]);
}

$section(add)
kernel void add($T d<>, double by[], int n, inout $X x<>) {
    x = $X(double(x) + double(d) * by[min(indexof(x).x / n, sizeof_stream(by).x - 1)]);
}
