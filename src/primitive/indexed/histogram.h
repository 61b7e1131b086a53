/* Histograms: how many elements fall into each of a row (or a grid) of bins of equal width. Bin k of n over [low, high] holds
 * low + k (high - low) / n <= x < low + (k + 1) (high - low) / n, decided exactly; the last one holds `high` too. NaN is in none. */
#ifndef RILL_PRIMITIVE_INDEXED_HISTOGRAM_H
#define RILL_PRIMITIVE_INDEXED_HISTOGRAM_H

#include "stream/stream.h"

typedef struct HistogramAxis {
    int64_t bins;
    double low, high;
} HistogramAxis;

typedef struct HistogramSpec {
    int axes;              /* 1: numbers; 2: vectors of two, x first */
    HistogramAxis axis[2]; /* bins > 0, low < high, both finite */
    bool clamp;            /* what is outside counts in the end bins; else it is dropped */
} HistogramSpec;

/* The smallest and the largest number of each component but NaN; low > high where there is none. Waits for the device. */
bool histogram_range(const Stream *s, HistogramSpec *spec);
/* A new uint stream of counts, or of the sums of `weights` (of s's shape; NULL: none) in float, or in double for weights that are no
 * floats. One axis gives {bins}, two {bins of y, bins of x}. */
bool histogram_stream(const Stream *s, const HistogramSpec *spec, const Stream *weights, Stream *result);
/* Bin k holds the elements equal to k, for int and uint (the packed ones too): at least `least` bins, and as many as the
 * largest asks for. Negative elements are an error. Waits for the device. */
bool histogram_integers(const Stream *s, const Stream *weights, int64_t least, Stream *result);

#endif
