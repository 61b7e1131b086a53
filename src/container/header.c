/* The headers of a container, and the pages of its boxes. */
#include "container/container_private.h"
#include "container/page/paged.h"
#include "kernel/launch/copy.h"

#include <string.h>

/* Returns whether elements are stored row-major without gaps, as in a stream. */
static bool side_by_side(const Container *c, const TranslatorInfo *info)
{
    bool same = info->row_major && c->map.complete && !c->edge;
    for (int d = 0; d < info->to - 1; d++) {
        same = same && info->memory.size[d] == c->sizes[d];
    }
    return same;
}

/* Sets the strides of elements within pages, if memory consists of whole pages. */
static void set_runs(Container *c, const TranslatorInfo *info)
{
    bool any = info->pages && !info->levels && stream_elements(&c->memory) % info->page == 0;
    c->map.run_unit = 0;
    container_contiguous_set(c, any && c->kind->traits.contiguous && !texture_form(c->memory.buffer));
    if (any) {
        const Paged *paged = (const Paged *)c->translator;
        translator_page_sizes(c->translator, c->map.run);
        memcpy(c->map.stride, paged->stride, sizeof c->map.stride);
        c->map.run_unit = paged->unit;
    }
}

void container_set_whole(Container *c)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t stride = 1;
    for (int d = 0; d < info.to; d++) {
        c->sizes[d] = (int32_t)c->memory.shape.size[info.to - 1 - d];
    }
    set_runs(c, &info);
    c->whole = c->memory;
    c->whole.contiguous = side_by_side(c, &info);
    c->whole.source = c->whole.contiguous ? SOURCE_BUFFER : SOURCE_MAPPED;
    c->whole.map = c->whole.contiguous ? NULL : &c->map;
    c->whole.baked = c->map.baked;
    c->whole.shape.rank = info.rank;
    for (int d = 0; d < info.rank; d++) {
        c->whole.shape.size[d] = info.domain.known ? info.domain.size[info.rank - 1 - d] : 0;
    }
    if (c->kind->header) {
        c->kind->header(c);
    }
    for (int d = info.rank - 1; d >= 0; d--) {
        c->whole.dim[d] = (ViewDim){.stride = stride, .step = 1, .div = 1};
        c->whole.boundary[d] = BOUNDARY_CLAMP;
        stride *= c->whole.contiguous ? c->whole.shape.size[d] : 1;
        c->map.sizes[info.rank - 1 - d] = (int32_t)c->whole.shape.size[d];
    }
}

const Stream *container_elements(const Container *c)
{
    return c->elements;
}

bool container_copy_memory(const Container *c, Stream *copy)
{
    if (!copy_new(&c->memory, NULL, copy)) {
        return false;
    }
    bool done = !texture_form(c->memory.buffer) || texture_attach_copy(copy->buffer, c->memory.buffer);
    if (!done) {
        stream_release(copy);
    }
    return done;
}

void container_replace_memory(Container *c, const Stream *memory)
{
    Boundary outside[SHAPE_MAX_RANK];
    memcpy(outside, c->whole.boundary, sizeof outside);
    stream_release(&c->memory);
    stream_copy_view(memory, &c->memory);
    if (c->kind->memory_replaced) {
        c->kind->memory_replaced(c);
    }
    container_set_whole(c);
    memcpy(c->whole.boundary, outside, sizeof outside);
}

const Stream *container_whole(const Container *c)
{
    return &c->whole;
}

bool container_bounded(const Container *c)
{
    return !c->map.unbounded;
}

void container_bounds(const Container *c, int64_t *first, int64_t *last)
{
    int rank = c->whole.shape.rank;
    for (int d = 0; d < rank; d++) {
        first[d] = container_bounded(c) ? 0 : -INT32_MAX;
        last[d] = container_bounded(c) ? c->whole.shape.size[rank - 1 - d] - 1 : INT32_MAX;
    }
}

Stream container_box(const Container *c, const int64_t *first, const int64_t *last)
{
    Stream box = c->whole;
    for (int d = 0; d < box.shape.rank; d++) {
        box.contiguous = box.contiguous && last[d] - first[d] == box.shape.size[d];
        box.offset += box.map ? 0 : first[d] * box.dim[d].stride;
        box.dim[d].start = box.map ? first[d] : 0;
        box.baked = box.baked && last[d] - first[d] == box.shape.size[d];
        box.shape.size[d] = last[d] - first[d];
    }
    return box;
}

bool container_complete(const Container *c)
{
    return c->map.complete || c->query.full;
}

bool container_flat(const Container *c)
{
    return c->elements != &c->whole;
}

bool container_partial(const Container *c)
{
    return c->whole.map && !container_complete(c) && !container_flat(c);
}

bool container_paged(const Container *c)
{
    TranslatorInfo info = translator_info(c->translator);
    return info.pages && !info.levels;
}

const Translator *container_paged_part(const Container *c)
{
    const Translator *t = c->translator;
    while (!t->info.pages && t->parts[0]) {
        t = t->parts[0];
    }
    return t->info.pages ? t : NULL;
}

bool container_active_known(const Container *c)
{
    return c->active && c->active_version == translator_version(c->translator) &&
           shape_equal(&c->active->shape, &container_elements(c)->shape);
}

int64_t container_places(const Container *c, const RangeList *list, const Range *range, int64_t *number)
{
    int64_t count = range_elements(list, range), room = c->sizes[0] - range->at[0];
    *number = 0;
    for (int d = list->to - 1; d >= 0; d--) {
        if (range->at[d] < 0 || range->at[d] >= c->sizes[d]) {
            return 0;
        }
        *number = *number * c->sizes[d] + range->at[d];
    }
    return count < room ? count : room;
}

/* pages */

PageBox container_pages_of(const Container *c, const int64_t *first, const int64_t *last)
{
    int rank = c->whole.shape.rank;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        if (last[rank - 1 - d] <= first[rank - 1 - d]) {
            return (PageBox){.rank = rank};
        }
        from[d] = first[rank - 1 - d];
        to[d] = last[rank - 1 - d] - 1;
    }
    return paged_box(c->translator, from, to);
}
