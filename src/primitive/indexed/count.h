/* Counting: how often each number below `bins` stands in a stream, or what weights stand beside it. What is not below is dropped. */
#ifndef RILL_PRIMITIVE_INDEXED_COUNT_H
#define RILL_PRIMITIVE_INDEXED_COUNT_H

#include "stream/stream.h"

enum { COUNT_MAX_BINS = 1 << 28 };

/* Numbers: a dense uint stream of one dimension. A new uint stream of `bins` counts (at least 1 bin). */
bool count_numbers(const Stream *numbers, int64_t bins, Stream *result);
/* Raises `bins` to what the largest number asks for; false with error_set where that is above COUNT_MAX_BINS. `negative`: the numbers are
 * the bits of ints, for the message. */
bool count_bins(const Stream *numbers, bool negative, int64_t *bins);
/* count_numbers for as many bins as that. */
bool count_all_numbers(const Stream *numbers, bool negative, int64_t bins, Stream *result);
/* Whether count_weights serves: on a device of the cpu family, of not too many bins. */
bool count_has_weights(const Stream *numbers, int64_t bins);
/* Sums of weights (dense float or double, as many as numbers), in their type: added up in double, in an order that does not change. */
bool count_weights(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result);

#endif
