/* Loops that never end. */
#include "kernel/check/check_private.h"

#include <string.h>

/* Returns whether a loop is left by break or return. Those of inner loops and of switches count, too. */
static bool is_left(const Typing *t, NodeIndex node)
{
    uint32_t kind = pass_node(t, node)->kind;
    bool left = kind == NODE_BREAK || kind == NODE_RETURN;
    for (NodeIndex i = pass_node(t, node)->child; i && !left; i = pass_node(t, i)->next) {
        left = is_left(t, i);
    }
    return left;
}

/* Returns whether a condition has the same value in each iteration of a loop. It may be switched off by a constant of the
 * text. A gather of a function can be bound to a stream that other invocations change. */
static bool is_constant(Typing *t, NodeIndex loop, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    bool variable = n->kind == NODE_LOCAL || n->kind == NODE_PARAMETER_VALUE;
    bool kernel = pass_node(t, t->function)->flags & FLAG_KERNEL;
    if (n->kind == NODE_ELEMENT || n->kind == NODE_CONSTANT_VALUE || (n->kind == NODE_GATHER && !kernel) ||
        !expression_pure(t, node) ||
        (variable && ((pass_node(t, n->target)->flags & FLAG_SHARED) || expression_assigns(t, loop, n->target)))) {
        return false;
    }
    for (NodeIndex i = n->child; i; i = pass_node(t, i)->next) {
        if (!is_constant(t, loop, i)) {
            return false;
        }
    }
    return true;
}

static bool is_unsigned(const Typing *t, NodeIndex node)
{
    return pass_info(t, pass_node(t, node)->type).base == BASE_UINT;
}

/* Returns the counter of a `for` of the form (int i = 0; i < 10; ...) with numbers, or 0. *up tells its condition. */
static NodeIndex counter(Typing *t, NodeIndex loop, bool *up)
{
    NodeIndex first = pass_child(t, loop, 0), condition = expression_bare(t, pass_child(t, loop, 1));
    NodeIndex left = pass_node(t, condition)->kind == NODE_BINARY ? pass_node(t, condition)->child : 0;
    const Token *operator= node_token(t->tree, condition);
    double value;
    if (!left || pass_node(t, left)->kind != NODE_LOCAL || pass_node(t, first)->kind != NODE_DECLARE ||
        (*operator->text != '<' && * operator->text != '>') ||
        !expression_literal(t, pass_node(t, left)->next, &value)) {
        return 0;
    }
    *up = *operator->text == '<';
    NodeIndex variable = pass_node(t, left)->target;
    bool own = false;
    for (NodeIndex v = pass_node(t, first)->child; v; v = pass_node(t, v)->next) {
        own = own || v == variable;
    }
    return own && (pass_node(t, variable)->flags & FLAG_VALUE) ? variable : 0;
}

/* The head of a `for`, and how many nodes known() may still visit. */
typedef struct Head {
    Typing *t;
    NodeIndex loop;
    int budget;
} Head;

static bool known(Head *h, NodeIndex node, double *value);

/* Computes the first value of a variable that the head of the loop sets, or the value of a constant. */
static bool known_variable(Head *h, NodeIndex variable, double *value)
{
    Typing *t = h->t;
    NodeIndex first = pass_child(t, h->loop, 0), target = pass_node(t, first)->child, given = 0;
    const Node *n = pass_node(t, variable);
    if (pass_node(t, first)->kind == NODE_ASSIGN && token_is(node_token(t->tree, first), "=")) {
        bool same = pass_node(t, target)->kind == NODE_LOCAL && pass_node(t, target)->target == variable;
        given = same ? pass_node(t, target)->next : 0;
    }
    bool own = pass_node(t, first)->kind == NODE_DECLARE, constant = n->flags & FLAG_CONST;
    for (NodeIndex v = own ? target : 0; v && !constant; v = pass_node(t, v)->next) {
        constant = v == variable;
    }
    given = constant && (n->flags & FLAG_VALUE) ? n->child : given;
    return given && !pass_node(t, given)->next && known(h, given, value);
}

/* Computes a number that is known before the text runs. */
static bool known(Head *h, NodeIndex node, double *value)
{
    Typing *t = h->t;
    node = expression_bare(t, node);
    const Node *n = pass_node(t, node);
    const Token *token = node_token(t->tree, node);
    TypeInfo info = pass_info(t, n->child ? pass_node(t, n->child)->type : 0);
    double a, b;
    if (h->budget-- <= 0 || expression_literal(t, node, value)) {
        return h->budget >= 0;
    }
    if (n->kind == NODE_LOCAL || n->kind == NODE_CONSTANT_VALUE) {
        return pass_is_scalar(pass_info(t, n->type)) && known_variable(h, n->target, value);
    }
    if (n->kind == NODE_MEMBER && (n->flags & FLAG_CALLED) && info.base == BASE_ARRAY && info.length > 0) {
        *value = info.length;
        return true;
    }
    bool times = token_is(token, "*"), plus = token_is(token, "+");
    if (n->kind != NODE_BINARY || !(times || plus || token_is(token, "-")) || !known(h, n->child, &a) ||
        !known(h, pass_node(t, n->child)->next, &b)) {
        return false;
    }
    *value = times ? a * b : plus ? a + b : a - b;
    return pass_info(t, n->type).base == BASE_INT && *value >= -2147483647.0 && *value <= 2147483647.0;
}

