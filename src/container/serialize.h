/* What a file keeps of a container. */
#ifndef RILL_CONTAINER_SERIALIZE_H
#define RILL_CONTAINER_SERIALIZE_H

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

/* Takes the data of a container, whose numbers and elements the caller frees, also where it fails. False with error_set; inside a scope. */
bool container_data_save(Container *c, ContainerData *data);
/* Makes a container of data, every part of which is checked (container/kind/kinds.c). NULL with error_set; inside a scope. */
Container *container_data_load(Device *device, const ContainerData *data);

#endif
