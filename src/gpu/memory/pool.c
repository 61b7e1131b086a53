/* The pool of idle buffers, by size class and by age. There are 64 size classes from each power of two to the
 * next, so that rounding up wastes at most 1.6 %. */
#include "gpu/context/device_private.h"

#include <stdlib.h>

enum { CLASS_STEPS = 64, SLACK_CLASSES = 8, SMALLEST_STEP = 16 };

static uint64_t class_step(uint64_t bytes, unsigned *octave)
{
    uint64_t step = SMALLEST_STEP;
    *octave = 0;
    while (step * 2 * CLASS_STEPS <= bytes) {
        step *= 2;
        (*octave)++;
    }
    return step;
}

/* Avoids capacities for which Mesa's llvmpipe compiles a program again: a size that is a power of two, or whose
 * bits 8 to 15 are 0. llvmpipe's texture keys interpret them as a width and as the last level. A program is
 * therefore compiled once for buffers of all sizes. The smallest capacity is 272. */
static uint64_t avoid_recompilation(uint64_t capacity)
{
    const uint64_t least = 256 + SMALLEST_STEP;
    if (capacity < least) {
        return least;
    } else if ((capacity & 0xff00) == 0) {
        return capacity + least;
    }
    return (capacity & (capacity - 1)) == 0 ? capacity + SMALLEST_STEP : capacity;
}

uint64_t pool_round(uint64_t bytes)
{
    unsigned octave;
    uint64_t step = class_step(bytes, &octave);
    return avoid_recompilation((bytes + step - 1) / step * step);
}

static size_t class_index(uint64_t capacity, bool readable)
{
    unsigned octave;
    uint64_t step = class_step(capacity, &octave);
    return readable ? POOL_CLASSES : (size_t)octave * CLASS_STEPS + (size_t)(capacity / step);
}

/* Returns the bytes that a pooled buffer counts as: its requested bytes, as for live buffers, so that all
 * streams within a limit can be pooled; at least 1, so that the pool's bytes are 0 only if it is empty. */
static uint64_t weight(const Buffer *buffer)
{
    return buffer->bytes ? buffer->bytes : 1;
}

static void unlink_buffer(Pool *pool, Buffer *buffer)
{
    if (buffer->class_previous) {
        buffer->class_previous->class_next = buffer->class_next;
    } else {
        pool->classes[class_index(buffer->capacity, buffer->readable)] = buffer->class_next;
    }
    if (buffer->class_next) {
        buffer->class_next->class_previous = buffer->class_previous;
    }
    *(buffer->older ? &buffer->older->newer : &pool->oldest) = buffer->newer;
    *(buffer->newer ? &buffer->newer->older : &pool->newest) = buffer->older;
    buffer->class_next = buffer->class_previous = buffer->older = buffer->newer = NULL;
    pool->bytes -= weight(buffer);
}

Buffer *pool_take(Device *device, uint64_t capacity, bool readable)
{
    size_t first = class_index(capacity, readable), end = POOL_CLASSES + (readable ? 1 : 0);
    for (size_t i = first; i <= first + SLACK_CLASSES && i < end; i++) {
        Buffer *buffer = device->pool.classes[i];
        if (buffer) {
            unlink_buffer(&device->pool, buffer);
            return buffer;
        }
    }
    return NULL;
}

void pool_destroy(Buffer *buffer)
{
    const bool deletes = device_is_current(buffer->device);
    bindings_forget(buffer->device, buffer);
    if (deletes) {
        glDeleteTextures(TEXEL_FORMATS, buffer->textures);
        glDeleteBuffers(1, &buffer->name);
        large_pages_release(buffer);
    }
    pinned_memory_release(buffer, deletes);
    free(buffer);
}

void pool_shrink(Device *device, uint64_t bytes)
{
    while (device->pool.bytes > bytes) {
        Buffer *buffer = device->pool.oldest;
        unlink_buffer(&device->pool, buffer);
        pool_destroy(buffer);
    }
}

void pool_give(Device *device, Buffer *buffer)
{
    Pool *pool = &device->pool;
    size_t index = class_index(buffer->capacity, buffer->readable);
    if (index >= POOL_CLASSES && !buffer->readable) {
        pool_destroy(buffer);
        return;
    }
    buffer->class_next = pool->classes[index];
    if (buffer->class_next) {
        buffer->class_next->class_previous = buffer;
    }
    pool->classes[index] = buffer;
    buffer->older = pool->newest;
    *(pool->newest ? &pool->newest->newer : &pool->oldest) = buffer;
    pool->newest = buffer;
    pool->bytes += weight(buffer);
}
