/* Unions of regions. */
#ifndef RILL_CONTAINER_REGION_UNION_H
#define RILL_CONTAINER_REGION_UNION_H

#include "container/region/region.h"

/* Returns a new reference to the union of one or more regions of one shape. If one of the regions contains
 * all elements of the others, the result is that region. Returns NULL with error_set on failure. */
Region *region_union(Region *const *parts, int count);

#endif
