/* Histograms: numbers of elements in bins of equal width, in one or two dimensions. Bin k of n over [low, high] holds
 * low + k (high - low) / n <= x < low + (k + 1) (high - low) / n, compared exactly. The last bin also holds `high`.
 * NaN is in no bin. */
#ifndef RILL_PRIMITIVE_INDEXED_HISTOGRAM_H
#define RILL_PRIMITIVE_INDEXED_HISTOGRAM_H

#include "stream/stream.h"

typedef struct HistogramAxis {
    int64_t bins;
    double low, high;
} HistogramAxis;

typedef struct HistogramSpec {
    int axes;              /* 1: numbers; 2: vectors of two components, x first */
    HistogramAxis axis[2]; /* bins > 0, low < high, both finite */
    bool clamp;            /* elements outside the range are counted in the first or last bin; else they are ignored */
} HistogramSpec;

/* Finds the smallest and the largest number of each component, without NaNs, and stores them in spec->axis. low >
 * high if s is empty or all its numbers are NaN. Waits for the device. */
bool histogram_range(const Stream *s, HistogramSpec *spec);
/* Creates the histogram. If `weights` is NULL, the result is a uint stream of counts. Otherwise `weights` has the shape
 * of s, and the result has the sums of the weights: float for float weights, otherwise double. The shape is {bins} for
 * one axis and {bins of y, bins of x} for two. Also creates for each axis the bins + 1 edges: float if kernels read the
 * elements as float, otherwise double. */
bool histogram_stream(const Stream *s, const HistogramSpec *spec, const Stream *weights, Stream *result,
                      Stream *edges[2]);
/* Counts equal integers: element k of the result is the number of elements of s equal to k, or the sum of their
 * weights. s has elements of int, uint or a packed integer type. The number of bins is the
 * largest element plus 1, or `least` if this is larger. Negative elements are an error. Waits for the device. */
bool histogram_integers(const Stream *s, const Stream *weights, int64_t least, Stream *result);
/* Creates a double stream of `bins` sums: element k is the sum of the weights of the integers of `numbers` that are
 * equal to k. Integers outside of 0 .. bins - 1 are ignored. All devices return the same bits (count_sums). */
bool histogram_sums(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result);

#endif
