/* Tables of constants that programs read. They are computed once and cached with a device. They count as pooled
 * memory, and are freed when memory is low. */
#ifndef RILL_GPU_MEMORY_CONSTANTS_H
#define RILL_GPU_MEMORY_CONSTANTS_H

#include "gpu/memory/buffer.h"

/* A table: the function that computes it, and its arguments. The function may use the device and other constants. */
typedef struct Constants {
    bool (*fill)(const struct Constants *constants, Buffer *buffer);
    int64_t arguments[3];
    uint64_t bytes;
} Constants;

/* Returns the buffer of a table, cached or new. It is valid until the next call or allocation, unless it is
 * retained. Returns NULL with error_set on failure. */
Buffer *constants_find(Device *device, const Constants *constants);
#endif
