/* The elements of a stream as packed bytes in host memory, to be read and written there, and written back. Pages of 64 KiB are fetched when they are first used, if
 * the map is lazy; those that were written are written back. */
#ifndef RILL_KERNEL_HOST_HOST_MAP_H
#define RILL_KERNEL_HOST_HOST_MAP_H

#include "stream/stream.h"

typedef struct HostMap {
    Stream view;  /* what was mapped; held */
    Stream whole; /* the same elements in one piece: the view itself, or a copy that is copied back */
    bool copied;
    char *bytes; /* NULL once closed */
    uint64_t size, page_count;
    unsigned char *pages;
} HostMap;

/* Takes host memory for a map of zeros; false with error_set. Needs no scope. */
bool host_map_create(HostMap *map, const Stream *view);
/* Fetches the elements, or only prepares to, if the map is lazy. Inside a scope; false with error_set. */
bool host_map_open(HostMap *map, bool lazy);
/* Whether all bytes of an element are here. */
bool host_map_has(const HostMap *map, int64_t number);
/* Fetches an element. Inside a scope; false with error_set. */
bool host_map_fetch(HostMap *map, int64_t number);
/* The bytes of an element that is here. */
char *host_map_element(const HostMap *map, int64_t number);
/* Notes that an element was written. */
void host_map_written(HostMap *map, int64_t number);
/* Writes back what was written. Inside a scope; false with error_set. */
bool host_map_write_back(HostMap *map);
/* Gives the host memory back, but not the streams, which need a scope. */
void host_map_free(HostMap *map);

#endif
