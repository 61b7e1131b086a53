/* What the files of transforms share. */
#ifndef RILL_LINALG_FFT_FFT_PRIVATE_H
#define RILL_LINALG_FFT_FFT_PRIVATE_H

#include "base/strbuf.h"
#include "linalg/fft/plan.h"
#include "linalg/fft/twiddles.h"
#include "shared/fft_words.h"

/* Replaces `s`, which is contiguous, by its transform, a new stream of the same type and shape; the old one is released, but for that its
 * memory is used where it is `own`: nobody else's, and from its buffer's start on. False with error_set: `s` is as it was, or its elements are lost.
 * Nothing waits.
 * The first is for a length that is served, the second for any other. */
bool fft_run_passes(const Fft *f, bool own, Stream *s);
bool fft_run_bluestein(const Fft *f, bool own, Stream *s);

/* The most passes: of a length of which each takes a factor of 2. */
enum { FFT_PASSES = 32 };

/* What one pass does, as in fft_pass.comp: `rest` is m there. */
typedef struct FftPass {
    int64_t radix, rest, stride;
} FftPass;

/* A family's way. Passes are found the last one first; `last`: it multiplies by the scale. */
typedef struct FftFamily {
    int (*find)(const Fft *f, const Stream *s, FftPass passes[FFT_PASSES]);
    bool (*run)(const Fft *f, const FftPass *pass, bool last, const Stream *from, Stream *to);
    int64_t
        part; /* elements that all passes take before the next ones, so that they stay in a cache; 0: all there are */
} FftFamily;

extern const FftFamily fft_registers;     /* butterflies in registers, for processors */
extern const FftFamily fft_shared_memory; /* transforms in shared memory, for GPUs */

bool fft_wide(const Stream *s); /* whether elements are dvec2 */
/* The constants of fft_butterflies.glsl. */
const char *fft_declarations(bool wide);
/* The words that both families' passes have; columns of `unit` elements. */
void fft_fill(const Fft *f, const FftPass *pass, bool last, const Stream *from, const Stream *to, int unit,
              uint32_t *words);

#endif
