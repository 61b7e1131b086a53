$section(sizes)
kernel void sizes($A a[], int count, int runs, int run, out double top<>) {
    int s = indexof(top).x / runs, first = indexof(top).x % runs * run;
    for (int i = first; i < min(first + run, count); i++) { top = max(top, abs(double(a[s * count + i]))); }
}

$section(squares)
// `squares` computes the sums of squares of r and b, scaled, over runs of rows. `shares` combines the runs into || r || / || b || for each column of each system, or
// || r || where b is zero.
kernel void squares(double r[], $B b[], double by[], int n, int m, int runs, int run, out double above<>, out double below<>) {
    int e = indexof(above).x, c = e % m, first = e / m % runs * run, s = e / m / runs;
    double f = by[min(s, sizeof_stream(by).x - 1)];
    for (int i = first; i < min(first + run, n); i++) {
        double v = r[(s * n + i) * m + c] * f, w = double(b[(s * n + i) * m + c]) * f;
        above += v * v;
        below += w * w;
    }
}

$section(shares)
kernel void shares(double above[], double below[], int runs, int m, out double share<>) {
    int s = indexof(share).x / m, c = indexof(share).x % m;
    double a = 0.0lf, b = 0.0lf;
    for (int i = 0; i < runs; i++) {
        a += above[(s * runs + i) * m + c];
        b += below[(s * runs + i) * m + c];
    }
    share = a == 0.0lf ? 0.0lf : sqrt(a / (b == 0.0lf ? 1.0lf : b));
}
