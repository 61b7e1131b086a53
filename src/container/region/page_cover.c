/* Boxes as the pages that they touch: launches traverse pages faster. */
#include "container/region/page_cover.h"

#include "container/translator/range.h"

#include <stdlib.h>
#include <string.h>

/* A box with less than one quarter of the elements of its pages is traversed as it is. */
enum { MOST_LEFT_OUT = 4 };

static int64_t page_of(int64_t at, int64_t size)
{
    return at >= 0 ? at / size : -1 - (-1 - at) / size;
}

/* Computes the pages, both ends inclusive, that the box touches. Returns their number; 0: too many. */
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

/* Clips the pages to the box. Returns whether any page is covered partly. */
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

/* Returns whether the box covers a page. */
static bool whole_page(const PageSet *set, int rank, const int64_t *at)
{
    bool whole = true;
    for (int d = 0; d < rank; d++) {
        int64_t first = at[d] * set->page[d];
        whole = whole && first >= set->clip_first[d] && first + set->page[d] <= set->clip_first[d] + set->clip_size[d];
    }
    return whole;
}

typedef enum Part { PART_ALL, PART_WHOLE, PART_CUT } Part;

static Region *make_cells(const Region *region, const int64_t *page, Part part)
{
    int rank = region->shape.rank;
    int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK] = {0}, at[SHAPE_MAX_RANK], n = 0;
    PageSet set = {.aligned = true, .unbounded = region->set.unbounded};
    int32_t *words = malloc((size_t)(touched(region, page, first, last) * rank + 1) * sizeof *words);
    memcpy(set.page, page, (size_t)rank * sizeof *page);
    set.clipped = clip(region, page, &set) && part != PART_WHOLE;
    memcpy(at, first, sizeof at);
    do {
        bool taken = words && (part == PART_ALL || whole_page(&set, rank, at) == (part == PART_WHOLE));
        for (int d = 0; d < rank && taken; d++) {
            words[n++] = (int32_t)(at[d] * page[d]);
        }
        set.count += taken;
    } while (words && range_step(at, first, last, 0, rank));
    return region_of_words(region->list.device, &region->shape, &set, words, n);
}

/* If steps of several elements do not fit the parts of pages that the box covers, and there are many
 * elements, whole pages are separated from the others. */
static Region *make_parts(const Region *region, const int64_t *page, bool apart)
{
    enum { LEAST_ELEMENTS = 1 << 14, STEP = 4 };
    bool fits = region->words[0] % STEP == 0 && region->set.page[0] % STEP == 0;
    PageSet set;
    apart = apart && !fits && region->set.elements >= LEAST_ELEMENTS && clip(region, page, &set);
    Region *whole = make_cells(region, page, apart ? PART_WHOLE : PART_ALL);
    if (whole && apart && whole->set.count == 0) {
        region_release(whole);
        return make_cells(region, page, PART_ALL);
    }
    if (whole && apart && !(whole->rest = make_cells(region, page, PART_CUT))) {
        region_release(whole);
        return NULL;
    }
    return whole;
}

Region *region_page_cover(Region *region, const int64_t *page, bool apart)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    bool box = region->set.count == 1 && !region->pages && !region->set.masked && !region->set.levels;
    if (!box || touched(region, page, first, last) == 0) {
        return region;
    }
    Region *known = region->cells;
    if (!known || memcmp(known->set.page, page, (size_t)region->shape.rank * sizeof *page) != 0 ||
        (known->rest && !apart)) {
        Region *cells = make_parts(region, page, apart);
        if (!cells) {
            return NULL;
        }
        region_release(known);
        region->cells = cells;
    }
    return region->cells;
}
