/* Prevents compilers from replacing an operation by another one whose result is not exactly equal, unless the kernel is
 * `fast`.
 *
 * GLSL permits other operations than those written, except for values that are assigned to a `precise` variable of the
 * same function; a `precise` parameter of the called function is not enough (Mesa 23 and later). Therefore every variable,
 * parameter and returned value is declared `precise`, and arguments, conditions, indices, divisors and stored values are
 * assigned to such variables.
 *
 * Some code generators also change operations on numbers that the compiler knows to be 0. Mesa's llvmpipe replaces x * 0
 * by 0 and x + 0 by x, and leaves x / 0 undefined. On such drivers `rill_zero` is a variable with the value 0 that
 * replaces the literal, and rill_seen() hides a value that may be a known 0: divisors, and floats made from ints. On other
 * drivers both change nothing (prelude.c).
 *
 * In GLSL % of negative numbers is undefined. rill_rem() computes that of C. */
#include "kernel/emit/emit_private.h"

#include "base/decimal.h"
#include "kernel/text/names.h"

#include <math.h>

/* what is computed */

/* Returns whether a node itself computes with floats. */
static bool operates(const Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    bool real = emit_real(emit_info(e, node));
    switch (n->kind) {
    case NODE_BINARY:
    case NODE_UNARY: return real;
    case NODE_ASSIGN: return real && !token_is(emit_at(e, node), "=");
    case NODE_STEP:
    case NODE_CALL:
    case NODE_SAMPLE: return real || emit_info(e, node).base == BASE_STRUCTURE;
    case NODE_BUILTIN: {
        bool any = real;
        for (NodeIndex i = n->child; i && !any; i = emit_node(e, i)->next) {
            any = emit_real(emit_info(e, i));
        }
        return any;
    }
    default: return false;
    }
}

bool emit_computes(const Emit *e, NodeIndex node)
{
    bool found = operates(e, node);
    for (NodeIndex i = emit_node(e, node)->child; i && !found; i = emit_node(e, i)->next) {
        found = emit_node(e, i)->kind != NODE_TYPE && emit_computes(e, i);
    }
    return found;
}

bool emit_decides(const Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    bool found =
        operates(e, node) || n->kind == NODE_CALL || (n->kind == NODE_UNARY && token_is(emit_at(e, node), "!"));
    for (NodeIndex i = n->child; i && !found; i = emit_node(e, i)->next) {
        found = emit_node(e, i)->kind != NODE_TYPE && emit_decides(e, i);
    }
    return found;
}

/* values that are kept as written */

int emit_variable(Emit *e, TypeIndex type)
{
    StrBuf out = e->out; /* the name of the type is written to the body */
    e->out = STRBUF_EMPTY;
    emit_type_name(e, type);
    emit_known_lengths(e, type);
    int number = ++e->body->kept_count;
    strbuf_addf(&e->body->text, "%s%s kept%d_%s;\n", emit_exact(e) ? "precise " : "", strbuf_text(&e->out), number,
                e->root->name);
    strbuf_free(&e->out);
    e->out = out;
    return number;
}

bool emit_keep(Emit *e, TypeIndex type)
{
    TypeInfo info = pass_info(&e->t, type);
    if (!emit_exact(e) || e->fixed || !(pass_is_plain(info) || info.base == BASE_STRUCTURE)) {
        return false;
    }
    emit_format(e, "(kept%d_%s = (", emit_variable(e, type), e->root->name);
    return true;
}

void emit_keep_end(Emit *e, bool kept)
{
    emit_text(e, kept ? "))" : "");
}

void emit_kept_as(Emit *e, NodeIndex node, TypeIndex want)
{
    bool kept = emit_computes(e, node) && emit_keep(e, want);
    emit_converted(e, node, want);
    emit_keep_end(e, kept);
}

void emit_kept(Emit *e, NodeIndex node)
{
    emit_kept_as(e, node, emit_node(e, node)->type);
}

/* zeros */

