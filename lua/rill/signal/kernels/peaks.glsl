// Kernels of local maxima.
$section(last)
// Whether an element is the last one of a run of equal elements.
kernel void last_of_run($T x[], out bool r<>) {
    int i = indexof(r).x, n = sizeof_stream(x).x;
    r = i == n - 1 || x[i] != x[min(i + 1, n - 1)];
}

$section(peaks)
// The middles of runs whose neighbors are smaller. ends: the last elements of the runs.
kernel void peaks(int last<>, int ends[], $T x[], vout int at<>) {
    int k = indexof(last).x, n = sizeof_stream(x).x, first = ends[max(k - 1, 0)] + 1;
    if (k > 0 && last < n - 1 && x[first - 1] < x[first] && x[min(last + 1, n - 1)] < x[last]) push(at, (first + last) / 2);
}

$section(within)
kernel void within($T x<>, $T low, $T high, out bool r<>) { r = low <= x && x <= high; }

$section(pairs)
// The larger and the smaller one of pairs of elements. NaN is larger than all numbers.
kernel void pairs($T high[], $T low[], out $T most<>, out $T least<>) {
    int i = 2 * indexof(most).x, j = min(i + 1, sizeof_stream(high).x - 1);
    $T a = high[i], b = high[j];
    most = isnan(a) || isnan(b) ? $infinity : max(a, b);
    least = min(low[i], low[j]);
}

$section(prominences)
// The smallest element between p and the next larger one in direction d. Level k has the maxima and minima of 2^k
// elements from first[k] on.
$T smallest($T high[], $T low[], int first[], int levels, int p, int d) {
    $T height = high[p], least = height;
    int level = 0, at = p + d;
    for (int step = 0; step < 200; step++) { // at most 4 per level
        int size = first[level + 1] - first[level];
        if (at < 0 || at >= size) break;
        int i = first[level] + at;
        if (high[i] <= height) {
            least = min(least, low[i]);
            at += d;
            bool near = (at & 1) == (d < 0 ? 1 : 0); // its neighbor in the same pair is farther away
            if (near && level < levels - 1) { at >>= 1; level++; }
        } else if (level == 0) {
            break;
        } else {
            level--;
            at = d > 0 ? 2 * at : min(2 * at + 1, first[level + 1] - first[level] - 1);
        }
    }
    return least;
}
kernel void prominences(int at<>, $T high[], $T low[], int first[], int levels, out $T r<>) {
    r = high[at] - max(smallest(high, low, first, levels, at, -1), smallest(high, low, first, levels, at, 1));
}
