/* Calls in Brook's dialect. */
#ifndef RILL_KERNEL_DIALECT_BROOK_CALL_H
#define RILL_KERNEL_DIALECT_BROOK_CALL_H

#include "kernel/dialect/brook_writer.h"

typedef struct BrookArguments {
    int count;
    size_t first[MAX_PARAMS], last[MAX_PARAMS]; /* output tokens */
    Value value[MAX_PARAMS];
} BrookArguments;

/* "name(...)" was written, from output token `at` to the last: converts the arguments to what a function of the text, a type or a
 * function of GLSL takes, and says what the call gives. */
bool brook_call(BrookWriter *w, const Token *name, size_t at, BrookArguments *a, Value *value);

#endif
