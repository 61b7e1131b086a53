/* Pages of a container's own: which frames of its memory are free, and memory that grows. */
#include "container/container_parts.h"
#include "container/paged.h"

#include "base/array.h"
#include "kernel/launch/copy.h"
#include "kernel/launch/internal.h"

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

/* Where a page is mapped; -1: nowhere. */
static int64_t frame_of(const Container *c, const PageGrid *grid, const int64_t *page)
{
    int64_t point[SHAPE_MAX_RANK], same[SHAPE_MAX_RANK], place[SHAPE_MAX_RANK];
    page_points(grid, page, page, point, same);
    bool found = translator_point(c->translator, DIRECTION_TRANSLATE, point, place, NULL) == OUTCOME_FOUND;
    return found ? place[0] / translator_info(c->translator).page : -1;
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

/* -1, with error_set. */
static int64_t refuse(const TranslatorInfo *info, int64_t pages, int64_t mapped)
{
    error_set(
        "it takes %" PRId64 " pages%s, of which %" PRId64 " are mapped and %" PRId64 " free: 'capacity' is %" PRId64,
        pages, pages > SHAPE_MAX_ELEMENTS ? " and more" : "", mapped, info->capacity - info->mapped, info->capacity);
    return -1;
}

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
            missing += frame_of(c, grid, page) < 0;
        } while (range_step(page, grid->first, grid->last, 0, grid->rank));
    }
    bool many = grid->count > info.capacity;
    return many || missing > free ? refuse(&info, grid->count, many ? info.mapped : grid->count - missing) : missing;
}

/* The frame for the next page: one that was freed, or one never used. */
static int64_t take_frame(Container *c)
{
    return c->freed.count ? c->freed.items[--c->freed.count] : c->used++;
}

/* Frames from `cleared` on hold the default already. */
static bool map_page(Container *c, const PageGrid *grid, const int64_t *page, int64_t cleared)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], frame = take_frame(c);
    page_points(grid, page, page, from, to);
    if ((frame >= cleared || clear(c, frame, 1)) && translator_map(c->translator, from, to, frame)) {
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

static bool free_page(Container *c, const PageGrid *grid, const int64_t *page)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], count, frame = frame_of(c, grid, page);
    if (frame < 0) {
        return true;
    }
    page_points(grid, page, page, from, to);
    c->freed.items[c->freed.count++] = frame;
    return translator_unmap(c->translator, from, to, &count);
}

/* Pages, SHAPE_MAX_RANK coordinates each. */
typedef struct PageList {
    int64_t *items, count;
} PageList;

static bool list_create(PageList *list, int64_t most)
{
    list->count = 0;
    list->items = malloc((size_t)(most > 0 ? most : 1) * SHAPE_MAX_RANK * sizeof *list->items);
    return list->items != NULL || error_set("out of host memory");
}

/* Adds a page unless it is mapped. */
static void list_add(PageList *list, const Container *c, const PageGrid *grid, const int64_t *page)
{
    if (frame_of(c, grid, page) < 0) {
        memcpy(list->items + SHAPE_MAX_RANK * list->count++, page, (size_t)grid->rank * sizeof *page);
    }
}

