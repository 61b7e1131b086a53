// Returns (a + more) / b. The remainder of the device's quotient, which may be a product with a
// reciprocal, is divided again, unless the quotient is infinite or NaN. Written without a selection
// between doubles: in three consecutive calls with one, NVIDIA's compiler (580.159) returns the
// second result for the third call, and it treats doubles of arrays in loops as floats.
double rill_ratio(double a, double more, double b)
{
    precise double q = a / b;
    double h = packDouble2x32(uvec2(0u, unpackDouble2x32(q).y));
    precise double r = (a - h * b) - (q - h) * b;
    uint finite = uint((unpackDouble2x32(q).y & 0x7ff00000u) != 0x7ff00000u) * 0xffffffffu;
    precise double f = q + (packDouble2x32(unpackDouble2x32(r) & finite) + more) / b;
    return f;
}
