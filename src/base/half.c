#include "base/half.h"

#include <math.h>

/* Converts a finite magnitude > 0. nearbyint rounds to nearest, ties to even (the default mode). */
static uint16_t half_finite(double magnitude)
{
    int exponent;
    frexp(magnitude, &exponent); /* magnitude in [2^(exponent - 1), 2^exponent) */
    int place = exponent - 11;   /* 11 significant bits */
    if (place < -24) {
        place = -24; /* subnormal */
    }
    double units = nearbyint(ldexp(magnitude, -place));
    /* A carry into the next power of two increments the exponent field, up to infinity, which is the correct
     * result. */
    double bits = units + (place + 24) * 1024.0;
    return bits >= 0x7c00 ? 0x7c00 : (uint16_t)bits;
}

uint16_t half_from_double(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value)) {
        return (uint16_t)(sign | 0x7e00);
    }
    double magnitude = fabs(value);
    if (magnitude >= 65520.0) {
        return (uint16_t)(sign | 0x7c00);
    }
    return magnitude > 0 ? (uint16_t)(sign | half_finite(magnitude)) : sign;
}

double half_to_double(uint16_t half)
{
    int exponent = (half >> 10) & 31;
    int fraction = half & 1023;
    double magnitude;
    if (exponent == 31) {
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp(fraction, -24);
    } else {
        magnitude = ldexp(1024 + fraction, exponent - 25);
    }
    return half & 0x8000 ? -magnitude : magnitude;
}
