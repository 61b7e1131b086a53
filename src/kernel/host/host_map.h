/* Maps the elements of a stream into host memory as packed bytes, for reading and writing, and
 * writes them back. A lazy map fetches pages of 64 KiB on first use and writes back only the pages
 * that were written. */
#ifndef RILL_KERNEL_HOST_HOST_MAP_H
#define RILL_KERNEL_HOST_HOST_MAP_H

#include "stream/stream.h"

typedef struct HostMap {
    Stream view; /* the mapped view; retained */
    Stream
        whole; /* a contiguous stream of the same elements: the view itself, or a copy (`copied`) that is copied back */
    bool copied;
    char *bytes; /* NULL after host_map_free */
    uint64_t size, page_count;
    unsigned char *pages;
} HostMap;

/* Allocates the host memory of a map, filled with zeros. Returns false with error_set on failure.
 * Needs no device scope. */
bool host_map_create(HostMap *map, const Stream *view);
/* Fetches the elements. If the map is lazy, only prepares to fetch them. Must be called inside a
 * device scope. Returns false with error_set on failure. */
bool host_map_open(HostMap *map, bool lazy);
/* Returns whether all bytes of an element have been fetched. */
bool host_map_has(const HostMap *map, int64_t number);
/* Fetches an element. Must be called inside a device scope. Returns false with error_set on
 * failure. */
bool host_map_fetch(HostMap *map, int64_t number);
/* Returns the bytes of an element that has been fetched. */
char *host_map_element(const HostMap *map, int64_t number);
/* Marks an element as written. */
void host_map_written(HostMap *map, int64_t number);
/* Writes back the elements that were written. Must be called inside a device scope. Returns false
 * with error_set on failure. */
bool host_map_write_back(HostMap *map);
/* Frees the host memory. Does not release the streams, which requires a device scope. */
void host_map_free(HostMap *map);

#endif
