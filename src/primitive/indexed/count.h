/* Counting: how often each number below `bins` stands in a stream, or what weights stand beside it. What is not below is dropped. */
#ifndef RILL_TALLY_H
#define RILL_TALLY_H

#include "stream/stream.h"

enum { TALLY_MAX_BINS = 1 << 28 };

/* Numbers: a dense uint stream of one dimension. A new uint stream of `bins` counts (at least 1 bin). */
bool tally_count(const Stream *numbers, int64_t bins, Stream *result);
/* Raises `bins` to what the largest number asks for; false with error_set where that is above TALLY_MAX_BINS. `negative`: the numbers are
 * the bits of ints, for the message. */
bool tally_bins(const Stream *numbers, bool negative, int64_t *bins);
/* tally_count for as many bins as that. */
bool tally_count_all(const Stream *numbers, bool negative, int64_t bins, Stream *result);
/* Whether tally_weigh serves: on a device of the cpu family, of not too many bins. */
bool tally_weighs(const Stream *numbers, int64_t bins);
/* Sums of weights (dense float or double, as many as numbers), in their type: added up in double, in an order that does not change. */
bool tally_weigh(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result);

#endif
