/* Fourier transforms of streams. */
#ifndef RILL_LINALG_FFT_FFT_H
#define RILL_LINALG_FFT_FFT_H

#include "stream/stream.h"

/* Which dimensions are transformed, and how. */
typedef struct FftSpec {
    bool inverse; /* the conjugate roots, and divided by the length */
    bool real;    /* from real numbers to half a spectrum along the last of `axes`, or back */
    int axis_count;
    int axes[SHAPE_MAX_RANK]; /* from 0, each once; the half one last */
    int64_t
        length; /* of what the inverse of half a spectrum gives along that dimension; 0: 2 (m - 1) for m coefficients */
} FftSpec;

/* Whether elements and shape are such that there is a transform; false with error_set. */
bool fft_accepts(const Stream *s, const FftSpec *spec);
/* Creates the transform, vec2 or dvec2, or numbers where it goes back to real ones. */
bool fft_stream(const Stream *s, const FftSpec *spec, Stream *result);

#endif
