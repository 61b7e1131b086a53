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

/* Windows of the rows of a stream {rows, samples}: `count` in each row, of `size` samples, `hop` apart. `weights`: a
 * contiguous stream of `size` factors at the start of its buffer, or NULL. */
typedef struct FftWindows {
    int64_t size, hop, count;
    const Stream *weights;
} FftWindows;

/* Returns whether fft_run_real transforms windows of this stream on its device, if it is aligned. */
bool fft_real_serves(const Stream *from, const FftWindows *windows);
/* Returns whether a stream is contiguous, and it and its rows begin at multiples of 4 samples. */
bool fft_real_aligned(const Stream *from);
/* Writes the half spectra of windows to a contiguous stream of vec2 {rows, count, size / 2 + 1}. Returns false with
 * error_set on failure. Does not wait. */
bool fft_run_real(const Stream *from, const FftWindows *windows, Stream *to);

#endif
