/* Maps and unmaps the pages of points. A few points are handled like boxes, many on the device: it finds their
 * pages, removes duplicates, takes frames from a stack of free ones, and writes the page table. The host learns
 * how many pages there are, and reads back which ones when a page is accessed. */
#include "container/page/page_table.h"
#include "container/pool/page_pool.h"

#include "primitive/reduction/compact.h"

#include <stdlib.h>

enum { MANY_POINTS = 1024 };

/* Returns the page table if the device can handle the points. NULL: the host does it, since the allocator and
 * some kinds need each page. */
static Pages *device_pages(const Container *c, const Stream *points)
{
    Shape shape;
    Pages *pages = page_table_of_translator(c->translator);
    bool many = stream_elements(points) >= MANY_POINTS;
    return pages && many && !page_pool(c)->allocator.choose && !c->kind->pages_changed && page_lookup_numbered(pages) &&
                   translator_points_check(points, c->whole.shape.rank, &shape)
               ? pages
               : NULL;
}

/* Returns the frames that the host will take. NULL with error_set. */
static int32_t *next_frames(const Container *c, int64_t count)
{
    int32_t *frames = malloc((size_t)count * sizeof *frames);
    for (int64_t i = 0; frames && i < count; i++) {
        frames[i] = (int32_t)frames_next(&page_pool(c)->frames, i);
    }
    if (!frames) {
        error_set("out of host memory");
    }
    return frames;
}

/* Maps unmapped pages, given by their indices. */
static bool map_numbers(Container *c, Pages *pages, const Stream *numbers)
{
    Pool *pool = page_pool(c);
    int64_t count = stream_elements(numbers), needed = frames_needed(&pool->frames, count);
    bool noted = c->newest || pool->noting;
    PageList list = {0};
    Stream frames, begins;
    bool done = page_pool_grow(c, needed) && frames_reserve(&pool->frames, needed) && page_pool_log_reserve(c, count) &&
                (!noted || page_lookup_list(pages, numbers, &list));
    int32_t *known = done ? next_frames(c, count) : NULL;
    if (!known || !free_list_take(&pool->free_list, &pool->frames, c->memory.device,
                                  translator_info(c->translator).page, count, &frames, &begins)) {
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
        frames_take(&pool->frames, page_pool_snapshot(c));
    }
    if (done) {
        page_pool_log_add(c, &list);
    }
    stream_release(&frames);
    stream_release(&begins);
    page_list_free(&list);
    return done;
}

static bool unmap_numbers(Container *c, Pages *pages, const Stream *numbers)
{
    Pool *pool = page_pool(c);
    PageList list = {0};
    Stream frames;
    bool done = page_lookup_list(pages, numbers, &list) &&
                free_list_send(&pool->free_list, &pool->frames, c->memory.device) &&
                page_table_unmap_numbers(pages, numbers, &list, &frames);
    if (done) {
        free_list_give(&pool->free_list, &pool->frames, &frames);
        stream_release(&frames);
        c->ready = 0;
    }
    for (size_t i = 0; done && i < list.count; i++) {
        frames_drop(&pool->frames, list.items[i].frame);
    }
    page_list_free(&list);
    return done;
}

/* Finds the mapped or unmapped pages of points, as a stream of indices. False if the points are invalid. */
static bool find_pages(Pages *pages, const Stream *points, bool mapped, Stream *numbers)
{
    Stream flat;
    if (!compact_flat(points, &flat)) {
        return false;
    }
    bool done = page_lookup_find(pages, &flat, mapped, numbers);
    stream_release(&flat);
    return done;
}

/* Maps the unmapped pages of many points. */
static bool map_points(Container *c, Pages *pages, const Stream *points, bool *found)
{
    Stream numbers;
    *found = find_pages(pages, points, false, &numbers);
    if (!*found) {
        return false;
    }
    int64_t count = stream_elements(&numbers);
    bool fits = count <= page_pool_free_frames(c), done = count == 0 || (fits && map_numbers(c, pages, &numbers));
    stream_release(&numbers);
    return fits
               ? done
               : page_changes_points(c, points, found, true); /* which sets the error with the number of mapped pages */
}

static bool unmap_points(Container *c, Pages *pages, const Stream *points, bool *found)
{
    Stream numbers;
    *found = find_pages(pages, points, true, &numbers);
    if (!*found) {
        return false;
    }
    bool done = stream_elements(&numbers) == 0 || unmap_numbers(c, pages, &numbers);
    stream_release(&numbers);
    return done;
}

bool pool_points_allocate(Container *c, const Stream *points, bool *found, bool map)
{
    Pages *pages = !map && c->newest ? NULL : device_pages(c, points);
    return pages ? (map ? map_points : unmap_points)(c, pages, points, found)
                 : page_changes_points(c, points, found, map);
}
