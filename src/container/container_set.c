/* Pages of a container as a region to launch over; and all that is mapped. */
#include "container/container_parts.h"
#include "container/paged.h"

#include <stdlib.h>

Region *container_list_region(const Container *c, const PageList *list)
{
    int rank = c->whole.shape.rank;
    size_t count = list->count;
    int64_t page[SHAPE_MAX_RANK];
    int32_t *origins = malloc((count + 1) * (size_t)rank * sizeof *origins);
    translator_page_sizes(c->translator, page);
    for (size_t i = 0; i < count && origins; i++) {
        for (int d = 0; d < rank; d++) {
            origins[i * (size_t)rank + (size_t)d] = (int32_t)(list->items[i].page[d] * page[d]);
        }
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

/* Where frames that follow each other begin; -1: they do not. */
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

static Region *mapped_region(Container *c)
{
    PageList list = {0};
    Region *region = NULL;
    if (container_mapped(c, &list)) {
        container_drop_outside(c, &list);
        c->active_frame = first_frame(&list);
        region = container_list_region(c, &list);
    }
    page_list_free(&list);
    return region;
}

Region *container_active(Container *c)
{
    if (container_active_known(c)) {
        return c->active;
    }
    Region *region = c->kind              ? c->kind->active(c)
                     : container_asks(c)  ? container_asked_region(c)
                     : container_paged(c) ? mapped_region(c)
                                          : container_whole_region(c, true);
    if (region) {
        region_release(c->active);
        c->active = region;
        c->active_version = translator_version(c->translator);
    }
    return region;
}
