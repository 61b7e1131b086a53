#include "kernel/text/token.h"

#include <stdlib.h>
#include <string.h>

bool token_is(const Token *token, const char *text)
{
    return token->kind != TOKEN_END && (size_t)token->length == strlen(text) &&
           memcmp(token->text, text, (size_t)token->length) == 0;
}

bool token_equal(const Token *a, const Token *b)
{
    return a->kind == b->kind && a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

void token_list_free(TokenList *tokens)
{
    free(tokens->items);
    *tokens = (TokenList){0};
}
