/* Binary search in a sorted stream. */
#ifndef RILL_PRIMITIVE_SORTING_SEARCH_H
#define RILL_PRIMITIVE_SORTING_SEARCH_H

#include "stream/stream.h"

/* Creates an int stream of the shape of `values`: for every value, the number of elements of `sorted` that are less
 * than the value, or with `right` less than or equal to it. `sorted` has one dimension and is ascending, NaNs last.
 * If the types differ, both are compared in the type to which the other type converts. NaN is equal to NaN and
 * greater than all numbers. */
bool search_stream(const Stream *sorted, const Stream *values, bool right, Stream *result);

#endif
