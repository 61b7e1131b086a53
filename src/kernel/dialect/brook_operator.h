/* Operators of Brook's dialect: converts their operands. */
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

/* Returns the operator of a mark, including assignments and "?"; -1 if it is not an operator. */
int brook_operator(const Token *mark);
int brook_operator_level(int op); /* an OperatorLevel */

/* Converts both operands of "left op right", which was written. *result becomes the type of the result. */
bool brook_binary(BrookWriter *w, int op, Operand *left, Operand *right, Value *result);
/* Converts the operands of "cond ? a : b", which was written; vectors are handled component by component. */
bool brook_choose(BrookWriter *w, Operand *cond, Operand *a, Operand *b, Value *result);

#endif
