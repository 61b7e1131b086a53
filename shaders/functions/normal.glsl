// Logarithm, square root, sine and cosine by sums and products, since the drivers' functions, quotients and roots
// are rounded in different ways. `precise` makes the results equal on every device.

// log(u) for u from 2^-33 to 1, with the series of Moshier (Cephes, logf). u is m 2^e, with m in
// sqrt(1/2) .. sqrt(2).
float natural_log(float u)
{
    uint w = floatBitsToUint(u) - 0x3f3504f3u;
    precise float e = float(int(w) >> 23);
    precise float f = uintBitsToFloat((w & 0x7fffffu) + 0x3f3504f3u) - 1.0;
    precise float p = 7.0376836292e-2;
    p = p * f - 1.1514610310e-1;
    p = p * f + 1.1676998740e-1;
    p = p * f - 1.2420140846e-1;
    p = p * f + 1.4249322787e-1;
    p = p * f - 1.6668057665e-1;
    p = p * f + 2.0000714765e-1;
    p = p * f - 2.4999993993e-1;
    p = p * f + 3.3333331174e-1;
    precise float y = f * f * (f * p) - e * 2.12194440e-4 - 0.5 * (f * f);
    precise float r = e * 0.693359375 + (f + y);
    return r;
}

// The square root of x >= 0, from its inverse by Newton's method.
float root(float x)
{
    precise float h = 0.5 * x, y = uintBitsToFloat(0x5f3759dfu - (floatBitsToUint(x) >> 1));
    y = y * (1.5 - h * y * y);
    y = y * (1.5 - h * y * y);
    y = y * (1.5 - h * y * y);
    precise float r = x * y;
    r = r + (x - r * r) * (0.5 * y);
    return r;
}

vec2 circle(float turns)
{
    float quarter = floor(turns * 4.0 + 0.5);
    precise float a = (turns - quarter * 0.25) * 6.283185307179586;
    precise float q = a * a;
    precise float s = a * (1.0 - q * (0.166666672 - q * (8.33333377e-3 - q * (1.98412701e-4 - q * 2.75573188e-6))));
    precise float c = 1.0 - q * (0.5 - q * (0.0416666679 - q * (1.38888892e-3 - q * (2.48015876e-5 - q * 2.75573199e-7))));
    int k = int(quarter) & 3;
    return k == 0 ? vec2(c, s) : k == 1 ? vec2(-s, c) : k == 2 ? vec2(-c, -s) : vec2(s, -c);
}

// Returns (w + 1/2) / 2^32, rounded to a float: small numbers have all their bits, for the tails of
// distributions.
float unit(uint w)
{
    precise float low = (float(w & 255u) + 0.5) * 2.3283064365386963e-10;
    precise float u = float(w >> 8u) * 5.9604644775390625e-8 + low;
    return u;
}

// Returns two normally distributed numbers for two random words (Box and Muller 1958).
vec2 pair(uvec2 w)
{
    float r = root(-2.0 * natural_log(unit(w.x)));
    precise vec2 n = r * circle(float(w.y >> 8) * 5.9604644775390625e-8);
    return n;
}
