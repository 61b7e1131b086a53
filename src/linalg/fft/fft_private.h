/* What the files of transforms share. */
#ifndef RILL_FOURIER_PRIVATE_H
#define RILL_FOURIER_PRIVATE_H

#include "base/strbuf.h"
#include "linalg/fft/plan.h"
#include "linalg/fft/twiddles.h"
#include "shared/fft_words.h"

/* fourier_run for a length that is served, and for any other. */
bool fourier_run_passes(const Fourier *f, bool own, Stream *s);
bool fourier_run_chirp(const Fourier *f, bool own, Stream *s);

/* The most passes: of a length of which each takes a factor of 2. */
enum { FOURIER_PASSES = 32 };

/* What one pass does, as in fft_pass.comp: `rest` is m there. */
typedef struct FourierPass {
    int64_t radix, rest, stride;
} FourierPass;

/* A family's way. Passes are found the last one first; `last`: it multiplies by the scale. */
typedef struct FourierFamily {
    int (*find)(const Fourier *f, const Stream *s, FourierPass passes[FOURIER_PASSES]);
    bool (*run)(const Fourier *f, const FourierPass *pass, bool last, const Stream *from, Stream *to);
    int64_t
        part; /* elements that all passes take before the next ones, so that they stay in a cache; 0: all there are */
} FourierFamily;

extern const FourierFamily fourier_lanes;  /* butterflies in registers, for processors */
extern const FourierFamily fourier_groups; /* transforms in shared memory, for GPUs */

bool fourier_wide(const Stream *s); /* whether elements are dvec2 */
/* The constants of fft_butterflies.glsl. */
const char *fourier_declarations(bool wide);
/* The words that both families' passes have; columns of `unit` elements. */
void fourier_fill(const Fourier *f, const FourierPass *pass, bool last, const Stream *from, const Stream *to, int unit,
                  uint32_t *words);

#endif
