/* The built-in reductions as texts for the reducer. */
#ifndef RILL_PRIMITIVE_REDUCTION_REDUCE_OPS_H
#define RILL_PRIMITIVE_REDUCTION_REDUCE_OPS_H

#include "base/strbuf.h"
#include "primitive/reduction/reduce.h"

typedef struct ReduceRow {
    const Type *value;       /* type of the elements in the text */
    const Type *accumulator; /* type of the intermediate results */
    const Type *result;
    StrBuf functions;  /* GLSL, in which T is the value type */
    bool again;        /* see reducer.h */
    int flush;         /* see reducer.h */
    bool state;        /* the results are the accumulators */
    bool centered;     /* the text has the constants of ReduceCenter */
    const char *chunk; /* see reducer.h; may be NULL */
} ReduceRow;

/* Returns the name of an operation, as in s:sum(). */
const char *reduce_ops_name(ReduceOp op);

/* Returns the text of an operation on elements of `type`, which is kept. Returns NULL with error_set if the operation does
 * not support the type. `whole`: see reduce_result_type. `one`: there is one result, so that the bits of sums of floats
 * do not depend on the order of the elements. */
const ReduceRow *reduce_row(ReduceOp op, const Type *type, bool whole, bool one);
/* Returns the text whose result is the accumulator of all elements. */
const ReduceRow *reduce_state_row(ReduceOp op, const Type *type);

#endif
