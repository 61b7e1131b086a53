/* What the floors above keep with a device: their caches. A device belongs to one thread at a time, and so does what is kept with it:
 * nothing of it needs a lock. */
#ifndef RILL_GPU_CONTEXT_DEVICE_DATA_H
#define RILL_GPU_CONTEXT_DEVICE_DATA_H

#include "gpu/context/device.h"

/* One constant of static storage per client; its address tells clients apart. `destroy` runs when the device closes, with its context
 * current where that can be, and frees what the attachment holds, not the attachment. */
typedef struct AttachmentKind {
    size_t bytes;
    void (*destroy)(void *attachment);
} AttachmentKind;

/* The device's attachment of that kind: zeros when first asked for, then always the same memory. NULL with error_set. */
void *device_data_get(Device *device, const AttachmentKind *kind);

#endif
