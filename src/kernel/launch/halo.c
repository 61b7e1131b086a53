/* Finds the arguments that a launch reads through replicas: pages of a container may store copies
 * of adjacent elements (a halo). */
#include "kernel/launch/launch.h"

#include "kernel/variant/address_map.h"

/* Returns whether every index outside the domain is mapped to the border, since the halo does not
 * extend beyond the domain. */
static bool comes_to_border(const Stream *s, bool value)
{
    bool comes = true;
    for (int d = 0; d < s->shape.rank; d++) {
        comes = comes && (s->boundary[d] == BOUNDARY_CLAMP || (value && s->boundary[d] == BOUNDARY_VALUE));
    }
    return comes;
}

/* Returns whether a neighbor stream can be read through replicas: all pages must be mapped. */
static bool near_pages(const Function *f, const Stream *s, const ParamUse *use, const Domain *domain)
{
    bool used = (use->offset_count || use->ranges) && use->reach <= s->map->overlap;
    return used && domain->pages && shape_equal(&s->shape, &domain->shape) && launch_begins(s) &&
           !domain->pages->levels && !f->group_rank && comes_to_border(s, true) && s->map->holds(s->map, domain->pages);
}

/* Returns whether a gather is sampled through replicas. CPU drivers share most of the arithmetic of
 * several page lookups, so several lookups cost less than the loop that searches for one page. That
 * loop is needed if some pages are unmapped. */
static bool sampled(const Device *device, const Stream *s, const ParamUse *use)
{
    return use->sample && comes_to_border(s, false) &&
           (device_traits(device)->family != FAMILY_CPU || s->map->holds(s->map, NULL));
}

static bool replicated(const Kernel *kernel, const Device *device, const Stream *s, int i, const Domain *domain)
{
    const Function *f = &kernel->function;
    const ParamUse *use = &kernel->body.use[i];
    if (!s || !s->map || s->map->overlap == 0 || s->map->open) {
        return false;
    }
    return f->params[i].kind == PARAM_NEIGHBOR ? near_pages(f, s, use, domain)
                                               : f->params[i].kind == PARAM_GATHER && sampled(device, s, use);
}

uint64_t launch_halo(const Kernel *kernel, const Device *device, const Argument *args, const Domain *domain)
{
    uint64_t bits = 0;
    for (int i = 0; i < kernel->function.param_count; i++) {
        const Stream *s = launch_kind(&kernel->function, i)->stream ? args[i].stream : NULL;
        bits |= (uint64_t)replicated(kernel, device, s, i, domain) << i;
    }
    return bits;
}

bool launch_halo_copy(const Kernel *kernel, const Argument *args, uint64_t replicated)
{
    bool done = true;
    for (int i = 0; done && replicated && i < kernel->function.param_count; i++) {
        done = !(replicated >> i & 1) || args[i].stream->map->replicate(args[i].stream->map);
    }
    return done;
}
