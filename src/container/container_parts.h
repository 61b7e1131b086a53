/* What a container is made of, for the files that change it. */
#ifndef RILL_CONTAINER_PARTS_H
#define RILL_CONTAINER_PARTS_H

#include "container/container.h"
#include "kernel/variant/address_map.h"

struct Container {
    AddressMap map;
    Translator *translator;        /* held */
    Stream memory;                 /* a view */
    Stream whole;                  /* holds nothing */
    bool checked;                  /* the translator may give places outside of memory */
    int32_t sizes[SHAPE_MAX_RANK]; /* of memory, x first */
    char fallback[TYPE_MAX_BYTES];
    Kernel *kernels[ADDRESS_SLOTS]; /* held; NULL until needed */
    /* Of a container with pages of its own: frames that were used and are free, and how many were used at all. */
    bool pooled;
    struct {
        int64_t *items;
        size_t count, capacity;
    } freed;
    int64_t used;
};

/* Gives a container other memory, of which it takes a view: the old one's elements are in it at the same places. */
void container_replace_memory(Container *c, const Stream *memory);

#endif
