/* Launches over pages that are contiguous in the memory of every argument, in the same order. They
 * run over the elements in memory as over a stream: no page is looked up, and the program is that
 * for streams. */
#include "kernel/launch/launch.h"

#include "kernel/variant/address_map.h"

/* Returns whether all pages lie entirely in the shape, and all their elements are elements of the launch. */
static bool whole_pages(const Domain *domain)
{
    const PageSet *pages = domain->pages;
    bool whole = pages && pages->count > 0 && pages->aligned && !pages->masked && !pages->clipped && !pages->levels;
    for (int d = 0; whole && !pages->unbounded && d < domain->shape.rank; d++) {
        whole = domain->shape.size[domain->shape.rank - 1 - d] % pages->page[d] == 0;
    }
    return whole && kernel_page_elements(pages, domain->shape.rank) <= SHAPE_MAX_ELEMENTS;
}

/* Returns whether the kernel uses no positions and no sizes. Under check, faults report positions. */
static bool uses_no_positions(const Kernel *kernel, const Domain *domain, bool check)
{
    const Function *f = &kernel->function;
    bool fits = !check && !domain->numbered && !domain->active && f->kind == FUNCTION_KERNEL && f->group_rank == 0 &&
                !kernel->body.uses_position && !kernel->body.uses_spacing && !kernel->body.random;
    for (int i = 0; fits && i < f->param_count; i++) {
        const ParamKindInfo *kind = launch_kind(f, i);
        fits = !kind->anywhere && (!kind->along || (kind->element && !kernel->body.use[i].size));
    }
    return fits;
}

/* Makes a stream header of the elements in memory that the pages cover. It retains nothing. */
static bool take_run(const Stream *s, const Domain *domain, Stream *run)
{
    int64_t count = kernel_page_elements(domain->pages, domain->shape.rank);
    bool fits =
        s && s->map && s->map->run_begin && s->buffer && shape_equal(&s->shape, &domain->shape) && launch_begins(s);
    int64_t first = fits ? s->map->run_begin(s->map, domain->pages) : -1;
    if (first < 0) {
        return false;
    }
    *run = *s;
    run->source = SOURCE_BUFFER;
    run->map = NULL;
    run->baked = false;
    run->contiguous = true;
    run->offset += first;
    run->shape = (Shape){1, {count}};
    run->dim[0] = (ViewDim){.stride = 1, .step = 1, .div = 1};
    run->boundary[0] = BOUNDARY_CLAMP;
    return true;
}

bool launch_contiguous_pages(const Kernel *kernel, const Argument *args, const Domain *domain, bool check,
                             LinearLaunch *linear)
{
    const Function *f = &kernel->function;
    bool found = false, fits = whole_pages(domain) && uses_no_positions(kernel, domain, check);
    for (int i = 0; fits && i < f->param_count; i++) {
        linear->args[i] = args[i];
        if (launch_kind(f, i)->along) {
            fits = found = take_run(args[i].stream, domain, &linear->streams[i]);
            linear->args[i].stream = &linear->streams[i];
        }
    }
    linear->domain = (Domain){.issued = domain->issued};
    if (found && fits) {
        linear->domain.shape = (Shape){1, {kernel_page_elements(domain->pages, domain->shape.rank)}};
    }
    return found && fits;
}
