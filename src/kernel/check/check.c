/* Literals out of range, and statements without effect. */
#include "kernel/check/check_private.h"

#include <stdlib.h>

/* literals */

static bool is_whole(const Typing *t, NodeIndex node)
{
    Base base = pass_info(t, pass_node(t, node)->type).base;
    return base == BASE_INT || base == BASE_UINT;
}

/* Checks the right operand of an operator: shifts, and divisions of whole numbers. */
static void check_operand(Typing *t, NodeIndex node)
{
    const Token *operator= node_token(t->tree, node);
    NodeIndex right = pass_child(t, node, 1);
    const Token *place = pass_first(t, right);
    double value;
    if (!is_whole(t, node) || !expression_literal(t, right, &value)) {
        return;
    }
    bool shift = operator->length >= 2 &&(*operator->text == '<' || * operator->text == '>') &&
                 operator->text[1] == * operator->text;
    if (shift && (value < 0 || value > 31)) {
        message_add(t->messages, place, "a shift by %g is undefined\nshift by 0 to 31", value);
    } else if ((*operator->text == '/' || * operator->text == '%') && value == 0) {
        message_add(t->messages, place, "a division of whole numbers by 0 is undefined");
    }
}

/* Checks an index that is a number. */
static void check_index(Typing *t, NodeIndex node)
{
    NodeIndex base = pass_node(t, node)->child, index = pass_node(t, base)->next;
    TypeIndex type = pass_node(t, base)->type;
    TypeInfo info = pass_info(t, type);
    int length = info.base == BASE_ARRAY ? info.length : info.columns > 1 ? info.columns : info.rows;
    long value;
    if (length > 0 && pass_constant(t, index, &value) && (value < 0 || value >= length)) {
        message_add(t->messages, pass_first(t, index), "index %ld is out of range: %s has elements 0 to %d", value,
                    pass_a(t, type), length - 1);
    }
}

/* Checks a number whose value is converted to type `context`; 0: any. A negated 2147483648 is an int. */
static void check_number(Typing *t, NodeIndex node, TypeIndex context, bool negated)
{
    const Token *token = node_token(t->tree, node);
    Base base = pass_info(t, pass_node(t, node)->type).base, to = pass_info(t, context).base;
    bool decimal = token->kind == TOKEN_NUMBER && (base == BASE_INT || base == BASE_UINT) && *token->text != '0';
    bool signed_one = to == BASE_INT || to == BASE_FLOAT || to == BASE_DOUBLE; /* an int is converted to floats */
    double value = decimal ? (double)strtoull(token->text, NULL, 10) : 0.0;
    if (value > 4294967295.0 || (signed_one && base == BASE_INT && value > 2147483647.0 + negated)) {
        message_add(t->messages, token, "%.*s is out of range: an int is at most 2147483647, a uint 4294967295%s",
                    token->length, token->text,
                    value > 4294967295.0 ? "" : "\nwrite u after it for a uint, .0 for a float");
    }
}

/* Adds an error if a value whose result is not used changes nothing. `comma`: it is the left operand of a comma. */
static void check_effect(Typing *t, NodeIndex node, bool comma)
{
    NodeIndex value = expression_bare(t, node);
    const Token *token = node_token(t->tree, value);
    uint32_t kind = pass_node(t, value)->kind;
    bool nothing = pass_info(t, pass_node(t, value)->type).base == BASE_VOID; /* memoryBarrier() */
    if (kind == NODE_CONVERT || kind == NODE_CONSTRUCT || nothing || !expression_pure(t, value)) {
        return;
    }
    message_add(t->messages, token, "'%.*s' has no effect here: its result is not used%s", token->length, token->text,
                comma                   ? "\nwrite vec2(x, y) for a vector"
                : token_is(token, "==") ? "\nwrite = to assign"
                                        : "");
}

/* Checks the literals of an expression. */
static void check_value(Typing *t, NodeIndex node, TypeIndex context, bool negated)
{
    const Node *n = pass_node(t, node);
    const Token *token = node_token(t->tree, node);
    TypeIndex inner = n->kind == NODE_PAREN || n->kind == NODE_UNARY ? context : 0;
    switch (n->kind) {
    case NODE_NUMBER: check_number(t, node, context, negated); break;
    case NODE_BINARY:
        check_operand(t, node);
        inner = pass_info(t, n->type).base == BASE_BOOL ? 0 : n->type;
        break;
    case NODE_INDEX: check_index(t, node); break;
    case NODE_COMMA:
        for (NodeIndex i = n->child; i && pass_node(t, i)->next; i = pass_node(t, i)->next) {
            check_effect(t, i, true);
        }
        break;
    case NODE_ASSIGN:
        if (token->length > 1) {
            check_operand(t, node);
        }
        inner = n->type;
        break;
    default: break;
    }
    bool minus = n->kind == NODE_UNARY ? token_is(token, "-") : n->kind == NODE_PAREN && negated;
    for (NodeIndex i = n->child; i; i = pass_node(t, i)->next) {
        check_value(t, i, inner, minus);
    }
}

