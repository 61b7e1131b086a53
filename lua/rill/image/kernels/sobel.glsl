$section(sobel)
kernel void sobel(neighbor $T s<>, out $T size<>, out $T across<>, out $T down<>) {
    $T a = s[-1][-1], b = s[-1][1], c = s[1][-1], d = s[1][1];
    across = (b - a) + 2.0 * (s[0][1] - s[0][-1]) + (d - c);
    down = (c - a) + 2.0 * (s[1][0] - s[-1][0]) + (d - b);
    size = sqrt(across * across + down * down);
}