/* One after the other; those mapped so far are freed again where one fails. */
static bool map_list(Container *c, const PageGrid *grid, const PageList *list)
{
    int64_t i = 0, cleared = c->used, fresh = list->count - (int64_t)c->freed.count;
    bool done = fresh <= 0 || clear(c, cleared, fresh);
    for (; done && i < list->count; i++) {
        done = map_page(c, grid, list->items + SHAPE_MAX_RANK * i, cleared);
    }
    for (i--; !done && i-- > 0;) {
        free_page(c, grid, list->items + SHAPE_MAX_RANK * i);
    }
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

/* Memory and room for so many pages more. */
static bool prepare(Container *c, int64_t missing)
{
    int64_t fresh = missing - (int64_t)c->freed.count;
    int64_t frames = c->used + (fresh > 0 ? fresh : 0);
    return grow(c, frames) && reserve_freed(c, frames);
}

bool container_allocate(Container *c, const int64_t *first, const int64_t *last)
{
    PageGrid grid = page_grid(c, first, last);
    int64_t missing = count_missing(c, &grid), page[SHAPE_MAX_RANK];
    PageList list;
    if (missing <= 0 || !prepare(c, missing)) {
        return missing == 0;
    }
    if (missing == grid.count && c->freed.count == 0) {
        return map_grid(c, &grid);
    }
    if (!list_create(&list, missing)) {
        return false;
    }
    memcpy(page, grid.first, sizeof page);
    do {
        list_add(&list, c, &grid, page);
    } while (range_step(page, grid.first, grid.last, 0, grid.rank));
    bool done = map_list(c, &grid, &list);
    free(list.items);
    return done;
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

/* pages of points */

/* All pages of the domain. */
static PageGrid whole_grid(const Container *c)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    return page_grid(c, origin, c->whole.shape.size);
}

/* A kernel from points to numbers of pages, row-major; -1 outside of the domain. */
static void write_numbers(StrBuf *out, int rank)
{
    static const char *const vectors[] = {"int", "ivec2", "ivec3", "ivec4"};
    const char *vector = vectors[rank - 1];
    strbuf_addf(out, "kernel void pages(%s a<>, %s size, %s page, %s grid, out int r<>) {\n  bool inside = ", vector,
                vector, vector, vector);
    for (int d = 0; d < rank; d++) {
        const char *field = rank == 1 ? "" : &".x\0.y\0.z\0.w"[3 * d];
        strbuf_addf(out, "%suint(a%s) < uint(size%s)", d ? " && " : "", field, field);
    }
    strbuf_add(out, ";\n  int n = 0;\n");
    for (int d = rank - 1; d >= 0; d--) {
        const char *field = rank == 1 ? "" : &".x\0.y\0.z\0.w"[3 * d];
        strbuf_addf(out, "  n = n * grid%s + a%s / page%s;\n", field, field, field);
    }
    strbuf_add(out, "  r = inside ? n : -1;\n}\n");
}

bool container_page_numbers(const Container *c, const Stream *points, Stream *result)
{
    PageGrid grid = whole_grid(c);
    uint32_t size[SHAPE_MAX_RANK], page[SHAPE_MAX_RANK], pages[SHAPE_MAX_RANK];
    Shape shape;
    if (grid.rank > 4 || grid.count > SHAPE_MAX_ELEMENTS) {
        return error_set("points reach containers of up to 4 dimensions and 2147483647 pages: take boxes");
    }
    if (!translator_points_check(points, grid.rank, &shape)) {
        return false;
    }
    for (int d = 0; d < grid.rank; d++) {
        size[d] = (uint32_t)c->whole.shape.size[grid.rank - 1 - d];
        page[d] = (uint32_t)grid.page[d];
        pages[d] = (uint32_t)(grid.last[d] + 1);
    }
    StrBuf text = STRBUF_EMPTY;
    write_numbers(&text, grid.rank);
    Kernel *kernel = internal_kernel(points->device, strbuf_text(&text));
    strbuf_free(&text);
    if (!kernel || !stream_create(points->device, type_of(SCALAR_INT, 1), &shape, false, result)) {
        return false;
    }
    Argument args[] = {{.stream = points}, {.words = size}, {.words = page}, {.words = pages}, {.stream = result}};
    if (!kernel_launch(kernel, points->device, args, &shape, false)) {
        stream_release(result);
        return false;
    }
    return true;
}

static void page_of_number(const PageGrid *grid, int64_t number, int64_t *page)
{
    for (int d = 0; d < grid->rank; d++) {
        page[d] = number % (grid->last[d] + 1);
        number /= grid->last[d] + 1;
    }
}

bool container_allocate_numbers(Container *c, const int32_t *numbers, int64_t count)
{
    TranslatorInfo info = translator_info(c->translator);
    PageGrid grid = whole_grid(c);
    PageList list;
    if (!list_create(&list, count)) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t page[SHAPE_MAX_RANK];
        page_of_number(&grid, numbers[i], page);
        list_add(&list, c, &grid, page);
    }
    bool fits = list.count <= info.capacity - info.mapped || refuse(&info, count, count - list.count) == 0;
    bool done = fits && prepare(c, list.count) && map_list(c, &grid, &list);
    free(list.items);
    return done;
}

static int compare_pages(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    for (int d = SHAPE_MAX_RANK - 1; d >= 0; d--) {
        if (x[d] != y[d]) {
            return x[d] < y[d] ? -1 : 1;
        }
    }
    return 0;
}

static void list_unique(PageList *list)
{
    int64_t kept = 0, *items = list->items;
    qsort(items, (size_t)list->count, SHAPE_MAX_RANK * sizeof *items, compare_pages);
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t *item = items + SHAPE_MAX_RANK * i;
        if (kept == 0 || compare_pages(item, items + SHAPE_MAX_RANK * (kept - 1)) != 0) {
            memmove(items + SHAPE_MAX_RANK * kept++, item, SHAPE_MAX_RANK * sizeof *item);
        }
    }
    list->count = kept;
}

/* Box number i of a set. */
static PageGrid set_grid(const Container *c, const int32_t *origins, const PageSet *set, int64_t i)
{
    const Shape *shape = &c->whole.shape;
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    for (int d = 0; d < shape->rank; d++) {
        int64_t from = origins[i * shape->rank + d], end = from + set->page[d], size = shape->size[shape->rank - 1 - d];
        first[shape->rank - 1 - d] = from;
        last[shape->rank - 1 - d] = end < size ? end : size;
    }
    return page_grid(c, first, last);
}

bool container_allocate_set(Container *c, const int32_t *origins, const PageSet *set)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t most = 0, page[SHAPE_MAX_RANK] = {0};
    PageGrid grid = whole_grid(c);
    PageList list;
    for (int64_t i = 0; i < set->count && most <= SHAPE_MAX_ELEMENTS; i++) {
        most += set_grid(c, origins, set, i).count;
    }
    if (most > SHAPE_MAX_ELEMENTS) {
        return refuse(&info, most, info.mapped) == 0;
    }
    if (!list_create(&list, most)) {
        return false;
    }
    memset(list.items, 0, (size_t)most * SHAPE_MAX_RANK * sizeof *list.items);
    for (int64_t i = 0; i < set->count; i++) {
        PageGrid box = set_grid(c, origins, set, i);
        memcpy(page, box.first, sizeof page);
        do {
            list_add(&list, c, &grid, page);
        } while (range_step(page, box.first, box.last, 0, box.rank));
    }
    list_unique(&list);
    bool fits = list.count <= info.capacity - info.mapped || refuse(&info, list.count, 0) == 0;
    bool done = fits && prepare(c, list.count) && map_list(c, &grid, &list);
    free(list.items);
    return done;
}

bool container_free_numbers(Container *c, const int32_t *numbers, int64_t count)
{
    PageGrid grid = whole_grid(c);
    bool done = true;
    for (int64_t i = 0; done && i < count; i++) {
        int64_t page[SHAPE_MAX_RANK];
        page_of_number(&grid, numbers[i], page);
        done = free_page(c, &grid, page);
    }
    return done;
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
