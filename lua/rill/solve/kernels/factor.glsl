$section(pivot)
// Processes column k of the panel that begins at column `first`, when that column is up to date: finds its pivot, exchanges rows of the panel, and solves for the
// elements of the next column above its diagonal. These are written to u, $width + 1 numbers for each system, of which the last is the pivot.
kernel($lanes) void pivot(int n, int first, int k, int end, int symmetric, inout $T w[], inout int order[], inout int pivots[],
                         inout int bad[], inout $T u[]) {
    shared $T best[$lanes];
    shared int place[$lanes];
    int lane = localid(), s = groupid(), base = s * n * n;
    $T top = $T(-1);
    int at = n;
    for (int i = k + lane; i < (symmetric != 0 ? k : n); i += $lanes) {
        $T v = abs(w[base + k * n + i]);
        if (v > top) { top = v; at = i; }
    }
    best[lane] = top;
    place[lane] = at;
    barrier();
    if (lane == 0) {
        int p = symmetric != 0 ? k : n;
        for (int t = 0; t < (symmetric != 0 ? 0 : $lanes); t++) {
            $T v = best[t];
            int q = place[t];
            if (v > top || (v == top && q < p)) { top = v; p = q; }
        }
        p = p < n ? p : k;
        for (int j = first; j < (p != k ? end : first); j++) {
            int e = base + j * n;
            $T one = w[e + k], other = w[e + p];
            w[e + k] = other;
            w[e + p] = one;
        }
        if (p != k) {
            int one = order[s * n + k];
            order[s * n + k] = order[s * n + p];
            order[s * n + p] = one;
        }
        $T d = w[base + k * n + k];
        bool lost = symmetric != 0 ? !(d > $T(0)) : d == $T(0);
        if (lost && bad[s] == 0) { bad[s] = k + 1; }
        if (symmetric != 0) {
            d = lost ? $T(1) : sqrt(d);
            w[base + k * n + k] = d;
        }
        pivots[s * n + k] = p;
        int v = s * ($width + 1);
        u[v + $width] = lost ? $T(1) : d;
        for (int t = first; t <= (k + 1 < end ? k : -1); t++) {
            int e = base + (k + 1) * n;
            $T sum = w[e + t];
            if (symmetric != 0) {
                sum = w[base + t * n + k + 1];
                sum = t == k ? sum / d : sum;
            }
            for (int q = first; q < (symmetric != 0 ? first : t); q++) { sum -= w[base + q * n + t] * u[v + q - first]; }
            u[v + t - first] = sum;
            w[e + t] = sum;
        }
    }
}

$section(column)
// Divides column k - 1 of a panel by its pivot, in the rows from k on, and, if the panel has a column k, subtracts the contributions of the columns before it.
kernel void column(int n, int first, int k, int end, $T u[], inout $T w[], int rows, iter int lane<>) {
    int s = indexof(lane).x / rows, i = k + indexof(lane).x % rows, base = s * n * n + i, v = s * ($width + 1);
    int e = base + (k - 1) * n;
    $T l = w[e] / u[v + $width];
    w[e] = l;
    if (k < end) {
        $T sum = w[e + n];
        for (int q = first; q < k - 1; q++) { sum -= w[base + q * n] * u[v + q - first]; }
        w[e + n] = sum - l * u[v + k - 1 - first];
    }
}

$section(exchange)
// Applies the row exchanges of a panel to all other columns.
kernel void exchange(int n, int first, int end, int pivots[], inout $T w[], iter int lane<>) {
    int columns = n - (end - first), s = indexof(lane).x / columns, j = indexof(lane).x % columns;
    j += j >= first ? end - first : 0;
    int base = (s * n + j) * n;
    for (int k = first; k < end; k++) {
        int p = pivots[s * n + k];
        $T one = w[base + k], other = w[base + p];
        w[base + k] = other;
        w[base + p] = one;
    }
}

