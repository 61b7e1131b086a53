/* Grids whose size only the device knows: a length counted by one dispatch bounds the next without a read-back. */
#ifndef RILL_GPU_PROGRAM_INDIRECT_H
#define RILL_GPU_PROGRAM_INDIRECT_H

#include "gpu/context/device.h"

/* A number of elements that lies in a buffer. */
typedef struct DeviceLength {
    Buffer *buffer; /* NULL: the length is known on the host */
    uint32_t word;  /* where it stands, in 32-bit words */
} DeviceLength;

/* Issues `dispatch` over ceil(length / per_group) groups; dispatch->groups is ignored. Groups are numbered as in a split 1-D grid: the last
 * row's may pass the count. */
bool indirect_dispatch(Device *device, const Dispatch *dispatch, DeviceLength length, uint32_t per_group);

#endif
