/* Operations on the elements of matrices. Mesa replaces an operation on matrices by operations on their columns, which are
 * not `precise` although the result is. Here a function computes the columns. */
#include "kernel/emit/emit_private.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>

/* Returns the type that an operand is converted to: a matrix, or a scalar. */
static TypeIndex operand_type(const Emit *e, TypeIndex matrix, TypeIndex operand)
{
    return pass_info(&e->t, operand).columns > 1 ? matrix : types_of(pass_info(&e->t, matrix).base, 1, 1);
}

/* Returns whether an operator works on the elements of a matrix: not a product of linear algebra. */
static bool by_element(const Emit *e, TypeIndex result, char op, TypeIndex left, TypeIndex right)
{
    bool scalar = pass_is_scalar(pass_info(&e->t, left)) || pass_is_scalar(pass_info(&e->t, right));
    return emit_exact(e) && !e->fixed && pass_info(&e->t, result).columns > 1 && strchr("+-*/", op) &&
           (op != '*' || scalar);
}

/* Lists the function for an operator. Returns false if it is there. */
static bool is_new(Emit *e, char op, const TypeIndex types[3])
{
    for (size_t i = 0; i < e->instances->matrices.count; i++) {
        MatrixFunction f = e->instances->matrices.items[i];
        if (f.op == op && f.left == types[1] && f.right == types[2]) {
            return false;
        }
    }
    if (!ARRAY_ROOM(&e->instances->matrices)) {
        e->failed = true;
        return false;
    }
    e->instances->matrices.items[e->instances->matrices.count++] = (MatrixFunction){op, types[1], types[2]};
    return true;
}

/* Writes "NAME(" of the function for an operator, which is added to the body if it is not there. */
static void open_function(Emit *e, char op, const TypeIndex types[3])
{
    TypeInfo info = pass_info(&e->t, types[0]);
    StrBuf name = STRBUF_EMPTY, out = STRBUF_EMPTY;
    strbuf_addf(&name, "rill_%s_", op == '+' ? "plus" : op == '-' ? "minus" : op == '*' ? "times" : "over");
    types_name(&e->t.tree->types, types[1], &name);
    strbuf_add(&name, "_");
    types_name(&e->t.tree->types, types[2], &name);
    strbuf_addf(&name, "_%s(", e->root->name);
    for (int k = 0; k < 3; k++) {
        strbuf_add(&out, k == 0 ? "" : k == 1 ? "precise " : ", precise ");
        types_name(&e->t.tree->types, types[k], &out);
        strbuf_addf(&out, k == 0 ? " %s" : k == 1 ? " a" : " b", strbuf_text(&name));
    }
    strbuf_add(&out, ") { precise ");
    types_name(&e->t.tree->types, types[0], &out);
    strbuf_add(&out, " r;");
    for (int c = 0; c < info.columns; c++) {
        char part[16] = "";
        snprintf(part, sizeof part, "[%d]", c);
        strbuf_addf(&out, " r%s = a%s %c b%s;", part, pass_info(&e->t, types[1]).columns > 1 ? part : "", op,
                    pass_info(&e->t, types[2]).columns > 1 ? part : "");
    }
    strbuf_add(&out, " return r; }\n");
    if (is_new(e, op, types)) {
        strbuf_add(&e->body->text, strbuf_text(&out));
    }
    emit_text(e, strbuf_text(&name));
    strbuf_free(&name);
    strbuf_free(&out);
}

bool emit_matrix_operation(Emit *e, NodeIndex node)
{
    char op = *emit_at(e, node)->text;
    NodeIndex left = emit_node(e, node)->child, right = emit_node(e, left)->next;
    TypeIndex type = emit_node(e, node)->type, a = emit_node(e, left)->type, b = emit_node(e, right)->type;
    if (!by_element(e, type, op, a, b)) {
        return false;
    }
    TypeIndex types[3] = {type, operand_type(e, type, a), operand_type(e, type, b)};
    open_function(e, op, types);
    emit_converted(e, left, types[1]);
    emit_text(e, ", ");
    if (op == '/') {
        emit_divisor(e, right, types[2]);
    } else {
        emit_converted(e, right, types[2]);
    }
    emit_text(e, ")");
    return true;
}

/* Writes "target = f(target, value)". `value`: 0: a step by 1. */
static void put_change(Emit *e, NodeIndex target, NodeIndex value, char op)
{
    TypeIndex type = emit_node(e, target)->type;
    TypeIndex other = value ? emit_node(e, value)->type : types_of(BASE_FLOAT, 1, 1);
    TypeIndex types[3] = {type, type, operand_type(e, type, other)};
    emit_target(e, target);
    emit_text(e, " = ");
    open_function(e, op, types);
    emit_target(e, target);
    emit_text(e, ", ");
    if (!value) {
        emit_text(e, "1.0");
    } else if (op == '/') {
        emit_divisor(e, value, types[2]);
    } else {
        emit_converted(e, value, types[2]);
    }
    emit_text(e, ")");
}

bool emit_matrix_change(Emit *e, NodeIndex node)
{
    const Token *t = emit_at(e, node);
    bool steps = emit_node(e, node)->kind == NODE_STEP, postfix = emit_node(e, node)->flags & FLAG_POSTFIX;
    NodeIndex target = emit_node(e, node)->child, value = steps ? 0 : emit_node(e, target)->next;
    TypeIndex type = emit_node(e, target)->type, one = types_of(BASE_FLOAT, 1, 1);
    if (t->length != 2 || !by_element(e, type, *t->text, type, value ? emit_node(e, value)->type : one) ||
        !expression_pure(&e->t, target)) {
        return false;
    }
    if (!steps) {
        put_change(e, target, value, *t->text);
        return true;
    }
    int before = postfix ? emit_variable(e, type) : 0;
    emit_text(e, "(");
    if (before) {
        emit_format(e, "kept%d_%s = ", before, e->root->name);
        emit_target(e, target);
        emit_text(e, ", ");
    }
    put_change(e, target, 0, *t->text);
    if (before) {
        emit_format(e, ", kept%d_%s", before, e->root->name);
    }
    emit_text(e, ")");
    return true;
}
