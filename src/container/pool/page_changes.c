/* Maps and unmaps the pages of boxes, points and lists. */
#include "container/page/paged.h"
#include "container/pool/page_pool.h"

#include <inttypes.h>
#include <string.h>

/* Returns whether all elements of a page have coordinates: without bounds these are all ints except the least. */
static bool within_ints(const Container *c, const PageEntry *entry)
{
    int64_t page[SHAPE_MAX_RANK];
    translator_page_sizes(c->translator, page);
    for (int d = 0; d < c->whole.shape.rank && !container_bounded(c); d++) {
        int64_t first = entry->page[d] * page[d];
        if (first <= INT32_MIN || first + page[d] - 1 > INT32_MAX) {
            return error_set(
                "the page of coordinates %" PRId64 " .. %" PRId64
                " is out of range -2147483647 .. 2147483647: use coordinates nearer to 0, or pages of one element",
                first, first + page[d] - 1);
        }
    }
    return true;
}

bool page_changes_map(Container *c, PageList *list, int64_t requested)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!within_ints(c, &list->items[i])) {
            return false;
        }
    }
    return list->count == 0 || c->kind->map(c, list, requested);
}

/* Adds the pages of a box that are not mapped. */
static bool add_missing(const Container *c, const PageBox *box, PageList *list)
{
    int64_t page[SHAPE_MAX_RANK] = {0};
    if (box->count == 0) {
        return true;
    }
    if (!paged_synchronize(c->translator)) {
        return false;
    }
    memcpy(page, box->first, (size_t)box->rank * sizeof *page);
    do {
        if (paged_frame(c->translator, page) == NO_FRAME && !page_list_add(list, box->rank, page, NO_FRAME)) {
            return false;
        }
    } while (range_step(page, box->first, box->last, 0, box->rank));
    return true;
}

bool page_changes_missing(const Container *c, const PageBox *box, PageList *list)
{
    TranslatorInfo info = translator_info(c->translator);
    return c->kind->traits.owns_pages && box->count > info.capacity ? page_pool_refuse(c, box->count, info.mapped)
                                                                    : add_missing(c, box, list);
}

bool page_changes_box(Container *c, const int64_t *first, const int64_t *last, bool map)
{
    PageBox box = container_pages_of(c, first, last);
    PageList list = {0};
    bool done = map ? page_changes_missing(c, &box, &list) && page_changes_map(c, &list, box.count)
                    : paged_collect(c->translator, &box, &list) && c->kind->unmap(c, &list);
    page_list_free(&list);
    return done;
}

bool page_changes_pick(const Container *c, const PageList *from, bool mapped, PageList *to)
{
    if (!paged_synchronize(c->translator)) {
        return false;
    }
    for (size_t i = 0; i < from->count; i++) {
        int64_t page[SHAPE_MAX_RANK];
        page_list_page(&from->items[i], page);
        int64_t frame = paged_frame(c->translator, page);
        if ((frame != NO_FRAME) == mapped && !page_list_add(to, SHAPE_MAX_RANK, page, frame)) {
            return false;
        }
    }
    return true;
}

bool page_changes_list(Container *c, const PageList *pages, bool map)
{
    PageList list = {0};
    bool done = page_changes_pick(c, pages, !map, &list) &&
                (map ? page_changes_map(c, &list, (int64_t)pages->count) : c->kind->unmap(c, &list));
    page_list_free(&list);
    return done;
}

bool page_changes_points(Container *c, const Stream *points, bool *found, bool map)
{
    PageList list;
    *found = page_lookup_host(c->translator, points, &list);
    bool done = *found && page_changes_list(c, &list, map);
    page_list_free(&list);
    return done;
}
