$section(curve)
// Computes, for each bin, the share of the values above the lowest filled bin that are in the bins up to it; -1 if no other bin is filled.
kernel void curve(uint sums[], out float level<>) {
    int last = sizeof_stream(sums).x - 1, below = 0, first = last;
    while (below < first) {
        int middle = (below + first) / 2;
        bool filled = sums[middle] > 0u;
        first = filled ? middle : first;
        below = filled ? below : middle + 1;
    }
    uint lowest = sums[first], others = sums[last] - lowest;
    uint here = max(sums[indexof(level).x], lowest) - lowest;
    level = others > 0u ? float(double(here) / double(others)) : -1.0;
}

$section(apply)
// Maps a value of component c by its bin's level. Bin k holds edge k <= value < edge k + 1; the bin computed by division is off by one at most.
float equalized(float v, float curves[][], int c, float edges[], float scale) {
    int last = sizeof_stream(curves).x - 1;
    int k = int(clamp((v - edges[0]) * scale, 0.0, float(last)));
    if (v < edges[k]) k = max(k - 1, 0);
    else if (k < last && v >= edges[k + 1]) k++;
    float level = curves[c][k];
    return isnan(v) || level < 0.0 ? v : level;
}
kernel void apply($T s<>, float curves[][], float edges[], float scale, out $T r<>) { r = $result; }
