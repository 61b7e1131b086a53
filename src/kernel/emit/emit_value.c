/* Expressions. */
#include "kernel/emit/emit_private.h"

#include "kernel/emit/glsl.h"
#include "kernel/text/condition.h"
#include "kernel/text/names.h"

#include <string.h>

/* numbers */

static void number(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    int value = 0;
    if (t->kind == TOKEN_NAME) { /* __LINE__ */
        condition_predefined(&e->module->source, t, &value);
        emit_format(e, "%d", value);
        return;
    }
    TypeInfo info = emit_info(e, node);
    if (emit_exact(e) && !e->fixed && emit_real(info) && emit_is_zero(e, node)) {
        emit_text(e, info.base == BASE_DOUBLE ? "double(rill_zero)" : "rill_zero");
        return;
    }
    Token digits = *t;
    bool hex = t->length > 1 && (t->text[1] == 'x' || t->text[1] == 'X');
    digits.length -= !hex && t->text[t->length - 1] == 'h'; /* GLSL has no suffix h */
    emit_token(e, &digits, "");
}

/* Returns whether a value is loaded from a stream, so that the compiler does not know it. */
static bool is_loaded(const Emit *e, NodeIndex node)
{
    int index;
    const Node *n = emit_node(e, node);
    switch (n->kind) {
    case NODE_GATHER:
    case NODE_NEIGHBOR:
    case NODE_ELEMENT: return true;
    case NODE_PAREN:
    case NODE_SWIZZLE:
    case NODE_FIELD: return is_loaded(e, n->child);
    case NODE_PARAMETER_VALUE: {
        const Param *param = e->self.function == e->root ? emit_param(e, n->target, &index) : NULL;
        return param && param_kinds[param->kind].element && param_kinds[param->kind].read;
    }
    default: return false;
    }
}

/* Constant expressions that may be 0, and whole numbers that the compiler may know, are hidden from it. */
void emit_converted(Emit *e, NodeIndex node, TypeIndex want)
{
    NodeIndex bare = expression_bare(&e->t, node);
    uint32_t kind = emit_node(e, bare)->kind;
    bool computed = (kind == NODE_BINARY || kind == NODE_UNARY) && emit_real(emit_info(e, bare)) && emit_exact(e) &&
                    !e->fixed && emit_is_fixed(e, bare) && emit_has_zero(e, bare);
    bool becomes = !emit_real(emit_info(e, bare)) && emit_real(pass_info(&e->t, want)) && emit_exact(e) && !e->fixed,
         number = emit_node(e, bare)->kind == NODE_NUMBER;
    if (becomes && number && emit_is_zero(e, bare)) {
        emit_text(e, "rill_zero");
    } else if (computed || (becomes && !number && !is_loaded(e, bare))) {
        emit_seen(e, emit_node(e, node)->type);
        emit_value(e, node);
        emit_text(e, ")");
    } else {
        emit_value(e, node);
    }
}

/* operators */

static void paren(Emit *e, NodeIndex node)
{
    emit_text(e, "(");
    emit_value(e, emit_node(e, node)->child);
    emit_text(e, ")");
}

static void unary(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    NodeIndex operand = emit_node(e, node)->child;
    const Node *n = emit_node(e, operand);
    emit_token(e, t, "");
    if (token_is(t, "!") && n->kind == NODE_PAREN && emit_exact(e)) { /* see prelude.c */
        emit_text(e, "rill_yes(");
        emit_kept(e, n->child);
        emit_text(e, ")");
        return;
    }
    emit_text(e, n->kind == NODE_UNARY || n->kind == NODE_STEP ? " " : ""); /* "- -x" is not "--x" */
    emit_value(e, operand);
}

static void remainder_of(Emit *e, NodeIndex left, NodeIndex right)
{
    emit_helper(e, HELPER_REMAIN, "rill_rem(");
    emit_kept(e, left);
    emit_text(e, ", ");
    emit_kept(e, right);
    emit_text(e, ")");
}

/* Returns the type to which the operands of an operation are converted. */
static TypeIndex common(const Emit *e, NodeIndex left, NodeIndex right)
{
    TypeIndex a = emit_node(e, left)->type, b = emit_node(e, right)->type;
    return pass_info(&e->t, a).base > pass_info(&e->t, b).base ? a : b;
}

