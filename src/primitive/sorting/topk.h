/* The first k elements of the sorted stream, and where they were, without sorting all of it: the k-th key is found digit by digit,
 * from the most significant one, and what comes before it is picked out and sorted. */
#ifndef RILL_PRIMITIVE_SORTING_TOPK_H
#define RILL_PRIMITIVE_SORTING_TOPK_H

#include "stream/stream.h"

/* s: one dimension, of a type with an order; 0 <= k <= its elements. `largest`: from the largest down, else from the smallest up.
 * Equal elements: the first ones, in order. NaNs come last. Results: k elements; their numbers, from 0, as int. */
bool topk_stream(const Stream *s, int64_t k, bool largest, Stream *values, Stream *numbers);

#endif
