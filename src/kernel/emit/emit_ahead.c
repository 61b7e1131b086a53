/* Loops over gathers. On GPUs the elements of four iterations (two if the body is large) are loaded before the first of
 * these iterations begins, so that the loads do not wait for each other. Instead of "for (int j = A; j < B; j++) body" the text is
 *
 *     { int rill_turn = A, rill_stop = B, rill_last = max(rill_stop, -2147483645) - 3;
 *     for (; rill_turn < rill_last; rill_turn += 4) {
 *         vec4 rill_l1_1 = g_q(rill_turn), rill_l1_2 = g_q(rill_turn + 1), rill_l1_3 = ..., rill_l1_4 = ...;
 *         { int u_j = rill_turn; body, with rill_l1_1 for q[j] }
 *         { int u_j = rill_turn + 1; body, with rill_l1_2 for q[j] } ...
 *     }
 *     for (int u_j = rill_turn; u_j < rill_stop; u_j++) body }
 *
 * The iterations have the same order and the same values as before. Elements are loaded only if each iteration loads
 * them, and their indices do not depend on what the body does. */
#include "kernel/emit/emit_private.h"

#include <string.h>

enum {
    MOST_TURNS = 4,
    MOST_NODES = 120,   /* of a body with its functions, of which there are MOST_TURNS + 1 copies: with more, compilers
                           take over twice as long. With up to twice as many nodes there are 2 + 1 copies */
    GATHER_NODES = 16,  /* what the function of a gather takes as nodes */
    BUILTIN_NODES = 8,  /* other functions */
    MOST_LOADS = 8,     /* elements of an iteration */
    MOST_WORDS = 16,    /* of these elements: they need MOST_TURNS times as many registers */
    MOST_STEP = 65536,  /* of the counter */
    MOST_LOCALS = 3,    /* in a chain of variables, each of which is in the initial value of the one before */
    MOST_COPIED = 2048, /* iterations of a loop of which there may be four copies: see TRIP_BUDGET in variant.c */
    UNROLLED = 66       /* compilers unroll loops with up to this number of known iterations, as for_trips counts */
};

struct Ahead {
    NodeIndex variable, value, bound, body;
    bool declares, inclusive; /* the head is "int j = A"; the condition is "j <= B" */
    int by, turns; /* step of the counter; iterations whose elements are loaded together: 4, or 2 of large bodies */
    NodeIndex loads[MOST_LOADS];
    int count, words;
};

/* what is known before an iteration */

static bool contains(const Emit *e, NodeIndex node, NodeIndex wanted)
{
    bool found = node == wanted;
    for (NodeIndex i = emit_node(e, node)->child; i && !found; i = emit_node(e, i)->next) {
        found = contains(e, i, wanted);
    }
    return found;
}

/* Returns the launched kernel's parameter of a gather, or -1 if the kernel writes the stream. */
static int source_of(const Emit *e, NodeIndex gather)
{
    while (emit_node(e, gather)->kind == NODE_GATHER) {
        gather = emit_node(e, gather)->child;
    }
    int root = emit_root(e, gather);
    return root >= 0 && e->root->params[root].kind == PARAM_GATHER ? root : -1;
}

static bool is_early(Emit *e, const Ahead *a, NodeIndex node, bool counter, int locals);

/* Returns whether an expression has operations on floats, whose results may be rounded differently where they are repeated. */
static bool rounds(const Emit *e, NodeIndex node)
{
    const Node *n = emit_node(e, node);
    bool operation = n->kind == NODE_BINARY || n->kind == NODE_UNARY || n->kind == NODE_BUILTIN;
    Base base = operation ? emit_info(e, node).base : BASE_INT;
    bool found = base == BASE_FLOAT || base == BASE_DOUBLE;
    for (NodeIndex i = n->child; i && !found; i = emit_node(e, i)->next) {
        found = rounds(e, i);
    }
    return found;
}

/* Returns whether the value of a variable is known before the iteration. One that the body declares is computed from its
 * initial value. */