static void binary(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    NodeIndex left = emit_node(e, node)->child, right = emit_node(e, left)->next;
    TypeIndex type = common(e, left, right);
    if (token_is(t, "%") && !e->fixed && e->self.function) {
        remainder_of(e, left, right);
        return;
    }
    if (emit_matrix_operation(e, node)) {
        return;
    }
    bool compares = emit_info(e, node).base == BASE_BOOL;
    if (compares) {
        emit_value(e, left);
    } else {
        emit_converted(e, left, type);
    }
    emit_text(e, " ");
    emit_token(e, t, "");
    emit_text(e, " ");
    if (compares) {
        emit_value(e, right);
    } else if (token_is(t, "/")) {
        emit_divisor(e, right, type);
    } else {
        emit_converted(e, right, type);
    }
}

/* Writes the condition before ?, && or ||. */
static void condition(Emit *e, NodeIndex node)
{
    bool apart = emit_exact(e) && !e->fixed && emit_decides(e, node);
    if (apart) {
        emit_helper(e, HELPER_TRUTH, "rill_truth((");
    }
    if (apart) {
        emit_kept(e, node);
    } else {
        emit_value(e, node);
    }
    emit_text(e, apart ? "))" : "");
}

static void logical(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    NodeIndex left = emit_node(e, node)->child;
    if (token_is(t, "^^")) {
        emit_value(e, left);
    } else {
        condition(e, left);
    }
    emit_text(e, " ");
    emit_token(e, t, "");
    emit_text(e, " ");
    emit_value(e, emit_node(e, left)->next);
}

static void choice(Emit *e, NodeIndex node)
{
    NodeIndex test = emit_node(e, node)->child, value = emit_node(e, test)->next;
    TypeIndex type = emit_node(e, node)->type;
    condition(e, test);
    emit_text(e, " ? ");
    emit_converted(e, value, type);
    emit_text(e, " : ");
    emit_converted(e, emit_node(e, value)->next, type);
}

/* constructors */

/* Returns whether a value that becomes a float may be a whole number that the compiler knows. */
static bool may_be_known(const Emit *e, NodeIndex node)
{
    NodeIndex bare = expression_bare(&e->t, node);
    return !emit_real(emit_info(e, node)) && emit_node(e, bare)->kind != NODE_NUMBER && !is_loaded(e, bare);
}

/* Writes a vector of bools made of numbers. GLSL's constructor makes a NaN false on Mesa's zink. */
static void put_truths(Emit *e, NodeIndex value, int rows)
{
    TypeIndex type = types_of(emit_info(e, value).base, 1, rows);
    emit_text(e, "notEqual(");
    emit_type_name(e, type);
    emit_text(e, "(");
    emit_value(e, value);
    emit_text(e, "), ");
    emit_type_name(e, type);
    emit_text(e, "(0))");
}

/* Returns whether a constructor makes a matrix in a way that the compiler of Mesa 22.3 computes incorrectly if it knows the
 * value: from another matrix, or with four columns and two rows from a scalar (mat4x2(1.0)[3].x is 1). */
static bool resizes(const Emit *e, TypeInfo info, NodeIndex first)
{
    TypeInfo given = first ? emit_info(e, first) : info;
    bool one = first && !emit_node(e, first)->next && given.base != BASE_BOOL && e->self.function && !e->fixed;
    return one && info.columns > 1 && (given.columns > 1 || (info.columns == 4 && info.rows == 2 && given.rows == 1));
}

/* Writes "T(values)". */
static void construct_as(Emit *e, NodeIndex node, NodeIndex type, NodeIndex first)
{
    TypeIndex result = emit_node(e, node)->type;
    TypeInfo info = pass_info(&e->t, result);
    bool real = emit_real(info) && emit_exact(e) && !e->fixed, seen = false, kept = false;
    bool truth = info.base == BASE_BOOL && info.rows == 1 && e->self.function; /* zink's bool() of a NaN is false */
    bool computes = emit_computes(e, node);
    if (info.base == BASE_BOOL && info.rows > 1 && !emit_node(e, first)->next &&
        emit_info(e, first).base != BASE_BOOL) {
        put_truths(e, first, info.rows);
        return;
    }
    for (NodeIndex i = first; real && i; i = emit_node(e, i)->next) {
        seen = seen || may_be_known(e, i);
    }
    if (seen) {
        emit_seen(e, result);
        kept = computes && emit_keep(e, result);
    }
    if (truth) {
        emit_helper(e, HELPER_BOOL, "rill_bool");
    } else {
        emit_type_name(e, result);
    }
    if (type) {
        emit_lengths(e, emit_node(e, type)->child, 0);
    }
    if (!e->self.function && info.columns == 4 && info.rows == 2 && pass_is_scalar(emit_info(e, first)) &&
        !emit_node(e, first)->next) { /* see resizes() */
        emit_text(e, "(");
        emit_value(e, first);
        emit_text(e, ", 0.0, 0.0, ");
        emit_value(e, first);
        emit_text(e, ", 0.0, 0.0, 0.0, 0.0)");
        return;
    }
    bool hidden = resizes(e, info, first);
    TypeInfo given = hidden ? emit_info(e, first) : info;
    emit_text(e, "(");
    if (hidden) {
        bool wide = given.base == BASE_DOUBLE;
        emit_helper(e, wide ? HELPER_SAME_DOUBLE : HELPER_SAME, wide ? "rill_same_double(" : "rill_same(");
    }
    for (NodeIndex i = first; i; i = emit_node(e, i)->next) {
        emit_text(e, i == first ? "" : ", ");
        if (truth || info.base == BASE_ARRAY) {
            emit_kept(e, i);
        } else {
            bool number = emit_node(e, expression_bare(&e->t, i))->kind == NODE_NUMBER;
            emit_converted(e, i, real && number ? result : emit_node(e, i)->type);
        }
    }
    emit_text(e, hidden ? "))" : ")");
    emit_keep_end(e, kept);
    emit_text(e, seen ? ")" : "");
}

