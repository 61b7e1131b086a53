/* Unions of regions. */
#ifndef RILL_CONTAINER_REGION_UNION_H
#define RILL_CONTAINER_REGION_UNION_H

#include "container/region/region.h"

/* Returns the union of one or more regions of one shape: a new reference, to one of them if that one contains
 * all elements. Returns NULL with error_set on failure. */
Region *region_union(Region *const *parts, int count);

#endif
