/* Copies that permute axes. They work in tiles, so that both sides access whole cache lines. */
#ifndef RILL_KERNEL_LAUNCH_TRANSPOSE_H
#define RILL_KERNEL_LAUNCH_TRANSPOSE_H

#include "stream/stream.h"

/* Returns whether transpose_copy can be used: both streams must be plain strided views that are
 * contiguous along different dimensions, which must be long enough to pay. The caller ensures equal
 * shapes, equal element sizes and no overlap. */
bool transpose_serves(const Stream *to, const Stream *from);
/* Copies the elements. Returns false with error_set on failure. */
bool transpose_copy(Stream *to, const Stream *from);

#endif
