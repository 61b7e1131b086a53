#include "gpu/attachment.h"

#include "gpu/device_private.h"

#include <stdlib.h>
#include <string.h>

void *device_attachment(Device *device, const AttachmentKind *kind)
{
    int i = 0;
    while (i < device->attachment_count && device->attachments[i].kind != kind) {
        i++;
    }
    if (i < device->attachment_count) {
        return device->attachments[i].memory;
    }
    if (i == DEVICE_ATTACHMENTS) {
        error_set("device_attachment: more than %d kinds", DEVICE_ATTACHMENTS);
        return NULL;
    }
    void *memory = calloc(1, kind->bytes);
    if (!memory) {
        error_set("out of host memory");
        return NULL;
    }
    device->attachments[device->attachment_count++] = (Attachment){kind, memory};
    return memory;
}

void attachments_destroy(Device *device)
{
    while (device->attachment_count > 0) {
        Attachment *last = &device->attachments[--device->attachment_count];
        last->kind->destroy(last->memory);
        free(last->memory);
    }
    for (int i = 0; i < WORKSPACE_DEPTH; i++) {
        free(device->workspaces[i].memory);
        device->workspaces[i] = (Workspace){0};
    }
}

void *workspace_take(Device *device, size_t bytes)
{
    if (device->workspaces_taken == WORKSPACE_DEPTH) {
        error_set("a call on \"%s\" is nested too deeply", device->info.name);
        return NULL;
    }
    Workspace *space = &device->workspaces[device->workspaces_taken];
    if (space->bytes < bytes) {
        free(space->memory);
        space->memory = malloc(bytes);
        space->bytes = space->memory ? bytes : 0;
    }
    if (!space->memory) {
        error_set("out of host memory");
        return NULL;
    }
    device->workspaces_taken++;
    return space->memory;
}

void *workspace_zeros(Device *device, size_t bytes)
{
    void *memory = workspace_take(device, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void workspace_give(Device *device, void *memory)
{
    device->workspaces_taken -= memory != NULL;
}
