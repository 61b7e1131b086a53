/* Counts of equal integers, and sums of the weights of equal integers. Integers that are not below `bins` are
 * ignored. */
#ifndef RILL_PRIMITIVE_INDEXED_COUNT_H
#define RILL_PRIMITIVE_INDEXED_COUNT_H

#include "stream/stream.h"

enum { COUNT_MAX_BINS = 1 << 28 };

/* Creates a uint stream of `bins` counts: element k is the number of elements of `numbers` that are equal to k. `bins`
 * must be at least 1, or 0 if `numbers` is empty. `numbers` is a dense one-dimensional uint stream. Returns false with
 * error_set on failure. */
bool count_numbers(const Stream *numbers, int64_t bins, Stream *result);
/* Raises *bins to the largest number plus 1. Returns false with error_set if this is above COUNT_MAX_BINS.
 * `negative`: the numbers are the bits of ints, so that the message can name a negative one. Waits for the device. */
bool count_bins(const Stream *numbers, bool negative, int64_t *bins);
/* Creates a uint stream of counts with as many bins as count_bins finds, at least `bins`. Waits for the device. */
bool count_all_numbers(const Stream *numbers, bool negative, int64_t bins, Stream *result);
/* Returns whether count_weights supports these arguments: a device of the family cpu, and not too many bins. */
bool count_has_weights(const Stream *numbers, const Stream *weights, int64_t bins);
/* Creates the sums of the weights of equal numbers, in the type of the weights. `weights` is dense, float or double,
 * and has as many elements as `numbers`. The sums are computed in double, in the same order in every run. */
bool count_weights(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result);
/* Creates the sums of the weights of equal numbers as doubles, on any device. The order of the additions depends only
 * on the number of elements and on `bins`, so that all devices return the same bits. Uses memory for 16 to 512 rows of
 * `bins` doubles. */
bool count_sums(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result);

#endif