bool emit_is_zero(const Emit *e, NodeIndex number)
{
    const Token *t = emit_at(e, number);
    size_t used;
    bool hex = t->length > 1 && (t->text[1] == 'x' || t->text[1] == 'X'),
         wide = emit_info(e, number).base == BASE_DOUBLE;
    if (hex || t->kind != TOKEN_NUMBER) {
        return false;
    }
    /* Numbers below half of the smallest float become 0. */
    return fabs(decimal_read(t->text, (size_t)t->length, &used)) <= (wide ? 0 : 7e-46);
}

bool emit_has_zero(const Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    bool number = n->kind == NODE_NUMBER, sign = n->kind == NODE_UNARY && token_is(emit_at(e, node), "-");
    if (number || (n->kind == NODE_BINARY && token_is(emit_at(e, node), "-"))) {
        return !number || emit_is_zero(e, node);
    }
    if (sign && emit_node(e, n->child)->kind != NODE_NUMBER) {
        return true;
    }
    bool found = n->kind == NODE_CONSTANT_VALUE;
    for (NodeIndex i = n->child; i && !found; i = emit_node(e, i)->next) {
        found = emit_node(e, i)->kind != NODE_TYPE && emit_has_zero(e, i);
    }
    return found;
}

/* Returns whether a value contains a literal 0 or a constant. */
static bool mentions_zero(const Emit *e, NodeIndex node)
{
    uint32_t kind = emit_node(e, node)->kind;
    bool found = kind == NODE_CONSTANT_VALUE || (kind == NODE_NUMBER && emit_is_zero(e, node));
    for (NodeIndex i = emit_node(e, node)->child; i && !found; i = emit_node(e, i)->next) {
        found = mentions_zero(e, i);
    }
    return found;
}

bool emit_constant_zero(const Emit *e, NodeIndex variable)
{
    return mentions_zero(e, variable);
}

/* Returns whether a value is an element that is loaded, so that the compiler does not know it. */
static bool is_loaded(const Emit *e, NodeIndex node)
{
    int index;
    const Node *n = emit_node(e, node);
    if (n->kind == NODE_PARAMETER_VALUE && e->self.function == e->root) {
        const Param *param = emit_param(e, n->target, &index);
        return param && param_kinds[param->kind].element && param_kinds[param->kind].read &&
               emit_real(emit_info(e, node));
    }
    bool indexed = n->kind == NODE_INDEX || n->kind == NODE_GATHER || n->kind == NODE_ELEMENT;
    bool found = false;
    for (NodeIndex i = n->child; i && !found && !indexed; i = emit_node(e, i)->next) {
        found = emit_node(e, i)->kind != NODE_TYPE && is_loaded(e, i);
    }
    return found;
}

void emit_divisor(Emit *e, NodeIndex node, TypeIndex want)
{
    bool number = emit_node(e, node)->kind == NODE_NUMBER;
    if (!emit_exact(e) || e->fixed || number || is_loaded(e, node)) {
        emit_converted(e, node, want);
        return;
    }
    emit_seen(e, emit_node(e, node)->type);
    emit_kept(e, node);
    emit_text(e, ")");
}

bool emit_is_fixed(const Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    switch (n->kind) {
    case NODE_NUMBER:
    case NODE_TRUTH:
    case NODE_EMPTY: return true;
    case NODE_LOCAL: return e->variables[n->target].fixed;
    case NODE_CONSTANT_VALUE: return pass_is_whole(pass_info(&e->t, n->type));
    case NODE_UNARY:
    case NODE_BINARY:
    case NODE_LOGICAL:
    case NODE_CHOICE:
    case NODE_CONVERT:
    case NODE_CONSTRUCT:
    case NODE_LIST:
    case NODE_PAREN:
    case NODE_BUILTIN:
    case NODE_SWIZZLE:
    case NODE_INDEX: break;
    default: return false;
    }
    bool fixed = true;
    for (NodeIndex i = n->child; i && fixed; i = emit_node(e, i)->next) {
        fixed = emit_node(e, i)->kind == NODE_TYPE || emit_is_fixed(e, i);
    }
    return fixed;
}
