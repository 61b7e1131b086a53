/* The tokens that are read, errors, and the nodes that are made. */
#include "kernel/tree/parse_private.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ERROR_TEXT(text) text

enum { MAX_NESTING = 2000 };

const Token *parse_peek(const Parse *p)
{
    return &p->tokens[p->damaged || p->stopped ? p->end : p->at];
}

bool parse_is(const Parse *p, const char *text)
{
    return token_is(parse_peek(p), text);
}

bool parse_accept(Parse *p, const char *text)
{
    bool match = parse_is(p, text);
    p->at += match;
    return match;
}

void parse_expect(Parse *p, const char *text, const char *expected)
{
    if (!parse_accept(p, text)) {
        parse_fail(p, expected);
    }
}

void parse_error(Parse *p, uint32_t token, const char *format, ...)
{
    if (p->damaged || p->stopped) {
        return;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    message_add(p->messages, &p->tokens[token], "%s", text);
    p->damaged = true;
    p->stopped = p->messages->count == MAX_MESSAGES;
}

bool parse_keyword(const Token *token)
{
    static const char *const words[] = {"if",    "else",     "for",    "while", "do",     "switch",  "case", "default",
                                        "break", "continue", "return", "const", "struct", "typedef", NULL};
    return token->kind == TOKEN_NAME && token_any(token, words);
}

/* Returns whether a token is one of a row: a text, "a" for a name, "T" for the name of a type, "0" for a number, or ""
 * for any token. */
static bool is_one_of(const Token *token, const char *row)
{
    return strcmp(row, "a") == 0   ? token->kind == TOKEN_NAME && !parse_keyword(token)
           : strcmp(row, "T") == 0 ? types_word(token) != 0
           : strcmp(row, "0") == 0 ? token->kind == TOKEN_NUMBER
                                   : !*row || token_is(token, row);
}

const char *parse_remedy(const Parse *p, bool statement)
{
    static const struct {
        const char *before, *token, *after, *remedy;
        bool statement;
    } rows[] = {
        {"a", ":", "a", ERROR_TEXT("\nvalues have no methods: write name(value, ...)"), false},
        {")", ":", "", ERROR_TEXT("\nremove it: write if (condition) { ... }"), false},
        {"<", ">", "", ERROR_TEXT("\nwrite the name without <>"), false},
        {")", "&&", "", ERROR_TEXT("\nthe condition ends before it: write if (a && b)"), false},
        {")", "||", "", ERROR_TEXT("\nthe condition ends before it: write if (a || b)"), false},
        {"a", "(", "", ERROR_TEXT("\na function stands outside of others: move it before the kernel"), true},
        {"a", "a", "", ERROR_TEXT("\nan operator or a ';' is missing between the two names"), true},
        {"]", "a", "", ERROR_TEXT("\nan operator or a ';' is missing before the name"), true},
        {"", "*", "", ERROR_TEXT("\nkernel text has no pointers"), false},
    };
    const Token *t = parse_peek(p);
    for (size_t i = 0; p->at > 0 && i < sizeof rows / sizeof *rows; i++) {
        if ((statement || !rows[i].statement) && is_one_of(t - 1, rows[i].before) && is_one_of(t, rows[i].token) &&
            (!*rows[i].after || is_one_of(t + 1, rows[i].after))) {
            return rows[i].remedy;
        }
    }
    return "";
}

NodeIndex parse_fail(Parse *p, const char *expected)
{
    const Token *token = parse_peek(p);
    const char *after = token->text + token->length; /* a ';' that ends the definition of a macro */
    after += strspn(after, " \t");
    bool sign = token_is(token, "=") || (token_is(token, ";") && *after == '\n');
    if (sign && token->text != p->messages->source->text + token->offset) {
        Token place = *token; /* in the definition */
        place.offset = (size_t)(token->text - p->messages->source->text);
        if (!p->damaged && !p->stopped) {
            message_add(p->messages, &place, "this '%.*s' belongs to the macro, also where it is used\nremove it",
                        token->length, token->text);
        }
        p->damaged = p->stopped = true;
    } else if (token->kind == TOKEN_END) {
        parse_error(p, p->at, "expected %s, got the end of the text", expected);
    } else {
        parse_error(p, p->at, "expected %s, got '%.*s'%s", expected, token->length, token->text,
                    parse_remedy(p, false));
    }
    return node_add(p->tree, NODE_DAMAGED, p->at);
}

void parse_resume(Parse *p, uint32_t token)
{
    p->damaged = false;
    p->at = p->stopped ? p->end : token;
}

void parse_close(Parse *p, uint32_t open, const char *expected)
{
    uint32_t close = p->closing[open];
    if (!p->damaged && p->at != close) {
        parse_fail(p, expected);
    }
    parse_resume(p, close + 1);
}

bool parse_deeper(Parse *p)
{
    if (++p->depth <= MAX_NESTING) {
        return true;
    }
    parse_error(p, p->at, "statements and operators are nested more than %d deep", MAX_NESTING);
    p->stopped = true;
    return false;
}

NodeIndex parse_node(Parse *p, NodeKind kind, uint32_t token, NodeIndex a, NodeIndex b, NodeIndex c)
{
    NodeIndex node = node_add(p->tree, kind, token), all[] = {a, b, c};
    Children children = parse_children(p, node);
    for (int i = 0; i < 3 && all[i]; i++) {
        node_append(&children, all[i]);
    }
    return node;
}

NodeIndex parse_leaf(Parse *p, NodeKind kind)
{
    return node_add(p->tree, kind, p->at++);
}

Children parse_children(Parse *p, NodeIndex parent)
{
    return (Children){p->tree, parent, 0};
}

void parse_declare_name(Parse *p, uint32_t token)
{
    if (ARRAY_ROOM(&p->variables)) {
        p->variables.items[p->variables.count++] = token;
    } else {
        p->tree->failed = true;
    }
}
