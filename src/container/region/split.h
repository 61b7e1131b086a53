/* Regions in parts of few elements. */
#ifndef RILL_CONTAINER_REGION_SPLIT_H
#define RILL_CONTAINER_REGION_SPLIT_H

#include "container/region/region.h"

/* It in parts, in its order, of so many elements or fewer where its boxes can be cut so (region/split.c). `part` is a new reference, NULL behind the
 * last one; false with error_set. All inside a scope. */
enum { REGION_CUT_DEPTH = 64 };
typedef struct RegionSplit {
    int depth;
    struct {
        Region *region;      /* held */
        int64_t next, count; /* count 0: not counted yet */
    } at[REGION_CUT_DEPTH];
} RegionSplit;
void region_split_begin(RegionSplit *cut, Region *region);
bool region_split_next(RegionSplit *cut, int64_t most, Region **part);
void region_split_end(RegionSplit *cut);

#endif