static void construct(Emit *e, NodeIndex node)
{
    NodeIndex first = emit_node(e, node)->child;
    bool typed = first && emit_node(e, first)->kind == NODE_TYPE;
    construct_as(e, node, typed ? first : 0, typed ? emit_node(e, first)->next : first);
}

static void convert(Emit *e, NodeIndex node)
{
    NodeIndex type = emit_node(e, node)->child;
    construct_as(e, node, type, emit_node(e, type)->next);
}

/* Writes "{x, {y, z}}". */
static void braces(Emit *e, NodeIndex node)
{
    TypeInfo info = emit_info(e, node);
    TypeIndex type = emit_node(e, node)->type;
    emit_text(e, "{");
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next) {
        emit_text(e, i == emit_node(e, node)->child ? "" : ", ");
        emit_converted(e, i, info.base == BASE_ARRAY ? info.element : type);
    }
    emit_text(e, "}");
}

/* fields */

static void member(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    bool called = emit_node(e, node)->flags & FLAG_CALLED;
    emit_value(e, emit_node(e, node)->child);
    emit_text(e, ".");
    emit_token(e, t, emit_node(e, node)->kind == NODE_FIELD ? names_field(t) : "");
    emit_text(e, called ? "()" : "");
}

/* Writes a constant of the module. */
static void constant(Emit *e, NodeIndex node)
{
    bool hidden =
        emit_exact(e) && !e->fixed && emit_real(emit_info(e, node)) && e->variables[emit_node(e, node)->target].zero;
    if (hidden) {
        emit_seen(e, emit_node(e, node)->type);
    }
    emit_token(e, emit_at(e, node), "u_");
    emit_text(e, hidden ? ")" : "");
}

static void comma(Emit *e, NodeIndex node)
{
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next) {
        emit_text(e, i == emit_node(e, node)->child ? "(" : ", ");
        emit_value(e, i);
    }
    emit_text(e, ")");
}

static void truth(Emit *e, NodeIndex node)
{
    emit_token(e, emit_at(e, node), "");
}

static void impossible(Emit *e, NodeIndex node)
{
    emit_fail(e, emit_at(e, node), "this cannot be compiled, which is a fault of rill: please report the text");
}

/* Writes a constant whole number as a number, which compilers accept as a constant also where rill's functions would
 * compute it. Returns false if it has floats, vectors or calls. */
static bool write_fixed(Emit *e, NodeIndex node)
{
    uint32_t kind = emit_node(e, node)->kind;
    Base base = emit_info(e, node).base;
    long value;
    if (kind == NODE_NUMBER || kind == NODE_PAREN || !pass_is_scalar(emit_info(e, node)) || base > BASE_UINT ||
        !pass_constant(&e->t, node, &value)) {
        return false;
    }
    emit_format(e, base == BASE_BOOL ? "bool(%ld)" : base == BASE_UINT ? "%ldu" : value < 0 ? "(%ld)" : "%ld", value);
    return true;
}

