/* The fault words, in which running kernels report errors. They are read after waiting. */
#include "gpu/context/device_private.h"

#include <string.h>

static void map_fault(Device *device)
{
    const GLbitfield flags = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    glBufferStorage(GL_COPY_WRITE_BUFFER, sizeof device->fault_copy, device->fault_copy, flags | GL_CLIENT_STORAGE_BIT);
    device->fault_words = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, sizeof device->fault_copy, flags);
}

bool fault_create(Device *device)
{
    glGenBuffers(1, &device->fault_buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, device->fault_buffer);
    if (device->buffer_storage) {
        map_fault(device);
    } else {
        glBufferData(GL_COPY_WRITE_BUFFER, sizeof device->fault_copy, device->fault_copy, GL_DYNAMIC_READ);
        device->fault_words = device->fault_copy;
    }
    bindings_block(device, RILL_FAULT_BINDING, device->fault_buffer, 0);
    return gl_error_check(device, "device_open") &&
           (device->fault_words || error_set("device_open: the fault words could not be mapped"));
}

void fault_destroy(Device *device)
{
    if (device->fault_buffer && device_is_current(device)) {
        glDeleteBuffers(1, &device->fault_buffer);
    }
}

void fault_refresh(Device *device)
{
    if (device->fault_words != device->fault_copy) {
        return;
    }
    bindings_barrier(device, GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, device->fault_buffer);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof device->fault_copy, device->fault_copy);
}

static bool (*_Atomic fault_reporter)(Device *device);

void device_set_fault_reporter(bool (*report)(Device *device))
{
    fault_reporter = report;
}

bool fault_report(Device *device)
{
    /* After a reset, buffers and these words have undefined contents. */
    if (device->lost) {
        return gl_error_alive(device);
    }
    uint32_t fault = device->fault_words[RILL_FAULT_KIND];
    if (fault == RILL_FAULT_NONE) {
        return true;
    }
    bool (*report)(Device *) = fault_reporter;
    return report ? report(device) : error_set("a kernel on \"%s\" reported fault %u", device->info.name, fault);
}

const uint32_t *device_fault(Device *device)
{
    return device->fault_words;
}

void device_fault_clear(Device *device)
{
    memset(device->fault_words, 0, sizeof device->fault_copy);
    if (device->fault_words == device->fault_copy) {
        glBindBuffer(GL_COPY_WRITE_BUFFER, device->fault_buffer);
        glBufferSubData(GL_COPY_WRITE_BUFFER, 0, sizeof device->fault_copy, device->fault_copy);
    }
}
