$section(sobel)
kernel void sobel(neighbor $T s<>, out $T size<>, out $T across<>, out $T down<>) {
    $T a = s[-1][-1], b = s[-1][1], c = s[1][-1], d = s[1][1];
    across = (b - a) + 2.0 * (s[0][1] - s[0][-1]) + (d - c);
    down = (c - a) + 2.0 * (s[1][0] - s[-1][0]) + (d - b);
    // A power of two, by which squares of the components neither overflow nor underflow.
    $T most = max(abs(across), abs(down));
    $T scale = mix(mix($T(1.0), $T(1.3552527156068805e-20), step($T(1e18), most)), $T(1.2676506002282294e30), $T(1.0) - step($T(1e-15), most));
    $T x = across * scale, y = down * scale;
    size = sqrt(x * x + y * y) / scale;
}
