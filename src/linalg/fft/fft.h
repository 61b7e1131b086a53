/* Fourier transforms of streams. */
#ifndef RILL_LINALG_FFT_FFT_H
#define RILL_LINALG_FFT_FFT_H

#include "stream/stream.h"

/* The dimensions to transform, and how. */
typedef struct FftSpec {
    bool inverse; /* uses the conjugate roots and divides by the length */
    bool real;    /* from real numbers to half a spectrum along the last of `axes`, or with `inverse` back */
    int axis_count;
    int axes[SHAPE_MAX_RANK]; /* 0-based, each once; the dimension of the half spectrum last */
    /* Inverse of half a spectrum: the length of the result along the last of `axes`; 0: 2 (m - 1) for m coefficients. */
    int64_t length;
} FftSpec;

/* Returns whether a stream of this type and shape can be transformed; false with error_set if not. */
bool fft_accepts(const Stream *s, const FftSpec *spec);
/* Creates the transform: complex numbers (vec2 or dvec2), or real numbers for the inverse with `real`. */
bool fft_stream(const Stream *s, const FftSpec *spec, Stream *result);

#endif
