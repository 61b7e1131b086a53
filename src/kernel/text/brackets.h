/* Checks that brackets match, token by token. */
#ifndef RILL_KERNEL_TEXT_BRACKETS_H
#define RILL_KERNEL_TEXT_BRACKETS_H

#include "kernel/text/source.h"
#include "kernel/text/token.h"

enum { MAX_BRACKETS = 200 };

/* The brackets that are open, outermost first. Empty when all bytes are zero. */
typedef struct Brackets {
    int depth;
    char mark[MAX_BRACKETS];
    size_t offset[MAX_BRACKETS];
} Brackets;

/* Processes a token: an opening bracket is added, a closing bracket removes the one that it closes.
 * Other tokens are ignored. Returns false with error_set, at the innermost bracket that is never
 * closed, or at a bracket that closes nothing. */
bool brackets_step(Brackets *b, const SourceText *source, const Token *token);
/* Returns false with error_set, at the innermost open bracket, if the text ends here. */
bool brackets_finish(const Brackets *b, const SourceText *source);

#endif
