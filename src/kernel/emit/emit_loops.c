/* Loops and conditions: estimates the iterations of loops for devices that stop long loops, and guards loops against errors
 * of compilers. */
#include "kernel/emit/emit_private.h"

#include <math.h>

enum { MOST_REACH = 128 };

/* the parts of a loop */

typedef struct Loop {
    NodeIndex node, head, condition, step, body; /* 0: the kind of loop has no such part */
    bool is_for;
} Loop;

static Loop loop_of(const Emit *e, NodeIndex node)
{
    NodeIndex part[4] = {0};
    for (int i = 0; i < 4; i++) {
        part[i] = pass_child(&e->t, node, i);
    }
    switch (emit_node(e, node)->kind) {
    case NODE_FOR: return (Loop){node, part[0], part[1], part[2], part[3], true};
    case NODE_WHILE: return (Loop){node, 0, part[0], 0, part[1], false};
    default: return (Loop){node, 0, part[1], 0, part[0], false};
    }
}

bool emit_changes(const Emit *e, NodeIndex node, NodeIndex variable)
{
    return expression_assigns((Typing *)&e->t, node, variable);
}

bool emit_number(const Emit *e, NodeIndex node, double *value)
{
    const Node *n = emit_node(e, node);
    if (n->kind == NODE_CONSTANT_VALUE) {
        NodeIndex first = emit_node(e, n->target)->child;
        return first && !emit_node(e, first)->next && emit_node(e, first)->kind == NODE_NUMBER &&
               expression_literal(&e->t, first, value);
    }
    return expression_literal(&e->t, node, value);
}

static bool is_variable(const Emit *e, NodeIndex node, NodeIndex variable)
{
    const Node *n = emit_node(e, node);
    return (n->kind == NODE_LOCAL || n->kind == NODE_PARAMETER_VALUE) && n->target == variable;
}

bool emit_step(const Emit *e, NodeIndex node, NodeIndex variable, double *by)
{
    const Node *n = emit_node(e, node);
    const Token *t = emit_at(e, node);
    bool down = *t->text == '-';
    *by = 1;
    bool steps = n->kind == NODE_STEP, adds = n->kind == NODE_ASSIGN && (token_is(t, "+=") || token_is(t, "-="));
    if ((!steps && !adds) || !is_variable(e, n->child, variable) ||
        (adds && !emit_number(e, emit_node(e, n->child)->next, by))) {
        return false;
    }
    *by = down ? -*by : *by;
    return true;
}

NodeIndex emit_head_variable(const Emit *e, NodeIndex loop, NodeIndex *value)
{
    NodeIndex head = pass_child(&e->t, loop, 0), first = emit_node(e, head)->child;
    bool declares = emit_node(e, head)->kind == NODE_DECLARE && pass_count(&e->t, head) == 2;
    if (declares) {
        NodeIndex variable = emit_node(e, first)->next;
        *value = emit_node(e, variable)->child;
        return (emit_node(e, variable)->flags & FLAG_VALUE) && !emit_node(e, *value)->next ? variable : 0;
    }
    bool assigns = emit_node(e, head)->kind == NODE_ASSIGN && token_is(emit_at(e, head), "=");
    *value = assigns ? emit_node(e, first)->next : 0;
    return assigns && emit_node(e, first)->kind == NODE_LOCAL ? emit_node(e, first)->target : 0;
}

/* Computes the iterations of "for (int i = A; i < B; i++)" with numbers as bounds, and the largest absolute value of an
 * int (0: too large). Returns false if they are unknown. */
