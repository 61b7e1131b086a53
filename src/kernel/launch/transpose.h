/* Copies that permute axes. They work in tiles, so that both sides access whole cache lines. */
#ifndef RILL_KERNEL_LAUNCH_TRANSPOSE_H
#define RILL_KERNEL_LAUNCH_TRANSPOSE_H

#include "stream/stream.h"

/* A dimension of two streams of the same shape. */
typedef struct TransposeDimension {
    int64_t size, from, to; /* strides in elements */
} TransposeDimension;

/* Finds the dimensions with more than one element, fastest first, and merges adjacent ones that are contiguous in both
 * streams. `dims` has SHAPE_MAX_RANK entries. Returns false for views that are more than strides. */
bool transpose_dimensions(const Stream *to, const Stream *from, TransposeDimension *dims, int *count);
/* Returns whether transpose_copy can be used: both streams must be plain strided views that are
 * contiguous along different dimensions, which must be long enough to pay. The caller ensures equal
 * shapes, equal element sizes and no overlap. */
bool transpose_serves(const Stream *to, const Stream *from);
/* Copies the elements. Returns false with error_set on failure. */
bool transpose_copy(Stream *to, const Stream *from);

#endif