/* statements */

/* Returns whether a statement or value of the header of a `for` changes only variables that the header declares. */
static bool changes_own(Typing *t, NodeIndex loop, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    if (n->kind == NODE_ASSIGN || n->kind == NODE_STEP) {
        NodeIndex root = expression_root(t, n->child), first = pass_node(t, loop)->child;
        bool own = false;
        for (NodeIndex v = pass_node(t, first)->child; v; v = pass_node(t, v)->next) {
            own = own || (pass_node(t, first)->kind == NODE_DECLARE && v == root);
        }
        if (!own) {
            return false;
        }
    } else if (n->kind == NODE_CALL || n->kind == NODE_ATOMIC || n->kind == NODE_RANDOM || n->kind == NODE_PUSH ||
               n->kind == NODE_BUILTIN) {
        return expression_pure(t, node);
    }
    for (NodeIndex i = n->child; i; i = pass_node(t, i)->next) {
        if (!changes_own(t, loop, i)) {
            return false;
        }
    }
    return true;
}

/* Returns whether a `;` follows the parenthesis before it. Otherwise an empty macro or a comment is between them. */
static bool is_bare(const Typing *t, NodeIndex node)
{
    const Token *token = node_token(t->tree, node);
    const char *text = t->tree->source->text;
    size_t at = token->offset;
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) {
        at--;
    }
    return text[token->offset] == ';' && at == token[-1].offset + 1 && text[at - 1] == ')';
}

/* Adds an error if a `;` is the body of an `if`, or of a `for` that does nothing else. */
static void check_body(Typing *t, NodeIndex node)
{
    bool loop = pass_node(t, node)->kind == NODE_FOR;
    NodeIndex body = pass_child(t, node, loop ? 3 : 1);
    bool alone = pass_node(t, body)->kind == NODE_EMPTY && is_bare(t, body);
    for (int i = 0; alone && loop && i < 3; i++) {
        alone = changes_own(t, node, pass_child(t, node, i));
    }
    if (alone) {
        message_add(t->messages, node_token(t->tree, body), "this ';' is the whole body of the '%s'\nremove it",
                    loop ? "for" : "if");
    }
}

static void check_statement(Typing *t, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    switch (n->kind) {
    case NODE_EVALUATE: check_effect(t, n->child, false); break;
    case NODE_IF:
    case NODE_FOR: check_body(t, node); break;
    default: break;
    }
    if (n->kind == NODE_FOR || n->kind == NODE_WHILE || n->kind == NODE_DO) {
        check_loop(t, node);
    }
    for (NodeIndex i = n->child; i; i = pass_node(t, i)->next) {
        uint32_t kind = pass_node(t, i)->kind;
        TypeIndex want = n->kind == NODE_VARIABLE ? n->type
                         : n->kind == NODE_RETURN ? pass_node(t, t->function)->type
                                                  : 0;
        if (kind < NODE_BLOCK || kind == NODE_ASSIGN || kind == NODE_STEP) {
            check_value(t, i, want, false);
        } else {
            check_statement(t, i);
        }
    }
}

bool pass_check(Tree *tree, Messages *messages)
{
    Typing t = {.tree = tree, .messages = messages};
    uint32_t *bits = calloc(tree->nodes.count, sizeof *bits);
    bool done = bits || error_set("out of host memory");
    for (NodeIndex i = node_at(tree, tree->root)->child; done && i; i = node_at(tree, i)->next) {
        for (NodeIndex k = node_at(tree, i)->child; done && k; k = node_at(tree, k)->next) {
            if (node_at(tree, i)->kind == NODE_FUNCTION && node_at(tree, k)->kind == NODE_BLOCK) {
                t.function = i;
                check_statement(&t, k);
                done = check_paths(&t, i, bits);
            }
        }
    }
    done = done && check_barriers(&t);
    free(bits);
    return done;
}
