/* Evaluates the conditions of #if and #elif. */
#ifndef RILL_KERNEL_TEXT_CONDITION_H
#define RILL_KERNEL_TEXT_CONDITION_H

#include "kernel/text/source.h"
#include "kernel/text/token.h"

/* Finds the value of a macro that GLSL predefines (__LINE__, __VERSION__ ...). Returns false if `name` is not one. */
bool condition_predefined(const SourceText *source, const Token *name, int *value);

/* Evaluates the expression of an #if after macro expansion: integers, names (value 0), unary and
 * binary operators of C, ? :. `place` is the directive, for messages. Returns false with error_set
 * on failure. */
bool condition_value(const SourceText *source, const Token *tokens, size_t count, const Token *place, bool *value);

#endif
