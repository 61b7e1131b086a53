/* Paths through a function: variables without a value, and ends without return. A state has a bit for each part of a variable
 * that has a value on all paths to a point of the text. Its first bit is set where no path arrives: there all bits are set.
 * The parts of a variable are the components of vectors and matrices, the fields of structures and the elements of arrays; a
 * variable with many of them is one part. */
#include "kernel/check/check_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct Paths {
    Typing *t;
    uint32_t *bits;           /* for each node of the tree: the bit of a variable; 0: none */
    size_t words;             /* of a state */
    uint64_t *state;          /* at the point that was reached */
    uint64_t *ends, *repeats; /* at the breaks and continues of the innermost loop or switch, and loop */
    bool helper;              /* the function is no kernel: outputs of kernels are 0 at first */
    bool failed;              /* host memory was exhausted */
} Paths;

static uint64_t *copy(Paths *p, const uint64_t *from)
{
    uint64_t *state = malloc(p->words * sizeof *state);
    if (!state) {
        p->failed = true;
        return NULL;
    }
    if (from) {
        memcpy(state, from, p->words * sizeof *state);
    } else {
        memset(state, 0xff, p->words * sizeof *state);
    }
    return state;
}

/* Keeps the values that both the current path and the path with the state `other` give. Frees `other`. */
static void join(Paths *p, uint64_t *other)
{
    for (size_t i = 0; other && i < p->words; i++) {
        p->state[i] &= other[i];
    }
    free(other);
}

/* Continues with another state, which is released. */
static void set(Paths *p, uint64_t *state)
{
    if (state) {
        memcpy(p->state, state, p->words * sizeof *state);
    }
    free(state);
}

/* Continues with another state, which becomes the current one. */
static void exchange(Paths *p, uint64_t **other)
{
    uint64_t *state = p->state;
    if (*other) {
        p->state = *other;
        *other = state;
    }
}

/* Continues where no path arrives, since the path jumps to a point with the state `to`. */
static void jump(Paths *p, uint64_t *to)
{
    for (size_t i = 0; i < p->words; i++) {
        if (to) {
            to[i] &= p->state[i];
        }
        p->state[i] = ~(uint64_t)0;
    }
}

static bool has(const Paths *p, uint32_t bit)
{
    return p->state[bit / 64] >> bit % 64 & 1;
}

static void give(Paths *p, uint32_t bit)
{
    p->state[bit / 64] |= (uint64_t)1 << bit % 64;
}

static void take(Paths *p, uint32_t bit)
{
    p->state[bit / 64] &= ~((uint64_t)1 << bit % 64);
}

/* parts */

enum { MOST_PARTS = 64 };

/* Returns the number of parts of a value, at most MOST_PARTS + 1. */
static int count_parts(const Paths *p, TypeIndex type)
{
    TypeInfo info = pass_info(p->t, type);
    int count = 0;
    if (info.base == BASE_ARRAY) {
        int each = info.length > MOST_PARTS ? MOST_PARTS + 1 : count_parts(p, info.element);
        count = info.length > 0 ? info.length * each : MOST_PARTS + 1;
    } else if (info.base == BASE_STRUCTURE) {
        for (NodeIndex d = pass_node(p->t, info.structure)->child; d && count <= MOST_PARTS;
             d = pass_node(p->t, d)->next) {
            NodeIndex v = pass_node(p->t, d)->kind == NODE_DECLARE ? pass_child(p->t, d, 1) : 0;
            for (; v && count <= MOST_PARTS; v = pass_node(p->t, v)->next) {
                count += count_parts(p, pass_node(p->t, v)->type);
            }
        }
    } else {
        count = info.rows * info.columns;
    }
    return count > MOST_PARTS ? MOST_PARTS + 1 : count;
}

/* Returns the number of bits of a variable. */
static int count_bits(const Paths *p, NodeIndex variable)
{
    int count = count_parts(p, pass_node(p->t, variable)->type);
    return count > MOST_PARTS || count < 1 ? 1 : count;
}

/* The bits of an expression that is a variable or a part of it. */
typedef struct Parts {
    uint32_t first;
    int count;
    uint32_t some; /* the bit of a variable with several parts that tells whether one of them has a value; 0: none */
    int order[4];  /* of a swizzle with several components: their numbers, from first */
    int listed;    /* length of `order`; 0: all bits */
    bool any;      /* one value is enough: of an element with a computed index, or a structure */
} Parts;

