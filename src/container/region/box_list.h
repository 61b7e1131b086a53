/* Lists of boxes first .. last, x first, both ends inclusive. */
#ifndef RILL_CONTAINER_REGION_BOX_LIST_H
#define RILL_CONTAINER_REGION_BOX_LIST_H

#include "stream/shape.h"

typedef struct BoxList {
    struct {
        int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    } * items;
    size_t count, capacity;
} BoxList;
/* Adds a box. As long as the last two boxes of the list together form a box, they are joined. Returns false
 * with error_set on failure. */
bool region_add_box(BoxList *list, const int64_t *first, const int64_t *last, int rank);

#endif
