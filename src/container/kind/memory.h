/* Entries of ContainerKind that kinds without pages share. */
#ifndef RILL_CONTAINER_KIND_MEMORY_H
#define RILL_CONTAINER_KIND_MEMORY_H

#include "container/container_private.h"

/* Creates a container of the same kind and translator with new memory. Its state is new, too. Returns NULL
 * with error_set on failure. */
Container *memory_like(const Container *c, const Type *type);
/* Copies a container with its memory. Returns NULL with error_set on failure. */
Container *memory_copy(const Container *c);
/* Sets each element of container_elements. Returns false with error_set on failure. */
bool memory_fill(Container *c, const void *element, void *caller);

#endif
