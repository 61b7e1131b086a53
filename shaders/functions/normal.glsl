// Logarithm, sine and cosine by series, since the drivers' functions differ by more than 1e-6.
// `precise` makes the results equal on every device.
float natural_log(float u)
{
    int e;
    float m = frexp(u, e);
    if (m < 0.70710678) { m *= 2.0; e -= 1; }
    precise float s = (m - 1.0) / (m + 1.0);
    precise float q = s * s;
    precise float p = 2.0 * s * (1.0 + q * (1.0 / 3.0 + q * (0.2 + q * (1.0 / 7.0 + q * (1.0 / 9.0 + q / 11.0)))));
    precise float r = float(e) * 0.693147182464599609375 + (p - float(e) * 1.904654323148236017e-9);
    return r;
}

vec2 circle(float turns)
{
    float quarter = floor(turns * 4.0 + 0.5);
    precise float a = (turns - quarter * 0.25) * 6.283185307179586;
    precise float q = a * a;
    precise float s = a * (1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0 - q / 362880.0))));
    precise float c = 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q * (1.0 / 40320.0 - q / 3628800.0))));
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
    float r = sqrt(-2.0 * natural_log(unit(w.x)));
    return r * circle(float(w.y >> 8) * 5.9604644775390625e-8);
}
