/* Reductions by the built-in operations and by reduce kernels. The shape and the device determine the order of
 * combination, so that results are the same in every run. Sums of floats to one result do not depend on the order. */
#ifndef RILL_PRIMITIVE_REDUCTION_REDUCE_H
#define RILL_PRIMITIVE_REDUCTION_REDUCE_H

#include "kernel/kernel.h"
#include "reductions.h"

typedef enum ReduceOp {
#define X(id, name) REDUCE_##id,
    REDUCTIONS(X)
#undef X
        REDUCE_CENTER, /* the mean, as the sum of two doubles: the constants of var and std of a whole */
    REDUCE_OPS
} ReduceOp;

/* Returns the type of op's result for elements of `type`, or NULL with error_set if op does not support the type.
 * `whole`: all elements are reduced to one value. A sum of int or uint then has 64 bits per component, as uvec2 (low
 * word, high word). */
const Type *reduce_result_type(ReduceOp op, const Type *type, bool whole);

/* Divides x into blocks of adjacent elements and reduces each block to one element of `result`, whose shape is `shape`.
 * Its sizes divide x's, or it has one element. `y` is the second stream of REDUCE_DOT, with x's shape; NULL for other
 * operations. Creates `result` with the type of reduce_result_type. x must not be empty unless the result is empty. */
bool reduce_stream(ReduceOp op, const Stream *x, const Stream *y, const Shape *shape, bool whole, Stream *result);

/* Reduces all elements of x (and y) to one, in the order that the shape and the device determine. Sums of floats take less time
 * than with reduce_stream, and their bits may depend on the order. */
bool reduce_ordered(ReduceOp op, const Stream *x, const Stream *y, Stream *result);

/* Returns whether a kernel can be the input of reductions (see inputs.h); false with error_set if not. */
bool reduce_accepts(const Kernel *kernel);
/* Returns the type of the value that an input kernel computes. */
const Type *reduce_input_type(const Kernel *kernel);

/* An input kernel, which computes a value for every element of a domain (see inputs.h). `args` are in the order of
 * its parameters. */
typedef struct ReduceInput {
    Kernel *kernel;
    const Argument *args;
} ReduceInput;

/* Reduces the values of input kernels (two for dot) as reduce_stream does. The values are not stored. */
bool reduce_input(ReduceOp op, const ReduceInput *inputs, Device *device, const Shape *domain, const Shape *shape,
                  bool whole, bool check, Stream *result);

/* The operand of a reduction: a stream (two for dot), or input kernels and their arguments. */
typedef struct ReduceOperand {
    Device *device;
    const Type *type;
    Shape shape;
    const Stream *s, *t;
    ReduceInput input[2];
    bool check;
    bool ordered; /* a whole of streams: see reduce_ordered */
} ReduceOperand;

/* Calls reduce_stream or reduce_input for an operand. */
bool reduce_operand(ReduceOp op, const ReduceOperand *x, const Shape *shape, bool whole, Stream *result);
/* Reduces along one dimension (0-based), which is removed, or kept with size 1 if `keep` is set. If the dimension has
 * no elements, every element of the result is the operation's neutral element; returns false with error_set if there
 * is none. */
bool reduce_along(ReduceOp op, const ReduceOperand *x, int axis, bool keep, Stream *result);

/* The constants of var and std of a whole: the mean (scale * mean == mean[c] + rest[c]), and a power of two by which elements
 * are multiplied so that differences are in range. */
typedef struct ReduceCenter {
    double scale, mean[4], rest[4];
} ReduceCenter;

/* Reductions of data in parts. The state of a part is the accumulator of the reduction of its elements, a packed
 * element of reduce_state_type. `center`: of all parts, for var and std; NULL for other operations. */

/* Returns the type of the state of op for elements of `type`, or NULL with error_set if op does not support the
 * type. */
const Type *reduce_state_type(ReduceOp op, const Type *type);
/* Reduces all elements of x, which must not be empty, to a state. `y`: as for reduce_stream. Creates `result`, a
 * stream of one element. */
bool reduce_state(ReduceOp op, const Stream *x, const Stream *y, const ReduceCenter *center, Stream *result);
/* Combines the states of parts, a stream of one dimension. `type`: the type of the elements. `total`: the number of
 * elements of all parts. Creates `result`, a stream of one element of reduce_result_type for a whole. */
bool reduce_join(ReduceOp op, const Type *type, const Stream *states, int64_t total, const ReduceCenter *center,
                 Stream *result);
/* Reads the result of REDUCE_CENTER, and releases it. */
bool reduce_read_center(Stream *result, ReduceCenter *center);

/* Applies a reduce kernel to its input and stores the result in the existing stream `result`. The sizes of `result`
 * divide the input's, or it has one element. `args` are in the order of the parameters; the argument of the reduce
 * parameter is ignored. */
bool reduce_kernel(Kernel *kernel, const Argument *args, bool check, Stream *result);
/* Applies a reduce kernel to the values of an input kernel over a domain. The argument of the reduce kernel's own
 * input is ignored. */
bool reduce_kernel_input(Kernel *kernel, const Argument *args, Kernel *input, const Argument *input_args,
                         const Shape *domain, bool check, Stream *result);

#endif
