/* Queries a translator for the mapped elements of a container, as boxes, if the container's pages are not its
 * translator's own. */
#include "container/container_private.h"
#include "container/page/paged.h"
#include "container/region/cells.h"

#include <stdlib.h>
#include <string.h>

enum { ROW = 256, SLAB = 1 << 16 };

/* A page table is queried, too, if memory ends within a frame. */
bool container_queries(const Container *c)
{
    bool whole_frames = container_paged(c) && stream_elements(&c->memory) % translator_info(c->translator).page == 0;
    return c->kind->traits.queried && c->whole.map && !c->map.complete && !whole_frames;
}

/* Adds the part of a range that lies in the domain and in memory. */
static bool add_range(Container *c, const RangeList *ranges, const Range *range)
{
    const Shape *shape = &c->whole.shape;
    RangeList part = {.rank = ranges->rank, .to = ranges->to};
    int64_t number, places = container_places(c, ranges, range, &number);
    bool done = places == 0 || range_add_part(&part, range, 0, places, range->at);
    for (size_t i = 0; done && i < part.count; i++) {
        int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK] = {0};
        bool some = true;
        for (int d = 0; d < shape->rank; d++) {
            int64_t size = shape->size[shape->rank - 1 - d];
            first[d] = part.items[i].first[d] > 0 ? part.items[i].first[d] : 0;
            last[d] = part.items[i].last[d] < size ? part.items[i].last[d] : size - 1;
            some = some && first[d] <= last[d];
        }
        done = !some || region_add_box(&c->query.boxes, first, last, shape->rank);
    }
    range_list_free(&part);
    return done;
}

static bool query_box(Container *c, const int64_t *first, const int64_t *last, void *caller)
{
    RangeList ranges = {0};
    bool done = translator_ranges(c->translator, first, last, &ranges, caller);
    for (size_t i = 0; done && i < ranges.count; i++) {
        done = add_range(c, &ranges, &ranges.items[i]);
    }
    range_list_free(&ranges);
    return done;
}

/* Queries a few rows or planes at a time, so that few ranges exist at once. */
static bool query_slabs(Container *c, const int64_t *last, void *caller)
{
    int rank = c->whole.shape.rank, across = 0;
    int64_t below = 1, from[SHAPE_MAX_RANK] = {0}, to[SHAPE_MAX_RANK];
    while (across < rank - 1 && below * (last[across] + 1) <= SLAB) {
        below *= last[across++] + 1;
    }
    int64_t slab = below < SLAB ? SLAB / below : 1;
    static const int64_t origin[SHAPE_MAX_RANK];
    memcpy(to, last, sizeof to);
    do {
        for (int d = across + 1; d < rank; d++) {
            to[d] = from[d];
        }
        for (int64_t at = 0; at <= last[across]; at += slab) {
            from[across] = at;
            to[across] = at + slab - 1 < last[across] ? at + slab - 1 : last[across];
            if (!query_box(c, from, to, caller)) {
                return false;
            }
        }
    } while (range_step(from, origin, last, across + 1, rank));
    return true;
}

static bool query_all(Container *c, void *caller)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    TranslatorInfo info = translator_info(c->translator);
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    bool few = shape_elements(&c->whole.shape) <= SHAPE_MAX_ELEMENTS;
    container_bounds(c, first, last);
    if (!few && info.pointwise) {
        return error_set("the mapped points of translator '%s' are found one by one, and its domain has more than %d "
                         "points: add the option 'ranges'",
                         info.name, INT32_MAX);
    }
    return few && !container_paged_part(c) ? query_slabs(c, last, caller) : query_box(c, origin, last, caller);
}

bool container_has(const Container *c, const Region *region)
{
    return container_complete(c) || (container_active_known(c) && (region == c->active || c->active->whole));
}

void container_share_active(Container *c, const Container *other)
{
    if (container_queries(c) && container_active_known(other)) {
        c->active = region_retain(other->active);
        c->active_version = other->active_version;
        c->query.full = other->query.full;
    }
}

bool container_query(Container *c, void *caller)
{
    if (c->query.full || container_active_known(c) || !container_queries(c)) {
        return true;
    }
    uint64_t version = translator_version(c->translator);
    if (c->query.version == version + 1) {
        return true;
    }
    c->query.boxes.count = 0;
    bool done = query_all(c, caller);
    if (done && translator_version(c->translator) != version) {
        done = error_set("a function of translator '%s' changed the mapping while the mapped points were queried",
                         translator_info(c->translator).name);
    }
    c->query.version = done ? version + 1 : 0;
    return done;
}

Region *container_queried_region(Container *c)
{
    const Shape *shape = &c->whole.shape;
    const Translator *paged = container_paged_part(c);
    int64_t cell[SHAPE_MAX_RANK];
    if (!container_query(c, NULL)) {
        return NULL;
    }
    for (int d = 0; d < shape->rank; d++) {
        int64_t row = shape->size[shape->rank - 1];
        cell[d] = d ? 1 : row < ROW ? row : ROW;
    }
    if (paged && paged->info.rank == shape->rank) {
        translator_page_sizes(paged, cell);
    }
    Region *region = region_of_boxes(c->memory.device, shape, false, &c->query.boxes, cell);
    if (region) {
        c->query.full = region->whole && !translator_info(c->translator).traits.mutable;
        free(c->query.boxes.items);
        c->query.boxes = (BoxList){0};
        c->query.version = 0;
    }
    return region;
}

/* counting */

/* Finds the mapped ranges of a box. */
static bool find_ranges(const Container *c, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    int rank = c->whole.shape.rank;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        from[d] = first[rank - 1 - d];
        to[d] = last[rank - 1 - d] - 1;
    }
    return translator_ranges(c->translator, from, to, list, caller);
}

/* Returns how many addresses of a range lie in memory; -1 with error_set. */
static int64_t range_reached(const Container *c, const RangeList *list, const Range *range)
{
    RangeList part = {.rank = list->rank, .to = list->to};
    int64_t number, count = 0, places = container_places(c, list, range, &number);
    if (range->level == 0) {
        return places;
    }
    bool done = places == 0 || range_add_part(&part, range, 0, places, range->at);
    for (size_t i = 0; done && i < part.count; i++) {
        count += range_addresses(&part, &part.items[i]);
    }
    range_list_free(&part);
    return done ? count : -1;
}

bool container_count(const Container *c, const int64_t *first, const int64_t *last, int64_t *count, void *caller)
{
    RangeList list = {0};
    Stream box = container_box(c, first, last);
    *count = stream_elements(&box);
    if (c->kind->traits.total || container_complete(c)) {
        return true;
    }
    bool done = find_ranges(c, first, last, &list, caller);
    *count = 0;
    for (size_t i = 0; done && i < list.count; i++) {
        int64_t reached = range_reached(c, &list, &list.items[i]);
        done = reached >= 0;
        *count += reached;
    }
    range_list_free(&list);
    return done;
}
