/* Fourier transforms of any length. Elements are complex numbers, vec2 or dvec2. */
#ifndef RILL_LINALG_FFT_PLAN_H
#define RILL_LINALG_FFT_PLAN_H

#include "stream/stream.h"

/* Transforms along the middle dimension of outer x length x inner elements; backwards the roots of unity are the conjugate ones. Results are
 * multiplied by `scale`. */
typedef struct Fft {
    int64_t outer, length, inner;
    bool backwards;
    double scale;
} Fft;

/* Whether a length is a product of 2, 3, 5 and 7, which costs least; the best such length from n on. */
bool fft_serves(int64_t length);
int64_t fft_above(int64_t n);

#endif
