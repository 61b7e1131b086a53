#include "gpu/context/device_private.h"

/* --- references --- */

Device *device_retain(Device *device)
{
    device->count++;
    return device;
}

void device_release(Device *device)
{
    if (!device || --device->count > 0) {
        return;
    }
    device->last_released(device);
}

/* --- properties --- */

uint64_t device_serial(const Device *device)
{
    return device->serial;
}

const DeviceInfo *device_describe(const Device *device)
{
    return &device->info;
}

const DeviceTraits *device_traits(const Device *device)
{
    return &device->traits;
}

const DeviceLimits *device_limits(const Device *device)
{
    return &device->limits;
}

bool device_traced(const Device *device)
{
    return device->traced;
}

bool device_wait(Device *device)
{
    if (!device->traits.synchronous) {
        bindings_barrier(device, GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
        GLsync fence = fence_create(device);
        if (!fence_wait(device, &fence)) {
            glDeleteSync(fence);
            return false;
        }
        fault_refresh(device);
    }
    return fault_report(device);
}

/* --- memory --- */

void device_set_collector(Device *device, void (*collect)(void *context), void *context)
{
    device->collect = collect;
    device->collect_context = context;
}

DeviceMemory device_memory(const Device *device)
{
    DeviceMemory memory = device->memory;
    memory.pooled = device->pool.bytes + device->constants + device->framebuffers;
    return memory;
}

unsigned device_take_compiled(Device *device)
{
    unsigned compiled = device->compiled;
    device->compiled = 0;
    return compiled;
}

uint64_t device_held(const Device *device)
{
    const uint64_t upkeep = 4096; /* per buffer, as observed with Mesa */
    return device->memory.bytes + device->memory.buffers * upkeep;
}
