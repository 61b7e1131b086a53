/* Declarations shared by the files of Fourier transforms. */
#ifndef RILL_LINALG_FFT_FFT_PRIVATE_H
#define RILL_LINALG_FFT_FFT_PRIVATE_H

#include "base/strbuf.h"
#include "linalg/fft/plan.h"
#include "linalg/fft/twiddles.h"
#include "shared/fft_words.h"

/* Replaces the contiguous stream `s` by its transform, a new stream of the same type and shape, and releases the old
 * one. The length must be one for which fft_serves is true. `own`: the memory of s may be reused, because nobody else
 * uses it and s begins at the start of its buffer. Returns false with error_set on failure; s is then unchanged or its
 * elements are undefined. Does not wait. */
bool fft_run_passes(const Fft *f, bool own, Stream *s);
/* Replaces a stream by its transform as fft_run_passes does, for any length. */
bool fft_run_bluestein(const Fft *f, bool own, Stream *s);

/* Largest number of passes, each of which divides the length by 2 or more. */
enum { FFT_PASSES = 32 };

/* One pass, as in fft_pass.comp, where `rest` is called m. */
typedef struct FftPass {
    int64_t radix, rest, stride;
} FftPass;

/* The implementation for CPUs or GPUs (DeviceFamily). `find` stores the passes, the last one first, and returns their
 * number. `run` runs one pass; the `last` one multiplies by the scale. */
typedef struct FftFamily {
    int (*find)(const Fft *f, const Stream *s, FftPass passes[FFT_PASSES]);
    bool (*run)(const Fft *f, const FftPass *pass, bool last, const Stream *from, Stream *to);
    int64_t
        part; /* number of elements that go through all passes before the next elements, to stay in a cache; 0: all */
} FftFamily;

extern const FftFamily fft_registers;     /* butterflies in registers, for processors */
extern const FftFamily fft_shared_memory; /* transforms in shared memory, for GPUs */

/* Passes of lengths that are powers of two, for GPUs: exchange.c. They begin at FFT_EXCHANGE_LEAST. */
enum { FFT_EXCHANGE_LEAST = 16 };

/* Returns log2 of the greatest length of a pass. `contiguous`: the transform has one pass, without stride. */
int fft_exchange_most(const Stream *s, bool contiguous);
/* Returns whether fft_exchange_run can run a pass. */
bool fft_exchange_serves(const FftPass *pass);
/* Runs one pass, as FftFamily. */
bool fft_exchange_run(const Fft *f, const FftPass *pass, bool last, const Stream *from, Stream *to);

/* Returns the twiddle factors of a pass for fft_twiddle.glsl, a table that is kept, or NULL with error_set. */
Buffer *fft_factors(Device *device, const FftPass *pass, bool wide);
/* Returns LOW in fft_twiddle.glsl for a radix. */
int fft_low(int64_t radix);

/* Returns whether elements are dvec2. */
bool fft_wide(const Stream *s);
/* Returns the GLSL of the constants of fft_butterflies.glsl. */
const char *fft_declarations(bool wide);
/* Writes the uniform 32-bit words that the passes of both implementations have. `unit`: elements per column. */
void fft_fill(const Fft *f, const FftPass *pass, bool last, const Stream *from, const Stream *to, int unit,
              uint32_t *words);

#endif
