// Sine and cosine. GLSL's may have errors of 2^-11, which exceeds small results. |x| up to 3,200 is
// reduced by n quarters of a turn: pi / 2 is split into four parts (Cody and Waite 1980), of which
// n times the first three are exact; the rounding errors of the differences are added to the last
// part. Then follow minimax polynomials for the relative error: at most 1.29 units in the last
// place for every float from 2^-12 on. For larger |x| the device's functions are used.
float rill_circular(float x, uint ahead, out uint quarter)
{
    float a = abs(x);
    precise float m = a * 0.636619772 + 12582912.0, n = m - 12582912.0; // 1.5 * 2^23: a number added to it is rounded to a whole number
    precise float p = n * 1.57055664, t = a - p, q = n * 2.39670277e-4, u = t - q, v = n * 1.58906915e-8, r = u - v;
    precise float rest = (((t - u) - q) + ((u - r) - v)) - n * 2.56334406e-12;
    quarter = floatBitsToUint(m) + ahead;
    float z = r * r, s = -1.951398e-4, c = 2.44316680e-5;
    s = s * z + 8.3321513e-3;
    s = s * z - 1.666665446e-1;
    c = c * z - 1.38873035e-3;
    c = c * z + 4.16666454e-2;
    precise float sine = r + ((r * z) * s + rest), cosine = (1.0 - 0.5 * z) + ((z * z) * c - r * rest);
    return (quarter & 1u) != 0u ? cosine : sine;
}

float rill_sin(float x)
{
    uint q, sign = floatBitsToUint(x) & 0x80000000u;
    float y = rill_circular(x, 0u, q);
    return abs(x) < 3200.0 ? uintBitsToFloat(floatBitsToUint(y) ^ sign ^ ((q & 2u) << 30)) : sin(x);
}

float rill_cos(float x)
{
    uint q;
    float y = rill_circular(x, 1u, q);
    return abs(x) < 3200.0 ? uintBitsToFloat(floatBitsToUint(y) ^ ((q & 2u) << 30)) : cos(x);
}
