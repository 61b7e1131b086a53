// Exponential functions. The errors of GLSL's grow with the argument. x is 2 m ln 2 + r, with |r|
// at most ln 2. Twice ln 2 is split into two parts, of which m times the first is exact (Cody and
// Waite 1980). exp(r) = 1 + r + r^2 p(r), where p is the minimax polynomial of degree 5 for the
// relative error. The power of two is multiplied in two equal steps, so that denormal results are
// rounded once.
float rill_power(float x, float m, float r)
{
    float p = 1.9611819880e-4;
    p = p * r + 1.4104299480e-3;
    p = p * r + 8.3360988647e-3;
    p = p * r + 4.1661277413e-2;
    p = p * r + 1.6666615009e-1;
    p = p * r + 5.0000035763e-1;
    precise float y = 1.0 + (r + p * (r * r));
    float s = uintBitsToFloat(uint(int(m) + 127) << 23);
    precise float z = y * s * s;
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : z;
}

float rill_exp(float x)
{
    float c = clamp(x, -104.0, 89.0), m = floor(c * 0.72134752 + 0.5);
    precise float r = (c - m * 1.38671875) + m * 4.24388880e-4;
    return rill_power(x, m, r);
}

float rill_exp2(float x)
{
    float c = clamp(x, -151.0, 129.0), m = floor(c * 0.5 + 0.5);
    return rill_power(x, m, (c - 2.0 * m) * 0.693147181);
}
