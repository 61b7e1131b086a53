#include "kernel/variant/generator.h"

bool generator_faults(const Generator *g)
{
    return g->text->canary || g->key->check || variant_partial(g->key);
}

int generator_step_bytes(const Generator *g, int i)
{
    return g->key->args[i].type->bytes * g->layout->elements;
}

bool generator_flat_load(const Generator *g, int i)
{
    return variant_flat_load(g->f, g->key, i);
}

bool generator_copies(const Generator *g)
{
    return g->layout->trips != NO_SLOT;
}
