#include "kernel/text/lexer.h"

#include "base/array.h"
#include "kernel/text/macro.h"

#include <stdlib.h>
#include <string.h>

typedef struct Scanner {
    const SourceText *source;
    const char *at;
    const char *end;
    bool spaced, starts_line;
} Scanner;

static size_t scanner_offset(const Scanner *s)
{
    return (size_t)(s->at - s->source->text);
}

/* Skips white space and comments. Returns false for an unfinished comment. */
static bool skip_blank(Scanner *s)
{
    while (s->at < s->end) {
        char c = *s->at;
        if (c == '\n') {
            s->starts_line = s->spaced = true;
            s->at++;
        } else if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
            s->spaced = true;
            s->at++;
        } else if (c == '/' && s->at + 1 < s->end && s->at[1] == '/') {
            while (s->at < s->end && *s->at != '\n') {
                s->at++;
            }
        } else if (c == '/' && s->at + 1 < s->end && s->at[1] == '*') {
            size_t start = scanner_offset(s);
            const char *close = strstr(s->at + 2, "*/");
            if (!close) {
                return source_error(s->source, start, "this comment is never closed");
            }
            s->at = close + 2;
            s->spaced = true;
        } else {
            break;
        }
    }
    return true;
}

static void scan_token(Scanner *s, Token *token)
{
    token->text = s->at;
    token->offset = scanner_offset(s);
    token->spaced = s->spaced;
    token->starts_line = s->starts_line;
    token->final = false;
    token_scan(token, s->end);
    s->at += token->length;
    s->spaced = s->starts_line = false;
}

static bool scan_all(const SourceText *source, TokenList *raw)
{
    Scanner s = {source, source->text, source->text + source->length, true, true};
    s.at += strncmp(s.at, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* the byte order mark that some editors write */
    for (;;) {
        if (!skip_blank(&s) || !ARRAY_ROOM(raw)) {
            return false;
        }
        Token *token = &raw->items[raw->count];
        if (s.at >= s.end) {
            *token = (Token){TOKEN_END, s.at, 0, s.spaced, true, false, scanner_offset(&s)};
            raw->count++;
            return true;
        }
        scan_token(&s, token);
        raw->count++;
    }
}

bool lexer_run(SourceText *source, TokenList *tokens)
{
    TokenList raw = {0};
    const char *zero = memchr(source->text, '\0', source->length);
    if (zero) {
        return source_error(source, (size_t)(zero - source->text), "unexpected character (byte 0)");
    }
    bool done = scan_all(source, &raw) && macro_expand(source, &raw, tokens);
    token_list_free(&raw);
    if (!done) {
        token_list_free(tokens);
    }
    return done;
}
