#include "gpu/context/device_data.h"

#include "gpu/context/device_private.h"

#include <stdlib.h>

void *device_data_get(Device *device, const AttachmentKind *kind)
{
    int i = 0;
    while (i < device->attachment_count && device->attachments[i].kind != kind) {
        i++;
    }
    if (i < device->attachment_count) {
        return device->attachments[i].memory;
    }
    if (i == DEVICE_ATTACHMENTS) {
        error_set("device_data_get: more than %d kinds", DEVICE_ATTACHMENTS);
        return NULL;
    }
    void *memory = calloc(1, kind->bytes);
    if (!memory) {
        error_set("out of host memory");
        return NULL;
    }
    device->attachments[device->attachment_count++] = (DeviceData){kind, memory};
    return memory;
}

void device_data_destroy_all(Device *device)
{
    while (device->attachment_count > 0) {
        DeviceData *last = &device->attachments[--device->attachment_count];
        last->kind->destroy(last->memory);
        free(last->memory);
    }
}
