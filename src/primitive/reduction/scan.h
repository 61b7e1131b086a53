/* Scans: every result combines an element and all elements before it. */
#ifndef RILL_PRIMITIVE_REDUCTION_SCAN_H
#define RILL_PRIMITIVE_REDUCTION_SCAN_H

#include "primitive/reduction/scan_ops.h"

typedef struct ScanSpec {
    ScanOp op;
    Kernel *operation; /* a reduce kernel to use instead of op, or NULL */
    Kernel *input;     /* an input kernel whose values are scanned, or NULL to scan the stream args[0] */
    const Argument *args;
    Device *device;
    Shape domain;
    bool
        exclusive; /* results do not include the element itself; the first is the neutral element, or zero for reduce kernels */
    bool reverse; /* from the last element to the first */
    bool check;
    int axis;            /* 0-based; -1: over all elements in row-major order */
    const Stream *heads; /* of the domain's shape: not zero at the first element of each segment; NULL: one segment */
} ScanSpec;

/* Returns the type of a kernel's value if the kernel can be the input of a scan (see inputs.h); else NULL with
 * error_set. */
const Type *scan_input(const Kernel *kernel);

/* Creates `result`, of the domain's shape. The error of a float sum is below 1e-6 times the sum of the magnitudes of
 * its elements. The shape and the device determine the order of combination. Returns false with error_set on
 * failure. */
bool scan_run(const ScanSpec *spec, Stream *result);

#endif
