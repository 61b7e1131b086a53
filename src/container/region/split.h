/* Divides regions into parts of few elements. */
#ifndef RILL_CONTAINER_REGION_SPLIT_H
#define RILL_CONTAINER_REGION_SPLIT_H

#include "container/region/region.h"

/* The state of an iteration over parts of a region, in its order. All functions are called inside a scope. */
enum { REGION_CUT_DEPTH = 64 };
typedef struct RegionSplit {
    int depth;
    struct {
        Region *region;      /* retained */
        int64_t next, count; /* count 0: not computed yet */
    } at[REGION_CUT_DEPTH];
} RegionSplit;
/* Begins an iteration. */
void region_split_begin(RegionSplit *cut, Region *region);
/* Sets `part` to a new reference to the next part, or to NULL after the last one. A part has at most `most`
 * elements, unless the region cannot be divided into such small parts. Returns false with error_set on
 * failure. */
bool region_split_next(RegionSplit *cut, int64_t most, Region **part);
/* Ends an iteration. */
void region_split_end(RegionSplit *cut);

#endif
