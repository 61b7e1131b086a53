/* What the floors above keep with a device: their caches, and memory to work in. A device belongs to one thread at a time, and so does
 * what is kept with it: nothing of it needs a lock. */
#ifndef RILL_ATTACHMENT_H
#define RILL_ATTACHMENT_H

#include "gpu/device.h"

/* One constant of static storage per client; its address tells clients apart. `destroy` runs when the device closes, with its context
 * current where that can be, and frees what the attachment holds, not the attachment. */
typedef struct AttachmentKind {
    size_t bytes;
    void (*destroy)(void *attachment);
} AttachmentKind;

/* The device's attachment of that kind: zeros when first asked for, then always the same memory. NULL with error_set. */
void *device_attachment(Device *device, const AttachmentKind *kind);

/* Memory for what a call works with and is too large for the stack: `bytes`, not cleared. A call that is entered again while it has some takes
 * more, so every call has its own; given back in the opposite order. Kept with the device: only the first calls allocate. NULL with
 * error_set. */
void *workspace_take(Device *device, size_t bytes);
void *workspace_zeros(Device *device, size_t bytes); /* the same, cleared */
/* Gives back what was taken last; NULL is ignored. */
void workspace_give(Device *device, void *memory);

#endif
