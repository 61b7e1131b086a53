/* What #if and #elif compute with. */
#ifndef RILL_KERNEL_TEXT_CONDITION_H
#define RILL_KERNEL_TEXT_CONDITION_H

#include "kernel/text/source.h"
#include "kernel/text/token.h"

/* The value of a name that GLSL defines by itself: __LINE__, __VERSION__ ... */
bool condition_predefined(const SourceText *source, const Token *name, int *value);

/* The value of an #if line's expression: integers, names (0), unary and binary operators of C, all macros expanded.
 * `place` is the directive, for messages. False with the error. */
bool condition_value(const SourceText *source, const Token *tokens, size_t count, const Token *place, bool *value);

#endif
