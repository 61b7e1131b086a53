/* Declares the conversion of calls in Brook's dialect. It converts the arguments and determines the
 * type of the result. */
#ifndef RILL_KERNEL_DIALECT_BROOK_CALL_H
#define RILL_KERNEL_DIALECT_BROOK_CALL_H

#include "kernel/dialect/brook_writer.h"

typedef struct BrookArguments {
    int count;
    size_t first[MAX_PARAMS], last[MAX_PARAMS]; /* output tokens */
    Value value[MAX_PARAMS];
} BrookArguments;

/* Converts the arguments of the call "name(...)" to the types that the function expects. The function
 * is a function of the text, a constructor or a GLSL function. The call must have been written already:
 * it begins at output token `at` and ends with the last output token. *value becomes the type of the
 * result. Returns false with error_set on failure. */
bool brook_call(BrookWriter *w, const Token *name, size_t at, BrookArguments *a, Value *value);

#endif
