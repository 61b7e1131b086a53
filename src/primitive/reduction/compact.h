/* Compaction: the elements that a mask keeps, in order. The predicate is evaluated once, into a mask of one byte per
 * element. Counting and writing therefore agree, whatever the compiler does, and a new predicate needs only one small
 * program. */
#ifndef RILL_PRIMITIVE_REDUCTION_COMPACT_H
#define RILL_PRIMITIVE_REDUCTION_COMPACT_H

#include "stream/stream.h"

typedef enum CompactMode {
    COMPACT_FILTER,    /* the kept elements */
    COMPACT_FIND,      /* their 0-based flat indices, as int */
    COMPACT_PARTITION, /* the kept elements, and the other elements */
    COMPACT_BOTH,      /* the kept elements, and their indices */
    COMPACT_MODES
} CompactMode;

/* Creates an undefined uint8 stream for a mask of s: it has the shape of s, and if only the device has the length of s,
 * the same length. */
bool compact_mask(const Stream *s, Stream *mask);
/* Creates a one-dimensional stream of the elements of s in row-major order: a view if possible, else a copy. */
bool compact_flat(const Stream *s, Stream *flat);

/* Compacts the elements of s, which has one dimension. `mask` is from compact_mask, and its elements are 0 or 1.
 * Creates one-dimensional results; elements keep their type. On the family gpu their length stays on the device and
 * the shape is an upper bound; on the family cpu it is exact. `second` is NULL except in the modes with two results.
 * Creates nothing on failure. */
bool compact_stream(CompactMode mode, const Stream *s, const Stream *mask, Stream *first, Stream *second);

#endif
