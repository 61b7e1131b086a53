/* Adaptive containers: pages with levels. */
#include "container/kind/data.h"
#include "container/kind/kinds.h"
#include "container/tree/tree_private.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

/* Indices of pages (tree_number) are ints. */
enum { MOST_BITS = 29 };

/* elements that launches visit */

typedef struct Leaves {
    TreeList list;
    bool failed;
} Leaves;

static void collect_leaf(void *self, int64_t frame, const AdaptivePage *page, bool leaf)
{
    Leaves *leaves = self;
    (void)frame;
    if (leaf && !leaves->failed) {
        leaves->failed = !tree_add(&leaves->list, page);
    }
}

static Region *active(Container *c)
{
    Leaves leaves = {.failed = false};
    tree_each(c, collect_leaf, &leaves);
    Region *region = leaves.failed ? NULL : tree_region(c, &leaves.list);
    free(leaves.list.items);
    return region;
}

static bool fill(Container *c, const void *element, void *caller)
{
    Stream used;
    (void)caller;
    Shape shape = {1, {tree_of(c)->frames.used * tree_pages(c)->elements}};
    bool done =
        stream_over(c->memory.buffer, c->memory.type, &shape, c->memory.offset, &used) && copy_fill(&used, element);
    stream_release(&used);
    return done && (tree_of(c)->edge != TREE_DIRICHLET || tree_sync(c));
}

/* making */

static void destroy(Container *c)
{
    Tree *tree = tree_of(c);
    const Frames *frames = &tree->frames;
    /* Without snapshots the mapped pages hold all frames in use. A mask holds none. */
    int64_t known = c->newest          ? frames->used - (int64_t)frames->freed.count
                    : frames->used > 0 ? translator_info(c->translator).mapped
                                       : 0;
    for (int i = 0; i < TREE_STEPS; i++) {
        kernel_release(tree->steps[i]);
    }
    tree_changed(c);
    stream_release(&tree->border);
    frames_free(&tree->frames, known);
}

static bool ready(Container *c, const ContainerPart *part)
{
    if (!snapshot_memory_separate(c)) {
        return false;
    }
    if (part->region) {
        return container_is_ready(c, part->region) || tree_ready_region(c, part->region);
    }
    return !part->first || tree_ready(c, part->first, part->last);
}

static bool pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free)
{
    TranslatorInfo info = translator_info(c->translator);
    *mapped = info.mapped;
    *capacity = info.capacity;
    *free = info.capacity - info.mapped;
    return true;
}

/* Returns the four numbers that only the inverse translation reads, and that change with every page (the number
 * of frames). NULL: they share a vector with others. */
static const uint32_t *changing_words(const Container *c)
{
    const Translator *t = c->translator;
    bool alone = t->frames % 4 == 0 && t->frames == t->number_count - 1;
    return alone ? (const uint32_t *)(t->numbers + t->frames) : NULL;
}

/* Checks that the size is the same power of two times the page in each dimension. */
static bool check_sizes(const Shape *size, const Shape *page)
{
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    int64_t times = page->size[0] > 0 ? size->size[0] / page->size[0] : 0;
    for (int d = 0; d < size->rank; d++) {
        if (page->size[d] < 1 || times < 1 || (times & (times - 1)) != 0 || size->size[d] != times * page->size[d]) {
            return error_set("'size' is %s and 'page' is %s: expected 'size' to be a power of two times 'page'",
                             shape_text(size, x), shape_text(page, y));
        }
    }
    return true;
}

Container *container_adaptive(Device *device, const Type *type, const Shape *size, const Shape *page, int depth,
                              int64_t capacity, const void *fallback)
{
    AdaptivePage root = {.level = 0};
    if (!check_sizes(size, page)) {
        return NULL;
    }
    Translator *t = page_tree_create(device, size, page, 0, capacity, 1);
    if (!t) {
        return NULL;
    }
    root.level = t->info.levels - 1;
    if (root.level * size->rank > MOST_BITS) {
        error_set("the finest level has 2^%d pages, more than an int can count: use larger pages",
                  root.level * size->rank);
        translator_release(t);
        return NULL;
    }
    Container *c = tree_make(&container_kind_adaptive, t, device, type, 1, fallback);
    translator_release(t);
    bool done = c && tree_prepare(c, 1) &&
                page_tree_map_page(tree_pages(c), &root, frames_take(&tree_of(c)->frames, 0)) &&
                page_tree_flush(tree_pages(c)) && fill(c, c->fallback, NULL) && tree_split_all(c, depth);
    if (!done) {
        container_release(c);
        return NULL;
    }
    return c;
}

