/* Regions of the boxes that contain elements of an active list. */
#ifndef RILL_CONTAINER_REGION_ACTIVE_LIST_H
#define RILL_CONTAINER_REGION_ACTIVE_LIST_H

#include "container/region/region.h"

/* Returns the boxes of `page` elements (x first) that contain elements of an active list of the shape, at
 * most 2^31 - 1 elements, as a new region. Waits for the device. Returns NULL with error_set on failure. */
Region *region_of_active(const Stream *active, const Shape *shape, const int64_t *page);

#endif
