/* Statements and declarations. */
#include "kernel/emit/emit_private.h"

#include "kernel/emit/glsl.h"

/* declarations */

/* Writes one variable with its lengths and its initial value. */
static void variable(Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    EmitVariable *info = &e->variables[node];
    NodeIndex value = n->flags & FLAG_VALUE ? pass_child(&e->t, node, pass_count(&e->t, node) - 1) : 0;
    bool real = emit_real(pass_info(&e->t, n->type)), fixed = e->fixed;
    bool known = (n->flags & FLAG_CONST) && value && e->self.function && pass_is_scalar(pass_info(&e->t, n->type));
    for (NodeIndex i = n->child; i && known; i = emit_node(e, i)->next) {
        known = emit_is_fixed(e, i);
    }
    bool hidden = known && real && emit_has_zero(e, value);
    e->fixed = (known && !real) || hidden || fixed;
    emit_name(e, emit_at(e, node));
    emit_lengths(e, n->child, value);
    if (value) {
        emit_text(e, " = ");
        emit_converted(e, value, n->type);
    }
    e->fixed = fixed;
    info->fixed = known;
    info->zero = !e->self.function && emit_constant_zero(e, node);
    info->hidden = hidden;
}

/* Writes "T a, b = x" of a declaration without its semicolon. `loop`: the `for` that has it in its head, or 0. */
void emit_declare(Emit *e, NodeIndex node, NodeIndex loop)
{
    const Node *n = emit_node(e, node);
    NodeIndex type = n->child;
    if (!emit_node(e, type)->next) { /* a structure without variables */
        return;
    }
    emit_text(e, n->flags & FLAG_CONST ? "const " : "");
    emit_text(e, emit_exact(e) ? "precise " : "");
    emit_type(e, type);
    for (NodeIndex i = emit_node(e, type)->next; i; i = emit_node(e, i)->next) {
        emit_text(e, i == emit_node(e, type)->next ? " " : ", ");
        e->variables[i] = (EmitVariable){0};
        variable(e, i);
        e->variables[i].counter = loop && emit_counts(e, loop, i);
    }
}

double emit_bytes(const Emit *e, TypeIndex type)
{
    TypeInfo info = pass_info(&e->t, type);
    double bytes = 0.0;
    if (info.base == BASE_ARRAY) {
        return info.length * emit_bytes(e, info.element);
    }
    if (info.base != BASE_STRUCTURE) {
        return info.rows * info.columns * (info.base == BASE_DOUBLE ? 8.0 : 4.0);
    }
    for (NodeIndex d = emit_node(e, info.structure)->child; d; d = emit_node(e, d)->next) {
        for (NodeIndex v = pass_child(&e->t, d, 1); v; v = emit_node(e, v)->next) {
            bytes += emit_bytes(e, emit_node(e, v)->type);
        }
    }
    return bytes;
}

/* Moves the declaration of shared variables outside of the function. */
static void shared_variables(Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    if (!e->root->group_rank) {
        emit_fail(e, emit_at(e, node), "shared variables exist in group kernels only");
        return;
    }
    StrBuf out = e->out;
    e->out = STRBUF_EMPTY;
    for (NodeIndex i = emit_node(e, n->child)->next; i; i = emit_node(e, i)->next) {
        const Token *name = emit_at(e, i);
        int number = ++e->body->shared_count;
        e->variables[i] = (EmitVariable){.shared = (uint16_t)number};
        emit_text(e, emit_exact(e) ? "precise shared " : "shared ");
        emit_type_name(e, emit_node(e, n->child)->type);
        emit_format(e, " sh%d_%.*s", number, name->length, name->text);
        emit_lengths(e, emit_node(e, i)->child, 0);
        emit_lengths(e, emit_node(e, n->child)->child, 0);
        emit_text(e, ";\n");
        e->body->shared_bytes += emit_bytes(e, emit_node(e, i)->type);
    }
    strbuf_add(&e->body->text, strbuf_text(&e->out));
    strbuf_free(&e->out);
    e->out = out;
}

/* Returns whether the gathers of an expression may be evaluated before the rest of its statement. */
static bool is_free(const Emit *e, NodeIndex node)
{
    uint32_t kind = emit_node(e, node)->kind;
    bool free = kind != NODE_CALL && kind != NODE_ATOMIC && kind != NODE_RANDOM && kind != NODE_PUSH &&
                kind != NODE_BARRIER && kind != NODE_STEP && kind != NODE_ASSIGN && kind != NODE_CHOICE &&
                kind != NODE_LOGICAL && kind != NODE_COMMA;
    for (NodeIndex i = emit_node(e, node)->child; i && free; i = emit_node(e, i)->next) {
        free = is_free(e, i);
    }
    return free;
}

