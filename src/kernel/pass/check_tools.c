/* Properties of expressions that several checks need. */
#include "kernel/pass/check_private.h"
#include "kernel/tree/functions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

NodeIndex check_bare(const Typing *t, NodeIndex node)
{
    while (pass_node(t, node)->kind == NODE_PAREN) {
        node = pass_node(t, node)->child;
    }
    return node;
}

bool check_changes(Typing *t, NodeIndex call, int i, bool *read)
{
    const Token *name = node_token(t->tree, call);
    uint32_t kind = pass_node(t, call)->kind;
    *read = false;
    if (kind == NODE_CALL) {
        NodeIndex p = pass_node(t, pass_node(t, call)->target)->child;
        for (; p; p = pass_node(t, p)->next) {
            if (pass_node(t, p)->kind == NODE_PARAMETER && i-- == 0) {
                uint32_t flags = pass_node(t, p)->flags;
                *read = flags & FLAG_PARAM(PARAM_INOUT);
                return flags & (FLAG_PARAM(PARAM_INOUT) | FLAG_PARAM(PARAM_OUTPUT));
            }
        }
        return false;
    }
    if (kind == NODE_SAMPLE) {
        return token_is(name, "sample_corners") && i >= pass_count(t, call) - 2;
    }
    const FunctionRow *row = kind == NODE_BUILTIN || kind == NODE_ATOMIC ? functions_find(name) : NULL;
    if (!row || !strstr(row->forms, "out ")) {
        return false;
    }
    TypeIndex given[MAX_FORM] = {0};
    FunctionForm form = {0};
    int count = 0;
    for (NodeIndex a = pass_node(t, call)->child; a && count < MAX_FORM; a = pass_node(t, a)->next) {
        given[count++] = pass_node(t, a)->type;
    }
    bool found = i < MAX_FORM && functions_match(row, &t->tree->types, given, count, &form);
    *read = found && form.in[i];
    return found && form.out[i];
}

NodeIndex check_root(const Typing *t, NodeIndex node)
{
    for (;;) {
        const Node *n = pass_node(t, node);
        switch (n->kind) {
        case NODE_LOCAL:
        case NODE_PARAMETER_VALUE: return n->target;
        case NODE_PAREN:
        case NODE_FIELD:
        case NODE_SWIZZLE:
        case NODE_INDEX:
        case NODE_ELEMENT: node = n->child; break;
        default: return 0;
        }
    }
}

bool check_pure(Typing *t, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    bool pure = n->kind != NODE_ASSIGN && n->kind != NODE_STEP && n->kind != NODE_CALL && n->kind != NODE_ATOMIC &&
                n->kind != NODE_PUSH && n->kind != NODE_BARRIER && n->kind != NODE_DAMAGED;
    int i = 0;
    for (NodeIndex c = n->child; pure && c; c = pass_node(t, c)->next) {
        bool read, call = n->kind == NODE_BUILTIN || n->kind == NODE_SAMPLE;
        pure = check_pure(t, c) && !(call && check_changes(t, node, i++, &read));
    }
    return pure;
}

bool check_literal(const Typing *t, NodeIndex node, double *value)
{
    node = check_bare(t, node);
    const Token *token = node_token(t->tree, node);
    uint32_t kind = pass_node(t, node)->kind;
    if (kind == NODE_UNARY && token_is(token, "-")) {
        bool found = check_literal(t, pass_node(t, node)->child, value);
        *value = -*value;
        return found;
    }
    if (kind != NODE_NUMBER || token->kind != TOKEN_NUMBER) {
        return false;
    }
    bool octal = token->length > 1 && token->text[0] == '0' && isdigit((unsigned char)token->text[1]);
    *value = octal && pass_info(t, pass_node(t, node)->type).base <= BASE_UINT ? (double)strtoul(token->text, NULL, 8)
                                                                               : strtod(token->text, NULL);
    return true;
}
