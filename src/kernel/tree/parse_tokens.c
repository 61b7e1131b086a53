/* The tokens that are read, errors, and the nodes that are made. */
#include "kernel/tree/parse_private.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>

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

NodeIndex parse_fail(Parse *p, const char *expected)
{
    const Token *token = parse_peek(p);
    if (token->kind == TOKEN_END) {
        parse_error(p, p->at, "expected %s, got the end of the text", expected);
    } else {
        parse_error(p, p->at, "expected %s, got '%.*s'", expected, token->length, token->text);
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
