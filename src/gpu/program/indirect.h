/* Dispatches whose size is computed by an earlier dispatch, without a read-back. */
#ifndef RILL_GPU_PROGRAM_INDIRECT_H
#define RILL_GPU_PROGRAM_INDIRECT_H

#include "gpu/context/device.h"

/* A number of elements that is stored in a buffer. */
typedef struct DeviceLength {
    Buffer *buffer; /* NULL: the length is known on the host */
    uint32_t word;  /* its position, in 32-bit words */
} DeviceLength;

/* Issues a dispatch with ceil(length / per_group) groups; ignores dispatch->groups. If the count exceeds the
 * device's limit, the groups are split into rows of equal length, as Dispatch.groups describes. The last row may
 * then have groups whose index is not less than the count: the shader must do nothing in them. Returns false with
 * error_set on failure. */
bool indirect_dispatch(Device *device, const Dispatch *dispatch, DeviceLength length, uint32_t per_group);

#endif
