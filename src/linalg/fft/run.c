#include "linalg/fft/fft_private.h"

bool fourier_run(const Fourier *f, bool own, Stream *s)
{
    return fourier_serves(f->length) ? fourier_run_passes(f, own, s) : fourier_run_chirp(f, own, s);
}
