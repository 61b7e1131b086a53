/* Tables of roots of unity. */
#ifndef RILL_LINALG_FFT_TWIDDLES_H
#define RILL_LINALG_FFT_TWIDDLES_H

#include "gpu/memory/constants.h"

/* Computes cos and sin of 2 pi k / n for 0 <= k < n, accurate to about the last place. */
void twiddles_find(int64_t k, int64_t n, double *x, double *y);
/* Stores the conjugate (x, -y), which forward transforms use, as element i of an array of dvec2 (`wide`) or vec2. */
void twiddles_put(void *elements, int64_t i, bool wide, double x, double y);
/* Writes constants from host memory to a buffer and frees the memory. Returns false with error_set if `elements` is
 * NULL. */
bool twiddles_write(const Constants *constants, Buffer *buffer, void *elements);

#endif
