// (a + more) / n. What the device's own quotient, maybe a product with a reciprocal, leaves is divided again.
double rill_ratio(double a, double more, int n)
{
    double b = double(n);
    precise double q = a / b;
    double h = packDouble2x32(uvec2(0u, unpackDouble2x32(q).y));
    precise double r = (a - h * b) - (q - h) * b;
    precise double f = q + (r + more) / b;
    return (unpackDouble2x32(q).y & 0x7ff00000u) == 0x7ff00000u ? q + more : f;
}
