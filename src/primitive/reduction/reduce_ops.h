/* The built-in reductions as texts for the reducer. */
#ifndef RILL_PRIMITIVE_REDUCTION_REDUCE_OPS_H
#define RILL_PRIMITIVE_REDUCTION_REDUCE_OPS_H

#include "base/strbuf.h"
#include "primitive/reduction/reduce.h"

typedef struct ReduceRow {
    const Type *value;       /* type of the elements in the text */
    const Type *accumulator; /* type of the intermediate results */
    const Type *result;
    StrBuf functions;  /* GLSL, in which T is the value type. The caller frees it, on failure too */
    bool again;        /* see reducer.h */
    const char *chunk; /* see reducer.h; may be NULL */
} ReduceRow;

/* Returns the name of an operation, as in s:sum(). */
const char *reduce_ops_name(ReduceOp op);

/* Fills in the text of an operation on elements of `type`. Returns false with error_set if the operation does not
 * support the type. */
bool reduce_row(ReduceOp op, const Type *type, bool whole, ReduceRow *row);

#endif
