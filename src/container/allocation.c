/* Pages of a container's own: which frames of its memory are free, and memory that grows. */
#include "container/container_parts.h"
#include "container/paged.h"

#include "base/array.h"
#include "kernel/launch/copy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_FRAMES = 1 };

bool container_pooled(const Container *c)
{
    return c->pooled;
}

/* boxes of pages, x first */

typedef struct PageGrid {
    int rank;
    int64_t page[SHAPE_MAX_RANK];                        /* sizes of a page */
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK]; /* pages, inclusive */
    int64_t count;                                       /* capped at SHAPE_MAX_ELEMENTS + 1 */
} PageGrid;

/* The pages that a box touches; `first` and `last` as in a shape. */
static PageGrid page_grid(const Container *c, const int64_t *first, const int64_t *last)
{
    PageGrid grid = {.rank = c->whole.shape.rank, .count = 1};
    memcpy(grid.page, ((const Paged *)c->translator)->page, sizeof grid.page);
    for (int d = 0; d < grid.rank; d++) {
        int64_t from = first[grid.rank - 1 - d], to = last[grid.rank - 1 - d];
        grid.first[d] = from / grid.page[d];
        grid.last[d] = (to - 1) / grid.page[d];
        int64_t pages = to > from ? grid.last[d] - grid.first[d] + 1 : 0;
        bool many = pages > 0 && grid.count > SHAPE_MAX_ELEMENTS / pages;
        grid.count = many ? SHAPE_MAX_ELEMENTS + 1 : grid.count * pages;
    }
    return grid;
}

/* The first elements of pages first and last, as translator_map takes a box. */
static void page_points(const PageGrid *grid, const int64_t *first, const int64_t *last, int64_t *from, int64_t *to)
{
    for (int d = 0; d < grid->rank; d++) {
        from[d] = first[d] * grid->page[d];
        to[d] = last[d] * grid->page[d];
    }
}

static bool is_mapped(const Container *c, const PageGrid *grid, const int64_t *page)
{
    int64_t point[SHAPE_MAX_RANK], same[SHAPE_MAX_RANK], place[SHAPE_MAX_RANK];
    page_points(grid, page, page, point, same);
    return translator_point(c->translator, DIRECTION_TRANSLATE, point, place, NULL) == OUTCOME_FOUND;
}

/* memory */

static int64_t frames_of(const Container *c)
{
    return stream_elements(&c->memory) / translator_info(c->translator).page;
}

/* Memory for so many frames, by doubling. */
static bool grow(Container *c, int64_t frames)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t have = frames_of(c), wanted = 2 * have > frames ? 2 * have : frames;
    Stream memory;
    if (frames <= have) {
        return true;
    }
    wanted = wanted < info.capacity ? wanted : info.capacity;
    Shape shape = {1, {wanted * info.page}};
    if (!stream_create(c->memory.device, c->memory.type, &shape, false, &memory)) {
        return false;
    }
    bool done = buffer_copy(memory.buffer, 0, c->memory.buffer, 0, stream_bytes(&c->memory));
    if (done) {
        container_replace_memory(c, &memory);
    }
    stream_release(&memory);
    return done;
}

/* Frames frame .. frame + count - 1 hold the default. */
static bool clear(const Container *c, int64_t frame, int64_t count)
{
    int64_t page = translator_info(c->translator).page;
    Shape shape = {1, {count * page}};
    Stream run;
    bool done = stream_over(c->memory.buffer, c->memory.type, &shape, frame * page, &run);
    done = done && copy_fill(&run, c->fallback);
    stream_release(&run);
    return done;
}

/* allocating */

/* How many pages of a grid are not mapped; -1 where they are more than are free, which error_set says. */
static int64_t count_missing(const Container *c, const PageGrid *grid)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t page[SHAPE_MAX_RANK], missing = 0, free = info.capacity - info.mapped;
    memcpy(page, grid->first, sizeof page);
    if (grid->count == 0) {
        return 0;
    }
    if (grid->count <= info.capacity) {
        do {
            missing += !is_mapped(c, grid, page);
        } while (range_step(page, grid->first, grid->last, 0, grid->rank));
    }
    if (grid->count > info.capacity || missing > free) {
        error_set("it takes %" PRId64 " pages%s, of which %" PRId64 " are mapped and %" PRId64
                  " free: 'capacity' is %" PRId64,
                  grid->count, grid->count > SHAPE_MAX_ELEMENTS ? " and more" : "",
                  grid->count > info.capacity ? info.mapped : grid->count - missing, free, info.capacity);
        return -1;
    }
    return missing;
}

/* The frame for the next page: one that was freed, or one never used. */
static int64_t take_frame(Container *c)
{
    return c->freed.count ? c->freed.items[--c->freed.count] : c->used++;
}

static bool map_page(Container *c, const PageGrid *grid, const int64_t *page)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], frame = take_frame(c);
    page_points(grid, page, page, from, to);
    if (clear(c, frame, 1) && translator_map(c->translator, from, to, frame)) {
        return true;
    }
    c->freed.items[c->freed.count++] = frame;
    return false;
}

/* A whole grid at once, to frames side by side. */
static bool map_grid(Container *c, const PageGrid *grid)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    page_points(grid, grid->first, grid->last, from, to);
    bool done = clear(c, c->used, grid->count) && translator_map(c->translator, from, to, c->used);
    c->used += done ? grid->count : 0;
    return done;
}

