#include "kernel/tree/node.h"

#include "base/array.h"

#include <stdlib.h>

NodeWord node_word(int i)
{
    static const NodeWord rows[] = {
        {"static", FLAG_STATIC},   {"inline", FLAG_INLINE},   {"const", FLAG_CONST}, {"uniform", FLAG_UNIFORM},
        {"shared", FLAG_SHARED},   {"precise", FLAG_PRECISE}, {"in", FLAG_IN},       {"highp", FLAG_HIGHP},
        {"mediump", FLAG_MEDIUMP}, {"lowp", FLAG_LOWP},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    int kind = i - ROWS;
    if (kind < 0) {
        return rows[i];
    }
    if (kind >= PARAM_KIND_COUNT) {
        return (NodeWord){0};
    }
    const char *word = param_kinds[kind].word;
    return (NodeWord){word ? word : "", FLAG_PARAM(kind)};
}

bool node_start(Tree *tree, const SourceText *source, const Token *tokens)
{
    *tree = (Tree){.source = source, .tokens = tokens};
    if (!ARRAY_ROOM(&tree->nodes)) {
        return false;
    }
    tree->nodes.items[tree->nodes.count++] = (Node){.kind = NODE_EMPTY};
    return true;
}

void node_free(Tree *tree)
{
    free(tree->nodes.items);
    types_free(&tree->types);
    *tree = (Tree){0};
}

NodeIndex node_add(Tree *tree, NodeKind kind, uint32_t token)
{
    if (tree->failed || !ARRAY_ROOM(&tree->nodes)) {
        tree->failed = true;
        return 0;
    }
    tree->nodes.items[tree->nodes.count] = (Node){.kind = kind, .token = token};
    return (NodeIndex)tree->nodes.count++;
}

void node_append(Children *children, NodeIndex child)
{
    Tree *tree = children->tree;
    *(children->last ? &node_at(tree, children->last)->next : &node_at(tree, children->parent)->child) = child;
    children->last = child;
}

const char *node_kind_name(NodeKind kind)
{
#define NODE_NAME_OF(id, name) #name,
    static const char *const names[] = {NODE_KINDS(NODE_NAME_OF)};
    return names[kind];
}

bool node_declares(const Tree *tree, const Token *name)
{
    bool found = false;
    for (NodeIndex i = node_at(tree, tree->root)->child; i && !found; i = node_at(tree, i)->next) {
        bool constant = node_at(tree, i)->kind == NODE_CONSTANT;
        found = !constant && token_equal(node_token(tree, i), name);
        for (NodeIndex v = constant ? node_at(tree, i)->child : 0; v && !found; v = node_at(tree, v)->next) {
            found = node_at(tree, v)->kind == NODE_VARIABLE && token_equal(node_token(tree, v), name);
        }
    }
    return found;
}