/* Returns the number of parts before a field in its structure. */
static int field_offset(const Paths *p, NodeIndex structure, NodeIndex field)
{
    int offset = 0;
    for (NodeIndex d = pass_node(p->t, structure)->child; d; d = pass_node(p->t, d)->next) {
        NodeIndex v = pass_node(p->t, d)->kind == NODE_DECLARE ? pass_child(p->t, d, 1) : 0;
        for (; v; v = pass_node(p->t, v)->next) {
            if (v == field) {
                return offset;
            }
            offset += count_parts(p, pass_node(p->t, v)->type);
        }
    }
    return offset;
}

static int component_of(char letter)
{
    static const char letters[] = "xyzwrgbastpq";
    return (int)(strchr(letters, letter) - letters) % 4;
}

static Parts variable_parts(const Paths *p, NodeIndex variable)
{
    uint32_t first = p->bits[variable];
    int count = first ? count_bits(p, variable) : 0;
    return (Parts){.first = first, .count = count, .some = count > 1 ? first + (uint32_t)count : 0};
}

static Parts swizzle_parts(const Paths *p, NodeIndex node, Parts whole)
{
    const Token *name = node_token(p->t->tree, node);
    Parts parts = {.first = whole.first, .count = whole.count, .some = whole.some, .listed = name->length};
    for (int i = 0; i < name->length; i++) {
        int component = component_of(name->text[i]);
        parts.order[i] = whole.listed ? whole.order[component] : component;
    }
    return parts;
}

static Parts index_parts(const Paths *p, NodeIndex node, Parts whole)
{
    double value;
    int each = count_parts(p, pass_node(p->t, node)->type);
    if (!expression_literal(p->t, pass_child(p->t, node, 1), &value)) {
        whole.any = true;
        return whole;
    }
    int at = value > 0 && value < MOST_PARTS ? (int)value : 0;
    if (whole.listed) {
        return (Parts){whole.first, whole.count, whole.some, {whole.order[at & 3]}, 1, false};
    }
    bool inside = (at + 1) * each <= whole.count;
    whole.first += inside ? (uint32_t)(at * each) : 0;
    whole.count = inside ? each : whole.count;
    return whole;
}

/* Returns the bits of an expression; none if it is no part of a variable that is followed. */
static Parts parts_of(const Paths *p, NodeIndex node)
{
    const Node *n = pass_node(p->t, node);
    if (n->kind == NODE_LOCAL || n->kind == NODE_PARAMETER_VALUE) {
        return variable_parts(p, n->target);
    }
    if (n->kind != NODE_PAREN && n->kind != NODE_FIELD && n->kind != NODE_SWIZZLE && n->kind != NODE_INDEX) {
        return (Parts){0};
    }
    Parts whole = parts_of(p, n->child);
    bool one = whole.count < 2 || whole.any || n->kind == NODE_PAREN; /* parts are not followed */
    if (one) {
        return whole;
    }
    if (n->kind == NODE_FIELD) {
        TypeInfo info = pass_info(p->t, pass_node(p->t, n->child)->type);
        whole.first += (uint32_t)field_offset(p, info.structure, n->target);
        whole.count = count_parts(p, n->type);
        return whole;
    }
    return n->kind == NODE_SWIZZLE ? swizzle_parts(p, node, whole) : index_parts(p, node, whole);
}

static uint32_t bit_of(const Parts *parts, int i)
{
    return parts->first + (uint32_t)(parts->listed ? parts->order[i] : i);
}

static int length_of(const Parts *parts)
{
    return parts->count == 0 ? 0 : parts->listed ? parts->listed : parts->count;
}

/* Returns whether an expression has a value. */
static bool has_value(const Paths *p, const Parts *parts)
{
    bool all = true;
    for (int i = 0; i < length_of(parts) && all; i++) {
        all = has(p, bit_of(parts, i));
    }
    return all || (parts->any && parts->some && has(p, parts->some));
}

static void give_parts(Paths *p, const Parts *parts)
{
    for (int i = 0; i < length_of(parts); i++) {
        give(p, bit_of(parts, i));
    }
    if (parts->some) {
        give(p, parts->some);
    }
}

/* expressions */

static void visit(Paths *p, NodeIndex node);

static void visit_children(Paths *p, NodeIndex node)
{
    for (NodeIndex i = pass_node(p->t, node)->child; i; i = pass_node(p->t, i)->next) {
        visit(p, i);
    }
}

