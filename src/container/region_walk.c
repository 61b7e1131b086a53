/* Boxes as the pages that they touch: launches walk those faster. */
#include "container/region.h"

#include "container/range.h"

#include <stdlib.h>
#include <string.h>

/* Boxes of elements that are a small part of their pages are walked as they are. */
enum { MOST_LEFT_OUT = 4 };

static int64_t page_of(int64_t at, int64_t size)
{
    return at >= 0 ? at / size : -1 - (-1 - at) / size;
}

/* The pages, both ends inside, that elements of the box touch; how many, 0: too many. */
static int64_t touched(const Region *region, const int64_t *page, int64_t *first, int64_t *last)
{
    int64_t count = 1, elements = 1;
    for (int d = 0; d < region->shape.rank; d++) {
        int64_t from = region->words[d];
        first[d] = page_of(from, page[d]);
        last[d] = page_of(from + region->set.page[d] - 1, page[d]);
        int64_t pages = last[d] - first[d] + 1;
        count *= pages;
        elements = elements > SHAPE_MAX_ELEMENTS / page[d] / pages ? SHAPE_MAX_ELEMENTS : elements * page[d] * pages;
        if (count > SHAPE_MAX_ELEMENTS / (region->shape.rank + 1) || first[d] * page[d] < INT32_MIN) {
            return 0;
        }
    }
    return elements < SHAPE_MAX_ELEMENTS && elements / MOST_LEFT_OUT <= region->set.elements ? count : 0;
}

/* What counts of the pages; whether that is not all. */
static bool clip(const Region *region, const int64_t *page, PageSet *set)
{
    bool clipped = false;
    for (int d = 0; d < region->shape.rank; d++) {
        set->clip_first[d] = region->words[d];
        set->clip_size[d] = region->set.page[d];
        clipped = clipped || set->clip_first[d] % page[d] != 0 || set->clip_size[d] % page[d] != 0;
    }
    return clipped;
}

static Region *make_cells(const Region *region, const int64_t *page)
{
    int rank = region->shape.rank;
    int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK] = {0}, at[SHAPE_MAX_RANK], n = 0;
    int64_t count = touched(region, page, first, last);
    PageSet set = {.count = count, .aligned = true, .unbounded = region->set.unbounded};
    int32_t *words = malloc((size_t)(count * rank + 1) * sizeof *words);
    memcpy(set.page, page, (size_t)rank * sizeof *page);
    memcpy(at, first, sizeof at);
    do {
        for (int d = 0; d < rank && words; d++) {
            words[n++] = (int32_t)(at[d] * page[d]);
        }
    } while (words && range_step(at, first, last, 0, rank));
    set.clipped = clip(region, page, &set);
    return region_of_words(region->list.device, &region->shape, &set, words, count * rank);
}

Region *region_walk(Region *region, const int64_t *page)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    bool box = region->set.count == 1 && !region->pages && !region->set.masked && !region->set.levels;
    if (!box || touched(region, page, first, last) == 0) {
        return region;
    }
    if (!region->cells || memcmp(region->cells->set.page, page, (size_t)region->shape.rank * sizeof *page) != 0) {
        Region *cells = make_cells(region, page);
        if (!cells) {
            return NULL;
        }
        region_release(region->cells);
        region->cells = cells;
    }
    return region->cells;
}
