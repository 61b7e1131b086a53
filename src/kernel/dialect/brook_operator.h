/* Operators of Brook's dialect: what their operands must become. */
#ifndef RILL_KERNEL_DIALECT_BROOK_OPERATOR_H
#define RILL_KERNEL_DIALECT_BROOK_OPERATOR_H

#include "kernel/dialect/brook_writer.h"

/* How tightly they bind, from the loosest. */
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

/* Part of what was written, and what it gives. */
typedef struct Operand {
    size_t first, last; /* output tokens */
    Value value;
} Operand;

/* The operator that a mark is, assignments and "?" among them; -1: none. */
int brook_operator(const Token *mark);
int brook_operator_level(int op); /* an OperatorLevel */

/* "left op right" was written: converts both, and says what it gives. */
bool brook_binary(BrookWriter *w, int op, Operand *left, Operand *right, Value *result);
/* The same of "cond ? a : b", of vectors component by component. */
bool brook_choose(BrookWriter *w, Operand *cond, Operand *a, Operand *b, Value *result);

#endif
