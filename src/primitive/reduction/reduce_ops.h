/* The built-in reductions as texts for the reducer. */
#ifndef RILL_PRIMITIVE_REDUCTION_REDUCE_OPS_H
#define RILL_PRIMITIVE_REDUCTION_REDUCE_OPS_H

#include "base/strbuf.h"
#include "primitive/reduction/reduce.h"

typedef struct ReduceRow {
    const Type *value;       /* what elements are seen as */
    const Type *accumulator; /* what a run is reduced to */
    const Type *result;
    StrBuf functions;  /* GLSL; T is the value type. The caller's to free, on failure too */
    bool again;        /* see reducer.h */
    const char *chunk; /* see reducer.h; NULL where there is none */
} ReduceRow;

/* The name as in s:sum(). */
const char *reduce_ops_name(ReduceOp op);

/* False with error_set where the operation has no meaning for elements of `type`. */
bool reduce_row(ReduceOp op, const Type *type, bool whole, ReduceRow *row);

#endif