/* Page by page; those mapped so far are freed again where one fails. */
static bool map_missing(Container *c, const PageGrid *grid, int64_t missing)
{
    int64_t page[SHAPE_MAX_RANK], *mapped = malloc((size_t)missing * sizeof page), count = 0, none;
    bool done = mapped != NULL || error_set("out of host memory");
    memcpy(page, grid->first, sizeof page);
    do {
        if (done && !is_mapped(c, grid, page)) {
            done = map_page(c, grid, page);
            memcpy(mapped + count * SHAPE_MAX_RANK, page, sizeof page);
            count += done;
        }
    } while (done && range_step(page, grid->first, grid->last, 0, grid->rank));
    while (mapped && !done && count-- > 0) {
        int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], place[SHAPE_MAX_RANK];
        const int64_t *last = mapped + count * SHAPE_MAX_RANK;
        page_points(grid, last, last, from, to);
        translator_point(c->translator, DIRECTION_TRANSLATE, from, place, NULL);
        c->freed.items[c->freed.count++] = place[0] / translator_info(c->translator).page;
        translator_unmap(c->translator, from, to, &none);
    }
    free(mapped);
    return done;
}

/* Room in the list of free frames for all of them: freeing never fails for want of it. */
static bool reserve_freed(Container *c, int64_t frames)
{
    while (c->freed.capacity < (size_t)frames) {
        size_t count = c->freed.count;
        c->freed.count = c->freed.capacity;
        bool room = ARRAY_ROOM(&c->freed);
        c->freed.count = count;
        if (!room) {
            return false;
        }
    }
    return true;
}

bool container_allocate(Container *c, const int64_t *first, const int64_t *last)
{
    PageGrid grid = page_grid(c, first, last);
    int64_t missing = count_missing(c, &grid);
    if (missing <= 0) {
        return missing == 0;
    }
    int64_t fresh = missing - (int64_t)c->freed.count;
    bool whole = missing == grid.count && c->freed.count == 0;
    int64_t frames = c->used + (fresh > 0 ? fresh : 0);
    if (!grow(c, frames) || !reserve_freed(c, frames)) {
        return false;
    }
    return whole ? map_grid(c, &grid) : map_missing(c, &grid, missing);
}

bool container_free(Container *c, const int64_t *first, const int64_t *last)
{
    PageGrid grid = page_grid(c, first, last);
    RangeList list = {0};
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], count = 0;
    int64_t page = translator_info(c->translator).page;
    if (grid.count == 0) {
        return true;
    }
    page_points(&grid, grid.first, grid.last, from, to);
    for (int d = 0; d < grid.rank; d++) {
        int64_t size = c->whole.shape.size[grid.rank - 1 - d];
        to[d] = to[d] + grid.page[d] < size ? to[d] + grid.page[d] - 1 : size - 1;
    }
    bool done = translator_ranges(c->translator, from, to, &list, NULL);
    for (size_t i = 0; done && i < list.count; i++) {
        if (list.items[i].at[0] % page == 0) { /* a page's first element */
            c->freed.items[c->freed.count++] = list.items[i].at[0] / page;
        }
    }
    range_list_free(&list);
    return done && translator_unmap(c->translator, from, to, &count);
}

/* making */

static Container *make(Translator *t, Device *device, const Type *type, int64_t frames, const void *fallback)
{
    Shape shape = {1, {frames * translator_info(t).page}};
    Stream memory;
    if (!stream_create(device, type, &shape, false, &memory)) {
        return NULL;
    }
    Container *c = container_create(t, &memory, fallback);
    stream_release(&memory);
    if (c) {
        c->pooled = true;
        c->checked = false; /* no page is mapped outside of memory */
    }
    return c;
}

Container *container_sparse(Device *device, const Type *type, const Shape *shape, const Shape *page, int levels,
                            int64_t capacity, const void *fallback)
{
    Translator *t = translator_pages(device, shape, page, levels, capacity);
    Container *c = t ? make(t, device, type, LEAST_FRAMES, fallback) : NULL;
    translator_release(t);
    return c;
}

static Container *copy_pages(const Container *c)
{
    Translator *t = translator_pages_copy(c->translator);
    Container *copy = t ? make(t, c->memory.device, c->memory.type, frames_of(c), c->fallback) : NULL;
    translator_release(t);
    if (!copy) {
        return NULL;
    }
    copy->used = c->used;
    if (!reserve_freed(copy, c->used) ||
        !buffer_copy(copy->memory.buffer, 0, c->memory.buffer, 0, stream_bytes(&c->memory))) {
        container_destroy(copy);
        return NULL;
    }
    if (c->freed.count) {
        memcpy(copy->freed.items, c->freed.items, c->freed.count * sizeof *c->freed.items);
    }
    copy->freed.count = c->freed.count;
    return copy;
}

Container *container_copy(const Container *c)
{
    Stream memory;
    if (c->pooled) {
        return copy_pages(c);
    }
    if (!copy_new(&c->memory, NULL, &memory)) {
        return NULL;
    }
    Container *copy = container_create(c->translator, &memory, c->fallback);
    stream_release(&memory);
    return copy;
}
