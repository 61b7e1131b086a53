/* Converts kernel text to tokens, expands macros and removes comments. */
#ifndef RILL_KERNEL_TEXT_LEXER_H
#define RILL_KERNEL_TEXT_LEXER_H

#include "kernel/text/source.h"
#include "kernel/text/token.h"

/* Splits the text into tokens, joins operators of several characters, removes comments and carries
 * out preprocessor directives. The list ends in TOKEN_END. Returns false with an error that points
 * into the text if the text is invalid. */
bool lexer_run(SourceText *source, TokenList *tokens);

#endif
