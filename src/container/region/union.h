/* Unions of regions. */
#ifndef RILL_CONTAINER_REGION_UNION_H
#define RILL_CONTAINER_REGION_UNION_H

#include "container/region/region.h"

/* The union of regions of one shape, one at least: a reference to one of them where that has it all. */
Region *region_union(Region *const *parts, int count);

#endif
