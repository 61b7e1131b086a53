/* The preprocessor of kernel text: object-like and function-like macros, conditionals. */
#ifndef RILL_KERNEL_TEXT_MACRO_H
#define RILL_KERNEL_TEXT_MACRO_H

#include "kernel/text/source.h"
#include "kernel/text/token.h"

/* Carries out the directives in `raw` and writes the expanded tokens, with TOKEN_END, to `out`.
 * Returns false with an error that points into the text if the text is invalid. */
bool macro_expand(SourceText *source, const TokenList *raw, TokenList *out);

#endif
