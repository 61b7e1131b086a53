/* The boundary modes of the arguments and results of a launch. */
#include "kernel/kernel_private.h"
#include "kernel/variant/address_map.h"

#include <string.h>

static const ParamKindInfo *kind_of(const Function *f, int i)
{
    return &param_kinds[f->params[i].kind];
}

/* Stores the modes in a signature for a number of dimensions. Returns false if their number does not fit. */
static bool spread_modes(const ParamModes *own, int rank, Boundary modes[SHAPE_MAX_RANK])
{
    for (int d = 0; d < rank && d < SHAPE_MAX_RANK; d++) {
        modes[d] = own->mode[own->count == 1 ? 0 : d];
    }
    return own->count == 1 || own->count == rank;
}

/* results */

/* Returns whether an argument determines the modes of results. */
static bool determines(const Function *f, int i, bool neighbors, const Argument *args, const Shape *domain)
{
    const ParamKindInfo *kind = kind_of(f, i);
    bool fits = neighbors ? f->params[i].kind == PARAM_NEIGHBOR : kind->element && kind->read;
    return fits && args[i].stream && shape_equal(&args[i].stream->shape, domain);
}

static void inherit_argument(const Param *param, const Stream *s, Stream *result)
{
    Boundary modes[SHAPE_MAX_RANK];
    if (!param->modes.count) {
        stream_inherit(result, s);
    } else if (spread_modes(&param->modes, s->shape.rank, modes)) {
        stream_inherit_modes(result, modes, param->modes.outside);
    }
}

void kernel_inherit(const Kernel *kernel, const Argument *args, const Shape *domain, Stream *result)
{
    const Function *f = &kernel->function;
    bool fits = !kernel->module->library && result->shape.rank == domain->rank;
    for (int turn = 0; turn < 2 && fits && !result->inherited_boundary; turn++) {
        for (int i = 0; i < f->param_count; i++) {
            if (determines(f, i, turn == 0, args, domain)) {
                inherit_argument(&f->params[i], args[i].stream, result);
            }
        }
    }
}

/* arguments */

static bool rebinds(const Kernel *kernel, const Argument *args, int i)
{
    const Stream *s = kind_of(&kernel->function, i)->bound ? args[i].stream : NULL;
    return s && (kernel->function.params[i].modes.count || (kernel->module->library && s->inherited_boundary));
}

bool boundary_rebinds(const Kernel *kernel, const Argument *args)
{
    bool any = false;
    for (int i = 0; i < kernel->function.param_count && !any; i++) {
        any = rebinds(kernel, args, i);
    }
    return any;
}

static bool set_modes(const Function *f, const Param *param, Stream *s)
{
    Boundary modes[SHAPE_MAX_RANK] = {BOUNDARY_CLAMP};
    int rank = s->shape.rank, count = param->modes.count;
    if (count && !spread_modes(&param->modes, rank, modes)) {
        return error_set("%s: argument '%s': its signature has %d boundary modes, the stream has %d dimension%s: write "
                         "one mode, or one for each dimension",
                         f->name, param->name, count, rank, rank == 1 ? "" : "s");
    }
    if (count && s->map && s->map->blends) {
        return error_set("%s: argument '%s': its signature has boundary modes, and an adaptive container has its own: "
                         "remove them, and use q:boundary",
                         f->name, param->name);
    }
    stream_set_modes(s, modes, param->modes.outside);
    s->explicit_boundary = count != 0;
    return true;
}

const Argument *boundary_bind(const Kernel *kernel, const Argument *args, BoundArguments *bound)
{
    const Function *f = &kernel->function;
    memcpy(bound->args, args, (size_t)f->param_count * sizeof *args);
    for (int i = 0; i < f->param_count; i++) {
        if (!rebinds(kernel, args, i)) {
            continue;
        }
        bound->streams[i] = *args[i].stream;
        bound->args[i].stream = &bound->streams[i];
        if (!set_modes(f, &f->params[i], &bound->streams[i])) {
            return NULL;
        }
    }
    return bound->args;
}
