/* Numbers that programs read and that are always the same: computed once, and kept with a device. They count as pooled memory, and go when
 * memory is short. */
#ifndef RILL_GPU_MEMORY_CONSTANTS_H
#define RILL_GPU_MEMORY_CONSTANTS_H

#include "gpu/memory/buffer.h"

/* What some are: a function that computes them, and what it is told. It may use the device, and other constants. */
typedef struct Constants {
    bool (*fill)(const struct Constants *constants, Buffer *buffer);
    int64_t arguments[3];
    uint64_t bytes;
} Constants;

/* A buffer of them: kept ones, or new ones. Retain it to use it beyond the next call of this or the next allocation. NULL with error_set. */
Buffer *constants_find(Device *device, const Constants *constants);
#endif