static bool for_trips(const Emit *e, const Loop *loop, double *trips, uint8_t *reach)
{
    NodeIndex value, variable = emit_head_variable(e, loop->node, &value), left = emit_node(e, loop->condition)->child;
    const Token *op = emit_at(e, loop->condition);
    double from, to, step;
    if (!variable || emit_node(e, loop->condition)->kind != NODE_BINARY || !is_variable(e, left, variable) ||
        !emit_number(e, value, &from) || !emit_number(e, emit_node(e, left)->next, &to) ||
        !emit_step(e, loop->step, variable, &step) || emit_changes(e, loop->body, variable)) {
        return false;
    }
    bool up = token_is(op, "<") || token_is(op, "<="), down = token_is(op, ">") || token_is(op, ">=");
    if ((!up && !down) || (up ? step <= 0 : step >= 0)) {
        return false;
    }
    TypeInfo info = emit_info(e, variable);
    bool exact = info.rows == 1 && (info.base == BASE_INT || info.base == BASE_FLOAT);
    if (!exact && (down || from < 0 || to < 0 || step < 0)) {
        return false; /* an unsigned variable never falls below 0 */
    }
    /* Above 2^31 an integer wraps around. A float that is large compared with its step does not change. */
    double largest = fmax(fabs(from), fabs(to)) + fabs(step);
    bool whole = step == floor(step) && from == floor(from);
    if (largest >= 2147483648.0 ||
        (whole ? largest >= 16777216.0 && info.base != BASE_INT : fabs(step) < largest * 1e-5)) {
        return false;
    }
    *trips = (to - from) / step * (whole ? 1.0 : 1.25) + 2;
    *trips = *trips > 0 ? *trips : 1;
    bool near = info.base == BASE_INT && largest < MOST_REACH;
    *reach = near ? (uint8_t)fmax(1, fmax(fabs(from), fabs(to))) : 0;
    return true;
}

/* conditions */

/* Returns whether a statement leaves the loop around it, or skips the statements after it in the loop. */
static bool leaves(const Emit *e, NodeIndex node, bool breaks)
{
    uint32_t kind = emit_node(e, node)->kind;
    bool found = kind == NODE_RETURN || kind == NODE_CONTINUE || (breaks && kind == NODE_BREAK);
    for (NodeIndex i = emit_node(e, node)->child; i && !found; i = emit_node(e, i)->next) {
        found = leaves(e, i, breaks);
    }
    return found;
}

/* In `if (i < min(n, 1)) break;` Mesa (22.3) takes the constant for the end of the loop although it is not, and drops the
 * later iterations and exits that it considers unreachable. It does not analyze a condition that is a separate value. */
static void put_apart(Emit *e, NodeIndex condition)
{
    emit_text(e, "rill_exit((");
    emit_kept(e, condition);
    emit_text(e, "))");
}

void emit_choice_head(Emit *e, NodeIndex node)
{
    NodeIndex test = emit_node(e, node)->child;
    bool choice = emit_node(e, node)->kind == NODE_IF, left = false;
    for (NodeIndex i = emit_node(e, test)->next; i && e->loops > 0; i = emit_node(e, i)->next) {
        left = left || leaves(e, i, choice);
    }
    bool decides = emit_exact(e) && (choice ? emit_decides(e, test) : emit_computes(e, test));
    emit_token(e, emit_at(e, node), "");
    emit_text(e, " (");
    if (choice && left) {
        put_apart(e, test);
    } else if (left || decides) {
        if (choice) {
            emit_helper(e, HELPER_TRUTH, "rill_truth((");
        } else {
            emit_text(e, "rill_case(");
        }
        emit_kept(e, test);
        emit_text(e, choice ? "))" : ")");
    } else {
        emit_value(e, test);
    }
    emit_text(e, ")");
}

static bool always_true(const Emit *e, NodeIndex condition)
{
    uint32_t kind = emit_node(e, condition)->kind;
    return kind == NODE_EMPTY || (kind == NODE_TRUTH && token_is(emit_at(e, condition), "true"));
}

static bool is_name(const Emit *e, NodeIndex node)
{
    uint32_t kind = emit_node(e, node)->kind;
    return kind == NODE_LOCAL || kind == NODE_PARAMETER_VALUE || kind == NODE_CONSTANT_VALUE;
}

/* Returns whether a condition compares a name with a number: "i < 8" or "8 > i". */
static bool compares_number(const Emit *e, NodeIndex node)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "!=", NULL};
    NodeIndex left = emit_node(e, node)->child, right = left ? emit_node(e, left)->next : 0;
    double value;
    return emit_node(e, node)->kind == NODE_BINARY && token_any(emit_at(e, node), signs) &&
           ((emit_number(e, left, &value) && is_name(e, right)) || (is_name(e, left) && emit_number(e, right, &value)));
}

