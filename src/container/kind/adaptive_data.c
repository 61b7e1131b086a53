/* Adaptive containers in files. */
#include "container/serialize.h"
#include "container/tree/tree_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    SETTINGS = 2,
    LEADING = 2
}; /* numbers in front of the pages that are split: filter and edge; elements: the default and the edge's */

typedef struct Pages {
    AdaptivePage *items;
    int64_t count;
    bool all; /* or those that are no leaves */
} Pages;

static void note_page(void *self, int64_t frame, const AdaptivePage *page, bool leaf)
{
    Pages *pages = self;
    (void)frame;
    if (pages->all || !leaf) {
        pages->items[pages->count++] = *page;
    }
}

/* Coarse ones first. */
static int compare_levels(const void *left, const void *right)
{
    const AdaptivePage *x = left, *y = right;
    return x->level != y->level ? y->level - x->level : page_tree_compare(left, right);
}

/* To be freed; NULL with error_set. */
static AdaptivePage *sorted_pages(const Container *c, bool all, int64_t *count)
{
    Pages pages = {.all = all};
    pages.items = malloc((size_t)(translator_info(c->translator).mapped + 1) * sizeof *pages.items);
    if (!pages.items) {
        error_set("out of host memory");
        return NULL;
    }
    tree_each(c, note_page, &pages);
    qsort(pages.items, (size_t)pages.count, sizeof *pages.items, compare_levels);
    *count = pages.count;
    return pages.items;
}

/* Copies the elements of all pages, sorted, from memory to the image or back. */
static bool move_pages(const Container *c, const ContainerImage *image, bool back)
{
    const PageTree *a = tree_pages(c);
    uint64_t bytes = (uint64_t)a->elements * (uint64_t)c->memory.type->bytes;
    char *at = (char *)image->elements + LEADING * (size_t)c->memory.type->bytes;
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

static bool take_splits(const Container *c, ContainerImage *image)
{
    int64_t count;
    int rank = translator_info(c->translator).rank;
    AdaptivePage *pages = sorted_pages(c, false, &count);
    if (!pages) {
        return false;
    }
    image->number_count = SETTINGS + count * (1 + rank);
    image->numbers = malloc((size_t)image->number_count * sizeof *image->numbers);
    if (image->numbers) {
        image->numbers[0] = (int32_t)c->map.filter;
        image->numbers[1] = tree_of(c)->edge;
    }
    for (int64_t i = 0; image->numbers && i < count; i++) {
        int32_t *to = image->numbers + SETTINGS + i * (1 + rank);
        *to = pages[i].level;
        for (int d = 0; d < rank; d++) {
            to[1 + d] = (int32_t)pages[i].at[d];
        }
    }
    free(pages);
    return image->numbers || error_set("out of host memory");
}

bool adaptive_data_take(Container *c, ContainerImage *image)
{
    const PageTree *a = tree_pages(c);
    TranslatorInfo info = translator_info(c->translator);
    size_t bytes = (size_t)c->memory.type->bytes;
    image->size.rank = image->page.rank = info.rank;
    for (int d = 0; d < info.rank; d++) {
        image->page.size[info.rank - 1 - d] = a->page[d];
        image->size.size[info.rank - 1 - d] = a->page[d] << (info.levels - 1);
    }
    image->capacity = info.capacity;
    image->element_count = LEADING + info.mapped * a->elements;
    image->elements = malloc((size_t)image->element_count * bytes);
    if (!image->elements) {
        return error_set("out of host memory");
    }
    memcpy(image->elements, c->fallback, bytes);
    memcpy((char *)image->elements + bytes, tree_of(c)->value, bytes);
    return take_splits(c, image) && move_pages(c, image, false);
}

/* The pages that an image splits, each in front of those that are parts of it; false where there can be no such. */
static bool read_splits(const ContainerImage *image, int levels, AdaptivePage *pages, int64_t count)
{
    int rank = image->size.rank;
    for (int64_t i = 0; i < count; i++) {
        const int32_t *from = image->numbers + SETTINGS + i * (1 + rank);
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
        bool ordered = i == 0 || compare_levels(&pages[i - 1], &pages[i]) < 0;
        bool root = i == 0 && *from == levels - 1;
        if (!ordered || !(root || (i > 0 && bsearch(&above, pages, (size_t)i, sizeof above, compare_levels)))) {
            return false;
        }
    }
    return true;
}

static bool sizes_agree(const ContainerImage *image, int64_t count)
{
    int rank = image->size.rank;
    int64_t elements = 1, pages = 1 + (count << rank);
    bool agree = image->number_count == SETTINGS + count * (1 + rank) && image->capacity >= 1 &&
                 image->numbers[0] >= BLEND_NEAREST && image->numbers[0] <= BLEND_TRILINEAR &&
                 image->numbers[1] >= TREE_CLAMP && image->numbers[1] <= TREE_NEUMANN;
    for (int d = 0; agree && d < rank; d++) {
        int64_t page = image->page.size[d], size = image->size.size[d];
        agree = page >= 1 && size >= page && size <= SHAPE_MAX_ELEMENTS && page < SHAPE_MAX_ELEMENTS / elements;
        elements *= page + 1;
    }
    return agree && image->element_count == LEADING + pages * elements;
}

/* Everything but what pages hold. */
static bool split_as_told(Container *c, const ContainerImage *image, int64_t count)
{
    AdaptivePage *pages = malloc((size_t)(count + 1) * sizeof *pages);
    if (!pages) {
        return error_set("out of host memory");
    }
    bool done = (read_splits(image, tree_levels(c), pages, count) || container_image_damaged()) &&
                tree_split_pages(c, pages, count);
    free(pages);
    return done;
}

Container *adaptive_data_load(Device *device, const ContainerImage *image)
{
    size_t bytes = (size_t)image->type->bytes;
    int64_t count = (image->number_count - SETTINGS) / (1 + image->size.rank);
    if (image->size.rank > 3 || image->number_count < SETTINGS || !sizes_agree(image, count)) {
        container_image_damaged();
        return NULL;
    }
    Container *c = tree_create(device, image->type, &image->size, &image->page, 0, image->capacity, image->elements);
    if (c && !(split_as_told(c, image, count) && move_pages(c, image, true))) {
        container_release(c);
        return NULL;
    }
    if (c) {
        c->map.filter = (BlendFilter)image->numbers[0];
        tree_of(c)->edge = (TreeEdge)image->numbers[1];
        memcpy(tree_of(c)->value, (const char *)image->elements + bytes, bytes);
        tree_header(c);
    }
    return c;
}
