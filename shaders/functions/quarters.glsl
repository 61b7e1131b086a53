// Sine and cosine for devices of the cpu family, whose doubles cost twice as much as floats; for
// others see circular.glsl. |x| is reduced by n quarters of a turn, in doubles: pi / 2 is split
// into two parts (Cody and Waite 1980), of which n times the first, 33 bits, is exact up to
// 1,600,000. Beyond, errors grow with x to 2.4e-7 at 10^9. Then follows one minimax polynomial for
// the relative error, with the coefficients of the sine or of the cosine: at most 1.50 units in the
// last place for every float from 2^-13 to 1,600,000. From 2^50 on, where doubles are eighths of a
// turn apart, no reduction is possible.
float rill_quarters(float x, uint ahead, uint sign) // the sign is its highest bit
{
    float a = abs(x);
    double d = double(a < 1125899906842624.0 ? a : uintBitsToFloat(0x7fc00000u));
    precise double m = d * 0.63661977236758134lf + 6755399441055744.0lf; // 1.5 * 2^52: a number added to it is rounded to a whole number
    precise double n = m - 6755399441055744.0lf, p = n * 1.5707963267341256lf, t = d - p, r = t - n * 6.077100506506192e-11lf;
    uint quarter = unpackDouble2x32(m).x + ahead;
    bool odd = (quarter & 1u) != 0u;
    float f = float(r), z = f * f, b = odd ? 1.0 : f, c = odd ? 2.44323273e-5 : 2.83254894e-6;
    c = c * z + (odd ? -1.38873095e-3 : -1.98530659e-4);
    c = c * z + (odd ? 4.16666456e-2 : 8.3333794e-3);
    c = c * z + (odd ? -0.5 : -1.66666672e-1);
    precise float y = b + (b * z) * c;
    return int((quarter << 30) ^ sign) < 0 ? -y : y; // llvmpipe's compiler does not vectorize the flip of a sign bit before a store
}

float rill_sin(float x) { return rill_quarters(x, 0u, floatBitsToUint(x)); }
float rill_cos(float x) { return rill_quarters(x, 1u, 0u); }
