/* What kinds share that have no pages: entries of ContainerKind. */
#ifndef RILL_CONTAINER_KIND_MEMORY_H
#define RILL_CONTAINER_KIND_MEMORY_H

#include "container/container_private.h"

/* Another container of the same kind and translator, whose memory is new; its state is that of a new one. */
Container *memory_like(const Container *c, const Type *type);
Container *memory_copy(const Container *c);
/* Sets each element of what kernels get for element-wise parameters. */
bool memory_fill(Container *c, const void *element, void *caller);

#endif
