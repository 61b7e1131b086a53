/* Pages of points come and go: of few as those of boxes, of many on the device. There they are found, made unique, and given frames from a stack of the
 * free ones; there the page table is written. The host learns how many they are, and which when it is asked for a page. */
#include "container/container_private.h"
#include "container/page/page_table.h"

#include "primitive/reduction/compact.h"

#include <stdlib.h>

enum { MANY_POINTS = 1024 };

/* NULL: the host sees to the pages. An allocator is asked for each, and replicas are told of each. */
static Pages *device_pages(const Container *c, const Stream *points)
{
    Shape shape;
    Pages *pages = c->pooled ? page_table_of_translator(c->translator) : NULL;
    bool many = stream_elements(points) >= MANY_POINTS;
    return pages && many && !c->allocator.choose && !c->overlap && page_lookup_numbered(pages) &&
                   translator_points_check(points, c->whole.shape.rank, &shape)
               ? pages
               : NULL;
}

/* The frames that the host will take; NULL with error_set. */
static int32_t *next_frames(const Container *c, int64_t count)
{
    int32_t *frames = malloc((size_t)count * sizeof *frames);
    for (int64_t i = 0; frames && i < count; i++) {
        frames[i] = (int32_t)frames_next(&c->frames, i);
    }
    if (!frames) {
        error_set("out of host memory");
    }
    return frames;
}

/* What snapshots, and launches that may fail, are told: these pages were not mapped. */
static void note(Container *c, const PageList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        snapshot_note(c, &list->items[i]);
    }
    snapshot_launch_note(c, list);
}

/* Maps pages by number, which are not mapped. */
static bool map_numbers(Container *c, Pages *pages, const Stream *numbers)
{
    int64_t count = stream_elements(numbers), needed = frames_needed(&c->frames, count);
    bool noted = c->newest || c->noting;
    PageList list = {0};
    Stream frames, begins;
    bool done = page_pool_grow(c, needed) && frames_reserve(&c->frames, needed) && snapshot_reserve(c, count) &&
                (!noted || page_lookup_list(pages, numbers, &list)) && snapshot_launch_reserve(c, &list);
    int32_t *known = done ? next_frames(c, count) : NULL;
    if (!known || !free_list_take(&c->free_list, &c->frames, c->memory.device, translator_info(c->translator).page,
                                  count, &frames, &begins)) {
        page_list_free(&list);
        free(known);
        return false;
    }
    done = page_pool_fill_frames(c, &begins, c->fallback);
    if (!done) {
        free(known);
    }
    done = done && page_table_map_numbers(pages, numbers, &frames, needed, known);
    for (int64_t i = 0; done && i < count; i++) {
        frames_take(&c->frames, snapshot_number(c));
    }
    if (done) {
        note(c, &list);
    }
    stream_release(&frames);
    stream_release(&begins);
    page_list_free(&list);
    return done;
}

static bool unmap_numbers(Container *c, Pages *pages, const Stream *numbers)
{
    PageList list = {0};
    Stream frames;
    bool done = page_lookup_list(pages, numbers, &list) &&
                free_list_tell(&c->free_list, &c->frames, c->memory.device) &&
                page_table_unmap_numbers(pages, numbers, &list, &frames);
    if (done) {
        free_list_give(&c->free_list, &c->frames, &frames);
        stream_release(&frames);
        c->ready = 0;
    }
    for (size_t i = 0; done && i < list.count; i++) {
        frames_drop(&c->frames, list.items[i].frame);
    }
    page_list_free(&list);
    return done;
}

/* Those of many points that are mapped, or are not, by number, of one dimension; false where the points are wrong. */
static bool ask(Pages *pages, const Stream *points, bool mapped, Stream *numbers)
{
    Stream flat;
    if (!compact_flat(points, &flat)) {
        return false;
    }
    bool done = page_lookup_ask(pages, &flat, mapped, numbers);
    stream_release(&flat);
    return done;
}

static bool change_listed(Container *c, const Stream *points, bool (*change)(Container *c, const PageList *pages),
                          bool *found)
{
    PageList list;
    *found = page_lookup_host(c->translator, points, &list);
    bool done = *found && change(c, &list);
    page_list_free(&list);
    return done;
}

bool container_allocate_points(Container *c, const Stream *points, bool *found)
{
    if (c->pages) {
        return c->mapping->change_points(c, points, found, true);
    }
    Pages *pages = device_pages(c, points);
    Stream numbers;
    if (!pages) {
        return change_listed(c, points, page_pool_map_some, found);
    }
    *found = ask(pages, points, false, &numbers);
    if (!*found) {
        return false;
    }
    int64_t count = stream_elements(&numbers);
    bool fits = count <= page_pool_room(c), done = count == 0 || (fits && map_numbers(c, pages, &numbers));
    stream_release(&numbers);
    return fits ? done : change_listed(c, points, page_pool_map_some, found); /* which says how many are mapped */
}

bool container_free_points(Container *c, const Stream *points, bool *found)
{
    if (c->pages) {
        return c->mapping->change_points(c, points, found, false);
    }
    Pages *pages = c->newest ? NULL : device_pages(c, points);
    Stream numbers;
    if (!pages) {
        return change_listed(c, points, page_pool_unmap_some, found);
    }
    *found = ask(pages, points, true, &numbers);
    if (!*found) {
        return false;
    }
    bool done = stream_elements(&numbers) == 0 || unmap_numbers(c, pages, &numbers);
    stream_release(&numbers);
    return done;
}
