/* Computes the number of elements of launches over pages, and decides whether a launch can use a
 * length that stays on the device. */
#include "kernel/kernel_private.h"

/* Returns whether elements beyond the length may be computed: no parameter's size is used, and no
 * random-access stream is written. */
static bool may_exceed_length(const Kernel *kernel, bool check)
{
    const Function *f = &kernel->function;
    bool fits = !kernel->count && f->kind == FUNCTION_KERNEL && f->group_rank == 0 && !check && !kernel->body.unbounded;
    for (int i = 0; fits && i < f->param_count; i++) {
        fits = !param_kinds[f->params[i].kind].anywhere && !kernel->body.use[i].size;
    }
    return fits;
}

static bool same_length(DeviceLength a, DeviceLength b)
{
    return a.buffer == b.buffer && a.word == b.word;
}

bool kernel_takes_length(const Kernel *kernel, const Argument *args, bool check, DeviceLength *length)
{
    const Function *f = &kernel->function;
    const Stream *first = NULL;
    for (int i = 0; i < f->param_count && !first; i++) {
        const Stream *s = kernel_stream(kernel, args, i);
        first = s && s->length.buffer ? s : NULL;
    }
    if (!first || !may_exceed_length(kernel, check)) {
        return false;
    }
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
        const Stream *s = kernel_stream(kernel, args, i);
        bool single = s && !s->length.buffer && !kind->written && stream_elements(s) == 1;
        if (!s || single || (kind->bound && !s->length.buffer)) {
            continue;
        }
        if (!kind->element || !same_length(s->length, first->length) || s->shape.size[0] != first->shape.size[0]) {
            return false;
        }
    }
    *length = first->length;
    return true;
}

int64_t kernel_page_elements(const PageSet *set, int rank)
{
    int64_t count = set->count;
    for (int d = 0; d < rank; d++) {
        bool many = count > SHAPE_MAX_ELEMENTS / set->page[d];
        count = many ? SHAPE_MAX_ELEMENTS + 1 : count * set->page[d];
    }
    return count;
}
