/* Segments of neighbours: their checks, reductions of each, and reductions of runs of equal keys. */
#ifndef RILL_PRIMITIVE_REDUCTION_SEGMENT_H
#define RILL_PRIMITIVE_REDUCTION_SEGMENT_H

#include "primitive/reduction/scan.h"

typedef struct SegmentSpec {
    ScanOp op;
    Kernel *operation; /* a reduce kernel instead of op, or NULL */
    Device *device;
} SegmentSpec;

/* Makes heads of lengths: a uint stream of the shape that is not zero where a segment of at least one element starts. False with
 * error_set unless no length is negative and they add up to the shape's elements. *empty: whether one is zero. */
bool segment_heads(const Stream *lengths, const Shape *shape, Stream *heads, bool *empty);

/* One value per segment of the elements in row-major order. A bool stream of the values' shape marks the first of each (and element 0
 * begins one); int or uint are the lengths. Segments without elements have the operator's neutral element, which a reduce kernel
 * doesn't have: an error. Counted as scanner_compact's results are. */
bool segment_reduce(const SegmentSpec *spec, const Stream *values, const Stream *segments, Stream *result);

/* For every run of equal neighbours in `keys` one of them, and the values beside them reduced. Both have as many elements. */
bool segment_reduce_by_key(const SegmentSpec *spec, const Stream *keys, const Stream *values, Stream results[2]);

/* scan_run with segments: flags of the domain's shape where they start, their lengths, or NULL. Sets spec->heads. */
bool segment_scan(ScanSpec *spec, Stream *segments, Stream *result);

#endif
