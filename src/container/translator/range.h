/* Boxes of virtual addresses that stand in memory one element after the other. */
#ifndef RILL_CONTAINER_TRANSLATOR_RANGE_H
#define RILL_CONTAINER_TRANSLATOR_RANGE_H

#include "stream/shape.h"

/* The elements of the box first .. last (inclusive), row-major, have the memory addresses at, at + (1, 0, ...), at + (2, 0, ...) ...
 * Coordinates x first. An element is one address, or of a level above 0 all that have the same coordinates over 2^level. */
typedef struct Range {
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK];
    int level;
} Range;

typedef struct RangeList {
    Range *items;
    size_t count, capacity;
    int rank, to; /* of addresses, and of those in memory */
} RangeList;

/* Frees the ranges; and how many elements and addresses one has. */
void range_list_free(RangeList *list);
int64_t range_elements(const RangeList *list, const Range *range);
int64_t range_addresses(const RangeList *list, const Range *range);

/* Each adds ranges; false with error_set when out of host memory. */

/* One range as it is. */
bool range_add(RangeList *list, const int64_t *first, const int64_t *last, const int64_t *at);
/* Part first .. last of a block that stands row-major in memory of one dimension: the block's first element has address `origin`
 * and stands at `base`. */
bool range_add_block(RangeList *list, const int64_t *size, const int64_t *origin, int64_t base, const int64_t *first,
                     const int64_t *last);
/* `count` elements, from number `skip` on, of a range: they stand from `at` on. */
bool range_add_part(RangeList *list, const Range *range, int64_t skip, int64_t count, const int64_t *at);

/* Steps a point through the box first .. last, x fastest; from dimension `from` on. False behind the last. */
bool range_step(int64_t *point, const int64_t *first, const int64_t *last, int from, int rank);

#endif