static void visit_indices(Paths *p, NodeIndex node);

/* Visits an expression that is a variable or a part of it. */
static void visit_part(Paths *p, NodeIndex node, NodeIndex variable)
{
    Parts parts = parts_of(p, node), whole = variable_parts(p, variable);
    const Token *name = node_token(p->t->tree, variable);
    Base base = pass_info(p->t, pass_node(p->t, node)->type).base;
    parts.any = parts.any || base == BASE_STRUCTURE || base == BASE_ARRAY; /* copies may have fields without a value */
    visit_indices(p, node);
    if (has_value(p, &parts)) {
        return;
    }
    TypeIndex type = pass_node(p->t, variable)->type;
    bool plain = pass_is_plain(pass_info(p->t, type)), some = whole.some && has(p, whole.some);
    bool output = pass_node(p->t, variable)->kind == NODE_PARAMETER;
    StrBuf remedy = STRBUF_EMPTY;
    int line = source_line(p->t->tree->source, name->offset);
    if (output) {
        strbuf_add(&remedy, "assign a value to it first, or declare it inout");
    } else if (plain) {
        strbuf_addf(&remedy, "give it one where it is declared (line %d): = %s(0)", line, pass_name(p->t, type));
    } else {
        strbuf_addf(&remedy, "it is declared in line %d: assign all of its parts first", line);
    }
    message_add(p->t->messages, pass_first(p->t, node), "%s'%.*s' has no value on some path to here\n%s",
                some ? "a part of " : "", name->length, name->text, strbuf_text(&remedy));
    strbuf_free(&remedy);
    give_parts(p, &whole);
}

/* Visits the indices in an expression that is assigned to. */
static void visit_indices(Paths *p, NodeIndex node)
{
    uint32_t kind = pass_node(p->t, node)->kind;
    if (kind == NODE_INDEX || kind == NODE_ELEMENT) {
        visit(p, pass_child(p->t, node, 1));
    }
    if (kind == NODE_INDEX || kind == NODE_ELEMENT || kind == NODE_FIELD || kind == NODE_SWIZZLE ||
        kind == NODE_PAREN) {
        visit_indices(p, pass_node(p->t, node)->child);
    }
}

static void give_value(Paths *p, NodeIndex node)
{
    Parts parts = parts_of(p, node);
    give_parts(p, &parts);
}

static void visit_assign(Paths *p, NodeIndex node)
{
    NodeIndex target = pass_node(p->t, node)->child;
    if (node_token(p->t->tree, node)->length == 1) {
        visit_indices(p, target);
    } else {
        visit(p, target);
    }
    visit(p, pass_node(p->t, target)->next);
    give_value(p, target);
}

static void visit_call(Paths *p, NodeIndex node)
{
    bool read;
    int k = 0;
    for (NodeIndex i = pass_node(p->t, node)->child; i; i = pass_node(p->t, i)->next, k++) {
        if (!expression_changes(p->t, node, k, &read) || read) {
            visit(p, i);
        } else {
            visit_indices(p, i);
        }
    }
    k = 0;
    for (NodeIndex i = pass_node(p->t, node)->child; i; i = pass_node(p->t, i)->next, k++) {
        if (expression_changes(p->t, node, k, &read)) {
            give_value(p, i);
        }
    }
}

static uint64_t *visit_condition(Paths *p, NodeIndex node);

/* Visits a && b, or a || b. See visit_condition. */
static uint64_t *visit_both(Paths *p, NodeIndex node)
{
    bool both = token_is(node_token(p->t->tree, node), "&&");
    uint64_t *other = visit_condition(p, pass_child(p->t, node, 0)), *second = NULL;
    if (!both) {
        exchange(p, &other);
    }
    second = visit_condition(p, pass_child(p->t, node, 1));
    if (!both) {
        exchange(p, &second);
    }
    for (size_t i = 0; other && second && i < p->words; i++) {
        other[i] &= second[i];
    }
    free(second);
    if (!both) {
        exchange(p, &other);
    }
    return other;
}

/* Visits a condition. Continues where it is true. Returns the state where it is false. */
static uint64_t *visit_condition(Paths *p, NodeIndex node)
{
    const Node *n = pass_node(p->t, expression_bare(p->t, node));
    const Token *token = node_token(p->t->tree, expression_bare(p->t, node));
    if (n->kind == NODE_LOGICAL && !token_is(token, "^^")) {
        return visit_both(p, expression_bare(p->t, node));
    }
    if (n->kind == NODE_UNARY && token_is(token, "!")) {
        uint64_t *other = visit_condition(p, n->child);
        exchange(p, &other);
        return other;
    }
    visit(p, node);
    bool never = n->kind == NODE_TRUTH && token_is(token, "false"), always = n->kind == NODE_TRUTH && !never;
    uint64_t *other = copy(p, always ? NULL : p->state);
    if (never) {
        jump(p, NULL);
    }
    return other;
}

