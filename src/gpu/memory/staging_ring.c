/* Transfers bytes between host memory and buffers of devices that queue work, through one buffer that stays
 * mapped.
 *
 * glBufferSubData and glGetBufferSubData are not used there. NVIDIA's driver (580.159) moves a buffer that
 * glGetBufferSubData reads to host memory, and later writes to it by glBufferSubData are not ordered after
 * clears and launches that were issued before. Copies between buffers are, and they are as fast as the host's
 * memcpy.
 *
 * The ring has parts, which are used in turn. A part is used again after the device has passed the fence at its
 * end. The first large transfer replaces the ring by one with larger parts, which several threads copy. */
#include "base/thread/thread.h"
#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, SMALL_PART = 1 << 20, LARGE_PART = 8 << 20, PART_ALIGNMENT = 16 };

struct StagingRing {
    GLuint name;
    uint8_t *map;
    uint64_t part_bytes;  /* SMALL_PART or LARGE_PART */
    GLsync fences[PARTS]; /* NULL: the device is done with the part */
    int part;             /* the current part; it has a fence only if waiting for it has failed */
    uint64_t used;        /* bytes of the current part */
};

void staging_ring_destroy(Device *device)
{
    StagingRing *ring = device->ring;
    if (!ring) {
        return;
    }
    if (device_is_current(device)) {
        for (int i = 0; i < PARTS; i++) {
            glDeleteSync(ring->fences[i]);
        }
        glDeleteBuffers(1, &ring->name);
    }
    free(ring);
    device->ring = NULL;
}

static StagingRing *ring_create(Device *device, uint64_t part_bytes)
{
    const GLbitfield map = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const GLsizeiptr bytes = (GLsizeiptr)(PARTS * part_bytes);
    device->ring = calloc(1, sizeof *device->ring);
    if (!device->ring) {
        error_set("out of host memory");
        return NULL;
    }
    device->ring->part_bytes = part_bytes;
    glGenBuffers(1, &device->ring->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, device->ring->name);
    glBufferStorage(GL_COPY_WRITE_BUFFER, bytes, NULL, map | GL_CLIENT_STORAGE_BIT);
    device->ring->map = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, bytes, map);
    if (!gl_error_check(device, "staging_ring") || !device->ring->map) {
        if (!device->ring->map && gl_error_alive(device)) {
            error_set("out of host memory: %lld bytes could not be mapped", (long long)bytes);
        }
        staging_ring_destroy(device);
        return NULL;
    }
    return device->ring;
}

/* Returns the ring for a transfer of a number of bytes, after its current part is free. Returns NULL with error_set if
 * there is no memory or waiting fails. */
