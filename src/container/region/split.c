/* Divides a region into groups of its boxes. A single large box is divided into slices, which may be
 * divided again. */
#include "container/region/split.h"

void region_split_begin(RegionSplit *cut, Region *region)
{
    cut->depth = 1;
    cut->at[0].region = region_retain(region);
    cut->at[0].next = 0;
    cut->at[0].count = 0;
}

/* Returns into how many parts a region is divided, so that none has more than `most` elements, as far as
 * its boxes allow. */
static int64_t part_count(const RegionSplit *cut, const Region *region, int64_t most)
{
    int64_t wanted = (region->set.elements + most - 1) / most, possible = region_parts(region);
    bool deep = cut->depth == REGION_CUT_DEPTH;
    return wanted <= 1 || deep ? 1 : wanted < possible ? wanted : possible;
}

bool region_split_next(RegionSplit *cut, int64_t most, Region **part)
{
    *part = NULL;
    while (cut->depth > 0) {
        int top = cut->depth - 1;
        Region *region = cut->at[top].region;
        if (cut->at[top].count == 0) {
            cut->at[top].count = region->set.elements > 0 ? part_count(cut, region, most) : 0;
        }
        if (cut->at[top].count == 1 && cut->at[top].next == 0) {
            cut->depth--;
            *part = region; /* its reference is handed over */
            return true;
        }
        if (cut->at[top].next == cut->at[top].count) {
            region_release(region);
            cut->depth--;
            continue;
        }
        Region *next = region_part(region, cut->at[top].next++, cut->at[top].count);
        if (!next) {
            return false;
        }
        cut->at[cut->depth].region = next;
        cut->at[cut->depth].next = cut->at[cut->depth].count = 0;
        cut->depth++;
    }
    return true;
}

void region_split_end(RegionSplit *cut)
{
    while (cut->depth > 0) {
        region_release(cut->at[--cut->depth].region);
    }
}
