/* Compaction: the elements a mask keeps, in order, as texts for the scan engine. A predicate is evaluated once, into a mask of one
 * byte per element: so what counts and what writes agree, whatever a compiler makes of it, and a new predicate costs one small
 * program. */
#ifndef RILL_PRIMITIVE_REDUCTION_COMPACT_H
#define RILL_PRIMITIVE_REDUCTION_COMPACT_H

#include "stream/stream.h"

typedef enum CompactMode {
    COMPACT_FILTER,    /* the elements kept */
    COMPACT_FIND,      /* their flat numbers, from 0, as int */
    COMPACT_PARTITION, /* those kept, and the others */
    COMPACT_BOTH,      /* those kept, and their numbers */
    COMPACT_MODES
} CompactMode;

/* A stream of uint8 for a mask of s: its shape, or its length where only the device knows that. Elements undefined. */
bool compact_mask(const Stream *s, Stream *mask);
/* The elements of s in row-major order, in one dimension: a view where they lie so, else a copy. */
bool compact_flat(const Stream *s, Stream *flat);

/* Compacts the elements of s, which has one dimension. `mask` is from compact_mask, all its elements 0 or 1. Results have one
 * dimension; elements keep their type. On a device of the gpu family their length stays there and the shape is an upper bound;
 * else it is exact. `second` is for the modes with two results, else NULL. Nothing is made when it fails. */
bool compact_stream(CompactMode mode, const Stream *s, const Stream *mask, Stream *first, Stream *second);

#endif
