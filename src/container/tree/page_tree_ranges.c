/* Ranges of pages with levels: blocks of the domain that have one page, by halves, the parts of each in row-major order. */
#include "container/tree/page_tree.h"

#include <stdlib.h>

static int rank_of(const PageTree *a)
{
    return a->base.info.rank;
}

typedef struct Cover {
    const PageTree *a;
    const int64_t *first, *last;
    RangeList *list;
    AdaptivePage *pages; /* mapped ones, in that order, a coarse one in front of those inside it */
} Cover;

int page_tree_compare(const void *left, const void *right)
{
    const AdaptivePage *x = left, *y = right;
    int64_t most = 0;
    int dimension = -1;
    for (int d = SHAPE_MAX_RANK - 1; d >= 0;
         d--) { /* the one that differs in the highest bit, the slowest of several */
        int64_t differs = (x->at[d] << x->level) ^ (y->at[d] << y->level);
        if (differs > most && (differs ^ most) > most) {
            most = differs;
            dimension = d;
        }
    }
    if (dimension < 0) {
        return y->level - x->level;
    }
    return x->at[dimension] << x->level < y->at[dimension] << y->level ? -1 : 1;
}

static bool contains(const AdaptivePage *block, const AdaptivePage *page, int rank)
{
    for (int d = 0; d < rank; d++) {
        if (page->level > block->level || page->at[d] >> (block->level - page->level) != block->at[d]) {
            return false;
        }
    }
    return true;
}

/* A block's part of the box; false where there is none. */
static bool clip(const Cover *cover, const AdaptivePage *block, int64_t *first, int64_t *last)
{
    const PageTree *a = cover->a;
    for (int d = 0; d < rank_of(a); d++) {
        int64_t low = (block->at[d] * a->page[d]) << block->level;
        int64_t end = ((block->at[d] + 1) * a->page[d]) << block->level;
        bool last_node = a->border && end == a->page[d] << a->top; /* which is no cell's first */
        int64_t high = last_node ? end : end - 1;
        first[d] = low > cover->first[d] ? low : cover->first[d];
        last[d] = high < cover->last[d] ? high : cover->last[d];
        if (first[d] > last[d]) {
            return false;
        }
    }
    return true;
}

/* A block that lies in a page, which no finer one interrupts. */
static bool add_block(const Cover *cover, const AdaptivePage *block, const AdaptivePage *page)
{
    const PageTree *a = cover->a;
    RangeList *list = cover->list;
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    int64_t origin[SHAPE_MAX_RANK];
    if (!clip(cover, block, first, last)) {
        return true;
    }
    for (int d = 0; d < rank_of(a); d++) {
        origin[d] = page->at[d] * a->page[d];
        from[d] = first[d] >> page->level;
        to[d] = last[d] >> page->level;
    }
    size_t before = list->count;
    int64_t base = adaptive_frame(page_tree_mapped(a, page)) * a->elements;
    bool done = range_add_block(list, a->frame, origin, base, from, to);
    for (size_t i = before; done && i < list->count; i++) {
        Range *range = &list->items[i];
        range->level = page->level;
        for (int d = 0; d < rank_of(a); d++) {
            int64_t low = range->first[d] << page->level, high = ((range->last[d] + 1) << page->level) - 1;
            range->first[d] = low > first[d] ? low : first[d];
            range->last[d] = high < last[d] ? high : last[d];
        }
    }
    return done;
}

/* Pages first .. end - 1 lie in the block, which `page` covers; NULL: nothing does. */
static bool cover_block(const Cover *cover, const AdaptivePage *block, int64_t first, int64_t end,
                        const AdaptivePage *page)
{
    int rank = rank_of(cover->a);
    int64_t low[SHAPE_MAX_RANK], high[SHAPE_MAX_RANK];
    if (first < end && cover->pages[first].level == block->level) {
        page = &cover->pages[first++];
    }
    if (!clip(cover, block, low, high)) {
        return true;
    }
    if (first == end) {
        return !page || add_block(cover, block, page);
    }
    bool done = true;
    for (int child = 0; done && child < 1 << rank; child++) {
        AdaptivePage part = {.level = block->level - 1};
        for (int d = 0; d < rank; d++) {
            part.at[d] = 2 * block->at[d] + (child >> d & 1);
        }
        int64_t next = first;
        while (next < end && contains(&part, &cover->pages[next], rank)) {
            next++;
        }
        done = cover_block(cover, &part, first, next, page);
        first = next;
    }
    return done;
}

bool page_tree_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    const PageTree *a = (const PageTree *)t;
    Cover cover = {a, first, last, list, calloc((size_t)t->info.mapped + 1, sizeof *cover.pages)};
    AdaptivePage all = {.level = a->top};
    int64_t count = 0, low[SHAPE_MAX_RANK], high[SHAPE_MAX_RANK];
    (void)caller;
    if (!cover.pages) {
        return error_set("out of host memory");
    }
    for (int64_t frame = 0; frame < page_tree_frames(a); frame++) {
        AdaptivePage *page = &cover.pages[count];
        count += page_tree_page(a, frame, page) && clip(&cover, page, low, high);
    }
    qsort(cover.pages, (size_t)count, sizeof *cover.pages, page_tree_compare);
    bool done = cover_block(&cover, &all, 0, count, NULL);
    free(cover.pages);
    return done;
}
