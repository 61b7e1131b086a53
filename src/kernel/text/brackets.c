#include "kernel/text/brackets.h"

#include <string.h>

static const char openers[] = "([{", closers[] = ")]}";

bool brackets_finish(const Brackets *b, const SourceText *source)
{
    if (b->depth == 0) {
        return true;
    }
    size_t offset = b->offset[b->depth - 1];
    return source_error(source, offset, "this '%c' (line %d, column %d) is never closed", b->mark[b->depth - 1],
                        source_line(source, offset), source_column(source, offset));
}

/* Reports a bracket of another shape than the innermost one. If it closes a bracket further out,
 * the innermost one is never closed. The same holds at the end of a block, even if the block began
 * before the first token. */
static bool mismatch(const Brackets *b, const SourceText *source, const Token *token, char opener)
{
    if (memchr(b->mark, opener, (size_t)b->depth) || (opener == '{' && b->depth > 0)) {
        return brackets_finish(b, source);
    }
    return source_error(source, token->offset, "this '%c' (line %d, column %d) closes no '%c'", *token->text,
                        source_line(source, token->offset), source_column(source, token->offset), opener);
}

bool brackets_step(Brackets *b, const SourceText *source, const Token *token)
{
    if (token->kind != TOKEN_MARK || token->length != 1) {
        return true;
    }
    if (strchr(openers, *token->text)) {
        if (b->depth == MAX_BRACKETS) {
            return source_error(source, token->offset, "brackets are nested more than %d deep", MAX_BRACKETS);
        }
        b->mark[b->depth] = *token->text;
        b->offset[b->depth++] = token->offset;
        return true;
    }
    const char *closer = strchr(closers, *token->text);
    if (!closer) {
        return true;
    }
    char opener = openers[closer - closers];
    if (b->depth == 0 || b->mark[b->depth - 1] != opener) {
        return mismatch(b, source, token, opener);
    }
    b->depth--;
    return true;
}
