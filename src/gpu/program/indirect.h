/* Dispatches whose size is computed by an earlier dispatch, without a read-back. */
#ifndef RILL_GPU_PROGRAM_INDIRECT_H
#define RILL_GPU_PROGRAM_INDIRECT_H

#include "gpu/context/device.h"

/* A number of elements that is stored in a buffer. */
typedef struct DeviceLength {
    Buffer *buffer; /* NULL: the length is known on the host */
    uint32_t word;  /* its position, in 32-bit words */
} DeviceLength;

/* Issues a dispatch with ceil(length / per_group) groups; ignores dispatch->groups. Groups are numbered as in a
 * split 1-D grid, and may exceed the count in the last row. */
bool indirect_dispatch(Device *device, const Dispatch *dispatch, DeviceLength length, uint32_t per_group);

#endif
