#include "gpu/program/indirect.h"

#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"
#include "gpu/program/shader.h"
#include "shared/gpu_words.h"

/* Slots are used in turn. Dispatches are executed in order, so a slot is read long before it is written again. */
enum { SLOTS = 256, SLOT_BYTES = 16 };

static bool create(Device *device)
{
    Buffer *buffer = &device->indirect;
    glGenBuffers(1, &buffer->name);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, buffer->name);
    glBufferData(GL_DISPATCH_INDIRECT_BUFFER, SLOTS * SLOT_BYTES, NULL, GL_DYNAMIC_COPY);
    buffer->device = device;
    buffer->bytes = buffer->capacity = SLOTS * SLOT_BYTES;
    return gl_error_check(device, "indirect_dispatch");
}

void indirect_destroy(Device *device)
{
    if (device->indirect.name && device_is_current(device)) {
        glDeleteBuffers(1, &device->indirect.name);
        device->indirect.name = 0;
    }
}

static bool count_groups(Device *device, DeviceLength length, uint32_t per_group, uint32_t slot)
{
    Program *program = shader_program(device, "indirect.comp", "");
    uint32_t params[4] = {[INDIRECT_P_WORD] = length.word,
                          [INDIRECT_P_PER_GROUP] = per_group,
                          [INDIRECT_P_MOST] = device->limits.group_count,
                          [INDIRECT_P_SLOT] = slot};
    Dispatch dispatch = {.program = program,
                         .params = params,
                         .param_vectors = 1,
                         .texture_count = 1,
                         .block_count = 1,
                         .groups = {1, 1, 1}};
    dispatch.textures[0] = (DispatchTexture){length.buffer, TEXEL_WORD};
    dispatch.blocks[0].buffer = &device->indirect;
    return program && device_dispatch(device, &dispatch);
}

bool indirect_dispatch(Device *device, const Dispatch *dispatch, DeviceLength length, uint32_t per_group)
{
    if (!device->indirect.name && !create(device)) {
        return false;
    }
    uint32_t slot = device->indirect_slot++ % SLOTS;
    return count_groups(device, length, per_group, slot) &&
           dispatch_groups_at(device, dispatch, device->indirect.name, (uint64_t)slot * SLOT_BYTES);
}
