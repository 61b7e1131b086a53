/* Accounting of device memory, and the limit. */
#include "gpu/context/device_private.h"

typedef unsigned long long Count; /* for messages */

uint64_t memory_bound(const Device *device)
{
    uint64_t limit = device->memory.limit, ceiling = device->memory_ceiling;
    return limit && (!ceiling || limit < ceiling) ? limit : ceiling;
}

bool memory_fits(const Device *device, uint64_t bytes)
{
    uint64_t limit = memory_bound(device);
    return !limit || (bytes <= limit && device->memory.bytes <= limit - bytes);
}

void memory_shrink(Device *device, uint64_t bytes)
{
    if (device->constants > bytes) {
        device->drop_constants(device);
    }
    bytes = bytes > device->constants ? bytes - device->constants : 0;
    if (device->framebuffers > bytes) {
        device->drop_framebuffers(device);
    }
    pool_shrink(device, bytes > device->framebuffers ? bytes - device->framebuffers : 0);
}

void device_memory_limit(Device *device, uint64_t bytes)
{
    device->memory.limit = bytes;
    if (bytes) {
        uint64_t live = device->memory.bytes;
        memory_shrink(device, bytes > live ? bytes - live : 0);
    }
}

void memory_make_room(Device *device, uint64_t bytes)
{
    uint64_t limit = memory_bound(device);
    if (limit) {
        memory_shrink(device, limit - device->memory.bytes - bytes);
    }
}

void memory_collect(Device *device)
{
    /* The collector may run finalizers that allocate. */
    if (device->collect && !device->collecting) {
        device->collecting = true;
        device->collect(device->collect_context);
        device->collecting = false;
    }
}

bool memory_exhausted(const Device *device, uint64_t bytes)
{
    const DeviceMemory *memory = &device->memory;
    uint64_t limit = memory_bound(device);
    if (limit) {
        return error_set("out of device memory: %llu bytes requested, %llu in use in %llu buffers, limit %llu: close "
                         "streams or raise rill.memory_limit",
                         (Count)bytes, (Count)memory->bytes, (Count)memory->buffers, (Count)limit);
    }
    return error_set(
        "out of device memory: %llu bytes requested, %llu in use in %llu buffers, no limit set, and \"%s\" "
        "has no more: close streams",
        (Count)bytes, (Count)memory->bytes, (Count)memory->buffers, device->info.name);
}

void memory_count(Device *device, uint64_t bytes)
{
    DeviceMemory *memory = &device->memory;
    memory->bytes += bytes;
    memory->peak = memory->bytes > memory->peak ? memory->bytes : memory->peak;
}

bool memory_take(Device *device, uint64_t bytes)
{
    if (!memory_fits(device, bytes)) {
        memory_collect(device);
    }
    if (!memory_fits(device, bytes)) {
        return memory_exhausted(device, bytes);
    }
    memory_make_room(device, bytes);
    memory_count(device, bytes);
    return true;
}

void memory_give(Device *device, uint64_t bytes)
{
    device->memory.bytes -= bytes;
}
