#include "primitive/engine/fourier_private.h"

static bool run_passes(const Fourier *f, bool own, Stream *s, Stream *spare)
{
    FourierPass passes[FOURIER_PASSES];
    bool groups = device_traits(s->device)->family == FAMILY_GPU;
    const FourierFamily *family = groups ? &fourier_groups : &fourier_lanes;
    int count = family->find(f, s, passes);
    for (int i = count - 1; i >= 0; i--) {
        if (!spare->device && !stream_create(s->device, s->type, &s->shape, false, spare)) {
            return false;
        }
        if (!family->run(f, &passes[i], i == 0, s, spare)) {
            return false;
        }
        stream_wrote(spare);
        Stream before = *s;
        *s = *spare;
        *spare = before;
        if (!own && i == count - 1) {
            stream_release(spare);
        }
    }
    return true;
}

bool fourier_run_passes(const Fourier *f, bool own, Stream *s)
{
    Stream spare = {0};
    bool done = run_passes(f, own, s, &spare);
    stream_release(&spare);
    return done;
}
