/* Indices of private arrays, and the variables that are used as such. On Mesa's llvmpipe (22.3) an array whose
 * indices the compiler knows becomes registers, and an index out of range then reads other variables: an index is passed
 * through a function that the compiler does not see through, except for the counters of loops. */
#include "kernel/emit/emit_private.h"

/* Returns whether an index consists of numbers and constants of the module. */
static bool is_constant(const Emit *e, NodeIndex node)
{
    uint32_t kind = emit_node(e, node)->kind;
    bool constant = kind != NODE_LOCAL && kind != NODE_PARAMETER_VALUE && kind != NODE_CALL && kind != NODE_BUILTIN &&
                    kind != NODE_QUERY && kind != NODE_CONSTRUCT && kind != NODE_CONVERT && kind != NODE_SAMPLE &&
                    kind != NODE_ATOMIC && kind != NODE_RANDOM;
    for (NodeIndex i = emit_node(e, node)->child; i && constant; i = emit_node(e, i)->next) {
        constant = is_constant(e, i);
    }
    return constant;
}

static bool is_counter(const Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    return n->kind == NODE_LOCAL && e->variables[n->target].counter;
}

/* Returns whether an index selects from a private value: not from a shared variable. */
static bool is_own(const Emit *e, NodeIndex node)
{
    while (emit_node(e, node)->kind == NODE_INDEX) {
        node = emit_node(e, node)->child;
    }
    const Node *n = emit_node(e, node);
    return !(n->kind == NODE_LOCAL && e->variables[n->target].shared);
}

/* Writes one pair of brackets. */
static void bracket(Emit *e, NodeIndex node)
{
    NodeIndex index = pass_child(&e->t, node, 1);
    emit_text(e, "[");
    if (is_counter(e, index)) {
        const Token *name = emit_at(e, index);
        emit_token(e, name, "u_");
    } else if (e->fixed || is_constant(e, index) || !is_own(e, node)) {
        emit_value(e, index);
    } else {
        emit_text(e, "rill_own(");
        emit_kept(e, index);
        emit_text(e, ")");
    }
    emit_text(e, "]");
}

/* Writes an element of a constant array of the module. */
static void constant_element(Emit *e, NodeIndex node)
{
    if (emit_node(e, node)->kind == NODE_INDEX) {
        constant_element(e, emit_node(e, node)->child);
        bracket(e, node);
    } else {
        emit_token(e, emit_at(e, node), "u_");
    }
}

void emit_index(Emit *e, NodeIndex node)
{
    NodeIndex base = node;
    while (emit_node(e, base)->kind == NODE_INDEX) {
        base = emit_node(e, base)->child;
    }
    const Node *n = emit_node(e, base);
    bool hidden = n->kind == NODE_CONSTANT_VALUE && emit_exact(e) && !e->fixed && emit_real(emit_info(e, node)) &&
                  e->variables[n->target].zero;
    if (hidden) { /* an element of a constant array, and not the whole array, is hidden from the compiler */
        emit_seen(e, emit_node(e, node)->type);
        constant_element(e, node);
        emit_text(e, ")");
        return;
    }
    emit_value(e, emit_node(e, node)->child);
    bracket(e, node);
}

void emit_local(Emit *e, NodeIndex node)
{
    const Token *name = emit_at(e, node);
    const EmitVariable *variable = &e->variables[emit_node(e, node)->target];
    bool hidden = variable->hidden && emit_exact(e) && !e->fixed;
    bool apart = variable->counter && node != e->plain;
    if (emit_early(e, node)) {
        return;
    }
    if (apart) {
        emit_text(e, "rill_own(");
    } else if (hidden) {
        emit_seen(e, emit_node(e, node)->type);
    }
    if (variable->shared) {
        emit_format(e, "sh%d_", variable->shared);
        strbuf_add_bytes(&e->out, name->text, (size_t)name->length);
    } else {
        emit_name(e, name);
    }
    emit_text(e, apart || hidden ? ")" : "");
}

/* Returns whether a part of the tree has the variable alone as an index of something else than a stream. */
static bool is_index(const Emit *e, NodeIndex node, NodeIndex variable)
{
    const Node *n = emit_node(e, node);
    if (n->kind == NODE_INDEX) {
        const Node *index = emit_node(e, pass_child(&e->t, node, 1));
        if (index->kind == NODE_LOCAL && index->target == variable) {
            return true;
        }
    }
    bool found = false;
    for (NodeIndex i = n->child; i && !found; i = emit_node(e, i)->next) {
        found = is_index(e, i, variable);
    }
    return found;
}

bool emit_counts(const Emit *e, NodeIndex loop, NodeIndex variable)
{
    NodeIndex head = pass_child(&e->t, loop, 0), condition = emit_node(e, head)->next,
              step = emit_node(e, condition)->next, body = emit_node(e, step)->next;
    double by;
    const Node *n = emit_node(e, head);
    bool alone = n->kind == NODE_DECLARE && pass_count(&e->t, head) == 2 &&
                 (emit_node(e, variable)->flags & FLAG_VALUE) && pass_is_scalar(emit_info(e, variable));
    return alone && emit_step(e, step, variable, &by) && !emit_changes(e, condition, variable) &&
           !emit_changes(e, body, variable) && is_index(e, body, variable);
}
