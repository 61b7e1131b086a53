/* The coordinates of a region's elements. */
#ifndef RILL_CONTAINER_REGION_COORDINATES_H
#define RILL_CONTAINER_REGION_COORDINATES_H

#include "container/region/region.h"

/* Creates a stream of the coordinates of a region's elements in address order, computed on the device: points
 * as translator_stream takes them. Returns false with error_set on failure. */
bool region_coordinates(const Region *region, Stream *result);

#endif
