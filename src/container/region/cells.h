/* Regions that consist of boxes of different sizes. They are represented as cells: boxes of one size with
 * masks. */
#ifndef RILL_CONTAINER_REGION_CELLS_H
#define RILL_CONTAINER_REGION_CELLS_H

#include "container/region/box_list.h"
#include "container/region/region.h"

/* Returns a region of boxes within the shape, which may overlap. One box is kept as it is. Several boxes are
 * divided into cells of the size `cell` (x first), or into larger ones if there would be more than 2^20.
 * Returns NULL with error_set on failure. */
Region *region_of_boxes(Device *device, const Shape *shape, bool unbounded, const BoxList *boxes, const int64_t *cell);
/* Returns the union of two or more regions that have elements and no levels, as cells of one size. Returns
 * NULL with error_set on failure. */
Region *region_cells_union(Region *const *parts, int count);
/* Compares points of ints, x first, in row-major order. */
int region_compare_points(const int32_t *a, const int32_t *b, int rank);

#endif