/* Visits ?:, or an `if`, whose `other` part may be 0. */
static void visit_branches(Paths *p, NodeIndex node)
{
    NodeIndex first = pass_node(p->t, node)->child, second = pass_node(p->t, first)->next;
    uint64_t *other = visit_condition(p, first);
    visit(p, second);
    exchange(p, &other);
    visit(p, pass_node(p->t, second)->next);
    join(p, other);
}

static void visit_logical(Paths *p, NodeIndex node)
{
    if (token_is(node_token(p->t->tree, node), "^^")) {
        visit_children(p, node);
    } else {
        join(p, visit_condition(p, node));
    }
}

/* statements */

static bool is_true(const Paths *p, NodeIndex node)
{
    node = expression_bare(p->t, node);
    uint32_t kind = pass_node(p->t, node)->kind;
    return kind == NODE_EMPTY || (kind == NODE_TRUTH && token_is(node_token(p->t->tree, node), "true"));
}

static void visit_variable(Paths *p, NodeIndex node)
{
    const Node *n = pass_node(p->t, node);
    visit_children(p, node);
    Parts parts = variable_parts(p, node);
    int bits = parts.count + (parts.some > 0);
    for (int i = 0; i < bits && !has(p, 0); i++) { /* in a loop the variable begins without a value again */
        take(p, parts.first + (uint32_t)i);
    }
    if (n->flags & FLAG_VALUE) {
        give_parts(p, &parts);
    }
}

/* Visits the body of a loop. Continues at its step. */
static void visit_body(Paths *p, NodeIndex body)
{
    uint64_t *outer = p->repeats;
    p->repeats = copy(p, NULL);
    visit(p, body);
    join(p, p->repeats);
    p->repeats = outer;
}

static void visit_loop(Paths *p, NodeIndex node)
{
    uint32_t kind = pass_node(p->t, node)->kind;
    NodeIndex condition = pass_child(p->t, node, kind == NODE_WHILE ? 0 : 1);
    uint64_t *outer = p->ends, *skipped = NULL;
    p->ends = copy(p, NULL);
    if (kind == NODE_FOR) {
        visit(p, pass_child(p->t, node, 0));
    }
    if (kind != NODE_DO) {
        skipped = visit_condition(p, condition);
        if (is_true(p, condition) || (kind == NODE_FOR && check_begins(p->t, node))) {
            free(skipped);
            skipped = NULL;
        }
    }
    visit_body(p, pass_child(p->t, node, kind == NODE_FOR ? 3 : kind == NODE_DO ? 0 : 1));
    visit(p, kind == NODE_FOR ? pass_child(p->t, node, 2) : 0);
    if (kind == NODE_DO) {
        set(p, visit_condition(p, condition));
    }
    if (is_true(p, condition)) {
        jump(p, NULL);
    }
    join(p, skipped);
    join(p, p->ends);
    p->ends = outer;
}

static void visit_switch(Paths *p, NodeIndex node)
{
    NodeIndex value = pass_node(p->t, node)->child, block = pass_node(p->t, value)->next;
    uint64_t *outer = p->ends;
    bool complete = false;
    visit(p, value);
    uint64_t *before = copy(p, p->state);
    p->ends = copy(p, NULL);
    jump(p, NULL);
    for (NodeIndex i = pass_node(p->t, block)->child; i; i = pass_node(p->t, i)->next) {
        if (pass_node(p->t, i)->kind == NODE_CASE) {
            complete = complete || !pass_node(p->t, i)->child;
            join(p, before ? copy(p, before) : NULL);
        }
        visit(p, i);
    }
    if (complete) {
        free(before);
    } else {
        join(p, before);
    }
    join(p, p->ends);
    p->ends = outer;
}

/* Notes the outputs of a function that have no value on a path to its end: they are 0 at first then. */
static void end_path(Paths *p)
{
    for (NodeIndex i = pass_node(p->t, p->t->function)->child; i; i = pass_node(p->t, i)->next) {
        Parts parts = variable_parts(p, i);
        if (parts.count > 0 && !has_value(p, &parts)) {
            pass_node(p->t, i)->flags |= FLAG_UNSET;
        }
    }
}

