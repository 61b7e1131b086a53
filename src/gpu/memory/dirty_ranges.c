/* Records recent writes to a buffer, so that a later reader can find out whether a region has changed. */
#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"

#include <string.h>

uint64_t buffer_version(const Buffer *buffer)
{
    return buffer->writes.version;
}

static bool same_region(const BufferRegion *a, const BufferRegion *b)
{
    return a->from == b->from && a->to == b->to && a->pitch == b->pitch && a->width == b->width;
}

/* Returns whether the rows of two regions with the same pitch are in disjoint columns. */
static bool columns_apart(const BufferRegion *a, const BufferRegion *b)
{
    if (a->pitch == 0 || a->pitch != b->pitch) {
        return false;
    }
    uint64_t between =
        (b->from % a->pitch + a->pitch - a->from % a->pitch) % a->pitch; /* distance from a's column to b's */
    return between >= a->width && between + b->width <= a->pitch;
}

static bool regions_meet(const BufferRegion *a, const BufferRegion *b)
{
    return a->from < b->to && b->from < a->to && !columns_apart(a, b);
}

/* Returns the range that covers both regions. */
static BufferRegion cover(const BufferRegion *a, const BufferRegion *b)
{
    uint64_t from = a->from < b->from ? a->from : b->from, to = a->to > b->to ? a->to : b->to;
    return (BufferRegion){from, to, 0, to - from};
}

/* Merges the two entries with the smallest common cover, to free an entry. */
static void merge_nearest(BufferWrites *writes)
{
    int first = 0, second = 1;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < writes->count; i++) {
        for (int k = i + 1; k < writes->count; k++) {
            BufferRegion both = cover(&writes->kept[i].region, &writes->kept[k].region);
            if (both.to - both.from < least) {
                least = both.to - both.from;
                first = i;
                second = k;
            }
        }
    }
    writes->kept[first].region = cover(&writes->kept[first].region, &writes->kept[second].region);
    if (writes->kept[first].version < writes->kept[second].version) {
        writes->kept[first].version = writes->kept[second].version;
    }
    writes->kept[second] = writes->kept[--writes->count];
}

void buffer_wrote(Buffer *buffer, const BufferRegion *region)
{
    BufferWrites *writes = &buffer->writes;
    int at = 0;
    if (region->from >= region->to) {
        return;
    }
    writes->version++;
    while (at < writes->count && !same_region(&writes->kept[at].region, region)) {
        at++;
    }
    if (at == WRITES_KEPT) {
        merge_nearest(writes);
        at = writes->count;
    }
    writes->count += at == writes->count;
    writes->kept[at].region = *region;
    writes->kept[at].version = writes->version;
}

bool buffer_written_since(const Buffer *buffer, uint64_t version, const BufferRegion *region)
{
    const BufferWrites *writes = &buffer->writes;
    for (int i = 0; i < writes->count && writes->version > version; i++) {
        if (writes->kept[i].version > version && regions_meet(&writes->kept[i].region, region)) {
            return true;
        }
    }
    return false;
}
