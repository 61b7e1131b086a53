/* Fourier transforms of any length. Elements are complex numbers, vec2 or dvec2. */
#ifndef RILL_LINALG_FFT_PLAN_H
#define RILL_LINALG_FFT_PLAN_H

#include "stream/stream.h"

/* Transforms along the middle dimension of outer x length x inner elements. */
typedef struct Fft {
    int64_t outer, length, inner;
    bool backwards; /* uses the conjugate roots of unity */
    double scale;   /* factor of the results */
} Fft;

/* Returns whether a length has no prime factors other than 2, 3, 5 and 7. Lengths with other factors cost more. */
bool fft_serves(int64_t length);
/* Returns the length that is at least n, for which fft_serves is true, and whose transform on the device is estimated
 * to be fastest. */
int64_t fft_above(Device *device, int64_t n);

#endif
