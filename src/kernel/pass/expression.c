#include "kernel/pass/expression.h"

#include "base/decimal.h"

#include <stdlib.h>

NodeIndex expression_bare(const Typing *t, NodeIndex node)
{
    while (pass_node(t, node)->kind == NODE_PAREN) {
        node = pass_node(t, node)->child;
    }
    return node;
}

bool expression_changes(Typing *t, NodeIndex call, int i, bool *read)
{
    uint32_t kind = pass_node(t, call)->kind, flags = pass_node(t, pass_child(t, call, i))->flags;
    bool calls = kind == NODE_CALL || kind == NODE_SAMPLE || kind == NODE_BUILTIN || kind == NODE_ATOMIC;
    *read = calls && (flags & FLAG_PARAM(PARAM_INOUT));
    return *read || (calls && (flags & FLAG_PARAM(PARAM_OUTPUT)));
}

NodeIndex expression_root(const Typing *t, NodeIndex node)
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

bool expression_pure(Typing *t, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    bool pure = n->kind != NODE_ASSIGN && n->kind != NODE_STEP && n->kind != NODE_CALL && n->kind != NODE_ATOMIC &&
                n->kind != NODE_RANDOM && n->kind != NODE_PUSH && n->kind != NODE_BARRIER && n->kind != NODE_DAMAGED;
    int i = 0;
    for (NodeIndex c = n->child; pure && c; c = pass_node(t, c)->next) {
        bool read, call = n->kind == NODE_BUILTIN || n->kind == NODE_SAMPLE;
        pure = expression_pure(t, c) && !(call && expression_changes(t, node, i++, &read));
    }
    return pure;
}

bool expression_literal(const Typing *t, NodeIndex node, double *value)
{
    node = expression_bare(t, node);
    const Token *token = node_token(t->tree, node);
    uint32_t kind = pass_node(t, node)->kind;
    if (kind == NODE_UNARY && token_is(token, "-")) {
        bool found = expression_literal(t, pass_node(t, node)->child, value);
        *value = -*value;
        return found;
    }
    if (kind != NODE_NUMBER || token->kind != TOKEN_NUMBER) {
        return false;
    }
    size_t used;
    *value = pass_info(t, pass_node(t, node)->type).base <= BASE_UINT
                 ? (double)strtoull(token->text, NULL, 0)
                 : decimal_read(token->text, (size_t)token->length, &used);
    return true;
}

bool expression_assigns(Typing *t, NodeIndex node, NodeIndex variable)
{
    const Node *n = pass_node(t, node);
    if ((n->kind == NODE_ASSIGN || n->kind == NODE_STEP) && expression_root(t, n->child) == variable) {
        return true;
    }
    int i = 0;
    for (NodeIndex c = n->child; c; c = pass_node(t, c)->next, i++) {
        bool read,
            call = n->kind == NODE_CALL || n->kind == NODE_BUILTIN || n->kind == NODE_SAMPLE || n->kind == NODE_ATOMIC;
        if ((call && expression_root(t, c) == variable && expression_changes(t, node, i, &read)) ||
            expression_assigns(t, c, variable)) {
            return true;
        }
    }
    return false;
}
