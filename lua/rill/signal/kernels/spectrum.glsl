// Kernels of spectra. The streams are matrices of signals, frames or spectra.
$section(frames)
// Windows of `size` samples that begin every `hop` samples, times the weights. `from`: the first frame.
kernel void frames($T x[][], $T w[], int hop, int from, int before, out $T r<>) {
    ivec3 p = indexof(r).xyz;
    int n = sizeof_stream(x).x, i = (p.y + from) * hop - before + p.x;
    r = i >= 0 && i < n ? x[p.z][min(max(i, 0), n - 1)] * w[p.x] : $T(0);
}

$section(split)
// Half of the spectrum of 2 h real numbers, of which pairs are the complex numbers with the transform z. w: roots of unity.
kernel void split($C z[][][], $C w[], int h, out $C r<>) {
    ivec3 at = indexof(r).xyz;
    $C a = z[at.z][at.y][at.x == h ? 0 : at.x], b = z[at.z][at.y][at.x == 0 ? 0 : h - at.x];
    $C even = $C(a.x + b.x, a.y - b.y), odd = $C(a.y + b.y, b.x - a.x), v = w[at.x];
    r = $C(0.5) * (even + $C(odd.x * v.x - odd.y * v.y, odd.x * v.y + odd.y * v.x));
}

$section(overlap)
// The sums of the frames that overlap at each sample, times their weights, divided by the sums of the squared weights: the
// signal whose spectra are nearest (Griffin and Lim 1984). `before`: samples that are left out.
kernel void overlap($T f[][][], $T w[], int hop, int before, $T least, out $T r<>) {
    ivec2 p = indexof(r).xy;
    int size = sizeof_stream(f).x, count = sizeof_stream(f).y, i = p.x + before;
    int last = min(i / hop, count - 1), first = i < size ? 0 : (i - size) / hop + 1;
    $T sum = $T(0), square = $T(0);
    for (int k = first; k <= last; k++) {
        $T weight = w[i - k * hop];
        sum += f[p.y][k][i - k * hop] * weight;
        square += weight * weight;
    }
    r = square > least ? sum / square : $T(0);
}

$section(power)
// The squared magnitudes of half a spectrum, times a factor: twice the factor for coefficients that represent two.
kernel void power($C f<>, $T factor, int length, out $T r<>) {
    int k = indexof(r).x;
    $T twice = k == 0 || 2 * k == length ? factor : factor + factor;
    r = dot(f, f) * twice;
}

$section(line)
// The least squares lines of rows: mean and slope.
kernel void without_line($T x<>, $T mean[], $T moment[], $T middle, $T scale, out $T r<>) {
    ivec2 p = indexof(r).xy;
    r = x - (mean[p.y] + moment[p.y] * scale * ($T(p.x) - middle));
}

$section(moment)
// Deviations from the mean, times the distance from the middle in units of the length.
kernel void moments($T x<>, $T mean[], $T middle, $T per, out $T r<>) {
    ivec2 p = indexof(r).xy;
    r = (x - mean[p.y]) * (($T(p.x) - middle) * per);
}

$section(respectrum)
// Half a spectrum of another length: coefficients that are missing are 0, and the one at half of the smaller length, if
// that is even, is multiplied.
kernel void respectrum($C f[][], int least, $T factor, $T twice, out $C r<>) {
    ivec2 p = indexof(r).xy;
    int last = sizeof_stream(f).x - 1;
    r = p.x > least / 2 ? $C(0) : f[p.y][min(p.x, last)] * (2 * p.x == least ? factor * twice : factor);
}

$section(analytic)
// The spectrum of the analytic signal: twice the coefficients of positive frequencies, none of negative ones.
kernel void analytic($C f[][], int length, out $C r<>) {
    ivec2 p = indexof(r).xy;
    int last = sizeof_stream(f).x - 1;
    $C c = f[p.y][min(p.x, last)];
    r = p.x > last ? $C(0) : p.x == 0 || 2 * p.x == length ? c : c + c;
}
