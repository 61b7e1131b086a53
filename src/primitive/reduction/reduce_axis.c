/* Reductions along one dimension. */
#include "kernel/launch/copy.h"
#include "primitive/reduction/reduce.h"
#include "primitive/reduction/reduce_ops.h"

bool reduce_operand(ReduceOp op, const ReduceOperand *x, const Shape *shape, bool whole, Stream *result)
{
    if (x->ordered) {
        return reduce_ordered(op, x->s, x->t, result);
    }
    return x->input[0].kernel ? reduce_input(op, x->input, x->device, &x->shape, shape, whole, x->check, result)
                              : reduce_stream(op, x->s, x->t, shape, whole, result);
}

/* Creates a stream filled with the operation's neutral element. Returns false with error_set if there is none. */
static bool fill_neutral(ReduceOp op, const Type *type, const Shape *shape, Device *device, Stream *result)
{
    Stream constant;
    double value = op == REDUCE_PROD || op == REDUCE_ALL;
    double all[4] = {value, value, value, value};
    if (op == REDUCE_MIN || op == REDUCE_MAX || op == REDUCE_ARGMIN || op == REDUCE_ARGMAX || op == REDUCE_MEAN ||
        op == REDUCE_VAR || op == REDUCE_STD) {
        return error_set("an axis without elements has no %s", reduce_ops_name(op));
    }
    if (!stream_ramp(device, type_of(SCALAR_INT, type->components), shape, all, all, &constant)) {
        return false;
    }
    bool done = copy_new(&constant, type, result);
    stream_release(&constant);
    return done;
}

bool reduce_along(ReduceOp op, const ReduceOperand *x, int axis, bool keep, Stream *result)
{
    Shape full = x->shape, left = {.rank = 0};
    full.size[axis] = 1;
    for (int d = 0; d < x->shape.rank; d++) {
        if (keep || d != axis) {
            left.size[left.rank++] = full.size[d];
        }
    }
    if (left.rank == 0) {
        left = (Shape){.rank = 1, .size = {1}};
    }
    Stream reduced;
    if (x->shape.size[axis] == 0 && shape_elements(&full) > 0) {
        const Type *type = reduce_result_type(op, x->type, false);
        return type && fill_neutral(op, type, &left, x->device, result);
    }
    if (!reduce_operand(op, x, &full, false, &reduced)) {
        return false;
    }
    bool done = stream_reshape(&reduced, &left, result);
    stream_release(&reduced);
    return done;
}
