/* Bisection: where values would stand in a sorted stream. */
#ifndef RILL_PRIMITIVE_SORTING_SEARCH_H
#define RILL_PRIMITIVE_SORTING_SEARCH_H

#include "stream/stream.h"

/* For every value the number of elements of `sorted` (one dimension, ascending, NaNs last) that are less (`right`: not greater)
 * than it: an int stream of the values' shape. Values are compared in the type of either that the other converts to. NaN is equal
 * to NaN and greater than all numbers. */
bool search_stream(const Stream *sorted, const Stream *values, bool right, Stream *result);

#endif
