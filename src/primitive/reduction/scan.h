/* Scans: every element becomes what the operator makes of it and all before it. */
#ifndef RILL_PRIMITIVE_REDUCTION_SCAN_H
#define RILL_PRIMITIVE_REDUCTION_SCAN_H

#include "primitive/reduction/scan_ops.h"

typedef struct ScanSpec {
    ScanOp op;
    Kernel *operation; /* a reduce kernel instead of op, or NULL */
    Kernel *input;     /* what is scanned: what an input kernel makes of a domain, or without one the stream args[0] */
    const Argument *args;
    Device *device;
    Shape domain;
    bool exclusive; /* without the element itself: the first has the neutral element, zero for reduce kernels */
    bool reverse;   /* from the last to the first */
    bool check;
    int axis;            /* from 0; -1: over all elements in row-major order */
    const Stream *heads; /* of the domain's shape: not zero where a segment starts; NULL: one segment */
} ScanSpec;

/* The type of what a kernel gives that can be the input of scans (see inputs.h); else NULL with error_set. */
const Type *scan_input(const Kernel *kernel);

/* Creates `result` of the domain's shape. Float sums err by less than 1e-6 of the sum of magnitudes; the order of combination is
 * fixed by shape and device. */
bool scan_run(const ScanSpec *spec, Stream *result);

#endif
