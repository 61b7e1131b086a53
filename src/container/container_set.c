/* Pages of a container as a set to launch over; and all that is mapped. */
#include "container/container_parts.h"
#include "container/paged.h"

#include <stdlib.h>

/* Uploads packed origins, which are `count` * rank ints. */
static bool upload(const Container *c, const int32_t *packed, int64_t count, PageSet *set, Stream *origins)
{
    Shape shape = {1, {count * container_elements(c)->shape.rank}};
    set->origins = origins;
    set->count = count;
    set->aligned = true;
    set->unbounded = !container_bounded(c);
    if (!stream_create(c->memory.device, type_of(SCALAR_INT, 1), &shape, false, origins)) {
        return false;
    }
    if (count > 0 && !buffer_write(origins->buffer, 0, packed, stream_bytes(origins))) {
        stream_release(origins);
        return false;
    }
    return true;
}

/* How many elements of the shape a page has. */
static int64_t page_elements(const Container *c, const PageEntry *entry, const int64_t *page)
{
    int64_t count = 1;
    for (int d = 0; d < c->whole.shape.rank; d++) {
        int64_t left = c->whole.shape.size[c->whole.shape.rank - 1 - d] - entry->page[d] * page[d];
        count *= !container_bounded(c) || left > page[d] ? page[d] : left;
    }
    return count;
}

bool container_list_set(const Container *c, const PageList *list, PageSet *set, Stream *origins)
{
    int rank = c->whole.shape.rank;
    int32_t *packed = malloc((list->count + 1) * (size_t)rank * sizeof *packed);
    if (!packed) {
        return error_set("out of host memory");
    }
    *set = (PageSet){0};
    translator_page_sizes(c->translator, set->page);
    for (size_t i = 0; i < list->count; i++) {
        set->elements += page_elements(c, &list->items[i], set->page);
        for (int d = 0; d < rank; d++) {
            packed[i * (size_t)rank + (size_t)d] = (int32_t)(list->items[i].page[d] * set->page[d]);
        }
    }
    bool done = upload(c, packed, (int64_t)list->count, set, origins);
    free(packed);
    return done;
}

bool container_whole_set(const Container *c, int64_t count, PageSet *set, Stream *origins)
{
    static const int32_t origin[SHAPE_MAX_RANK];
    const Shape *shape = &container_elements(c)->shape;
    *set = (PageSet){.elements = count * stream_elements(container_elements(c))};
    for (int d = 0; d < shape->rank; d++) {
        set->page[d] = shape->size[shape->rank - 1 - d];
    }
    return upload(c, origin, set->elements > 0 ? count : 0, set, origins);
}

bool container_mapped(const Container *c, PageList *list)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    container_bounds(c, first, last);
    PageBox box = paged_box(c->translator, first, last);
    return paged_collect(c->translator, &box, list);
}

bool container_paged(const Container *c)
{
    TranslatorInfo info = translator_info(c->translator);
    return info.pages && !info.levels;
}

static void forget(Stream *origins)
{
    if (origins->device) {
        stream_release(origins);
    }
}

void container_remapped(Container *c, bool unmapped)
{
    forget(&c->origins);
    if (unmapped) {
        forget(&c->ready);
    }
}

static bool same_origins(const Stream *known, const PageSet *set)
{
    return known->device && known->buffer == set->origins->buffer && known->offset == set->origins->offset &&
           shape_equal(&known->shape, &set->origins->shape);
}

bool container_is_ready(const Container *c, const PageSet *set)
{
    return c->pooled && !c->shares && (same_origins(&c->origins, set) || same_origins(&c->ready, set));
}

void container_note_ready(Container *c, const PageSet *set)
{
    forget(&c->ready);
    stream_copy_view(set->origins, &c->ready);
}

/* What was found before, where the pages are the container's own. */
static bool known_set(const Container *c, PageSet *set, Stream *origins)
{
    *set = (PageSet){.origins = origins,
                     .count = translator_info(c->translator).mapped,
                     .elements = c->elements,
                     .aligned = true,
                     .unbounded = !container_bounded(c)};
    translator_page_sizes(c->translator, set->page);
    stream_copy_view(&c->origins, origins);
    return true;
}

bool container_active(Container *c, PageSet *set, Stream *origins)
{
    PageList list = {0};
    if (!container_paged(c)) {
        return container_whole_set(c, 1, set, origins);
    }
    if (c->origins.device) {
        return known_set(c, set, origins);
    }
    bool done = container_mapped(c, &list) && container_list_set(c, &list, set, origins);
    page_list_free(&list);
    if (done && c->pooled) {
        stream_copy_view(origins, &c->origins);
        c->elements = set->elements;
    }
    return done;
}
