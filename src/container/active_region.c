/* Pages of a container as regions to launch over, and the region of all mapped elements. */
#include "container/container_private.h"
#include "container/page/paged.h"
#include "container/region/cells.h"

#include <stdlib.h>

enum { MOST_GAPS = 8 };

static void put_origin(const Container *c, const PageEntry *entry, const int64_t *page, int32_t *origin)
{
    for (int d = 0; d < c->whole.shape.rank; d++) {
        origin[d] = (int32_t)(entry->page[d] * page[d]);
    }
}

Region *container_list_region(const Container *c, const PageList *list)
{
    size_t rank = (size_t)c->whole.shape.rank, count = list->count;
    int64_t page[SHAPE_MAX_RANK];
    int32_t *origins = malloc((count + 1) * rank * sizeof *origins);
    translator_page_sizes(c->translator, page);
    for (size_t i = 0; i < count && origins; i++) {
        put_origin(c, &list->items[i], page, origins + i * rank);
    }
    return region_pages(c->memory.device, &c->whole.shape, !container_bounded(c), page, origins, (int64_t)count);
}

Region *container_whole_region(const Container *c, bool all)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    const Shape *shape = &container_elements(c)->shape;
    return region_box(c->memory.device, shape, false, origin, all ? shape->size : origin);
}

Region *container_boxes_region(const Container *c, const BoxList *boxes)
{
    const Translator *paged = container_paged_part(c);
    int rank = c->whole.shape.rank;
    int64_t cell[SHAPE_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        cell[d] = rank > 1 ? 8 : 256;
    }
    if (paged && translator_info(paged).rank == rank) {
        translator_page_sizes(paged, cell);
    }
    return region_of_boxes(c->memory.device, &container_elements(c)->shape, !container_bounded(c), boxes, cell);
}

bool container_mapped(const Container *c, PageList *list)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    container_bounds(c, first, last);
    PageBox box = paged_box(c->translator, first, last);
    return paged_collect(c->translator, &box, list);
}

bool container_is_ready(const Container *c, const Region *region)
{
    return !container_sharing(c) && ((container_active_known(c) && region == c->active) || region->serial == c->ready);
}

/* Returns the first frame if the frames of a list are consecutive, otherwise -1. */
static int64_t first_frame(const PageList *list)
{
    for (size_t i = 1; i < list->count; i++) {
        if (list->items[i].frame != list->items[i - 1].frame + 1) {
            return -1;
        }
    }
    return list->count ? list->items[0].frame : -1;
}

void container_drop_outside(const Container *c, PageList *list)
{
    int64_t frames = stream_elements(&c->memory) / translator_info(c->translator).page;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].frame < frames) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* Returns the last frame of a list; -1 if the list is sorted by frames already, or has few of very many frames. */
static int64_t last_frame(const PageList *list)
{
    int64_t last = -1, count = (int64_t)list->count;
    bool ordered = true;
    for (int64_t i = 0; i < count; i++) {
        ordered = ordered && list->items[i].frame > last;
        last = list->items[i].frame > last ? list->items[i].frame : last;
    }
    return ordered || last >= MOST_GAPS * count ? -1 : last;
}

/* Returns the entries of a list sorted by frames, allocated by malloc. NULL if that is not needed, or without
 * memory. */
static const PageEntry **frame_order(const PageList *list)
{
    int64_t last = last_frame(list), count = (int64_t)list->count;
    const PageEntry **by_frame = last < 0 ? NULL : calloc((size_t)last + 1, sizeof *by_frame);
    for (int64_t i = 0; by_frame && i < count; i++) {
        by_frame[list->items[i].frame] = &list->items[i];
    }
    int64_t kept = 0;
    for (int64_t frame = 0; by_frame && frame <= last; frame++) {
        if (by_frame[frame]) {
            by_frame[kept++] = by_frame[frame];
        }
    }
    if (kept < count) { /* several pages in one frame */
        free(by_frame);
        return NULL;
    }
    return by_frame;
}

static void set_in_memory(const Container *c, Region *region, const PageEntry *const *entries)
{
    size_t rank = (size_t)c->whole.shape.rank, count = (size_t)region->set.count;
    int64_t page[SHAPE_MAX_RANK];
    int32_t *origins = malloc(count * rank * sizeof *origins);
    translator_page_sizes(c->translator, page);
    for (size_t i = 0; i < count && origins; i++) {
        put_origin(c, entries[i], page, origins + i * rank);
    }
    region_set_in_memory(region, origins);
}

static Region *mapped_region(Container *c)
{
    PageList list = {0};
    Region *region = NULL;
    if (container_mapped(c, &list)) {
        container_drop_outside(c, &list);
        c->contiguous.first = first_frame(&list);
        region = container_list_region(c, &list);
    }
    const PageEntry **entries = region ? frame_order(&list) : NULL;
    c->contiguous.least = c->contiguous.first;
    if (entries) {
        const PageEntry *first = entries[0], *last = entries[list.count - 1];
        c->contiguous.least = last->frame - first->frame + 1 == (int64_t)list.count ? first->frame : -1;
        set_in_memory(c, region, entries);
        free(entries);
    }
    page_list_free(&list);
    return region;
}

Region *container_active(Container *c)
{
    if (container_active_known(c)) {
        return c->active;
    }
    Region *region = c->kind->active        ? c->kind->active(c)
                     : container_queries(c) ? container_queried_region(c)
                     : container_paged(c)   ? mapped_region(c)
                                            : container_whole_region(c, true);
    if (region) {
        region_release(c->active);
        c->active = region;
        c->active_version = translator_version(c->translator);
    }
    return region;
}
