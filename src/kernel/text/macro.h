/* The preprocessor of kernel text: object-like and function-like macros, conditionals. */
#ifndef RILL_MACRO_H
#define RILL_MACRO_H

#include "kernel/text/lexer.h"

/* Carries out the directives in `raw` and writes the expanded tokens, with TOKEN_END, to `out`. */
bool macro_expand(const SourceText *source, const TokenList *raw, TokenList *out);

/* The value of a name that GLSL defines by itself: __LINE__, __VERSION__ ... */
bool macro_predefined(const SourceText *source, const Token *name, int *value);

/* The value of an #if line's expression: integers, names (0), unary and binary operators of C, all macros expanded.
 * `place` is the directive, for messages. False with the error. */
bool condition_value(const SourceText *source, const Token *tokens, size_t count, const Token *place, bool *value);

#endif
