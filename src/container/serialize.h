/* What a file keeps of a container whose memory is its own. */
#ifndef RILL_CONTAINER_SERIALIZE_H
#define RILL_CONTAINER_SERIALIZE_H

#include "base/error.h"
#include "container/container.h"

/* By kind:
 *
 *   array     size: its shape. Elements in row-major order. numbers: none, or of its texture: linear, normalized, cube, levels, and what OpenGL calls
 *             the format that is told, 0: none is.
 *   stack     size: 1. capacity: as many elements as there may be.
 *   lists     size: the grid's. numbers: where each list begins, and the last one ends.
 *   sparse    size: its shape; page, levels of the table, capacity. numbers: the coordinates of each mapped page among pages, x first, in address
 *             order. Elements: the default, then those of the pages.
 *   overlap   the same, of pages with replicas; numbers: how many elements of those around a page, then as of sparse. Elements: the default, then those
 *             that are mapped, in address order.
 *   hashgrid  the same as sparse; size: 0.
 *   adaptive  size in cells, page, capacity. numbers: filter, edge, then level and coordinates of each page that is split, the coarse ones first.
 *             Elements: the default, the edge's, then all pages, coarse ones first. */
typedef struct ContainerImage {
    const char *kind;
    const Type *type;
    Shape size, page;
    int levels;
    int64_t capacity;
    int32_t *numbers;
    int64_t number_count;
    void *elements; /* packed */
    int64_t element_count;
} ContainerImage;

/* The container's image, whose numbers and elements are to be freed; and a container of one, every part of which is checked. False and NULL with
 * error_set; inside a scope. */
bool container_image_take(Container *c, ContainerImage *image);
Container *container_image_load(Device *device, const ContainerImage *image);

/* For what makes images: false with error_set; and the same for adaptive containers. */
static inline bool container_image_damaged(void)
{
    return error_set("what the file tells of its container does not agree: it is damaged");
}
bool adaptive_data_take(Container *c, ContainerImage *image);
Container *adaptive_data_load(Device *device, const ContainerImage *image);

#endif