bool check_begins(Typing *t, NodeIndex loop)
{
    Head h = {t, loop, 64};
    NodeIndex condition = expression_bare(t, pass_child(t, loop, 1)), left = pass_node(t, condition)->child;
    const Token *operator= node_token(t->tree, condition);
    double from, to;
    if (pass_node(t, condition)->kind != NODE_BINARY || !known(&h, left, &from) ||
        !known(&h, pass_node(t, left)->next, &to)) {
        return false;
    }
    bool wraps = is_unsigned(t, left) || is_unsigned(t, pass_node(t, left)->next); /* -1 becomes a uint */
    if (wraps && (from < 0.0 || to < 0.0)) {
        return false;
    }
    return token_is(operator, "<")    ? from < to
           : token_is(operator, "<=") ? from <= to
           : token_is(operator, ">")  ? from > to
           : token_is(operator, ">=") ? from >= to
                                      : token_is(operator, "!=") && from != to;
}

/* Returns whether the step of a `for` moves its counter away from the bound. */
static bool moves_away(Typing *t, NodeIndex loop, NodeIndex variable, bool up)
{
    NodeIndex step = pass_child(t, loop, 2);
    const Token *operator= node_token(t->tree, step);
    double value = 1.0;
    bool one = pass_node(t, step)->kind == NODE_STEP;
    bool several = pass_node(t, step)->kind == NODE_ASSIGN && (token_is(operator, "+=") || token_is(operator, "-=")) &&
                   expression_literal(t, pass_child(t, step, 1), &value);
    if ((!one && !several) || expression_root(t, pass_node(t, step)->child) != variable) {
        return false;
    }
    return up == ((*operator->text == '-') == (value > 0.0));
}

/* Returns whether a condition is "i >= 0u" or "0u <= i". */
static bool is_never_less(const Typing *t, NodeIndex condition)
{
    NodeIndex node = expression_bare(t, condition);
    bool turned = token_is(node_token(t->tree, node), "<=");
    if (pass_node(t, node)->kind != NODE_BINARY || !(turned || token_is(node_token(t->tree, node), ">="))) {
        return false;
    }
    NodeIndex left = pass_node(t, node)->child, right = pass_node(t, left)->next, number = turned ? left : right;
    double value;
    return is_unsigned(t, turned ? right : left) && pass_is_whole(pass_info(t, pass_node(t, number)->type)) &&
           expression_literal(t, number, &value) && value == 0.0;
}

static bool names_variable(const Typing *t, NodeIndex node)
{
    bool found = pass_node(t, node)->kind == NODE_LOCAL || pass_node(t, node)->kind == NODE_PARAMETER_VALUE;
    for (NodeIndex i = pass_node(t, node)->child; i && !found; i = pass_node(t, i)->next) {
        found = names_variable(t, i);
    }
    return found;
}

void check_loop(Typing *t, NodeIndex loop)
{
    uint32_t kind = pass_node(t, loop)->kind;
    NodeIndex condition = pass_child(t, loop, kind == NODE_WHILE ? 0 : 1), body = pass_child(t, loop,
                                                                                             kind == NODE_DO    ? 0
                                                                                             : kind == NODE_FOR ? 3
                                                                                                                : 1);
    if (is_left(t, body)) {
        return;
    }
    const Token *word = node_token(t->tree, loop);
    bool up, empty = pass_node(t, condition)->kind == NODE_EMPTY;
    if (empty || (pass_node(t, condition)->kind == NODE_TRUTH && token_is(node_token(t->tree, condition), "true"))) {
        message_add(t->messages, word, "this loop never ends: it has no break and no return");
    } else if (kind != NODE_DO && names_variable(t, condition) && is_constant(t, loop, condition)) {
        message_add(t->messages, word,
                    "this loop never ends once it begins: nothing in it changes its condition, and it has no break and "
                    "no return");
    } else if (is_never_less(t, condition)) {
        message_add(t->messages, word, "this loop never ends once it begins: a uint is never less than 0");
    } else if (kind == NODE_FOR && check_begins(t, loop)) {
        NodeIndex variable = counter(t, loop, &up);
        if (!variable || is_unsigned(t, variable)) { /* it wraps around 0 */
            return;
        }
        const Token *name = node_token(t->tree, variable);
        if (moves_away(t, loop, variable, up) && !expression_assigns(t, body, variable)) {
            message_add(t->messages, word, "this loop never ends: its step moves '%.*s' away from the bound",
                        name->length, name->text);
        }
    }
}