void emit_value(Emit *e, NodeIndex node)
{
    static void (*const rows[NODE_KIND_COUNT])(Emit *, NodeIndex) = {
        [NODE_NUMBER] = number,
        [NODE_TRUTH] = truth,
        [NODE_MEMBER] = member,
        [NODE_INDEX] = emit_index,
        [NODE_CALL] = emit_call,
        [NODE_UNARY] = unary,
        [NODE_BINARY] = binary,
        [NODE_LOGICAL] = logical,
        [NODE_CHOICE] = choice,
        [NODE_CONVERT] = convert,
        [NODE_CONSTRUCT] = construct,
        [NODE_LIST] = braces,
        [NODE_PAREN] = paren,
        [NODE_COMMA] = comma,
        [NODE_LOCAL] = emit_local,
        [NODE_PARAMETER_VALUE] = emit_parameter,
        [NODE_CONSTANT_VALUE] = constant,
        [NODE_FIELD] = member,
        [NODE_SWIZZLE] = member,
        [NODE_GATHER] = emit_gather,
        [NODE_NEIGHBOR] = emit_neighbor,
        [NODE_ELEMENT] = emit_gather,
        [NODE_QUERY] = emit_query,
        [NODE_SAMPLE] = emit_sample,
        [NODE_BUILTIN] = emit_builtin,
        [NODE_ATOMIC] = emit_builtin,
        [NODE_RANDOM] = emit_random,
        [NODE_PUSH] = emit_push,
        [NODE_BARRIER] = emit_builtin,
        [NODE_ASSIGN] = emit_assignment,
        [NODE_STEP] = emit_assignment,
    };
    if (e->failed || (e->fixed && write_fixed(e, node))) {
        return;
    }
    uint32_t kind = emit_node(e, node)->kind;
    if (rows[kind]) {
        rows[kind](e, node);
    } else {
        impossible(e, node);
    }
}

/* assignments */

NodeIndex emit_element_of(const Emit *e, NodeIndex node)
{
    for (;;) {
        const Node *n = emit_node(e, node);
        switch (n->kind) {
        case NODE_FIELD:
        case NODE_SWIZZLE:
        case NODE_INDEX:
        case NODE_PAREN: node = n->child; break;
        case NODE_ELEMENT: return node;
        default: return 0;
        }
    }
}

static NodeIndex parameter_of(const Emit *e, NodeIndex element)
{
    while (emit_node(e, element)->kind == NODE_ELEMENT) {
        element = emit_node(e, element)->child;
    }
    return element;
}

void emit_target(Emit *e, NodeIndex node)
{
    NodeIndex element = emit_element_of(e, node), written = e->written;
    int root = element ? emit_root(e, parameter_of(e, element)) : -1;
    if (root >= 0 && !glsl_plain_random(e->root->params[root].type)) {
        const Token *name = emit_at(e, parameter_of(e, element));
        emit_fail(e, name, "'%.*s' has elements that can only be changed by statements like name[i] = value;",
                  name->length, name->text);
        return;
    }
    e->written = element;
    emit_value(e, node);
    e->written = written;
}

/* Writes "element = element + value" for "element += value". */
static void change_element(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    NodeIndex target = emit_node(e, node)->child, value = emit_node(e, target)->next;
    bool divides = token_is(t, "/=");
    emit_helper(e, HELPER_KEPT, " = rill_kept(");
    bool kept = emit_keep(e, emit_node(e, target)->type);
    emit_target(e, target);
    emit_format(e, " %c ", *t->text);
    if (divides) {
        emit_seen(e, emit_node(e, value)->type);
        emit_kept(e, value);
    } else {
        emit_text(e, "(");
        emit_converted(e, value, emit_node(e, target)->type);
    }
    emit_text(e, ")");
    emit_keep_end(e, kept);
    emit_text(e, ")");
}

/* Writes an assignment to an element of a stream, whose operations are kept as written. */
static void store(Emit *e, NodeIndex node)
{
    static const char *const changes[] = {"+=", "-=", "*=", "/=", NULL};
    const Token *t = emit_at(e, node);
    NodeIndex target = emit_node(e, node)->child, value = emit_node(e, target)->next;
    emit_target(e, target);
    if (emit_real(emit_info(e, target)) && token_any(t, changes) && expression_pure(&e->t, target)) {
        change_element(e, node);
        return;
    }
    bool plain = token_is(t, "=");
    emit_text(e, " ");
    emit_token(e, t, "");
    emit_helper(e, HELPER_KEPT, " rill_kept(");
    if (plain) {
        emit_kept_as(e, value, emit_node(e, target)->type);
    } else {
        emit_kept(e, value);
    }
    emit_text(e, ")");
}

static void remainder_to(Emit *e, NodeIndex node)
{
    NodeIndex target = emit_node(e, node)->child;
    emit_helper(e, HELPER_REMAIN_TO, "rill_rem_to(");
    emit_target(e, target);
    emit_text(e, ", ");
    emit_kept(e, emit_node(e, target)->next);
    emit_text(e, ")");
}

/* Writes "(before = element, element = element + 1.0, before)" for "element++", and "(element = element + 1.0)" for
 * "++element". */
