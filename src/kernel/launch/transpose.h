/* Copies that permute axes, in tiles: both sides are touched in whole cache lines. */
#ifndef RILL_KERNEL_LAUNCH_TRANSPOSE_H
#define RILL_KERNEL_LAUNCH_TRANSPOSE_H

#include "stream/stream.h"

/* Whether this way of copying serves: equal shapes, elements of one size, no overlap is up to the caller; here: both are plain
 * strided views, contiguous along different dimensions that are long enough to matter. */
bool transpose_serves(const Stream *to, const Stream *from);
bool transpose_copy(Stream *to, const Stream *from);

#endif
