/* Temporary host memory, kept with a device. */
#ifndef RILL_GPU_MEMORY_WORKSPACE_H
#define RILL_GPU_MEMORY_WORKSPACE_H

#include "gpu/context/device.h"

/* Returns `bytes` bytes of working memory for data of a call that is too large for the stack. Contents are
 * undefined. Nested calls get different memory and must return it in reverse order. The memory is kept with the
 * device, so that only the first calls allocate. Returns NULL with error_set on failure. */
void *workspace_take(Device *device, size_t bytes);
/* Returns working memory like workspace_take, filled with zeros. */
void *workspace_zeros(Device *device, size_t bytes);
/* Returns the memory that was taken last. NULL is ignored. */
void workspace_give(Device *device, void *memory);

#endif
