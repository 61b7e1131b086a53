/* Attachments: data that other directories store with a device, such as caches. They need no lock, since a
 * device belongs to one thread. */
#ifndef RILL_GPU_CONTEXT_DEVICE_DATA_H
#define RILL_GPU_CONTEXT_DEVICE_DATA_H

#include "gpu/context/device.h"

/* A type of attachment: one constant in static storage, identified by its address. `destroy` is called when the
 * device is closed, with its context current if possible. It frees the contents of the attachment, but not the
 * attachment itself. */
typedef struct AttachmentKind {
    size_t bytes;
    void (*destroy)(void *attachment);
} AttachmentKind;

/* Returns the device's attachment of a type. It is filled with zeros at first and keeps its address. Returns
 * NULL with error_set on failure. */
void *device_data_get(Device *device, const AttachmentKind *kind);

#endif
