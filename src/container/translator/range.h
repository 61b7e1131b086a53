/* Boxes of virtual addresses that are contiguous in memory. */
#ifndef RILL_CONTAINER_TRANSLATOR_RANGE_H
#define RILL_CONTAINER_TRANSLATOR_RANGE_H

#include "stream/shape.h"

/* A range: the elements of the box first .. last (inclusive), row-major, have the memory addresses at, at +
 * (1, 0, ...), at + (2, 0, ...) ... Coordinates are x first. An element is one address; at a level above 0
 * it is all addresses with the same coordinates divided by 2^level. */
typedef struct Range {
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK];
    int level;
} Range;

typedef struct RangeList {
    Range *items;
    size_t count, capacity;
    int rank, to; /* number of dimensions of addresses, and of memory */
} RangeList;

/* Frees the ranges of a list. */
void range_list_free(RangeList *list);
/* Returns how many elements a range has. */
int64_t range_elements(const RangeList *list, const Range *range);
/* Returns how many virtual addresses a range has. */
int64_t range_addresses(const RangeList *list, const Range *range);

/* Adds a range. This and the next functions return false with error_set on failure. */
bool range_add(RangeList *list, const int64_t *first, const int64_t *last, const int64_t *at);
/* Adds the part first .. last of a block that is stored row-major in memory of one dimension. The block's
 * first element has the virtual address `origin` and the memory address `base`. */
bool range_add_block(RangeList *list, const int64_t *size, const int64_t *origin, int64_t base, const int64_t *first,
                     const int64_t *last);
/* Adds `count` elements of a range, from element `skip` on, which are stored from `at` on. */
bool range_add_part(RangeList *list, const Range *range, int64_t skip, int64_t count, const int64_t *at);

/* Advances a point within the box first .. last, x fastest, along the dimensions from `from` on. Returns
 * false after the last point. */
bool range_step(int64_t *point, const int64_t *first, const int64_t *last, int from, int rank);

#endif
