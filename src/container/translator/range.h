/* Boxes of virtual addresses that are contiguous in memory. */
#ifndef RILL_CONTAINER_TRANSLATOR_RANGE_H
#define RILL_CONTAINER_TRANSLATOR_RANGE_H

#include "stream/shape.h"

/* A box of virtual addresses, `first` to `last` (inclusive), and its memory addresses. In row-major order,
 * its elements have consecutive memory addresses: `at`, `at` + (1, 0, ...), `at` + (2, 0, ...), ... Coordinates
 * are x first. `level` is the level of an adaptive tree. At level 0 each virtual address is one element. At a
 * higher level one element covers all addresses whose coordinates, divided by 2^level, are equal. */
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
/* Returns the number of elements of a range. */
int64_t range_elements(const RangeList *list, const Range *range);
/* Returns the number of virtual addresses of a range. */
int64_t range_addresses(const RangeList *list, const Range *range);

/* Adds a range. Returns false with error_set on failure, as all functions do that add ranges. */
bool range_add(RangeList *list, const int64_t *first, const int64_t *last, const int64_t *at);
/* Adds the virtual addresses first .. last, a part of a block that is stored row-major in memory of one
 * dimension. The block has the sizes `size`. Its first element has the virtual address `origin` and the memory
 * address `base`. */
bool range_add_block(RangeList *list, const int64_t *size, const int64_t *origin, int64_t base, const int64_t *first,
                     const int64_t *last);
/* Adds a part of `range`: `count` elements, beginning with element `skip` (row-major). The added part is stored
 * at the memory address `at`; range->at is ignored. */
bool range_add_part(RangeList *list, const Range *range, int64_t skip, int64_t count, const int64_t *at);

/* Advances a point within the box first .. last, x fastest, along the dimensions from `from` on. Returns false
 * after the last point. */
bool range_step(int64_t *point, const int64_t *first, const int64_t *last, int from, int rank);

#endif