/* Creates a container with the same pages, filled with zeros. */
static Container *like(const Container *c, const Type *type)
{
    const Tree *tree = tree_of(c);
    Translator *t = page_tree_copy(c->translator);
    int64_t frames = stream_elements(&c->memory) / tree_pages(c)->elements;
    Container *result = t ? tree_make(c->kind, t, c->memory.device, type, frames, NULL) : NULL;
    translator_release(t);
    if (!result) {
        return NULL;
    }
    result->map.filter = c->map.filter;
    tree_of(result)->edge = tree->edge;
    if (!tree_take_frames(result)) {
        container_release(result);
        return NULL;
    }
    tree_header(result);
    return result;
}

static Container *copy(const Container *c)
{
    Container *result = like(c, c->memory.type);
    if (!result) {
        return NULL;
    }
    memcpy(result->fallback, c->fallback, sizeof result->fallback);
    memcpy(tree_of(result)->value, tree_of(c)->value, sizeof tree_of(c)->value);
    if (!buffer_copy(result->memory.buffer, 0, c->memory.buffer, 0, stream_bytes(&c->memory))) {
        container_release(result);
        return NULL;
    }
    return result;
}

/* in files */

/* Numbers before the split pages: filter and boundary. Elements before the pages' elements: the default and the
 * boundary's value. */
enum { SETTINGS = 2, LEADING = 2 };

typedef struct Pages {
    AdaptivePage *items;
    int64_t count;
    bool all; /* list pages that are not leaves, too */
} Pages;

static void note_page(void *self, int64_t frame, const AdaptivePage *page, bool leaf)
{
    Pages *pages = self;
    (void)frame;
    if (pages->all || !leaf) {
        pages->items[pages->count++] = *page;
    }
}

/* Returns the pages sorted, allocated by malloc. NULL with error_set. */
static AdaptivePage *sorted_pages(const Container *c, bool all, int64_t *count)
{
    Pages pages = {.all = all};
    pages.items = malloc((size_t)(translator_info(c->translator).mapped + 1) * sizeof *pages.items);
    if (!pages.items) {
        error_set("out of host memory");
        return NULL;
    }
    tree_each(c, note_page, &pages);
    qsort(pages.items, (size_t)pages.count, sizeof *pages.items, page_tree_compare_levels);
    *count = pages.count;
    return pages.items;
}

/* Copies the elements of all pages, sorted, from memory to the image or back. */
static bool move_pages(const Container *c, const ContainerData *data, bool back)
{
    const PageTree *a = tree_pages(c);
    uint64_t bytes = (uint64_t)a->elements * (uint64_t)c->memory.type->bytes;
    char *at = (char *)data->elements + LEADING * (size_t)c->memory.type->bytes;
    int64_t count;
    AdaptivePage *pages = sorted_pages(c, true, &count);
    bool done = pages != NULL;
    for (int64_t i = 0; done && i < count; i++, at += bytes) {
        uint64_t from = (uint64_t)adaptive_frame(page_tree_mapped(a, &pages[i])) * bytes;
        done = back ? buffer_write(c->memory.buffer, from, at, bytes) : buffer_read(c->memory.buffer, from, at, bytes);
    }
    free(pages);
    return done;
}

static bool take_splits(const Container *c, ContainerData *data)
{
    int64_t count;
    int rank = translator_info(c->translator).rank;
    AdaptivePage *pages = sorted_pages(c, false, &count);
    if (!pages) {
        return false;
    }
    data->number_count = SETTINGS + count * (1 + rank);
    data->numbers = malloc((size_t)data->number_count * sizeof *data->numbers);
    if (data->numbers) {
        data->numbers[0] = (int32_t)c->map.filter;
        data->numbers[1] = tree_of(c)->edge;
    }
    for (int64_t i = 0; data->numbers && i < count; i++) {
        int32_t *to = data->numbers + SETTINGS + i * (1 + rank);
        *to = pages[i].level;
        for (int d = 0; d < rank; d++) {
            to[1 + d] = (int32_t)pages[i].at[d];
        }
    }
    free(pages);
    return data->numbers || error_set("out of host memory");
}

static bool save(Container *c, ContainerData *data)
{
    const PageTree *a = tree_pages(c);
    TranslatorInfo info = translator_info(c->translator);
    size_t bytes = (size_t)c->memory.type->bytes;
    data->size.rank = data->page.rank = info.rank;
    for (int d = 0; d < info.rank; d++) {
        data->page.size[info.rank - 1 - d] = a->page[d];
        data->size.size[info.rank - 1 - d] = a->page[d] << (info.levels - 1);
    }
    data->capacity = info.capacity;
    data->element_count = LEADING + info.mapped * a->elements;
    data->elements = malloc((size_t)data->element_count * bytes);
    if (!data->elements) {
        return error_set("out of host memory");
    }
    memcpy(data->elements, c->fallback, bytes);
    memcpy((char *)data->elements + bytes, tree_of(c)->value, bytes);
    return take_splits(c, data) && move_pages(c, data, false);
}

