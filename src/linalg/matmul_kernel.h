/* Multiplies matrices with a shader. Factors whose rows or columns are contiguous and consist of
 * whole texels (four elements) are read where they are; others are first copied to such rows. The
 * result is written to a target, which may be a part of a buffer. */
#ifndef RILL_LINALG_MATMUL_KERNEL_H
#define RILL_LINALG_MATMUL_KERNEL_H

#include "stream/stream.h"

/* A function that is applied to each element of a product. */
typedef enum Activation { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_SIGMOID, ACTIVATION_TANH } Activation;

/* A product: a is m x k and b is k x n, for each element of the batch. */
typedef struct MatmulKernel {
    Device *device;
    const Type *type;
    int64_t m, n, k;
    Shape batch;                /* leading dimensions of the result; rank 0: none */
    Stream a, b;                /* matrices of at least two dimensions */
    uint32_t alpha[2], beta[2]; /* factors of the product and of the old result: the bits of values of `type` */
    const Stream *bias;         /* n elements of `type`, which are added to each row; or NULL */
    Activation activation;
    bool keep; /* the old result is read and added; else it is not read */
} MatmulKernel;

/* The storage of a result, in elements. */
typedef struct Target {
    Buffer *buffer;
    int64_t base, pitch;            /* of the first element; from row to row */
    int64_t stride[SHAPE_MAX_RANK]; /* along the dimensions of the batch */
} Target;

/* Exchanges the last two dimensions of a matrix in its header. */
void matmul_kernel_transpose(Stream *s);
/* Returns the storage of a dense result. */
Target matmul_kernel_dense(const MatmulKernel *p, const Stream *c);
/* Stores the storage of a matrix, or a batch of matrices, into *target. Returns false if the elements are not
 * contiguous along the last dimension. */
bool matmul_kernel_target(const MatmulKernel *p, const Stream *c, Target *target);
/* Multiplies a and b and writes the result to a target that overlaps neither of them. The type is float, double, int or
 * uint. */
bool matmul_kernel_multiply(const MatmulKernel *p, const Target *c);

#endif
