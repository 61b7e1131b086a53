/* Scatters and gathers that change what they reach: dst[index[i]] = op(dst[index[i]], src[i]) as a loop over i in order
 * would, but that sums and products of floats may be rounded otherwise, and Brook's GatherOp. The results are the same to the bit on every run. */
#ifndef RILL_PRIMITIVE_INDEXED_SCATTER_H
#define RILL_PRIMITIVE_INDEXED_SCATTER_H

#include "kernel/kernel.h"

typedef enum ScatterOp {
    SCATTER_SET, /* the last one stays */
    SCATTER_ADD,
    SCATTER_MUL,
    SCATTER_MIN,
    SCATTER_MAX,
    SCATTER_AND,
    SCATTER_OR,
    SCATTER_XOR,
    SCATTER_KERNEL, /* a reduce kernel without other arguments */
    SCATTER_OPS
} ScatterOp;

/* By name ("set", "add" ...); SCATTER_OPS when there is none such. */
ScatterOp scatter_op(const char *name);

/* What an operation is of elements of a type: of bools, which stay bools, sums and the larger are `or`, products and the smaller `and`. */
ScatterOp scatter_of(ScatterOp op, const Type *type);

/* Index and src have the same shape, or src one element, whose value goes everywhere; src converts to dst's type. See
 * indexed/index.h for indices. What is out of range is skipped, and counted in *skipped unless that is NULL (counting waits for the device). */
bool scatter_stream(Stream *dst, const Stream *index, const Stream *src, ScatterOp op, Kernel *kernel,
                    uint32_t *skipped);

#endif
