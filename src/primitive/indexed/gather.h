/* Gathers: result[i] = src[index[i]]. */
#ifndef RILL_PRIMITIVE_INDEXED_GATHER_H
#define RILL_PRIMITIVE_INDEXED_GATHER_H

#include "stream/stream.h"

/* Creates a stream with the shape of `index` and the type of `src`. indexed/index.h describes the indices. An index out
 * of range reads the value that src's boundary mode defines, as in a kernel (default: the nearest element), or zero if
 * src is empty. With `check` such an index is an error unless src has an explicit boundary. Returns false with
 * error_set on failure. */
bool gather_stream(const Stream *src, const Stream *index, bool check, Stream *result);

#endif
