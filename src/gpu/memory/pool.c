/* Idle buffers, by size class and by age. A class is a capacity; there are 64 from each power of two to the
 * next, so rounding up wastes at most 1.6 %. */
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

/* Mesa's llvmpipe makes machine code of a program anew for a buffer texture whose bytes are a power of two, and for one whose bits 8 to 15
 * are 0: its texture keys take those for a width and for the last level. No capacity is of such a size, so that a program is compiled once
 * for buffers of all sizes; 272 is the least that is not. */
static uint64_t of_one_kind(uint64_t capacity)
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
    return of_one_kind((bytes + step - 1) / step * step);
}

static size_t class_index(uint64_t capacity)
{
    unsigned octave;
    uint64_t step = class_step(capacity, &octave);
    return (size_t)octave * CLASS_STEPS + (size_t)(capacity / step);
}

/* Counted as asked for, like live bytes, so that a limit's worth of streams can be pooled whole; an empty one weighs
 * something, so that the pool's bytes are 0 only when it is empty. */
static uint64_t weight(const Buffer *buffer)
{
    return buffer->bytes ? buffer->bytes : 1;
}

static void unlink_buffer(Pool *pool, Buffer *buffer)
{
    if (buffer->class_previous) {
        buffer->class_previous->class_next = buffer->class_next;
    } else {
        pool->classes[class_index(buffer->capacity)] = buffer->class_next;
    }
    if (buffer->class_next) {
        buffer->class_next->class_previous = buffer->class_previous;
    }
    *(buffer->older ? &buffer->older->newer : &pool->oldest) = buffer->newer;
    *(buffer->newer ? &buffer->newer->older : &pool->newest) = buffer->older;
    buffer->class_next = buffer->class_previous = buffer->older = buffer->newer = NULL;
    pool->bytes -= weight(buffer);
}

Buffer *pool_take(Device *device, uint64_t capacity)
{
    size_t first = class_index(capacity);
    for (size_t i = first; i <= first + SLACK_CLASSES && i < POOL_CLASSES; i++) {
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
    bindings_forget(buffer->device, buffer);
    if (device_is_current(buffer->device)) {
        glDeleteTextures(TEXEL_FORMATS, buffer->textures);
        glDeleteBuffers(1, &buffer->name);
        large_pages_release(buffer);
    }
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
    size_t index = class_index(buffer->capacity);
    if (index >= POOL_CLASSES) {
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
