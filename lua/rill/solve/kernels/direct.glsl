$section(residual)
// Computes b - A x in double, one element per lane.
kernel void residual($A a[], $B b[], $X x[], int n, int m, out double r<>) {
    int e = indexof(r).x, row = e / m * n, column = e / m / n * n * m + e % m;
    double sum = double(b[e]);
    for (int j = 0; j < n; j++) { sum -= double(a[row + j]) * double(x[column + j * m]); }
    r = sum;
}

$section(asymmetry)
// Computes, for each row, the largest difference between an element and its mirror image, and the largest element.
kernel void asymmetry($A a[], int n, out double off<>, out double most<>) {
    int row = indexof(off).x, i = row % n, column = row / n * n * n + i;
    for (int j = 0; j < n; j++) {
        double v = double(a[row * n + j]);
        off = max(off, abs(v - double(a[column + j * n])));
        most = max(most, abs(v));
    }
}