/* Returns whether a value has no variable that the loop's body changes, and does not contain the counter. */
static bool stays(const Emit *e, NodeIndex node, NodeIndex counter, NodeIndex body)
{
    const Node *n = emit_node(e, node);
    bool variable = n->kind == NODE_LOCAL || n->kind == NODE_PARAMETER_VALUE;
    bool stay = !(variable && (n->target == counter || emit_changes(e, body, n->target)));
    for (NodeIndex i = n->child; i && stay; i = emit_node(e, i)->next) {
        stay = stays(e, i, counter, body);
    }
    return stay;
}

/* Returns whether a term is "i < n" or "i <= n" in the head of a `for` in which only the step changes i, upwards, and
 * nothing changes n. */
static bool rises(const Emit *e, NodeIndex term, const Loop *loop)
{
    NodeIndex left = emit_node(e, term)->child;
    const Token *sign = emit_at(e, term);
    double by;
    if (!loop->is_for || emit_node(e, term)->kind != NODE_BINARY || !(token_is(sign, "<") || token_is(sign, "<=")) ||
        !is_name(e, left)) {
        return false;
    }
    NodeIndex variable = emit_node(e, left)->target;
    return stays(e, emit_node(e, left)->next, variable, loop->body) && !emit_changes(e, loop->body, variable) &&
           emit_step(e, loop->step, variable, &by) && by > 0;
}

static bool joins(const Emit *e, NodeIndex node)
{
    return emit_node(e, node)->kind == NODE_LOGICAL && token_is(emit_at(e, node), "&&");
}

/* Returns whether one of the terms of a conjunction is "i < n" as in rises(). The loop ends, or compilers do not know that
 * it does not. (i <= n is always true for the largest n.) */
static bool any_rises(const Emit *e, NodeIndex condition, const Loop *loop)
{
    if (joins(e, condition)) {
        NodeIndex left = emit_node(e, condition)->child;
        return any_rises(e, left, loop) || any_rises(e, emit_node(e, left)->next, loop);
    }
    return token_is(emit_at(e, condition), "<") && rises(e, condition, loop);
}

/* Returns whether a part may load from memory that invocations share: by an index, directly or in a function. */
static bool may_load(const Emit *e, NodeIndex node)
{
    int index;
    const Node *n = emit_node(e, node);
    const Param *param = n->kind == NODE_PARAMETER_VALUE ? emit_param(e, n->target, &index) : NULL;
    bool loads = n->kind == NODE_CALL || (param && param_kinds[param->kind].bound) ||
                 (n->kind == NODE_INDEX && e->root->group_rank);
    for (NodeIndex i = n->child; i && !loads; i = emit_node(e, i)->next) {
        loads = may_load(e, i);
    }
    return loads;
}

/* Writes the terms of a loop's condition. All except those from which compilers count iterations correctly are passed
 * through a function. */
static void terms(Emit *e, NodeIndex condition, const Loop *loop)
{
    if (joins(e, condition)) {
        NodeIndex left = emit_node(e, condition)->child;
        terms(e, left, loop);
        emit_text(e, " && ");
        terms(e, emit_node(e, left)->next, loop);
    } else if (compares_number(e, condition) || rises(e, condition, loop)) {
        emit_value(e, condition);
    } else {
        put_apart(e, condition);
    }
}

/* Writes a loop's condition. One that loads gets an exit before it: see `watch`. Code after the loop may have the value,
 * also if it loads the element again. */