/* Reads the split pages, each before its parts. False if they cannot exist. */
static bool read_splits(const ContainerData *data, int levels, AdaptivePage *pages, int64_t count)
{
    int rank = data->size.rank;
    for (int64_t i = 0; i < count; i++) {
        const int32_t *from = data->numbers + SETTINGS + i * (1 + rank);
        AdaptivePage above = {.level = *from + 1};
        pages[i] = (AdaptivePage){.level = *from};
        if (*from < 1 || *from >= levels) {
            return false;
        }
        for (int d = 0; d < rank; d++) {
            pages[i].at[d] = from[1 + d];
            above.at[d] = from[1 + d] >> 1;
            if (from[1 + d] < 0 || from[1 + d] >= 1 << (levels - 1 - *from)) {
                return false;
            }
        }
        bool ordered = i == 0 || page_tree_compare_levels(&pages[i - 1], &pages[i]) < 0;
        bool root = i == 0 && *from == levels - 1;
        if (!ordered ||
            !(root || (i > 0 && bsearch(&above, pages, (size_t)i, sizeof above, page_tree_compare_levels)))) {
            return false;
        }
    }
    return true;
}

static bool sizes_agree(const ContainerData *data, int64_t count)
{
    int rank = data->size.rank;
    int64_t elements = 1, pages = 1 + (count << rank);
    bool agree = data->number_count == SETTINGS + count * (1 + rank) && data->capacity >= 1 &&
                 data->numbers[0] >= BLEND_NEAREST && data->numbers[0] <= BLEND_TRILINEAR &&
                 data->numbers[1] >= TREE_CLAMP && data->numbers[1] <= TREE_NEUMANN;
    for (int d = 0; agree && d < rank; d++) {
        int64_t page = data->page.size[d], size = data->size.size[d];
        agree = page >= 1 && size >= page && size <= SHAPE_MAX_ELEMENTS && page < SHAPE_MAX_ELEMENTS / elements;
        elements *= agree ? page + 1 : 1;
    }
    return agree && data->element_count == LEADING + pages * elements;
}

/* Splits pages as the data say, without setting their elements. */
static bool split_pages_of(Container *c, const ContainerData *data, int64_t count)
{
    AdaptivePage *pages = malloc((size_t)(count + 1) * sizeof *pages);
    if (!pages) {
        return error_set("out of host memory");
    }
    bool done = (read_splits(data, tree_levels(c), pages, count) || data_wrong()) && tree_split_pages(c, pages, count);
    free(pages);
    return done;
}

static Container *load(Device *device, const ContainerData *data)
{
    size_t bytes = (size_t)data->type->bytes;
    int64_t count = (data->number_count - SETTINGS) / (1 + data->size.rank);
    if (data->size.rank > 3 || data->number_count < SETTINGS || !sizes_agree(data, count)) {
        return data_damaged();
    }
    Container *c = container_adaptive(device, data->type, &data->size, &data->page, 0, data->capacity, data->elements);
    if (c && !(split_pages_of(c, data, count) && move_pages(c, data, true))) {
        container_release(c);
        return NULL;
    }
    if (c) {
        c->map.filter = (BlendFilter)data->numbers[0];
        tree_of(c)->edge = (TreeEdge)data->numbers[1];
        memcpy(tree_of(c)->value, (const char *)data->elements + bytes, bytes);
        tree_header(c);
    }
    return c;
}

const ContainerKind container_kind_adaptive = {
    .name = "adaptive",
    .traits = {.owns_memory = true, .total = true},
    .refusals = {container_refuse(CONTAINER_ALLOCATE,
                                  "pages of an adaptive container are mapped by c:refine and unmapped by c:coarsen")},
    .keeps_boundary = true,
    .state_bytes = sizeof(Tree),
    .snapshot_bytes = sizeof(TreeSnapshot),
    .destroy = destroy,
    .like = like,
    .copy = copy,
    .save = save,
    .load = load,
    .pages = pages,
    .active = active,
    .write_address = tree_write,
    .give_address = tree_give,
    .changing_words = changing_words,
    .ready = ready,
    .fill = fill,
    .mipmap = tree_mipmap,
    .note = tree_note,
    .forget = tree_forget,
    .diff = tree_diff,
    .undo = tree_undo,
};