static bool is_known(Emit *e, const Ahead *a, NodeIndex variable, bool counter, int locals)
{
    const Node *n = emit_node(e, variable);
    if (variable == a->variable) {
        return counter;
    }
    if (e->variables[variable].shared || emit_changes(e, a->body, variable)) {
        return false;
    }
    if (!contains(e, a->body, variable)) {
        return true;
    }
    Base base = emit_info(e, variable).base;
    bool whole = base == BASE_INT || base == BASE_UINT;
    bool known = whole && (n->flags & FLAG_VALUE) && !emit_node(e, n->child)->next && locals < MOST_LOCALS &&
                 !rounds(e, n->child) && is_early(e, a, n->child, counter, locals + 1);
    /* It remains set if the same variable is the last of a longer chain somewhere else. */
    e->variables[variable].early = e->variables[variable].early || known;
    return known;
}

/* Returns whether an expression has the same value before the iteration: it depends on the counter (if `counter`), and on
 * what the body does not change. */
static bool is_early(Emit *e, const Ahead *a, NodeIndex node, bool counter, int locals)
{
    const Node *n = emit_node(e, node);
    bool early = true;
    switch (n->kind) {
    case NODE_LOCAL:
    case NODE_PARAMETER_VALUE: return is_known(e, a, n->target, counter, locals);
    case NODE_GATHER: early = source_of(e, node) >= 0; break;
    case NODE_NUMBER:
    case NODE_TRUTH:
    case NODE_CONSTANT_VALUE:
    case NODE_FIELD:
    case NODE_SWIZZLE:
    case NODE_INDEX:
    case NODE_UNARY:
    case NODE_BINARY:
    case NODE_CONVERT:
    case NODE_CONSTRUCT:
    case NODE_TYPE:
    case NODE_PAREN:
    case NODE_QUERY: break;
    case NODE_BUILTIN: early = expression_pure(&e->t, node); break;
    default: return false;
    }
    for (NodeIndex i = n->child; i && early; i = emit_node(e, i)->next) {
        early = is_early(e, a, i, counter, locals);
    }
    return early;
}

/* the body */

/* Subtracts the nodes of a part, and of the functions that it calls, from `*left`. Returns false if the part cannot be
 * repeated: it is too large, or has loops, exits, arrays, or variables that invocations share. */
static bool repeats(const Emit *e, NodeIndex node, int *left, bool called)
{
    const Node *n = emit_node(e, node);
    bool other = n->kind == NODE_BUILTIN || n->kind == NODE_SAMPLE || n->kind == NODE_NEIGHBOR;
    *left -= n->kind == NODE_GATHER ? GATHER_NODES : n->kind == NODE_RANDOM ? MOST_NODES : other ? BUILTIN_NODES : 1;
    bool fits = *left >= 0;
    switch (n->kind) {
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_DO:
    case NODE_BARRIER:
    case NODE_DAMAGED: return false;
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_RETURN: fits = fits && called; break;
    case NODE_DECLARE: fits = fits && !(n->flags & (FLAG_SHARED | FLAG_STATIC)); break;
    case NODE_VARIABLE: fits = fits && emit_info(e, node).base != BASE_ARRAY; break;
    case NODE_CALL: fits = fits && n->target && repeats(e, n->target, left, true); break;
    default: break;
    }
    for (NodeIndex i = n->child; i && fits; i = emit_node(e, i)->next) {
        fits = repeats(e, i, left, called);
    }
    return fits;
}

/* Returns whether two expressions are written with the same tokens and variables. */
static bool same(const Emit *e, NodeIndex a, NodeIndex b)
{
    const Node *m = emit_node(e, a), *n = emit_node(e, b);
    const Token *s = emit_at(e, a), *t = emit_at(e, b);
    bool equal = m->kind == n->kind && m->type == n->type && m->target == n->target && s->length == t->length &&
                 memcmp(s->text, t->text, (size_t)s->length) == 0;
    NodeIndex i = m->child, k = n->child;
    for (; i && k && equal; i = emit_node(e, i)->next, k = emit_node(e, k)->next) {
        equal = same(e, i, k);
    }
    return equal && !i && !k;
}

/* Adds an element to those that are loaded ahead. Equal ones are loaded once. */
static void add_load(Emit *e, Ahead *a, NodeIndex gather)
{
    int words = (int)(emit_bytes(e, emit_node(e, gather)->type) / 4.0), k = 0;
    while (k < a->count && !same(e, a->loads[k], gather)) {
        k++;
    }
    if (k == a->count && (k == MOST_LOADS || a->words + words > MOST_WORDS)) {
        return;
    }
    if (k == a->count) {
        a->loads[a->count++] = gather;
        a->words += words;
    }
    e->variables[gather].loaded = (uint8_t)(k + 1);
}

