// Return the lesser or the larger of two numbers, or NaN if one is NaN.
float less(float a, float b) { return b < a || b != b ? b : a; }
float more(float a, float b) { return b > a || b != b ? b : a; }

$section(over_offsets)
kernel void $name(neighbor $T s<>, out $T r<>) { $T x; r = s[$y][$x]; $others }

$section(over_mask)
kernel void over_mask(neighbor $T s<>, float mask[][], int way, int first, int last, inout $T r<>) {
    ivec2 size = sizeof_stream(mask).xy;
    if (first == 0) r = $T($worst);
    for (int k = first; k < last; k++) {
        ivec2 at = ivec2(k % size.x, k / size.x);
        $T x = s[way * (at - size / 2)];
        if (mask[at] != 0.0) r = $chosen;
    }
}
