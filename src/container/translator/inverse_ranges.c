/* Finds the ranges of addresses that are stored in a box of memory. */
#include "container/translator/translator_kind.h"

#include <stdlib.h>
#include <string.h>

/* Compares by memory address, row-major; if these are equal, by virtual address. */
static int compare_ranges(const void *a, const void *b)
{
    const Range *one = a, *two = b;
    for (int d = SHAPE_MAX_RANK - 1; d >= 0; d--) {
        if (one->at[d] != two->at[d]) {
            return one->at[d] < two->at[d] ? -1 : 1;
        }
    }
    for (int d = SHAPE_MAX_RANK - 1; d >= 0; d--) {
        if (one->first[d] != two->first[d]) {
            return one->first[d] < two->first[d] ? -1 : 1;
        }
    }
    return 0;
}

/* Adds the part of a range that is stored in the box. */
static bool add_inside(const RangeList *all, const Range *range, const int64_t *first, const int64_t *last,
                       RangeList *list)
{
    int64_t at[SHAPE_MAX_RANK], low = range->at[0], high = low + range_elements(all, range) - 1;
    for (int d = 1; d < all->to; d++) {
        if (range->at[d] < first[d] || range->at[d] > last[d]) {
            return true;
        }
    }
    low = low > first[0] ? low : first[0];
    high = high < last[0] ? high : last[0];
    memcpy(at, range->at, sizeof at);
    at[0] = low;
    return high < low || range_add_part(list, range, low - range->at[0], high - low + 1, at);
}

/* Filters the ranges of all mapped elements. */
static bool ranges_of_domain(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                             void *caller)
{
    RangeList all = {0};
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    for (int d = 0; d < t->info.rank; d++) {
        from[d] = t->info.domain.known ? 0 : -INT32_MAX;
        to[d] = t->info.domain.known ? t->info.domain.size[d] - 1 : INT32_MAX;
    }
    bool done = translator_ranges(t, from, to, &all, caller);
    for (size_t i = 0; done && i < all.count; i++) {
        done = add_inside(&all, &all.items[i], first, last, list);
    }
    range_list_free(&all);
    if (done && list->count > 0) {
        qsort(list->items, list->count, sizeof *list->items, compare_ranges);
    }
    return done;
}

/* Inverts a row of memory address by address. Adds virtual addresses that follow each other along x as one
 * range. */
static bool add_row(const Translator *t, const int64_t *first, int64_t last, RangeList *list, void *caller)
{
    int64_t place[SHAPE_MAX_RANK], point[SHAPE_MAX_RANK];
    bool going = false;
    memcpy(place, first, sizeof place);
    for (; place[0] <= last; place[0]++) {
        Outcome outcome = translator_point(t, DIRECTION_INVERSE, place, point, caller);
        if (outcome == OUTCOME_FAILED) {
            return false;
        }
        Range *before = going ? &list->items[list->count - 1] : NULL;
        bool follows = before && outcome == OUTCOME_FOUND && point[0] == before->last[0] + 1;
        for (int d = 1; d < t->info.rank && follows; d++) {
            follows = point[d] == before->last[d];
        }
        if (follows) {
            before->last[0] = point[0];
        } else if (outcome == OUTCOME_FOUND && !range_add(list, point, point, place)) {
            return false;
        }
        going = outcome == OUTCOME_FOUND;
    }
    return true;
}

/* Is used if the domain is not known. */
static bool ranges_by_place(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                            void *caller)
{
    int64_t row[SHAPE_MAX_RANK];
    memcpy(row, first, sizeof row);
    do {
        if (!add_row(t, row, last[0], list, caller)) {
            return false;
        }
    } while (range_step(row, first, last, 1, t->info.to));
    return true;
}

/* Returns whether the ranges of all mapped elements can be computed. */
static bool knows_domain(const Translator *t)
{
    while (t->parts[0]) {
        t = t->parts[0];
    }
    return t->info.domain.known || t->info.pages;
}

bool translator_inverse_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                               void *caller)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    list->rank = t->info.rank;
    list->to = t->info.to;
    for (int d = 0; d < t->info.to; d++) {
        from[d] = first[d] > 0 ? first[d] : 0;
        to[d] = last[d] < INT32_MAX ? last[d] : INT32_MAX;
        if (to[d] < from[d]) {
            return true;
        }
    }
    return (knows_domain(t) ? ranges_of_domain : ranges_by_place)(t, from, to, list, caller);
}
