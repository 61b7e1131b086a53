/* Two sorted streams into one. */
#ifndef RILL_PRIMITIVE_SORTING_MERGE_H
#define RILL_PRIMITIVE_SORTING_MERGE_H

#include "stream/stream.h"

/* a and b: one dimension, the same type, sorted in the order asked for (else the result is their elements in some order).
 * Equal elements: those of a first. */
bool merge_streams(const Stream *a, const Stream *b, bool descending, Stream *result);

#endif
