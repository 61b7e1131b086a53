/* Gathers: result[i] = src[index[i]]. */
#ifndef RILL_PRIMITIVE_INDEXED_GATHER_H
#define RILL_PRIMITIVE_INDEXED_GATHER_H

#include "stream/stream.h"

/* A new stream of index's shape and src's type; see indexed/index.h for indices. What is out of range reads as it does in a kernel: as
 * src's boundary says, clamped unless it says so, zero of an empty src; under `check` it is an error where src has no boundary of its own. */
bool gather_stream(const Stream *src, const Stream *index, bool check, Stream *result);

#endif