$section(whole)
// Factors one system per lane, two columns at a time, so that each remaining element is read and written half as often.
kernel void whole(int n, int row, int column, int symmetric, inout $T w[], inout int order[], out int bad<>) {
    int s = indexof(bad).x;
    bad = 0;
    for (int k = 0; k < n; k += 2) {
        for (int c = k; c < min(k + 2, n); c++) {
            $T above = w[s + k * row + c * column];
            for (int i = c; i < (c > k ? n : c); i++) {
                w[s + i * row + c * column] -= w[s + i * row + k * column] * above;
            }
            int p = c;
            $T d = w[s + c * (row + column)], top = abs(d);
            for (int i = c + 1; i < (symmetric != 0 ? c : n); i++) {
                $T v = abs(w[s + i * row + c * column]);
                if (v > top) { top = v; p = i; }
            }
            if (p != c) {
                int one = order[s * n + c];
                order[s * n + c] = order[s * n + p];
                order[s * n + p] = one;
                for (int j = 0; j < n; j++) {
                    int e = s + j * column;
                    $T kept = w[e + c * row];
                    w[e + c * row] = w[e + p * row];
                    w[e + p * row] = kept;
                }
                d = w[s + c * (row + column)];
            }
            bool lost = symmetric != 0 ? !(d > $T(0)) : d == $T(0);
            if (lost && bad == 0) { bad = c + 1; }
            if (symmetric != 0) {
                d = lost ? $T(1) : sqrt(d);
                w[s + c * (row + column)] = d;
            }
            d = lost ? $T(1) : d;
            for (int i = c + 1; i < n; i++) {
                $T l = w[s + i * row + c * column] / d;
                w[s + i * row + c * column] = l;
                if (symmetric != 0) { w[s + c * row + i * column] = l; }
            }
        }
        int last = min(k + 1, n - 1);
        $T beside = w[s + last * row + k * column];
        for (int j = k + 2; j < (symmetric != 0 ? k : n); j++) {
            w[s + last * row + j * column] -= beside * w[s + k * row + j * column];
        }
        for (int i = k + 2; i < n; i += 4) {
            int rest = n - i, first = s + i * row, e = first + k * column;
            int r1 = min(1, rest - 1) * row, r2 = min(2, rest - 1) * row, r3 = min(3, rest - 1) * row;
            $T a = w[e], b = w[e + r1], c = w[e + r2], d = w[e + r3];
            e += column;
            $T f = w[e], g = w[e + r1], h = w[e + r2], q = w[e + r3];
            for (int j = k + 2; j < n; j++) {
                $T u = w[s + k * row + j * column], v = w[s + last * row + j * column];
                e = first + j * column;
                w[e] = w[e] - a * u - f * v;
                if (rest > 1) { w[e + r1] = w[e + r1] - b * u - g * v; }
                if (rest > 2) { w[e + r2] = w[e + r2] - c * u - h * v; }
                if (rest > 3) { w[e + r3] = w[e + r3] - d * u - q * v; }
            }
        }
    }
}

$section(substitute)
// Solves with a triangle of `width` rows for each right-hand side. Element t, q of the triangle is at d0 + s * ds + t * dt + q * dq, element t of x at
// x0 + s * xs + c * xc + t * xt. Strides are negative for back substitution.
kernel void substitute($T d[], int d0, int ds, int dt, int dq, int width, int unit, inout $T x[], int x0, int xs, int xc, int xt,
                       int systems, iter int lane<>) {
    int columns = max(-systems, 1), lane_x = indexof(lane).x;
    int s = systems > 0 ? lane_x % systems : lane_x / columns, c = systems > 0 ? lane_x / systems : lane_x % columns;
    int corner = d0 + s * ds, top = x0 + s * xs + c * xc;
    for (int t = 0; t < width; t += 4) {
        int rest = width - t, e = corner + t * dt, at = top + t * xt;
        int d1 = min(1, rest - 1) * dt, d2 = min(2, rest - 1) * dt, d3 = min(3, rest - 1) * dt;
        $T a = x[at], b = $T(0), g = $T(0), h = $T(0);
        if (rest > 1) { b = x[at + xt]; }
        if (rest > 2) { g = x[at + 2 * xt]; }
        if (rest > 3) { h = x[at + 3 * xt]; }
        for (int q = 0; q < t; q++) {
            $T v = x[top + q * xt];
            a -= d[e] * v;
            b -= d[e + d1] * v;
            g -= d[e + d2] * v;
            h -= d[e + d3] * v;
            e += dq;
        }
        a = unit != 0 ? a : a / d[e];
        x[at] = a;
        if (rest > 1) {
            b -= d[e + dt] * a;
            b = unit != 0 ? b : b / d[e + dt + dq];
            x[at + xt] = b;
        }
        if (rest > 2) {
            g -= d[e + 2 * dt] * a + d[e + 2 * dt + dq] * b;
            g = unit != 0 ? g : g / d[e + 2 * (dt + dq)];
            x[at + 2 * xt] = g;
        }
        if (rest > 3) {
            h -= d[e + 3 * dt] * a + d[e + 3 * dt + dq] * b + d[e + 3 * dt + 2 * dq] * g;
            h = unit != 0 ? h : h / d[e + 3 * (dt + dq)];
            x[at + 3 * xt] = h;
        }
    }
}

