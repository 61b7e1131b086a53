#include "kernel/check/notes.h"

#include "kernel/check/check_private.h"

static bool is_kernel(const Typing *t)
{
    return pass_node(t, t->function)->flags & (FLAG_KERNEL | FLAG_PARAM(PARAM_REDUCE));
}

/* Returns whether a part of the tree names a variable. */
static bool names(const Typing *t, NodeIndex node, NodeIndex variable)
{
    const Node *n = pass_node(t, node);
    bool found = (n->kind == NODE_PARAMETER_VALUE || n->kind == NODE_LOCAL) && n->target == variable;
    for (NodeIndex i = n->child; i && !found; i = pass_node(t, i)->next) {
        found = names(t, i, variable);
    }
    return found;
}

/* Returns whether a part of the tree pushes to a variable output, or passes it to a function. */
static bool pushes(const Typing *t, NodeIndex node, NodeIndex output)
{
    const Node *n = pass_node(t, node);
    bool found = (n->kind == NODE_PUSH || n->kind == NODE_CALL) && names(t, node, output);
    for (NodeIndex i = n->child; i && !found; i = pass_node(t, i)->next) {
        found = pushes(t, i, output);
    }
    return found;
}

static void note_parameters(Typing *t, NodeIndex block)
{
    const uint32_t outputs = FLAG_PARAM(PARAM_OUTPUT);
    const bool gradient = pass_node(t, t->function)->flags & FLAG_GRADIENT; /* the kernel determines its parameters */
    for (NodeIndex p = pass_node(t, t->function)->child; p; p = pass_node(t, p)->next) {
        const Token *name = node_token(t->tree, p);
        if (pass_node(t, p)->kind != NODE_PARAMETER) {
            continue;
        }
        bool output = is_kernel(t) && (pass_node(t, p)->flags & outputs);
        bool variable = is_kernel(t) && (pass_node(t, p)->flags & FLAG_PARAM(PARAM_VOUT));
        if (variable && !pushes(t, block, p)) {
            message_add(t->messages, name, "output '%.*s' has no elements: push(%.*s, value) adds one", name->length,
                        name->text, name->length, name->text);
        } else if (output ? !expression_assigns(t, block, p) : !gradient && !names(t, block, p)) {
            message_add(t->messages, name, output ? "output '%.*s' is never assigned: it is 0" : "'%.*s' is not used",
                        name->length, name->text);
        }
    }
}

static void note_hidden(Typing *t, NodeIndex variable)
{
    const Token *name = node_token(t->tree, variable);
    for (NodeIndex p = pass_node(t, t->function)->child; p; p = pass_node(t, p)->next) {
        if (pass_node(t, p)->kind == NODE_PARAMETER && token_equal(node_token(t->tree, p), name)) {
            message_add(t->messages, name, "this variable hides the parameter '%.*s'", name->length, name->text);
        }
    }
}

static void note_copy(Typing *t, NodeIndex target)
{
    NodeIndex root = expression_root(t, target);
    const Token *name = node_token(t->tree, root);
    uint32_t written =
        FLAG_PARAM(PARAM_OUTPUT) | FLAG_PARAM(PARAM_INOUT) | FLAG_PARAM(PARAM_REDUCE) | FLAG_PARAM(PARAM_VOUT);
    if (root && is_kernel(t) && pass_node(t, root)->kind == NODE_PARAMETER && !(pass_node(t, root)->flags & written)) {
        message_add(t->messages, pass_first(t, target), "'%.*s' is %s: this assignment changes a copy of it",
                    name->length, name->text, pass_node(t, root)->flags & FLAG_STREAM ? "an input" : "a constant");
    }
}

/* Notes that a value is a quotient of whole numbers, which becomes a float. */
static void note_quotient(Typing *t, NodeIndex value, TypeIndex want)
{
    NodeIndex node = expression_bare(t, value);
    TypeInfo have = pass_info(t, pass_node(t, node)->type), to = pass_info(t, want);
    if (pass_node(t, node)->kind == NODE_BINARY && token_is(node_token(t->tree, node), "/") && have.base <= BASE_UINT &&
        to.base >= BASE_FLOAT && to.base <= BASE_DOUBLE) {
        message_add(t->messages, node_token(t->tree, node),
                    "a quotient of whole numbers has no fraction, also where it becomes a float\n"
                    "write a number with a point, or float(...)");
    }
}

/* Notes quotients among the values that a node converts. */
static void note_conversions(Typing *t, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    TypeIndex type = n->type;
    switch (n->kind) {
    case NODE_ASSIGN: note_quotient(t, pass_child(t, node, 1), pass_node(t, n->child)->type); break;
    case NODE_VARIABLE:
        if (n->flags & FLAG_VALUE) {
            note_quotient(t, pass_child(t, node, pass_count(t, node) - 1), type);
        }
        break;
    case NODE_RETURN:
        if (n->child) {
            note_quotient(t, n->child, pass_node(t, t->function)->type);
        }
        break;
    case NODE_BINARY:
        note_quotient(t, pass_child(t, node, 0), type);
        note_quotient(t, pass_child(t, node, 1), type);
        break;
    case NODE_BUILTIN:
        for (NodeIndex i = n->child; i; i = pass_node(t, i)->next) {
            note_quotient(t, i, type);
        }
        break;
    default: break;
    }
}

static void walk(Typing *t, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    if (n->kind == NODE_VARIABLE) {
        note_hidden(t, node);
    } else if (n->kind == NODE_ASSIGN || n->kind == NODE_STEP) {
        note_copy(t, n->child);
    }
    note_conversions(t, node);
    for (NodeIndex i = n->child; i; i = pass_node(t, i)->next) {
        walk(t, i);
    }
}

void pass_notes(Tree *tree, Messages *notes)
{
    Typing t = {.tree = tree, .messages = notes};
    for (NodeIndex i = pass_node(&t, tree->root)->child; i; i = pass_node(&t, i)->next) {
        for (NodeIndex b = pass_node(&t, i)->kind == NODE_FUNCTION ? pass_node(&t, i)->child : 0; b;
             b = pass_node(&t, b)->next) {
            if (pass_node(&t, b)->kind == NODE_BLOCK) {
                t.function = i;
                note_parameters(&t, b);
                walk(&t, b);
            }
        }
    }
}
