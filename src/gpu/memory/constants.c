#include "gpu/memory/constants.h"

#include "base/lru.h"
#include "gpu/context/device_data.h"
#include "gpu/context/device_private.h"

#include <stdlib.h>
#include <string.h>

/* The least recently used constants are dropped first. The most recent one is kept, whatever its size. */
enum { KEPT = 64, KEPT_BYTES = 1 << 28 };

typedef struct Known {
    Constants constants;
    Buffer *buffer;
} Known;

/* Makes a buffer cached: it does not count as a stream and holds no reference to its device. */
static void make_cached(Buffer *buffer)
{
    Device *device = buffer->device;
    device->memory.buffers--;
    memory_give(device, buffer->bytes);
    device->constants += buffer->bytes;
    device_release(device);
}

static void make_uncached(Buffer *buffer)
{
    Device *device = device_retain(buffer->device);
    device->memory.buffers++;
    memory_count(device, buffer->bytes);
    device->constants -= buffer->bytes;
}

static void destroy(void *item)
{
    Known *known = item;
    if (known->buffer->count > 1) {
        make_uncached(known->buffer);
        buffer_release(known->buffer);
    } else {
        known->buffer->device->constants -= known->buffer->bytes;
        pool_destroy(known->buffer);
    }
    free(known);
}

static void destroy_all(void *attachment)
{
    lru_clear(attachment, destroy);
}

static const AttachmentKind cache_kind = {sizeof(Lru), destroy_all};

static void drop(Device *device)
{
    Lru *cache = device_data_get(device, &cache_kind);
    if (cache) {
        destroy_all(cache);
    }
}

static bool same(const Constants *a, const Constants *b)
{
    return a->fill == b->fill && a->bytes == b->bytes && memcmp(a->arguments, b->arguments, sizeof a->arguments) == 0;
}

static Buffer *make(Device *device, const Constants *constants)
{
    Buffer *buffer = buffer_create(device, constants->bytes, false);
    if (buffer && !constants->fill(constants, buffer)) {
        buffer_release(buffer);
        buffer = NULL;
    }
    return buffer;
}

/* Adds a buffer to the cache, which takes its reference. */
static bool remember(Lru *cache, const Constants *constants, Buffer *buffer)
{
    Known *known = malloc(sizeof *known);
    if (!known || !lru_add(cache, known, SIZE_MAX, destroy)) {
        free(known);
        buffer_release(buffer);
        return error_set("out of host memory");
    }
    *known = (Known){*constants, buffer};
    make_cached(buffer);
    buffer->device->drop_constants = drop;
    while (cache->count > KEPT || (cache->count > 1 && buffer->device->constants > KEPT_BYTES)) {
        destroy(cache->items[--cache->count]);
    }
    return true;
}

Buffer *constants_find(Device *device, const Constants *constants)
{
    Lru *cache = device_data_get(device, &cache_kind);
    for (size_t i = 0; cache && i < cache->count; i++) {
        const Known *known = cache->items[i];
        if (same(&known->constants, constants)) {
            lru_use(cache, i);
            return known->buffer;
        }
    }
    Buffer *buffer = cache ? make(device, constants) : NULL;
    return buffer && remember(cache, constants, buffer) ? buffer : NULL;
}
