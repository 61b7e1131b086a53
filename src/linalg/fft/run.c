#include "linalg/fft/fft_private.h"

bool fft_run(const Fft *f, bool own, Stream *s)
{
    return fft_serves(f->length) ? fft_run_passes(f, own, s) : fft_run_bluestein(f, own, s);
}
