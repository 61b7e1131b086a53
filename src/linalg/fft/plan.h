/* Fft transforms of any length. Elements are complex numbers, vec2 or dvec2. */
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
/* Replaces `s`, which is contiguous, by its transform, a new stream of the same type and shape; the old one is released, but for that its
 * memory is used where it is `own`: nobody else's, and from its buffer's start on. False with error_set: `s` is as it was, or its elements are lost.
 * Nothing waits. */
bool fft_run(const Fft *f, bool own, Stream *s);

#endif
