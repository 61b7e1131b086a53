/* Calls in Brook's dialect: converts arguments and determines the type of the result. */
#ifndef RILL_KERNEL_DIALECT_BROOK_CALL_H
#define RILL_KERNEL_DIALECT_BROOK_CALL_H

#include "kernel/dialect/brook_writer.h"

typedef struct BrookArguments {
    int count;
    size_t first[MAX_PARAMS], last[MAX_PARAMS]; /* output tokens */
    Value value[MAX_PARAMS];
} BrookArguments;

/* Converts the arguments of the call "name(...)", which was written from output token `at` to the
 * last one, to what the function of the text, the constructor or the GLSL function expects. *value
 * becomes the type of the result. */
bool brook_call(BrookWriter *w, const Token *name, size_t at, BrookArguments *a, Value *value);

#endif
