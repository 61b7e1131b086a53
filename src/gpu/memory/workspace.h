/* Memory to work in, kept with a device. */
#ifndef RILL_GPU_MEMORY_WORKSPACE_H
#define RILL_GPU_MEMORY_WORKSPACE_H

#include "gpu/context/device.h"

/* Memory for what a call works with and is too large for the stack: `bytes`, not cleared. A call that is entered again while it has some takes
 * more, so every call has its own; given back in the opposite order. Kept with the device: only the first calls allocate. NULL with
 * error_set. */
void *workspace_take(Device *device, size_t bytes);
void *workspace_zeros(Device *device, size_t bytes); /* the same, cleared */
/* Gives back what was taken last; NULL is ignored. */
void workspace_give(Device *device, void *memory);

#endif
