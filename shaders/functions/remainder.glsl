// Exact remainder of least absolute value. y times a power of two is subtracted as often as it
// fits, from the largest such power down to 1. A quotient that the device computes incorrectly in
// the last place leaves a remainder that is still close to half of the subtrahend. There are at
// most 10 iterations and mostly none; compilers do not unroll a loop of 40.
int rill_exponent(double x) { return int(unpackDouble2x32(x).y >> 20u & 0x7ffu); }
double rill_less(double r, double y)
{
    precise double s = r - floor(r / y + 0.5lf) * y;
    return s;
}

double rill_remainder(double r, double y)
{
    int k = (rill_exponent(r) - rill_exponent(y)) / 28 * 28;
    for (int i = 0; i < 40; i++) {
        if (k <= 0) break;
        r = rill_less(r, y * packDouble2x32(uvec2(0u, uint(k + 1023) << 20)));
        k -= 28;
    }
    return rill_less(r, y);
}

float rill_fmod(float a, float b)
{
    double x = double(a), y = abs(double(b)), r = rill_remainder(x, y);
    r = r * x < 0.0lf ? r + sign(x) * y : r;
    return y > 3.5e38lf && abs(x) < 3.5e38lf ? a : r == 0.0lf ? uintBitsToFloat(floatBitsToUint(a) & 0x80000000u) : float(r);
}