static StagingRing *ring_of(Device *device, uint64_t bytes)
{
    const uint64_t part_bytes = bytes > PARTS * SMALL_PART ? LARGE_PART : SMALL_PART;
    StagingRing *ring = device->ring;
    if (ring && ring->part_bytes >= part_bytes) {
        return fence_wait(device, &ring->fences[ring->part]) ? ring : NULL;
    }
    staging_ring_destroy(device); /* the driver finishes copies from it that were issued */
    return ring_create(device, part_bytes);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the largest number of bytes of a transfer to copy at once: while one piece is copied by the device, the host
 * copies another one. */
static uint64_t piece_bytes(const StagingRing *ring, uint64_t bytes)
{
    const uint64_t quarter = (bytes / PARTS + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
    return quarter < SMALL_PART ? SMALL_PART : smaller(quarter, ring->part_bytes);
}

static uint64_t part_offset(const StagingRing *ring, int part)
{
    return (uint64_t)part * ring->part_bytes;
}

/* Issues a fence for the current part and waits until the next part can be used. */
static bool next_part(Device *device, StagingRing *ring)
{
    if (ring->used > 0) {
        ring->fences[ring->part] = fence_create(device);
    }
    ring->part = (ring->part + 1) % PARTS;
    ring->used = 0;
    return fence_wait(device, &ring->fences[ring->part]);
}

bool staging_ring_write(Buffer *buffer, uint64_t offset, const void *data, uint64_t bytes)
{
    Device *device = buffer->device;
    StagingRing *ring = ring_of(device, bytes);
    if (!ring) {
        return false;
    }
    const uint64_t piece = piece_bytes(ring, bytes);
    bindings_barrier(device, GL_BUFFER_UPDATE_BARRIER_BIT);
    for (uint64_t done = 0; done < bytes;) {
        if (ring->used == ring->part_bytes && !next_part(device, ring)) {
            return false;
        }
        const uint64_t count = smaller(smaller(bytes - done, piece), ring->part_bytes - ring->used);
        const uint64_t at = part_offset(ring, ring->part) + ring->used;
        thread_copy(ring->map + at, (const uint8_t *)data + done, count);
        glBindBuffer(GL_COPY_READ_BUFFER, ring->name);
        glBindBuffer(GL_COPY_WRITE_BUFFER, buffer->name);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)at, (GLintptr)(offset + done),
                            (GLsizeiptr)count);
        if (count == piece) {
            glFlush(); /* the device begins while the host copies the next piece */
        }
        ring->used += (count + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
        done += count;
    }
    return gl_error_check(device, "buffer_write");
}

/* Copies at most a part of bytes into the ring, at byte `at`. Returns a fence for the copy, or NULL if it is
 * complete. */
static GLsync fetch(StagingRing *ring, const Buffer *buffer, uint64_t offset, uint64_t at, uint64_t count)
{
    glBindBuffer(GL_COPY_READ_BUFFER, buffer->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, ring->name);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)offset, (GLintptr)at, (GLsizeiptr)count);
    return fence_create(buffer->device);
}

/* Reads bytes that fit the current part. The space is free again afterwards. */
static bool read_small(Device *device, StagingRing *ring, const Buffer *buffer, uint64_t offset, void *data,
                       uint64_t bytes)
{
    if (bytes > ring->part_bytes - ring->used && !next_part(device, ring)) {
        return false;
    }
    const uint64_t at = part_offset(ring, ring->part) + ring->used;
    ring->fences[ring->part] = fetch(ring, buffer, offset, at, bytes);
    if (!fence_wait(device, &ring->fences[ring->part])) {
        return false;
    }
    memcpy(data, ring->map + at, bytes);
    return true;
}

/* Reads in parts: the device copies the next parts while the host copies one. */
static bool read_parts(Device *device, StagingRing *ring, const Buffer *buffer, uint64_t offset, uint8_t *data,
                       uint64_t bytes)
{
    const uint64_t piece = piece_bytes(ring, bytes);
    uint64_t requested = 0;
    int oldest = 0, flying = 0;
    for (uint64_t done = 0; done < bytes;) {
        while (requested < bytes && flying < PARTS - 1) {
            const uint64_t count = smaller(bytes - requested, piece);
            if (!next_part(device, ring)) {
                return false;
            }
            oldest = flying == 0 ? ring->part : oldest;
            ring->fences[ring->part] = fetch(ring, buffer, offset + requested, part_offset(ring, ring->part), count);
            requested += count;
            flying++;
        }
        const uint64_t count = smaller(bytes - done, piece);
        if (!fence_wait(device, &ring->fences[oldest])) {
            return false;
        }
        thread_copy(data + done, ring->map + part_offset(ring, oldest), count);
        done += count;
        oldest = (oldest + 1) % PARTS;
        flying--;
    }
    return true;
}

bool staging_ring_read(Buffer *buffer, uint64_t offset, void *data, uint64_t bytes)
{
    Device *device = buffer->device;
    StagingRing *ring = ring_of(device, bytes);
    if (!ring) {
        return false;
    }
    /* The second bit makes the fault words visible too, after the read has waited. */
    bindings_barrier(device, GL_BUFFER_UPDATE_BARRIER_BIT | GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    return bytes <= SMALL_PART ? read_small(device, ring, buffer, offset, data, bytes)
                               : read_parts(device, ring, buffer, offset, data, bytes);
}
