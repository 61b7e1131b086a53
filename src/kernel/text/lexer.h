/* Tokens of kernel text, with macros expanded and comments gone. */
#ifndef RILL_KERNEL_TEXT_LEXER_H
#define RILL_KERNEL_TEXT_LEXER_H

#include "kernel/text/source.h"
#include "kernel/text/token.h"

/* Splits the text, joins multi-character operators, removes comments, carries out #define, #undef, #if, #ifdef,
 * #ifndef, #elif, #else and #endif. The list ends in TOKEN_END. False with the place of the error. */
bool lexer_run(SourceText *source, TokenList *tokens);

#endif
