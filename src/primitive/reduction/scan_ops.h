/* The operators of scans, segmented reductions and reductions by key, as GLSL functions:
 *   A rill_from(T x)          A rill_join(A a, A b)          A rill_none()          R rill_finish(A a) */
#ifndef RILL_PRIMITIVE_REDUCTION_SCAN_OPS_H
#define RILL_PRIMITIVE_REDUCTION_SCAN_OPS_H

#include "base/strbuf.h"
#include "kernel/kernel.h"

/* Identifier, and name in the Lua interface. */
#define SCAN_OP_LIST(X) X(ADD, "add") X(MUL, "mul") X(MIN, "min") X(MAX, "max") X(AND, "and") X(OR, "or") X(XOR, "xor")

typedef enum ScanOp {
#define X(id, name) SCAN_##id,
    SCAN_OP_LIST(X)
#undef X
        SCAN_OPS
} ScanOp;

/* Returns the operator with this name, or SCAN_OPS with an error that lists the names if there is none. */
ScanOp scan_op_find(const char *name);

typedef struct ScanOperator {
    const Type *value;       /* T: type of the elements in the text */
    const Type *accumulator; /* A */
    const Type *result;      /* R */
    /* If set, rill_none() returns the neutral element. Else its result has all bits zero and must not be passed to
     * rill_join. */
    bool identity;
    const char *neutral; /* an expression of the neutral element, if there is one */
    bool plain;          /* float sums, which have a form for sixteen elements at once */
} ScanOperator;

/* Fills in a built-in operator for elements of `type` and adds its functions to `out`. Returns false with error_set
 * if the operator does not support the type. `reduces`: only the last result is used. It is then finite if the exact
 * result is in the range of its type, whatever the partial results are. */
bool scan_operator(ScanOp op, const Type *type, bool reduces, StrBuf *out, ScanOperator *result);
/* Fills in the operator of a reduce kernel and adds its functions to `out`. `call` is from inputs_write_operation. */
bool scan_operator_kernel(const Kernel *kernel, const char *call, StrBuf *out, ScanOperator *result);
/* Returns whether a reduce kernel can be an operator: it has one input and the reduce parameter, and no other
 * parameter. Returns false with error_set if not. */
bool scan_accepts(const Kernel *kernel);

#endif