/* Finds the gathers that every iteration evaluates, and whose indices are known before it. partial: the node is a gather
 * that lacks the last indices. */
static void find_loads(Emit *e, Ahead *a, NodeIndex node, bool partial)
{
    const Node *n = emit_node(e, node);
    bool some = n->kind == NODE_IF || n->kind == NODE_SWITCH || n->kind == NODE_CHOICE || n->kind == NODE_LOGICAL;
    e->variables[node].loaded = 0;
    if (n->kind == NODE_GATHER && !partial && is_early(e, a, node, true, 0)) {
        add_load(e, a, node);
        return;
    }
    for (NodeIndex i = n->child; i; i = some ? 0 : emit_node(e, i)->next) {
        find_loads(e, a, i, n->kind == NODE_GATHER && i == n->child);
    }
}

/* the loop */

/* Reads the head of "for (int j = A; j < B; j++)". Returns false if the loop has another form. */
static bool read_head(Emit *e, NodeIndex loop, Ahead *a)
{
    NodeIndex head = pass_child(&e->t, loop, 0), condition = emit_node(e, head)->next,
              step = emit_node(e, condition)->next;
    double by;
    a->variable = emit_head_variable(e, loop, &a->value);
    a->declares = emit_node(e, head)->kind == NODE_DECLARE;
    a->body = emit_node(e, step)->next;
    a->inclusive = token_is(emit_at(e, condition), "<=");
    if (!a->variable || emit_node(e, condition)->kind != NODE_BINARY ||
        (!a->inclusive && !token_is(emit_at(e, condition), "<"))) {
        return false;
    }
    const Node *left = emit_node(e, emit_node(e, condition)->child);
    a->bound = left->next;
    TypeIndex type = emit_node(e, a->variable)->type;
    bool whole = type == types_of(BASE_INT, 1, 1) || type == types_of(BASE_UINT, 1, 1);
    bool steps = whole && left->kind == NODE_LOCAL && left->target == a->variable &&
                 emit_node(e, a->bound)->type == type && emit_step(e, step, a->variable, &by) && by >= 1 &&
                 by <= MOST_STEP && by == (int)by;
    a->by = steps ? (int)by : 0;
    return steps && !(a->declares ? emit_counts(e, loop, a->variable) : e->variables[a->variable].shared);
}

/* Returns whether the elements of a loop can be loaded ahead. `trips`: see emit_ahead. If a loop has few iterations, an
 * invocation computes four elements of the launch, and its program has a copy of the loop for each of them. */
static bool find(Emit *e, NodeIndex loop, double trips, Ahead *a)
{
    bool copied = trips > 0 && trips <= MOST_COPIED;
    int most = copied ? MOST_NODES / 4 : MOST_NODES, left = 2 * most;
    if (!read_head(e, loop, a) || !repeats(e, a->body, &left, false) || emit_changes(e, a->body, a->variable) ||
        !is_early(e, a, a->bound, false, MOST_LOCALS)) {
        return false;
    }
    a->turns = left >= most ? MOST_TURNS : 2;
    find_loads(e, a, a->body, false);
    return a->count > 0;
}

/* Writes a number of the type of the counter. */
static void put_number(Emit *e, const Ahead *a, long number)
{
    emit_format(e, "%ld%s", number, emit_info(e, a->variable).base == BASE_UINT ? "u" : "");
}

/* Writes the variables of the loop: the first value, the bound, and the value from which on fewer than a->turns
 * iterations remain. */
static void put_range(Emit *e, const Ahead *a)
{
    TypeIndex type = emit_node(e, a->variable)->type;
    long back = (a->turns - 1) * (long)a->by - a->inclusive;
    long least = emit_info(e, a->variable).base == BASE_UINT ? 0 : -2147483647L - 1;
    emit_type_name(e, type);
    emit_text(e, " rill_turn = ");
    emit_converted(e, a->value, type);
    emit_text(e, ", rill_stop = ");
    emit_converted(e, a->bound, type);
    emit_text(e, ", rill_last = max(rill_stop, ");
    put_number(e, a, least + back);
    emit_text(e, ") - ");
    put_number(e, a, back);
    emit_text(e, ";");
}

/* Writes the value of the counter in iteration e->turn of those that are written. */
static void put_turn(Emit *e, const Ahead *a)
{
    emit_text(e, "rill_turn");
    if (e->turn > 1) {
        emit_text(e, " + ");
        put_number(e, a, (e->turn - 1) * (long)a->by);
    }
}

