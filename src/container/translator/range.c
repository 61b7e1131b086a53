#include "container/translator/range.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void range_list_free(RangeList *list)
{
    free(list->items);
    list->items = NULL;
    list->count = list->capacity = 0;
}

int64_t range_elements(const RangeList *list, const Range *range)
{
    int64_t count = 1;
    for (int d = 0; d < list->rank; d++) {
        count *= (range->last[d] >> range->level) - (range->first[d] >> range->level) + 1;
    }
    return count;
}

int64_t range_addresses(const RangeList *list, const Range *range)
{
    Range each = *range;
    each.level = 0;
    return range_elements(list, &each);
}

bool range_add(RangeList *list, const int64_t *first, const int64_t *last, const int64_t *at)
{
    if (!ARRAY_ROOM(list)) {
        return false;
    }
    Range *range = &list->items[list->count++];
    memset(range, 0, sizeof *range);
    memcpy(range->first, first, (size_t)list->rank * sizeof *first);
    memcpy(range->last, last, (size_t)list->rank * sizeof *last);
    memcpy(range->at, at, (size_t)list->to * sizeof *at);
    return true;
}

bool range_step(int64_t *point, const int64_t *first, const int64_t *last, int from, int rank)
{
    for (int d = from; d < rank; d++) {
        if (point[d] < last[d]) {
            point[d]++;
            return true;
        }
        point[d] = first[d];
    }
    return false;
}

bool range_add_block(RangeList *list, const int64_t *size, const int64_t *origin, int64_t base, const int64_t *first,
                     const int64_t *last)
{
    int rank = list->rank,
        whole = 0; /* dimensions in which the box has whole rows, planes ...; a range covers these and one more */
    while (whole < rank - 1 && last[whole] - first[whole] + 1 == size[whole]) {
        whole++;
    }
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    memcpy(from, first, sizeof from);
    memcpy(to, last, sizeof to);
    do {
        int64_t at[SHAPE_MAX_RANK] = {base}, stride = 1;
        for (int d = 0; d < rank; d++) {
            to[d] = d <= whole ? last[d] : from[d];
            at[0] += (from[d] - origin[d]) * stride;
            stride *= size[d];
        }
        if (!range_add(list, from, to, at)) {
            return false;
        }
    } while (range_step(from, first, last, whole + 1, rank));
    return true;
}

/* A range that is being divided: the box in elements, of which the dimensions above some are fixed, and the
 * number of elements added so far. */
typedef struct RangeCut {
    const Range *range;
    Range box;
    int64_t moved;
} RangeCut;

/* Adds the addresses of the box. */
static bool add_box(RangeList *list, const RangeCut *cut)
{
    const Range *range = cut->range;
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK];
    for (int d = 0; d < list->rank; d++) {
        int64_t side = INT64_C(1) << range->level; /* coordinates of a hash may be negative, so they are not shifted */
        int64_t low = cut->box.first[d] * side, high = (cut->box.last[d] + 1) * side - 1;
        first[d] = low > range->first[d] ? low : range->first[d];
        last[d] = high < range->last[d] ? high : range->last[d];
    }
    memcpy(at, cut->box.at, sizeof at);
    at[0] += cut->moved;
    if (!range_add(list, first, last, at)) {
        return false;
    }
    list->items[list->count - 1].level = range->level;
    return true;
}

/* Adds `count` elements from `skip` on, which lie in dimensions 0 .. d. */
static bool add_part(RangeList *list, RangeCut *cut, int d, int64_t skip, int64_t count)
{
    Range *box = &cut->box;
    int64_t below = 1, first = box->first[d], last = box->last[d];
    for (int k = 0; k < d; k++) {
        below *= box->last[k] - box->first[k] + 1;
    }
    bool done = true;
    while (count > 0 && done) {
        int64_t row = skip / below, inside = skip % below, taken;
        box->first[d] = box->last[d] = first + row;
        if (inside == 0 && count >= below) {
            taken = count / below * below;
            box->last[d] = first + row + count / below - 1;
            done = add_box(list, cut);
            cut->moved += taken;
        } else {
            taken = count < below - inside ? count : below - inside;
            done = add_part(list, cut, d - 1, inside, taken);
        }
        skip += taken;
        count -= taken;
    }
    box->first[d] = first;
    box->last[d] = last;
    return done;
}

bool range_add_part(RangeList *list, const Range *range, int64_t skip, int64_t count, const int64_t *at)
{
    RangeCut cut = {.range = range};
    for (int d = 0; d < list->rank; d++) {
        cut.box.first[d] = range->first[d] >> range->level;
        cut.box.last[d] = range->last[d] >> range->level;
    }
    memcpy(cut.box.at, at, (size_t)list->to * sizeof *at);
    return add_part(list, &cut, list->rank - 1, skip, count);
}
