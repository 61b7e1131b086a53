#include "kernel/variant/generator.h"

bool generator_faults(const Generator *g)
{
    return g->text->canary || g->key->check;
}

int generator_step_bytes(const Generator *g, int i)
{
    return g->key->args[i].type->bytes * g->layout->elements;
}

bool generator_flat_load(const Generator *g, int i)
{
    const ParamKindInfo *kind = &param_kinds[g->f->params[i].kind];
    return g->key->flat_loads && kind->element && kind->read && g->key->args[i].path == PATH_DENSE;
}
