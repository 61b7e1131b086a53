/* Scatters: dst[index[i]] = op(dst[index[i]], src[i]) for each i in order. Sums and products of floats may be rounded
 * differently than in a sequential loop. Results have the same bits in every run. */
#ifndef RILL_PRIMITIVE_INDEXED_SCATTER_H
#define RILL_PRIMITIVE_INDEXED_SCATTER_H

#include "kernel/kernel.h"

typedef enum ScatterOp {
    SCATTER_SET, /* the last element for a destination remains */
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

/* Returns the operation of a name ("set", "add" ...), or SCATTER_OPS if there is none. */
ScatterOp scatter_op(const char *name);

/* Returns the operation to use instead of `op` for elements of a type. For bool ADD and MAX become OR, and MUL and MIN
 * become AND; for other types the result is `op`. */
ScatterOp scatter_of(ScatterOp op, const Type *type);

/* Scatters src into dst. `src` has the shape of `index`, or one element that is used for every index; its type
 * converts to dst's. indexed/index.h describes the indices. Indices out of range are skipped. `skipped` may be NULL;
 * else it receives the number of skipped indices, which waits for the device. `kernel` is used for SCATTER_KERNEL.
 * Returns false with error_set on failure. */
bool scatter_stream(Stream *dst, const Stream *index, const Stream *src, ScatterOp op, Kernel *kernel,
                    uint32_t *skipped);

#endif
