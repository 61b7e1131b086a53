/* The operators of scans, segmented reductions and reductions by key, as GLSL:
 *   A rill_from(T x)          A rill_join(A a, A b)          A rill_none()          R rill_finish(A a) */
#ifndef RILL_PRIMITIVE_REDUCTION_SCAN_OPS_H
#define RILL_PRIMITIVE_REDUCTION_SCAN_OPS_H

#include "base/strbuf.h"
#include "kernel/kernel.h"

/* Name as users write it. */
#define SCAN_OP_LIST(X) X(ADD, "add") X(MUL, "mul") X(MIN, "min") X(MAX, "max") X(AND, "and") X(OR, "or") X(XOR, "xor")

typedef enum ScanOp {
#define X(id, name) SCAN_##id,
    SCAN_OP_LIST(X)
#undef X
        SCAN_OPS
} ScanOp;

/* By name; SCAN_OPS with error_set, naming the list, where there is none. */
ScanOp scan_op_find(const char *name);

typedef struct ScanOperator {
    const Type *value;       /* T: what elements are seen as */
    const Type *accumulator; /* A */
    const Type *result;      /* R */
    bool identity;           /* rill_none() is neutral; else it is all zero bits, and must not be joined */
    const char *neutral;     /* of operators with one: an expression of it */
    bool plain;              /* float sums: they have a form for sixteen at once */
} ScanOperator;

/* The operator over elements of `type`, or of a reduce kernel (see inputs_write_operation for the call of it, which the caller hands
 * over). Adds the functions to `out`. False with error_set where it has no meaning for the type. `reduces`: only the last result counts, and
 * is finite where it is within the range of its type, whatever is before it. */
bool scan_operator(ScanOp op, const Type *type, bool reduces, StrBuf *out, ScanOperator *result);
bool scan_operator_kernel(const Kernel *kernel, const char *call, StrBuf *out, ScanOperator *result);
/* Whether a reduce kernel can be an operator: one input and the reduce parameter, no more. False with error_set. */
bool scan_accepts(const Kernel *kernel);

#endif
