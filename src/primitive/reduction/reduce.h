/* Reductions: any reduce kernel, and the built-in ones. The order of combination is fixed by the shape and the device, so
 * that results are the same on every run. */
#ifndef RILL_PRIMITIVE_REDUCTION_REDUCE_H
#define RILL_PRIMITIVE_REDUCTION_REDUCE_H

#include "kernel/kernel.h"

typedef enum ReduceOp {
    REDUCE_SUM,
    REDUCE_PROD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_MEAN,
    REDUCE_VAR,
    REDUCE_STD,
    REDUCE_ANY,
    REDUCE_ALL,
    REDUCE_COUNT,
    REDUCE_ARGMIN,
    REDUCE_ARGMAX,
    REDUCE_NORM,
    REDUCE_DOT,
    REDUCE_MOMENTS, /* what means and variances of parts are joined of: a structure of the mean and the (standard) deviation, in doubles */
    REDUCE_OPS
} ReduceOp;

/* The type of op's result over elements of `type`, NULL with error_set where op has no meaning for it. `whole`: to
 * one value; then a sum of int or uint is 64 bits, as uvec2 (low, high word), per component. */
const Type *reduce_result_type(ReduceOp op, const Type *type, bool whole);

/* Reduces blocks of neighbours: `shape` divides x's, dimension by dimension, or has one element. `y` is dot's second stream (of x's shape),
 * else NULL. `result` is created with reduce_result_type. x must not be empty unless the result is. */
bool reduce_stream(ReduceOp op, const Stream *x, const Stream *y, const Shape *shape, bool whole, Stream *result);

/* Whether a kernel can be the input of reductions (see inputs.h), and the type of what it gives. False with error_set. */
bool reduce_accepts(const Kernel *kernel);
const Type *reduce_input_type(const Kernel *kernel);

/* What an input kernel (see inputs.h; `args` as it declares them) makes of every element of a domain. */
typedef struct ReduceInput {
    Kernel *kernel;
    const Argument *args;
} ReduceInput;

/* The same as reduce_stream for inputs, two of them for dot: nothing is written in between. */
bool reduce_input(ReduceOp op, const ReduceInput *inputs, Device *device, const Shape *domain, const Shape *shape,
                  bool whole, bool check, Stream *result);

/* What is reduced: a stream, two for dot, or what input kernels make of their arguments. */
typedef struct ReduceOperand {
    Device *device;
    const Type *type;
    Shape shape;
    const Stream *s, *t;
    ReduceInput input[2];
    bool check;
} ReduceOperand;

/* The same as reduce_stream or reduce_input. */
bool reduce_operand(ReduceOp op, const ReduceOperand *x, const Shape *shape, bool whole, Stream *result);
/* Reduces along one dimension, which goes, or is kept with one element. If it has no elements, the result is the operation's neutral element everywhere; false with
 * error_set if there is none. */
bool reduce_along(ReduceOp op, const ReduceOperand *x, int axis, bool keep, Stream *result);

/* A reduce kernel over its input (args as declared; the reduce parameter's is ignored) into `result`, whose shape divides
 * the input's, or has one element. */
bool reduce_kernel(Kernel *kernel, const Argument *args, bool check, Stream *result);
/* The same over what an input kernel makes of a domain; the reduce kernel's own input is ignored. */
bool reduce_kernel_input(Kernel *kernel, const Argument *args, Kernel *input, const Argument *input_args,
                         const Shape *domain, bool check, Stream *result);

#endif
