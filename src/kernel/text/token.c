#include "kernel/text/token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const long_marks[] = {"<<=", ">>=", "...", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "^^",
                                         "<<",  ">>",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

static int name_length(const char *at, const char *end)
{
    const char *p = at;
    while (p < end && (isalnum((unsigned char)*p) || *p == '_')) {
        p++;
    }
    return (int)(p - at);
}

/* Returns the length of a preprocessing number: digits, letters, dots, and signs after an exponent. */
static int number_length(const char *at, const char *end)
{
    const char *p = at;
    bool hex = end - at > 1 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    while (p < end) {
        if (isalnum((unsigned char)*p) || *p == '.') {
            p++;
        } else if ((*p == '+' || *p == '-') && !hex && (p[-1] == 'e' || p[-1] == 'E')) {
            p++;
        } else {
            break;
        }
    }
    return (int)(p - at);
}

static int mark_length(const char *at, const char *end)
{
    for (size_t i = 0; i < sizeof long_marks / sizeof *long_marks; i++) {
        size_t length = strlen(long_marks[i]);
        if ((size_t)(end - at) >= length && memcmp(at, long_marks[i], length) == 0) {
            return (int)length;
        }
    }
    return 1;
}

void token_scan(Token *token, const char *end)
{
    const char *at = token->text;
    char c = *at;
    if (isalpha((unsigned char)c) || c == '_') {
        token->kind = TOKEN_NAME;
        token->length = name_length(at, end);
    } else if (isdigit((unsigned char)c) || (c == '.' && at + 1 < end && isdigit((unsigned char)at[1]))) {
        token->kind = TOKEN_NUMBER;
        token->length = number_length(at, end);
    } else if (c > 32 && c < 127 && c != '"' && c != '\'' && c != '@' && c != '$' && c != '`' && c != '\\') {
        token->kind = TOKEN_MARK;
        token->length = mark_length(at, end);
    } else {
        const char *line = memchr(at, '\n', (size_t)(end - at)),
                   *close = c == '"' ? memchr(at + 1, '"', (size_t)((line ? line : end) - at - 1)) : NULL;
        token->kind = TOKEN_OTHER;
        token->length = close ? (int)(close + 1 - at) : 1;
    }
}

bool token_is(const Token *token, const char *text)
{
    return token->kind != TOKEN_END && (size_t)token->length == strlen(text) &&
           memcmp(token->text, text, (size_t)token->length) == 0;
}

bool token_equal(const Token *a, const Token *b)
{
    return a->kind == b->kind && a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

bool token_any(const Token *token, const char *const *list)
{
    while (*list && !token_is(token, *list)) {
        list++;
    }
    return *list != NULL;
}

int token_nesting(const Token *token)
{
    bool bracket = token->kind == TOKEN_MARK && token->length == 1;
    return bracket && strchr("([{", *token->text) ? 1 : bracket && strchr(")]}", *token->text) ? -1 : 0;
}

void token_list_free(TokenList *tokens)
{
    free(tokens->items);
    *tokens = (TokenList){0};
}
