/* The elements of a region as points. */
#ifndef RILL_CONTAINER_REGION_COORDINATES_H
#define RILL_CONTAINER_REGION_COORDINATES_H

#include "container/region/region.h"

/* The coordinates of its elements in address order, counted on the device: points as translator_stream takes them. False with
 * error_set. */
bool region_coordinates(const Region *region, Stream *result);

#endif
