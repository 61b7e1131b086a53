/* Merges of two sorted streams. */
#ifndef RILL_PRIMITIVE_SORTING_MERGE_H
#define RILL_PRIMITIVE_SORTING_MERGE_H

#include "stream/stream.h"

/* Creates one sorted stream from a and b: one-dimensional streams of the same type, sorted in the requested order. If
 * they are not sorted, the result has their elements in an undefined order. If elements of a and b are equal, those of
 * a are first. */
bool merge_streams(const Stream *a, const Stream *b, bool descending, Stream *result);

#endif
