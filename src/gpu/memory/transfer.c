/* Asynchronous read-backs: a copy to a staging buffer that stays mapped, followed by a fence. */
#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { STAGING_KEPT = 4 };

/* A staging buffer, mapped for reading; `next` while idle. */
struct Staging {
    GLuint name;
    uint64_t capacity;
    void *map; /* NULL if buffers cannot stay mapped */
    Staging *next;
};

struct Transfer {
    Device *device; /* a reference */
    uint64_t bytes;
    uint8_t *copy;    /* the bytes in host memory: immediately, or after waiting */
    Staging *staging; /* if there is no copy yet */
    GLsync fence;
};

static void staging_destroy(Device *device, Staging *staging)
{
    if (device_is_current(device)) {
        glDeleteBuffers(1, &staging->name);
    }
    free(staging);
}

void transfer_destroy_staging(Device *device)
{
    while (device->staging) {
        Staging *next = device->staging->next;
        staging_destroy(device, device->staging);
        device->staging = next;
    }
}

static Staging *staging_new(Device *device, uint64_t bytes)
{
    const GLbitfield map = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    Staging *staging = calloc(1, sizeof *staging);
    if (!staging) {
        error_set("out of host memory");
        return NULL;
    }
    staging->capacity = bytes;
    glGenBuffers(1, &staging->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, staging->name);
    if (device->buffer_storage) {
        glBufferStorage(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, map | GL_CLIENT_STORAGE_BIT);
        staging->map = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, (GLsizeiptr)bytes, map);
    } else {
        glBufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
    }
    if (!gl_error_check(device, "transfer_create")) {
        staging_destroy(device, staging);
        return NULL;
    }
    return staging;
}

/* Returns an idle staging buffer that is not much larger than needed, or a new one. */
static Staging *staging_take(Device *device, uint64_t bytes)
{
    for (Staging **at = &device->staging; *at; at = &(*at)->next) {
        Staging *staging = *at;
        if (staging->capacity >= bytes && staging->capacity / 4 <= bytes) {
            *at = staging->next;
            return staging;
        }
    }
    return staging_new(device, bytes);
}

static void staging_give(Device *device, Staging *staging)
{
    staging->next = device->staging;
    device->staging = staging;
    Staging *last = staging;
    for (int i = 1; i < STAGING_KEPT && last; i++) {
        last = last->next;
    }
    if (last && last->next) {
        staging_destroy(device, last->next);
        last->next = NULL;
    }
}

static bool start(Transfer *transfer, Buffer *buffer, uint64_t offset)
{
    Device *device = transfer->device;
    transfer->staging = staging_take(device, transfer->bytes);
    if (!transfer->staging) {
        return false;
    }
    bindings_barrier(device, GL_BUFFER_UPDATE_BARRIER_BIT | GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, transfer->staging->name);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)offset, 0, (GLsizeiptr)transfer->bytes);
    device->memory.reads++;
    transfer->fence = fence_create(device);
    return gl_error_check(device, "transfer_create");
}

/* Reads the bytes immediately, on a device that has finished all work: later launches may change them. */
static bool read_now(Transfer *transfer, Buffer *buffer, uint64_t offset)
{
    transfer->copy = malloc(transfer->bytes ? transfer->bytes : 1);
    if (!transfer->copy) {
        return error_set("out of host memory: %llu bytes requested", (unsigned long long)transfer->bytes);
    }
    return buffer_read(buffer, offset, transfer->copy, transfer->bytes);
}

Transfer *transfer_create(Buffer *buffer, uint64_t offset, uint64_t bytes)
{
    if (offset > buffer->capacity || bytes > buffer->capacity - offset) {
        error_set("transfer_create: %llu bytes from %llu lie outside a buffer of %llu", (unsigned long long)bytes,
                  (unsigned long long)offset, (unsigned long long)buffer->bytes);
        return NULL;
    }
    Transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer) {
        error_set("out of host memory");
        return NULL;
    }
    transfer->device = device_retain(buffer->device);
    transfer->bytes = bytes;
    bool done = buffer->map || bytes == 0 ? read_now(transfer, buffer, offset) : start(transfer, buffer, offset);
    if (!done) {
        transfer_release(transfer);
        return NULL;
    }
    return transfer;
}

bool transfer_ready(Transfer *transfer)
{
    /* The fence of a lost device may never be signaled: the transfer then counts as ready, so that the caller
     * waits, which reports the error. */
    return fence_state(&transfer->fence, 0) != FENCE_PENDING || !gl_error_alive(transfer->device);
}

/* Copies the bytes to host memory if the staging buffer is not mapped. */
static const void *fetch(Transfer *transfer)
{
    transfer->copy = malloc(transfer->bytes);
    if (!transfer->copy) {
        error_set("out of host memory: %llu bytes requested", (unsigned long long)transfer->bytes);
        return NULL;
    }
    glBindBuffer(GL_COPY_READ_BUFFER, transfer->staging->name);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)transfer->bytes, transfer->copy);
    fault_refresh(transfer->device);
    return gl_error_check(transfer->device, "transfer_wait") && fault_report(transfer->device) ? transfer->copy : NULL;
}

const void *transfer_wait(Transfer *transfer)
{
    if (transfer->copy) {
        return transfer->copy;
    }
    if (!fence_wait(transfer->device, &transfer->fence)) {
        return NULL;
    }
    if (!transfer->staging->map) {
        return fetch(transfer);
    }
    fault_refresh(transfer->device);
    return fault_report(transfer->device) ? transfer->staging->map : NULL;
}

void transfer_release(Transfer *transfer)
{
    if (!transfer) {
        return;
    }
    if (transfer->staging) {
        if (transfer->fence && device_is_current(transfer->device)) {
            glDeleteSync(transfer->fence);
        }
        staging_give(transfer->device, transfer->staging);
    }
    Device *device = transfer->device;
    free(transfer->copy);
    free(transfer);
    device_release(device);
}
