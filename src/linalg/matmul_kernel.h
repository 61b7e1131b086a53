/* The work of matrix products: operands become rows of texels, and a shader multiplies them into what has rows of elements. */
#ifndef RILL_LINALG_MATMUL_KERNEL_H
#define RILL_LINALG_MATMUL_KERNEL_H

#include "stream/stream.h"

/* What is multiplied: a is m x k, b is k x n, for each element of the batch. */
typedef struct MatmulKernel {
    Device *device;
    const Type *type;
    int64_t m, n, k;
    Shape batch;                /* leading dimensions of the result; rank 0: none */
    Stream a, b;                /* matrices: at least two dimensions */
    uint32_t alpha[2], beta[2]; /* of the type: what becomes of the product, and of what the result has */
    bool keep;                  /* the result has something: else it is not read */
} MatmulKernel;

/* Where the result goes, in elements. */
typedef struct Target {
    Buffer *buffer;
    int64_t base, pitch;            /* of the first one; from row to row */
    int64_t stride[SHAPE_MAX_RANK]; /* along the dimensions of the batch */
} Target;

/* A matrix's last two dimensions exchanged, in place. */
void matmul_kernel_transpose(Stream *s);
/* Where the elements of a dense result go. */
Target matmul_kernel_dense(const MatmulKernel *p, const Stream *c);
/* The same for a matrix, or a batch of them, whose elements stand in a row along the last dimension. False where they do not. */
bool matmul_kernel_target(const MatmulKernel *p, const Stream *c, Target *target);
/* Multiplies into a target that overlaps neither operand. Float, double, int or uint. */
bool matmul_kernel_multiply(const MatmulKernel *p, const Target *c);

#endif