static void visit(Paths *p, NodeIndex node)
{
    if (!node || p->failed) {
        return;
    }
    NodeIndex root = expression_root(p->t, node);
    if (root && p->bits[root]) {
        visit_part(p, node, root);
        return;
    }
    switch (pass_node(p->t, node)->kind) {
    case NODE_ASSIGN: visit_assign(p, node); break;
    case NODE_CALL:
    case NODE_BUILTIN:
    case NODE_SAMPLE: visit_call(p, node); break;
    case NODE_LOGICAL: visit_logical(p, node); break;
    case NODE_IF:
    case NODE_CHOICE: visit_branches(p, node); break;
    case NODE_VARIABLE: visit_variable(p, node); break;
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_DO: visit_loop(p, node); break;
    case NODE_SWITCH: visit_switch(p, node); break;
    case NODE_BREAK: jump(p, p->ends); break;
    case NODE_CONTINUE: jump(p, p->repeats); break;
    case NODE_RETURN:
        visit_children(p, node);
        end_path(p);
        jump(p, NULL);
        break;
    case NODE_MEMBER: break; /* x.length() */
    default: visit_children(p, node);
    }
}

/* Numbers the variables without an initial value. Shared variables, and those of fields, have none. */
static uint32_t number(Paths *p, NodeIndex node, uint32_t count)
{
    for (NodeIndex i = pass_node(p->t, node)->child; i; i = pass_node(p->t, i)->next) {
        const Node *n = pass_node(p->t, i);
        if (n->kind == NODE_DECLARE && (n->flags & FLAG_SHARED)) {
            continue;
        }
        bool output = n->kind == NODE_PARAMETER && (n->flags & FLAG_PARAM(PARAM_OUTPUT)) && p->helper;
        if (output || (n->kind == NODE_VARIABLE && !(n->flags & FLAG_SHARED))) {
            p->bits[i] = count + 1;
            int bits = count_bits(p, i);
            count += (uint32_t)(bits + (bits > 1));
        }
        if (n->kind != NODE_STRUCTURE) {
            count = number(p, i, count);
        }
    }
    return count;
}

/* Takes arrays of which an element with a computed index is changed from the variables: their elements are not followed. */
static void drop_arrays(Paths *p, NodeIndex node)
{
    const Node *n = pass_node(p->t, node);
    double value;
    if (n->kind == NODE_INDEX && !expression_literal(p->t, pass_child(p->t, node, 1), &value)) {
        NodeIndex root = expression_root(p->t, node);
        p->bits[root] = 0;
    }
    for (NodeIndex i = n->child; i; i = pass_node(p->t, i)->next) {
        drop_arrays(p, i);
    }
}

/* Finds what assignments and calls change, for drop_arrays. */
static void find_changes(Paths *p, NodeIndex node)
{
    const Node *n = pass_node(p->t, node);
    bool call = n->kind == NODE_CALL || n->kind == NODE_BUILTIN || n->kind == NODE_SAMPLE, read;
    if (n->kind == NODE_ASSIGN || n->kind == NODE_STEP) {
        drop_arrays(p, n->child);
    }
    int k = 0;
    for (NodeIndex i = n->child; i; i = pass_node(p->t, i)->next, k++) {
        if (call && expression_changes(p->t, node, k, &read)) {
            drop_arrays(p, i);
        }
        find_changes(p, i);
    }
}

bool check_paths(Typing *t, NodeIndex function, uint32_t *bits)
{
    Paths p = {
        .t = t, .bits = bits, .helper = !(pass_node(t, function)->flags & (FLAG_KERNEL | FLAG_PARAM(PARAM_REDUCE)))};
    p.words = number(&p, function, 0) / 64 + 1;
    find_changes(&p, function);
    p.state = calloc(p.words, sizeof *p.state);
    if (p.state) {
        visit_children(&p, function);
        end_path(&p);
        const Token *name = node_token(t->tree, function);
        if (!p.failed && !has(&p, 0) && pass_info(t, pass_node(t, function)->type).base != BASE_VOID) {
            message_add(t->messages, name, "a path of '%.*s' ends without return\nwrite a return at its end",
                        name->length, name->text);
        }
    }
    bool done = p.state && !p.failed;
    free(p.state);
    return done || error_set("out of host memory");
}
