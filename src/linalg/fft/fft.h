/* Fourier transforms of streams. */
#ifndef RILL_LINALG_FFT_FFT_H
#define RILL_LINALG_FFT_FFT_H

#include "stream/stream.h"

/* The dimensions to transform, and how. */
typedef struct FftSpec {
    bool inverse; /* uses the conjugate roots and divides by the length */
    bool
        real; /* forward: transforms real numbers to half a spectrum along the last of `axes`; inverse: transforms half a spectrum to real numbers */
    int axis_count;
    int axes[SHAPE_MAX_RANK]; /* 0-based, each once; the dimension of the half spectrum last */
    /* For the inverse of half a spectrum: the length of the result along the last of `axes`. 0: 2 (m - 1), where m is
     * the number of coefficients. */
    int64_t length;
} FftSpec;

/* Returns true if a stream of this type and shape can be transformed, otherwise false with error_set. */
bool fft_accepts(const Stream *s, const FftSpec *spec);
/* Creates the transform: complex numbers (vec2 or dvec2), or real numbers for the inverse with `real`. */
bool fft_stream(const Stream *s, const FftSpec *spec, Stream *result);

#endif
