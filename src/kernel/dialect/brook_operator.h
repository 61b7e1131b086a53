/* Declares the operators of Brook's dialect and the conversion of their operands. */
#ifndef RILL_KERNEL_DIALECT_BROOK_OPERATOR_H
#define RILL_KERNEL_DIALECT_BROOK_OPERATOR_H

#include "kernel/dialect/brook_writer.h"

/* Precedence of operators, lowest first. */
typedef enum OperatorLevel {
    LEVEL_ASSIGN = 1,
    LEVEL_CHOICE,
    LEVEL_OR,
    LEVEL_XOR,
    LEVEL_AND,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_EQUAL,
    LEVEL_ORDER,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_UNARY
} OperatorLevel;

/* A range of the output, and the type of its value. */
typedef struct Operand {
    size_t first, last; /* output tokens */
    Value value;
} Operand;

/* Returns the index of the operator that a token consists of. Assignments and "?" are operators too.
 * Returns -1 if the token is not an operator. */
int brook_operator(const Token *mark);
/* Returns the precedence of an operator, which is an OperatorLevel. */
int brook_operator_level(int op);

/* Converts both operands of "left op right". The expression must have been written to the output
 * already. *result becomes the type of the result. Returns false with error_set on failure. */
bool brook_binary(BrookWriter *w, int op, Operand *left, Operand *right, Value *result);
/* Converts the operands of "cond ? a : b". The expression must have been written to the output already.
 * Vectors are selected component by component. *result becomes the type of the result. Returns false
 * with error_set on failure. */
bool brook_choose(BrookWriter *w, Operand *cond, Operand *a, Operand *b, Value *result);

#endif
