/* The contents of a container, as files store them. */
#ifndef RILL_CONTAINER_SERIALIZE_H
#define RILL_CONTAINER_SERIALIZE_H

#include "container/container.h"

/* The data of a container. The members mean, by kind:
 *
 *   array     size: the shape. elements: all, row-major. numbers: none, or of a texture: linear, normalized, cube,
 *             levels, and OpenGL's name of the format (0: default).
 *   stack     size: {1}, not used. capacity: the greatest number of elements. elements: the current ones.
 *   lists     size: the grid's. numbers: where each list begins, and the number of entries.
 *   sparse    size: the shape. page: the shape of a page. levels: the number of levels of the page table (0: the
 *             container is unbounded). capacity: the greatest number of pages. numbers: the coordinates of each
 *             mapped page, counted in pages, x first, in address order. elements: the default, then those of the pages.
 *   overlap   sparse pages with a halo. numbers: the width of the halo, then as for sparse. elements: the default,
 *             then the mapped elements in address order.
 *   hashgrid  as sparse; size: 0.
 *   adaptive  size in cells, page, capacity. numbers: filter, boundary, then level and coordinates of each page that
 *             is split, coarse pages first. elements: the default, the boundary's value, then all pages, coarse pages
 *             first. */
typedef struct ContainerData {
    const char *kind;
    const Type *type;
    Shape size, page;
    int levels;
    int64_t capacity;
    int32_t *numbers;
    int64_t number_count;
    void *elements; /* packed */
    int64_t element_count;
} ContainerData;

/* Collects the data of a container. The caller frees `numbers` and `elements`, also after a failure. Call it inside a
 * scope of the device. Returns false with error_set on failure. */
bool container_data_save(Container *c, ContainerData *data);
/* Creates a container from data and checks every part of the data (container/kind/kinds.c). Call it inside a
 * scope of the device. Returns NULL with error_set on failure. */
Container *container_data_load(Device *device, const ContainerData *data);

#endif