static void step_element(Emit *e, NodeIndex node)
{
    NodeIndex target = emit_node(e, node)->child;
    TypeIndex type = emit_node(e, target)->type;
    int before = emit_node(e, node)->flags & FLAG_POSTFIX ? emit_variable(e, type) : 0;
    emit_text(e, "(");
    if (before) {
        emit_format(e, "kept%d_%s = ", before, e->root->name);
        emit_target(e, target);
        emit_text(e, ", ");
    }
    emit_target(e, target);
    emit_helper(e, HELPER_KEPT, " = rill_kept(");
    bool kept = emit_keep(e, type);
    emit_target(e, target);
    emit_format(e, " %c 1.0", *emit_at(e, node)->text);
    emit_keep_end(e, kept);
    emit_text(e, ")");
    if (before) {
        emit_format(e, ", kept%d_%s", before, e->root->name);
    }
    emit_text(e, ")");
}

static void step(Emit *e, NodeIndex node)
{
    bool postfix = emit_node(e, node)->flags & FLAG_POSTFIX;
    NodeIndex target = emit_node(e, node)->child;
    if (emit_element_of(e, target) && emit_exact(e) && emit_real(emit_info(e, target)) &&
        expression_pure(&e->t, target)) {
        step_element(e, node);
        return;
    }
    if (!postfix) {
        emit_token(e, emit_at(e, node), "");
    }
    emit_target(e, emit_node(e, node)->child);
    if (postfix) {
        emit_token(e, emit_at(e, node), "");
    }
}

bool emit_is_widened(const Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    NodeIndex target = emit_node(e, node)->child;
    TypeInfo left = emit_info(e, target), right = emit_info(e, emit_node(e, target)->next);
    return e->t.tree->brook && t->length == 2 && strchr("+-*/%", *t->text) && left.columns == 1 && right.columns == 1 &&
           (left.base == BASE_BOOL ||
            (*t->text == '%' ? emit_real(left) || emit_real(right) : !emit_real(left) && emit_real(right)));
}

void emit_operation(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    NodeIndex target = emit_node(e, node)->child, value = emit_node(e, target)->next;
    TypeInfo left = emit_info(e, target), right = emit_info(e, value);
    Base base = left.base > right.base ? left.base : right.base;
    TypeIndex type = types_of(base == BASE_BOOL ? BASE_INT : base, 1, left.rows);
    bool remains = *t->text == '%' && base >= BASE_FLOAT;
    emit_conversion(e, emit_node(e, target)->type);
    bool wide = pass_info(&e->t, type).base == BASE_DOUBLE;
    emit_text(e, "(");
    if (remains) {
        emit_helper(e, wide ? HELPER_WIDE : HELPER_REMAINDER, wide ? "rill_wide_fmod(" : "rill_fmod(");
    }
    for (int i = 0; i < 2; i++) {
        bool converts = remains || (i ? right.base : left.base) == BASE_BOOL;
        if (converts) {
            emit_type_name(e, type);
        }
        emit_text(e, converts || i == 1 ? "(" : "");
        emit_value(e, i == 0 ? target : value);
        emit_text(e, converts || i == 1 ? ")" : "");
        emit_text(e, i == 1 ? "" : remains ? ", " : (char[]){' ', *t->text, ' ', '\0'});
    }
    emit_text(e, remains ? "))" : ")");
}

static void widened(Emit *e, NodeIndex node)
{
    NodeIndex target = emit_node(e, node)->child;
    if (!expression_pure(&e->t, target)) {
        emit_fail(e, pass_first(&e->t, target),
                  "an assignment that converts its result requires a variable without side effects: no ++, --, = or "
                  "function with an output in it");
        return;
    }
    emit_target(e, target);
    emit_text(e, " = ");
    emit_operation(e, node);
}

void emit_assignment(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    NodeIndex target = emit_node(e, node)->child, value = emit_node(e, target)->next;
    if (emit_matrix_change(e, node)) {
        return;
    }
    if (emit_node(e, node)->kind == NODE_STEP) {
        step(e, node);
    } else if (emit_is_widened(e, node)) {
        widened(e, node);
    } else if (token_is(t, "%=")) {
        remainder_to(e, node);
    } else if (emit_element_of(e, target) && emit_exact(e)) {
        store(e, node);
    } else {
        emit_target(e, target);
        emit_text(e, " ");
        emit_token(e, t, "");
        emit_text(e, " ");
        if (token_is(t, "/=")) {
            emit_divisor(e, value, emit_node(e, target)->type);
        } else {
            emit_converted(e, value, emit_node(e, target)->type);
        }
    }
}