static bool gathers(const Emit *e, NodeIndex node)
{
    bool found = emit_node(e, node)->kind == NODE_GATHER;
    for (NodeIndex i = emit_node(e, node)->child; i && !found; i = emit_node(e, i)->next) {
        found = gathers(e, i);
    }
    return found;
}

/* Begins the list of the gathers of a statement of a block, if they may be evaluated before it. */
static void list_gathers(Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    bool free = false;
    if (n->kind == NODE_ASSIGN) {
        free = is_free(e, n->child) && !gathers(e, n->child) && is_free(e, emit_node(e, n->child)->next);
    } else if ((n->kind == NODE_DECLARE && pass_count(&e->t, node) == 2) || n->kind == NODE_RETURN) {
        free = is_free(e, node);
    }
    e->statement = free && e->listed && !e->labels ? e->out.length + 1 : 0;
    e->listed = false;
}

void emit_listed(Emit *e, NodeIndex node)
{
    e->listed = true;
    emit_statement(e, node);
    e->statement = 0;
}

/* statements */

/* Writes "return value;" through a variable. */
static void result(Emit *e, NodeIndex node)
{
    NodeIndex value = emit_node(e, node)->child;
    TypeIndex type = emit_node(e, e->t.function)->type;
    if (!value || !emit_exact(e)) {
        emit_token(e, emit_at(e, node), "");
        emit_text(e, value ? " " : "");
        if (value) {
            emit_converted(e, value, type);
        }
        emit_text(e, ";");
        return;
    }
    emit_text(e, "{ precise ");
    emit_type(e, emit_result_type(e));
    emit_text(e, " rill_r = ");
    emit_converted(e, value, type);
    emit_text(e, "; return rill_r; }");
}

static void selection(Emit *e, NodeIndex node)
{
    NodeIndex test = emit_node(e, node)->child, chosen = emit_node(e, test)->next, other = emit_node(e, chosen)->next;
    emit_choice_head(e, node);
    e->depth++;
    emit_statement(e, chosen);
    e->depth--;
    if (other) {
        emit_line(e);
        emit_text(e, "else");
        int deeper = emit_node(e, other)->kind != NODE_IF;
        e->depth += deeper;
        emit_statement(e, other);
        e->depth -= deeper;
    }
}

static void label(Emit *e, NodeIndex node)
{
    NodeIndex value = emit_node(e, node)->child;
    bool fixed = e->fixed;
    e->fixed = true;
    emit_text(e, value ? "case " : "default");
    if (value) {
        emit_value(e, value);
    }
    emit_text(e, ":");
    e->fixed = fixed;
}

void emit_block(Emit *e, NodeIndex block)
{
    bool ends = false;
    emit_text(e, "{");
    e->depth++;
    for (NodeIndex i = emit_node(e, block)->child; i; i = emit_node(e, i)->next) {
        emit_listed(e, i);
        ends = emit_node(e, i)->kind == NODE_CASE;
    }
    e->depth--;
    emit_line(e);
    emit_text(e, ends ? "break; }" : "}"); /* GLSL has no label before a '}' */
}

/* Writes an expression as a statement. */
static void evaluate(Emit *e, NodeIndex node)
{
    if (!emit_stored_whole(e, node)) {
        emit_value(e, node);
        emit_text(e, ";");
    }
}

void emit_statement(Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    if (e->failed) {
        return;
    }
    emit_line(e);
    list_gathers(e, node);
    switch (n->kind) {
    case NODE_BLOCK: emit_block(e, node); break;
    case NODE_DECLARE:
        if (n->flags & FLAG_SHARED) {
            shared_variables(e, node);
        } else {
            emit_declare(e, node, 0);
            emit_text(e, ";");
        }
        break;
    case NODE_EVALUATE: evaluate(e, n->child); break;
    case NODE_ASSIGN:
    case NODE_STEP: evaluate(e, node); break;
    case NODE_IF: selection(e, node); break;
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_DO: emit_loop(e, node); break;
    case NODE_SWITCH:
        emit_choice_head(e, node);
        emit_text(e, " ");
        e->labels++;
        emit_block(e, emit_node(e, n->child)->next);
        e->labels--;
        break;
    case NODE_CASE: label(e, node); break;
    case NODE_RETURN: result(e, node); break;
    case NODE_BREAK:
    case NODE_CONTINUE:
        emit_token(e, emit_at(e, node), "");
        emit_text(e, ";");
        break;
    default: emit_text(e, ";");
    }
}
