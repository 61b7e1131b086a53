// (a + more) / n. What the device's own quotient, maybe a product with a reciprocal, leaves is divided again, unless the quotient is
// infinite or NaN. Without a choice between doubles: of three calls in a row with one NVIDIA's compiler (580.159) hands the third one
// the second's result, and it takes doubles of arrays in loops for floats.
double rill_ratio(double a, double more, int n)
{
    double b = double(n);
    precise double q = a / b;
    double h = packDouble2x32(uvec2(0u, unpackDouble2x32(q).y));
    precise double r = (a - h * b) - (q - h) * b;
    uint finite = uint((unpackDouble2x32(q).y & 0x7ff00000u) != 0x7ff00000u) * 0xffffffffu;
    precise double f = q + (packDouble2x32(unpackDouble2x32(r) & finite) + more) / b;
    return f;
}
