/* Regions of any boxes, as cells of one size with masks. */
#ifndef RILL_CONTAINER_REGION_CELLS_H
#define RILL_CONTAINER_REGION_CELLS_H

#include "container/region/box_list.h"
#include "container/region/region.h"

/* Returns a region of boxes within the shape, which may overlap: one of them as it is, more are cut into cells of that size (x first), or of larger ones where
 * those are many. NULL with error_set. */
Region *region_of_boxes(Device *device, const Shape *shape, bool unbounded, const BoxList *boxes, const int64_t *cell);
/* The union of two parts or more that have elements, and no levels: as cells of one size. */
Region *region_cells_union(Region *const *parts, int count);
/* The order of points of ints, x first: row-major. */
int region_compare_points(const int32_t *a, const int32_t *b, int rank);

#endif
