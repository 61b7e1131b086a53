#include "gpu/memory/workspace.h"

#include "gpu/context/device_private.h"

#include <stdlib.h>
#include <string.h>

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
    poison_host(device, space->memory, bytes);
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

void workspace_destroy_all(Device *device)
{
    for (int i = 0; i < WORKSPACE_DEPTH; i++) {
        free(device->workspaces[i].memory);
        device->workspaces[i] = (Workspace){0};
    }
}
