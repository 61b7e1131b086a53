#include "kernel/host/host_map.h"

#include "gpu/memory/buffer.h"
#include "kernel/host/packed.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 1 << 16, PAGE_HERE = 1, PAGE_DIRTY = 2 };

bool host_map_create(HostMap *map, const Stream *view)
{
    uint64_t size = stream_bytes(view), pages = (size + PAGE_BYTES - 1) / PAGE_BYTES;
    *map = (HostMap){.size = size, .page_count = pages};
    map->bytes = malloc(size ? size : 1);
    map->pages = calloc(pages ? pages : 1, 1);
    if (!map->bytes || !map->pages) {
        host_map_free(map);
        return error_set("out of host memory: %llu bytes", (unsigned long long)size);
    }
    stream_copy_view(view, &map->view);
    return true;
}

void host_map_free(HostMap *map)
{
    free(map->bytes);
    free(map->pages);
    map->bytes = NULL;
    map->pages = NULL;
}

static uint64_t page_end(const HostMap *map, uint64_t page)
{
    return (page + 1) * PAGE_BYTES < map->size ? (page + 1) * PAGE_BYTES : map->size;
}

typedef bool (*MoveRun)(const HostMap *map, uint64_t from, uint64_t bytes);

static bool run_read(const HostMap *map, uint64_t from, uint64_t bytes)
{
    uint64_t base = (uint64_t)map->whole.offset * (uint64_t)map->whole.type->bytes;
    return buffer_read(map->whole.buffer, base + from, map->bytes + from, bytes);
}

static bool run_write(const HostMap *map, uint64_t from, uint64_t bytes)
{
    uint64_t base = (uint64_t)map->whole.offset * (uint64_t)map->whole.type->bytes;
    return buffer_write(map->whole.buffer, base + from, map->bytes + from, bytes);
}

/* Moves each run of consecutive pages in [first, last) whose flag `bit` is `state`, and sets or clears the flag. */
static bool pages_move(HostMap *map, uint64_t first, uint64_t last, unsigned bit, bool state, MoveRun move)
{
    for (uint64_t page = first; page < last; page++) {
        uint64_t start = page;
        while (page < last && ((map->pages[page] & bit) != 0) == state) {
            page++;
        }
        if (page > start) {
            if (!move(map, start * PAGE_BYTES, page_end(map, page - 1) - start * PAGE_BYTES)) {
                return false;
            }
            for (uint64_t k = start; k < page; k++) {
                map->pages[k] = (unsigned char)(map->pages[k] ^ bit);
            }
        }
    }
    return true;
}

bool host_map_write_back(HostMap *map)
{
    bool dirty = false;
    for (uint64_t page = 0; page < map->page_count && !dirty; page++) {
        dirty = map->pages[page] & PAGE_DIRTY;
    }
    if (!dirty) {
        return true;
    }
    Stream to = map->view;
    return pages_move(map, 0, map->page_count, PAGE_DIRTY, true, run_write) &&
           (!map->copied || copy_stream(&to, &map->whole));
}

bool host_map_open(HostMap *map, bool lazy)
{
    if (map->view.source == SOURCE_RAMP) {
        lazy = false;
    } else if (map->view.contiguous) {
        stream_copy_view(&map->view, &map->whole);
    } else if (!copy_whole(&map->view, NULL, "the read-back: the stream", &map->whole)) {
        return false;
    }
    map->copied = !map->view.contiguous;
    if (lazy) {
        return true;
    }
    memset(map->pages, PAGE_HERE, map->page_count);
    return packed_download(map->whole.device ? &map->whole : &map->view, map->bytes);
}

/* Finds the pages of an element, from *first to before *last. */
static void element_pages(const HostMap *map, int64_t number, uint64_t *first, uint64_t *last)
{
    uint64_t bytes = (uint64_t)map->view.type->bytes, at = (uint64_t)number * bytes;
    *first = at / PAGE_BYTES;
    *last = (at + bytes - 1) / PAGE_BYTES + 1;
}

bool host_map_has(const HostMap *map, int64_t number)
{
    uint64_t first, last;
    element_pages(map, number, &first, &last);
    return (map->pages[first] & PAGE_HERE) && (map->pages[last - 1] & PAGE_HERE);
}

bool host_map_fetch(HostMap *map, int64_t number)
{
    uint64_t first, last;
    element_pages(map, number, &first, &last);
    return pages_move(map, first, last, PAGE_HERE, false, run_read);
}

char *host_map_element(const HostMap *map, int64_t number)
{
    return map->bytes + (uint64_t)number * (uint64_t)map->view.type->bytes;
}

void host_map_written(HostMap *map, int64_t number)
{
    uint64_t first, last;
    element_pages(map, number, &first, &last);
    for (; first < last; first++) {
        map->pages[first] |= PAGE_DIRTY;
    }
}