$section(arrange)
// Copies right-hand sides in the pivoted order of rows to the layout of the factors: {systems, columns, n} or {columns, n, systems}.
kernel void arrange($B b[], int order[], double by[], int n, int m, int systems, out $T x<>) {
    int e = indexof(x).x, rest = systems > 0 ? e / systems : e / n, i = systems > 0 ? rest % n : e % n;
    int s = systems > 0 ? e % systems : rest / m, c = systems > 0 ? rest / n : rest % m;
    x = $T(double(b[(s * n + order[s * n + i]) * m + c]) * by[min(s, sizeof_stream(by).x - 1)]);
}

$section(add)
// Adds the solution, scaled, to x.
kernel void add($T d[], double by[], int n, int m, int ds, int dc, int di, inout $X x<>) {
    int e = indexof(x).x, c = e % m, i = e / m % n, s = e / m / n;
    x = $X(double(x) + double(d[s * ds + c * dc + i * di]) * by[min(s, sizeof_stream(by).x - 1)]);
}

$section(rows)
// `rows` computes the largest absolute value of each row, or of its part in the upper triangle. `systems` combines the rows of each system and computes its least
// diagonal element. A NaN gives NaN.
kernel void rows($T w[], int n, int ds, int di, int dj, int upper, out $T top<>) {
    int s = indexof(top).x / n, i = indexof(top).x % n, e = s * ds + i * di;
    for (int j = upper != 0 ? i : 0; j < n; j++) {
        $T v = abs(w[e + j * dj]);
        if (v > top || v != v) { top = v; }
    }
}

$section(systems)
kernel void systems($T tops[], $T w[], int n, int ds, int di, out $T top<>, out $T least<>) {
    int s = indexof(top).x;
    least = abs(w[s * ds]);
    for (int i = 0; i < n; i++) {
        $T v = tops[s * n + i];
        if (v > top || v != v) { top = v; }
    }
    for (int i = 1; i < n; i++) { least = min(least, abs(w[s * ds + i * di])); }
}

$section(load)
kernel void load($A a[], double by[], int n, int systems, out $T w<>) {
    int e = indexof(w).x, rest = systems > 0 ? e / systems : e / n, i = systems > 0 ? rest / n : e % n;
    int s = systems > 0 ? e % systems : rest / n, j = rest % n;
    w = $T(double(a[(s * n + i) * n + j]) * by[min(s, sizeof_stream(by).x - 1)]);
}

$section(determinant)
// The determinant of each system, its sign and the logarithm of its absolute value. The product of pivots is p 2^e, so that it does not overflow. order: the
// permutation of the rows, whose inversions are counted; if the host has computed the signs of the permutations, `signs` has one for each system, else 1.
// symmetric: pivots are squares. lost: 1 for a system with a lost pivot, or one 0 for all.
kernel void determinant($T w[], int order[], double signs[], int lost[], double by[], int n, int ds, int step, int count, int symmetric,
                        out double value<>, out double sign<>, out double logarithm<>) {
    int s = indexof(value).x, e = 0, inversions = 0;
    double p = signs[min(s, sizeof_stream(signs).x - 1)], high = 2.037035976334486e90lf, low = 4.9090934652977266e-91lf;
    double scale = by[min(s, sizeof_stream(by).x - 1)];
    for (int k = 0; k < n; k++) {
        double d = double(w[s * ds + k * step]) / scale;
        for (int t = 0; t < 8; t++) {
            if (abs(d) < low && d != 0.0lf) { d *= high; e -= 300; }
            if (abs(d) > high) { d *= low; e += 300; }
        }
        p *= d;
        if (abs(p) < low && p != 0.0lf) { p *= high; e -= 300; }
        if (abs(p) > high) { p *= low; e += 300; }
        for (int q = 0; q < (k < count ? k : 0); q++) { inversions += order[s * n + q] > order[s * n + k] ? 1 : 0; }
    }
    p = (inversions & 1) != 0 ? -p : p;
    if (lost[min(s, sizeof_stream(lost).x - 1)] != 0) { p = 0.0lf; }
    if (symmetric != 0) { p *= p; e *= 2; }
    sign = p > 0.0lf ? 1.0lf : (p < 0.0lf ? -1.0lf : p);
    logarithm = log(abs(p)) + double(e) * 0.6931471805599453lf;
    value = p;
    for (int t = 0; t < 8 && e != 0; t++) {
        value *= e > 0 ? high : low;
        e += e > 0 ? -300 : 300;
    }
}

$section(lower)
// The Cholesky factors of all systems as matrices with zeros above the diagonal. by: the factors of the systems, whose roots the factors have.
kernel void lower($T w[], double by[], int n, int ds, int di, int dj, out $T l<>) {
    int e = indexof(l).x, s = e / (n * n), i = e / n % n, j = e % n;
    l = $T(0);
    if (j <= i) { l = $T(double(w[s * ds + i * di + j * dj]) / sqrt(by[min(s, sizeof_stream(by).x - 1)])); }
}
