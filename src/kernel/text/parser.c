#include "kernel/text/parser.h"

#include "kernel/text/foreign.h"

#include <string.h>

const Token *parser_peek(const Parser *p)
{
    return &p->module->tokens.items[p->at];
}

bool parser_accept(Parser *p, const char *text)
{
    bool match = token_is(parser_peek(p), text);
    p->at += match;
    return match;
}

bool parser_fail(const Parser *p, const char *expected)
{
    const Token *token = parser_peek(p);
    if (token->kind == TOKEN_END) {
        return source_error(&p->module->source, token->offset, "expected %s, got the end of the text", expected);
    }
    return source_error(&p->module->source, token->offset, "expected %s, got '%.*s'", expected, token->length,
                        token->text);
}

bool parser_expect(Parser *p, const char *text, const char *expected)
{
    return parser_accept(p, text) || parser_fail(p, expected);
}

bool parser_name(Parser *p, char name[MAX_NAME + 1], size_t *offset, const char *expected)
{
    const Token *token = parser_peek(p);
    if (token->kind != TOKEN_NAME) {
        return parser_fail(p, expected);
    }
    if (token->length > MAX_NAME) {
        return source_error(&p->module->source, token->offset, "this name is longer than %d characters", MAX_NAME);
    }
    memcpy(name, token->text, (size_t)token->length);
    name[token->length] = '\0';
    *offset = token->offset;
    p->at++;
    return true;
}

/* Sets the error that a type was expected, with a suggestion. */
static bool fail_type(const Parser *p)
{
    const Token *token = parser_peek(p);
    static const char *const ends[] = {",", ")", "<", "[", NULL};
    if (token->kind == TOKEN_END) {
        return parser_fail(p, "a type");
    }
    StrBuf hint = STRBUF_EMPTY;
    if (p->at > 0 && token_is(token + 1, "(") && (token_is(token - 1, "kernel") || token_is(token - 1, "reduce"))) {
        strbuf_addf(&hint, "; write '%.*s void %.*s(...)'", token[-1].length, token[-1].text, token->length,
                    token->text);
    } else if (token->kind == TOKEN_NAME && token_any(token + 1, ends)) {
        strbuf_add(&hint, "; a parameter begins with its type: 'float x<>'");
    } else {
        Nearest n = foreign_nearest(token);
        for (size_t i = 0; i < p->module->structs.count; i++) {
            foreign_try(&n, p->module->structs.items[i]->name);
        }
        foreign_type(&hint, p->kinds, token, n);
    }
    source_error(&p->module->source, token->offset, "expected a type, got '%.*s'%s", token->length, token->text,
                 strbuf_text(&hint));
    strbuf_free(&hint);
    return false;
}

bool parser_type(Parser *p, const Type **type, int *matrix)
{
    int used;
    if (!module_type(p->module, parser_peek(p), type, matrix, &used)) {
        return fail_type(p);
    }
    p->at += (size_t)used;
    return true;
}

bool parser_declared(const Module *m, const Token *name)
{
    return module_function(m, name) || module_struct(m, name) || module_constant(m, name);
}

bool parser_check_new(Parser *p)
{
    const Token *token = parser_peek(p);
    if (token->kind == TOKEN_NAME && parser_declared(p->module, token)) {
        return source_error(&p->module->source, token->offset, "'%.*s' is defined twice (overloading is not supported)",
                            token->length, token->text);
    }
    return true;
}

void parser_skip_bracket(Parser *p)
{
    p->at = module_close(p->module, p->at, p->module->tokens.count);
}
