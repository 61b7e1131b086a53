#include "linalg/fft/fft_private.h"

/* The passes of some transforms. `count` may be 0 if there is nothing to do. The last pass writes `to`, the pass
 * before it `spare`, and so on in turn. */
typedef struct Run {
    const Fft *f;
    const FftFamily *family;
    FftPass passes[FFT_PASSES];
    int count;
    int64_t part; /* number of elements of the outer dimension that go through all passes before the next ones */
    Stream from, spare, to;
    bool whole; /* `spare` has room for all elements, else for one part */
} Run;

/* Returns a header of the elements from index `first` on. */
static Stream shifted(const Stream *s, int64_t first)
{
    Stream result = *s;
    result.offset += first;
    return result;
}

static bool run_part(const Run *r, int64_t first, int64_t count)
{
    Fft f = *r->f;
    int64_t at = first * f.length * f.inner;
    Stream from = shifted(&r->from, at), to = shifted(&r->to, at), spare = shifted(&r->spare, r->whole ? at : 0);
    const Stream *source = &from;
    f.outer = count;
    for (int i = r->count - 1; i >= 0; i--) {
        Stream *target = i % 2 == 0 ? &to : &spare;
        if (!r->family->run(&f, &r->passes[i], i == 0, source, target)) {
            return false;
        }
        source = target;
    }
    return true;
}

static bool create_spare(Run *r, const Stream *s)
{
    int64_t most = r->part < r->f->outer ? r->part : r->f->outer;
    Shape shape = {.rank = 1, .size = {most * r->f->length * r->f->inner}};
    return r->count < 2 || stream_create(s->device, s->type, &shape, false, &r->spare);
}

/* Prepares the streams. If the memory is reused, the first pass must not write the stream that it reads. */
static bool prepare(Run *r, bool own, const Stream *s)
{
    stream_copy_view(s, &r->from);
    r->whole = own && r->count % 2 != 0;
    if (own && r->count % 2 == 0) {
        stream_copy_view(s, &r->to);
        return create_spare(r, s);
    }
    if (r->whole) {
        stream_copy_view(s, &r->spare);
    }
    return stream_create(s->device, s->type, &s->shape, false, &r->to) && (r->whole || create_spare(r, s));
}

bool fft_run_passes(const Fft *f, bool own, Stream *s)
{
    bool groups = device_traits(s->device)->family == FAMILY_GPU;
    Run r = {.f = f, .family = groups ? &fft_shared_memory : &fft_registers};
    r.count = r.family->find(f, s, r.passes);
    if (r.count == 0) {
        return true;
    }
    r.part = r.family->part ? r.family->part / (f->length * f->inner) : f->outer;
    r.part = r.part > 1 ? r.part : 1;
    bool done = prepare(&r, own, s);
    for (int64_t first = 0; first < f->outer && done; first += r.part) {
        done = run_part(&r, first, r.part < f->outer - first ? r.part : f->outer - first);
    }
    stream_release(&r.from);
    stream_release(&r.spare);
    if (done) {
        stream_wrote(&r.to);
        stream_release(s);
        *s = r.to;
    } else {
        stream_release(&r.to);
    }
    return done;
}
