/* Tables of roots of unity. */
#ifndef RILL_LINALG_FFT_TWIDDLES_H
#define RILL_LINALG_FFT_TWIDDLES_H

#include "gpu/memory/constants.h"

/* cos and sin of 2 pi k / n, 0 <= k < n, correct to the last place or nearly. */
void twiddles_find(int64_t k, int64_t n, double *x, double *y);
/* Stores the conjugate number, by which transforms go forwards, as element i of an array of dvec2, if `wide`, or vec2. */
void twiddles_put(void *elements, int64_t i, bool wide, double x, double y);
/* Writes constants out of host memory, which it frees; NULL: there was none. */
bool twiddles_write(const Constants *constants, Buffer *buffer, void *elements);

#endif
