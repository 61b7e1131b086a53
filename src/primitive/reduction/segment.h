/* Segments (consecutive elements of a stream): reductions and scans of each segment, and reductions of runs of equal
 * keys. */
#ifndef RILL_PRIMITIVE_REDUCTION_SEGMENT_H
#define RILL_PRIMITIVE_REDUCTION_SEGMENT_H

#include "primitive/reduction/scan.h"

typedef struct SegmentSpec {
    ScanOp op;
    Kernel *operation; /* a reduce kernel to use instead of op, or NULL */
    Device *device;
} SegmentSpec;

/* Creates flags from the lengths of segments: a uint stream of `shape` that is not zero at the first element of each
 * segment that has elements. *empty is set if a length is zero. Returns false with error_set if a length is negative
 * or the sum of the lengths is not the number of elements. */
bool segment_heads(const Stream *lengths, const Shape *shape, Stream *heads, bool *empty);

/* Creates a stream with one value per segment of the elements in row-major order. `segments` is a bool stream of the
 * values' shape that marks the first element of each segment (element 0 always begins one), or the lengths as int or
 * uint. The value of an empty segment is the operator's neutral element; with a reduce kernel an empty segment is an
 * error. The result has a length as scanner_compact's results have. */
bool segment_reduce(const SegmentSpec *spec, const Stream *values, const Stream *segments, Stream *result);

/* Creates, for every run of equal neighbors in `keys`, the key (results[0]) and the reduction of the values of the
 * run (results[1]). `keys` and `values` have the same number of elements. */
bool segment_reduce_by_key(const SegmentSpec *spec, const Stream *keys, const Stream *values, Stream results[2]);

/* Runs scan_run with segments: flags of the domain's shape, lengths, or NULL. Sets spec->heads. */
bool segment_scan(ScanSpec *spec, Stream *segments, Stream *result);

#endif