bool emit_early(Emit *e, NodeIndex local)
{
    NodeIndex variable = emit_node(e, local)->target;
    TypeIndex type = emit_node(e, variable)->type;
    if (!e->ahead || (variable != e->ahead->variable && !e->variables[variable].early)) {
        return false;
    }
    emit_type_name(e, type);
    emit_text(e, "(");
    if (variable == e->ahead->variable) {
        put_turn(e, e->ahead);
    } else {
        emit_converted(e, emit_node(e, variable)->child, type);
    }
    emit_text(e, ")");
    return true;
}

bool emit_loaded(Emit *e, NodeIndex gather)
{
    bool loaded = e->turn && !e->ahead && e->variables[gather].loaded;
    if (loaded) {
        emit_format(e, "rill_l%d_%d", e->variables[gather].loaded, e->turn);
    }
    return loaded;
}

/* Writes the loads of a->turns iterations. */
static void put_loads(Emit *e, const Ahead *a)
{
    e->ahead = a;
    for (int k = 0; k < a->count; k++) {
        emit_line(e);
        emit_text(e, emit_exact(e) ? "precise " : "");
        emit_type_name(e, emit_node(e, a->loads[k])->type);
        for (e->turn = 1; e->turn <= a->turns; e->turn++) {
            emit_format(e, "%s rill_l%d_%d = ", e->turn > 1 ? "," : "", k + 1, e->turn);
            emit_value(e, a->loads[k]);
        }
        emit_text(e, ";");
    }
    e->ahead = NULL;
}

/* Writes "int j = ", or "j = " if the loop does not declare its counter. */
static void put_counter(Emit *e, const Ahead *a)
{
    if (a->declares) {
        emit_type_name(e, emit_node(e, a->variable)->type);
        emit_text(e, " ");
    }
    emit_token(e, emit_at(e, a->variable), "u_");
    emit_text(e, " = ");
}

/* Writes the loop over a->turns iterations at a time. */
static void put_turns(Emit *e, const Ahead *a, const char *watch)
{
    emit_line(e);
    emit_text(e, "for (; rill_turn < rill_last; rill_turn += ");
    put_number(e, a, a->turns * (long)a->by);
    emit_format(e, ") {%s", watch);
    e->depth++;
    put_loads(e, a);
    for (e->turn = 1; e->turn <= a->turns; e->turn++) {
        emit_line(e);
        emit_text(e, "{ ");
        put_counter(e, a);
        put_turn(e, a);
        emit_text(e, ";");
        emit_statement(e, a->body);
        emit_text(e, " }");
    }
    e->turn = 0;
    e->depth--;
    emit_line(e);
    emit_text(e, "}");
}

/* Writes the loop over the last iterations. One with "j <= B" may be endless: see emit_loops.c. */
static void put_rest(Emit *e, const Ahead *a, const char *watch)
{
    const Token *name = emit_at(e, a->variable);
    emit_line(e);
    emit_text(e, "for (");
    put_counter(e, a);
    emit_text(e, "rill_turn; ");
    emit_token(e, name, "u_");
    emit_text(e, a->inclusive ? " <= rill_stop; " : " < rill_stop; ");
    emit_token(e, name, "u_");
    emit_text(e, " += ");
    put_number(e, a, a->by);
    emit_format(e, ") {%s%s", watch, a->inclusive ? " if (rill_never()) break;" : "");
    emit_statement(e, a->body);
    emit_text(e, " }");
}

bool emit_ahead(Emit *e, NodeIndex loop, double trips, uint8_t reach)
{
    Ahead a = {0};
    if ((trips > 0 && trips <= UNROLLED) || !find(e, loop, trips, &a)) {
        return false;
    }
    e->body->has_ahead = true;
    if (!e->forward) {
        return false;
    }
    const char *watch = trips > 0 ? "" : " rill_trips += 1u;";
    emit_text(e, "{ ");
    put_range(e, &a);
    if (a.declares) {
        e->variables[a.variable] = (EmitVariable){0};
    }
    e->variables[a.variable].reach = reach;
    e->depth++;
    e->loops++;
    put_turns(e, &a, watch);
    put_rest(e, &a, watch);
    e->loops--;
    e->depth--;
    e->variables[a.variable].reach = 0;
    emit_text(e, " }");
    return true;
}