static void put_condition(Emit *e, const Loop *loop)
{
    NodeIndex condition = loop->condition;
    if (emit_node(e, condition)->kind == NODE_EMPTY) {
        return;
    }
    if (emit_node(e, condition)->kind == NODE_DECLARE) {
        emit_declare(e, condition, 0);
    } else if (always_true(e, condition)) {
        emit_value(e, condition);
    } else if (may_load(e, condition)) {
        emit_text(e, "(rill_never() ? false : ");
        put_apart(e, condition);
        emit_text(e, ")");
    } else {
        NodeIndex first = condition;
        while (emit_node(e, first)->kind == NODE_LOGICAL) {
            first = emit_node(e, first)->child;
        }
        e->plain = loop->is_for && emit_node(e, first)->kind == NODE_BINARY ? emit_node(e, first)->child : 0;
        terms(e, condition, loop);
        e->plain = 0;
    }
}

/* bodies */

/* Returns the text that counts the iterations of a loop of unknown length. Without the counter compilers remove loops
 * without effect, even endless ones, and the kernel would continue as if the loop had ended. If a compiler finds that a
 * loop is endless, it removes all code after the loop, also the check for stopped loops. Such a loop gets an exit that is
 * never taken (rill_never in prelude.c). A loop that loads needs an exit before its loads: its condition, or that exit. */
static const char *watch(const Emit *e, const Loop *loop)
{
    bool left = loop->is_for && any_rises(e, loop->condition, loop);
    bool first = left && !joins(e, loop->condition) &&
                 !emit_node(e, pass_child(&e->t, loop->condition, 1))->child; /* the condition is "i < n" */
    return left && (first || !may_load(e, loop->node)) ? " rill_trips += 1u;"
                                                       : " rill_trips += 1u; if (rill_never()) break;";
}

/* Writes the body of a loop. Those with known iterations need no guard. */
static void put_body(Emit *e, const Loop *loop, bool known, double trips)
{
    double outer = e->trips;
    bool empty = emit_node(e, loop->body)->kind == NODE_EMPTY;
    e->loops++;
    e->depth++;
    if (known) {
        e->trips *= trips;
        e->self.trips += e->trips;
        emit_statement(e, loop->body);
    } else if (empty) {
        emit_text(e, ";");
        e->self.unbounded = true;
    } else {
        e->self.unbounded = true;
        emit_text(e, " {");
        emit_text(e, watch(e, loop));
        emit_statement(e, loop->body);
        emit_text(e, " }");
    }
    e->depth--;
    e->loops--;
    e->trips = outer;
}

static void put_for(Emit *e, const Loop *loop)
{
    double trips = 0;
    uint8_t reach = 0;
    NodeIndex value, variable = emit_head_variable(e, loop->node, &value);
    bool known = for_trips(e, loop, &trips, &reach);
    if (emit_ahead(e, loop->node, known ? trips : 0, reach)) {
        return;
    }
    emit_text(e, "for (");
    if (emit_node(e, loop->head)->kind == NODE_DECLARE) {
        emit_declare(e, loop->head, loop->node);
    } else if (emit_node(e, loop->head)->kind != NODE_EMPTY) {
        emit_value(e, loop->head);
    }
    bool counter = variable && e->variables[variable].counter;
    if (variable) {
        e->variables[variable].reach = reach;
    }
    emit_text(e, "; ");
    put_condition(e, loop);
    emit_text(e, "; ");
    if (emit_node(e, loop->step)->kind != NODE_EMPTY) {
        if (counter) {
            e->variables[variable].counter = false;
        }
        emit_value(e, loop->step);
        if (counter) {
            e->variables[variable].counter = true;
        }
    }
    emit_text(e, ")");
    put_body(e, loop, known, trips);
    if (variable) { /* it may be declared outside of the loop */
        e->variables[variable].reach = 0;
    }
}

void emit_loop(Emit *e, NodeIndex node)
{
    Loop loop = loop_of(e, node);
    switch (emit_node(e, node)->kind) {
    case NODE_FOR: put_for(e, &loop); break;
    case NODE_WHILE:
        emit_text(e, "while (");
        put_condition(e, &loop);
        emit_text(e, ")");
        put_body(e, &loop, false, 0);
        break;
    default:
        emit_text(e, "do");
        put_body(e, &loop, false, 0);
        emit_text(e, " while (");
        put_condition(e, &loop);
        emit_text(e, ");");
    }
}
