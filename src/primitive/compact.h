/* Compaction: the elements a mask keeps, in order. The mask is counted in parts, the counts become places, and every part writes
 * its own: reduce, scan, write, as the scans of the other primitives. A predicate is evaluated once, into a mask of one byte per element,
 * so that counting and writing agree whatever a compiler does with it. */
#ifndef RILL_COMPACT_H
#define RILL_COMPACT_H

#include "stream/stream.h"

typedef enum CompactMode {
    COMPACT_FILTER,   /* the elements kept */
    COMPACT_FIND,     /* their flat numbers, from 0, as int */
    COMPACT_PARTITION /* those kept, and the others */
} CompactMode;

/* A stream of uint8 for a mask of s: its shape, or its length where only the device knows that. Elements undefined. */
bool compact_mask(const Stream *s, Stream *mask);

/* Compacts the elements of s, in row-major order. `mask` is from compact_mask, all its elements 0 or 1. Results
 * have one dimension and the type of s. On a device of the gpu family their length stays there and the shape is an upper bound;
 * else it is exact. `rest` is for COMPACT_PARTITION, else NULL. Nothing is made when it fails. */
bool compact_stream(CompactMode mode, const Stream *s, const Stream *mask, Stream *kept, Stream *rest);

/* The elements of s in row-major order, in one dimension: a view where they lie so from a whole 16 bytes on, else a copy. */
bool compact_flat(const Stream *s, Stream *flat);

#endif
