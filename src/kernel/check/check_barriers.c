/* Barriers that some invocations of a group do not reach. Facts follow from the assignments and calls of a text: which
 * functions have a barrier, and which values differ between the invocations of a group. A fact about a node propagates along
 * edges: from a function to its callers, from a value to what is computed from it, and from a condition to what it
 * controls. */
#include "kernel/check/check_private.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum {
    FACT_BARRIER = 1, /* a call of the function waits for the group */
    FACT_VARYING = 2  /* the value, or whether the statement runs, differs between the invocations of a group */
};

typedef struct Mark {
    uint32_t edge;  /* 1 + the first edge from the node; 0: none */
    unsigned facts; /* FACT_... */
} Mark;

typedef struct Edge {
    NodeIndex to;
    unsigned facts; /* that propagate */
    uint32_t next;  /* 1 + the next edge from the node; 0: none */
} Edge;

/* A barrier, or a call of a function. */
typedef struct Site {
    NodeIndex node, function;
    NodeIndex why[3]; /* Graph.control, skipped and left */
} Site;

typedef struct Graph {
    Typing *t;
    Mark *marks;            /* of each node */
    NodeIndex control;      /* the innermost statement that decides whether the current one runs; 0: none */
    NodeIndex skipped;      /* the last statement that leaves an iteration or a `switch`; 0: none */
    NodeIndex left;         /* the last `return`; 0: none */
    NodeIndex inner, outer; /* the innermost loop or `switch`, and the outermost loop; 0: none */
    struct {
        Edge *items;
        size_t count, capacity;
    } edges;
    struct {
        Site *items;
        size_t count, capacity;
    } sites;
    bool failed; /* host memory was exhausted */
} Graph;

static Mark *mark_of(const Graph *g, NodeIndex node)
{
    return &g->marks[node];
}

static void add_edge(Graph *g, NodeIndex from, NodeIndex to, unsigned facts)
{
    if (!from || !to) {
        return;
    }
    if (!ARRAY_ROOM(&g->edges)) {
        g->failed = true;
        return;
    }
    g->edges.items[g->edges.count++] = (Edge){to, facts, mark_of(g, from)->edge};
    mark_of(g, from)->edge = (uint32_t)g->edges.count;
}

static void varies(Graph *g, NodeIndex node)
{
    mark_of(g, node)->facts |= FACT_VARYING;
}

static void add_site(Graph *g, NodeIndex node)
{
    if (ARRAY_ROOM(&g->sites)) {
        g->sites.items[g->sites.count++] = (Site){node, g->t->function, {g->control, g->skipped, g->left}};
    } else {
        g->failed = true;
    }
}

/* expressions: edges lead from what they read to the node `to` */

static void walk(Graph *g, NodeIndex node, NodeIndex to);

static void walk_children(Graph *g, NodeIndex node, NodeIndex to)
{
    for (NodeIndex i = pass_node(g->t, node)->child; i; i = pass_node(g->t, i)->next) {
        walk(g, i, to);
    }
}

/* Notes that an expression is assigned a value. */
static void assigned(Graph *g, NodeIndex target)
{
    NodeIndex root = expression_root(g->t, target);
    add_edge(g, g->control, root, FACT_VARYING);
}

static void walk_assign(Graph *g, NodeIndex node, NodeIndex to)
{
    NodeIndex target = pass_node(g->t, node)->child, root = expression_root(g->t, target);
    assigned(g, target);
    walk_children(g, node, root);
    add_edge(g, root, to, FACT_VARYING);
}

static void walk_parameter(Graph *g, NodeIndex node, NodeIndex to)
{
    NodeIndex parameter = pass_node(g->t, node)->target;
    uint32_t flags = pass_node(g->t, parameter)->flags;
    bool own = (flags & FLAG_STREAM) && !(flags & FLAG_PARAM(PARAM_OUTPUT));
    if (own || (flags & (FLAG_PARAM(PARAM_NEIGHBOR) | FLAG_PARAM(PARAM_ITER) | FLAG_PARAM(PARAM_REDUCE)))) {
        varies(g, to);
    }
    add_edge(g, parameter, to, FACT_VARYING);
}

/* Follows a call. Its result, and the arguments that it assigns, may depend on all arguments. */
static void walk_call(Graph *g, NodeIndex node, NodeIndex to)
{
    const Node *n = pass_node(g->t, node);
    int k = 0;
    walk_children(g, node, node);
    add_edge(g, node, to, FACT_VARYING);
    for (NodeIndex i = n->child; i; i = pass_node(g->t, i)->next) {
        bool read;
        if (expression_changes(g->t, node, k++, &read)) {
            assigned(g, i);
            add_edge(g, node, expression_root(g->t, i), FACT_VARYING);
        }
    }
    if (n->kind == NODE_CALL) {
        add_edge(g, n->target, node, FACT_VARYING);
        add_edge(g, n->target, g->t->function, FACT_BARRIER);
        add_site(g, node);
    }
}

static bool is_varying_call(const Graph *g, NodeIndex node)
{
    const Token *t = node_token(g->t->tree, node);
    bool subgroup = t->length > 8 && memcmp(t->text, "subgroup", 8) == 0 && !pass_node(g->t, node)->child;
    return (subgroup && !token_is(t, "subgroupsize")) || token_is(t, "indexof") || token_is(t, "localid");
}

static void walk_effect(Graph *g, NodeIndex node, NodeIndex to)
{
    uint32_t kind = pass_node(g->t, node)->kind;
    mark_of(g, g->t->function)->facts |= kind == NODE_BARRIER ? FACT_BARRIER : 0;
    if (kind == NODE_BARRIER) {
        add_site(g, node);
    } else if (kind == NODE_ATOMIC || kind == NODE_RANDOM) {
        varies(g, to);
    }
    walk_call(g, node, to);
}

/* statements */

/* Returns whether a child of a statement decides what runs. */
static bool is_test(const Graph *g, NodeIndex node, NodeIndex child)
{
    NodeIndex first = pass_node(g->t, node)->child;
    uint32_t kind = pass_node(g->t, node)->kind;
    return child == (kind == NODE_FOR || kind == NODE_DO ? pass_node(g->t, first)->next : first);
}

/* Follows a statement that is controlled by a condition or a value. */
static void walk_control(Graph *g, NodeIndex node)
{
    NodeIndex control = g->control, inner = g->inner, outer = g->outer, skipped = g->skipped;
    uint32_t kind = pass_node(g->t, node)->kind;
    add_edge(g, control, node, FACT_VARYING);
    g->control = node;
    g->inner = kind == NODE_IF ? inner : node;
    g->outer = outer || kind == NODE_IF || kind == NODE_SWITCH ? outer : node;
    for (NodeIndex i = pass_node(g->t, node)->child; i; i = pass_node(g->t, i)->next) {
        walk(g, i, is_test(g, node, i) ? node : 0);
    }
    g->control = control;
    g->inner = inner;
    g->outer = outer;
    g->skipped = kind == NODE_IF ? g->skipped : skipped;
}

/* A `break` that some invocations reach concerns all iterations of the loop; a `continue`, and a `break` of a `switch`, what
 * follows in it. */
static void walk_leave(Graph *g, NodeIndex node)
{
    bool ends = pass_node(g->t, node)->kind == NODE_BREAK && g->inner && pass_node(g->t, g->inner)->kind != NODE_SWITCH;
    add_edge(g, g->control, ends ? g->inner : node, FACT_VARYING);
    if (!ends) {
        add_edge(g, g->skipped, node, FACT_VARYING);
        g->skipped = node;
    }
}

/* A `return` that some invocations reach concerns all that follows, also in the next iteration of the loops around it. */
static void walk_return(Graph *g, NodeIndex node)
{
    add_edge(g, g->control, node, FACT_VARYING);
    add_edge(g, g->left, node, FACT_VARYING);
    add_edge(g, node, g->outer, FACT_VARYING);
    add_edge(g, node, g->t->function, FACT_VARYING);
    g->left = node;
    walk_children(g, node, g->t->function);
}

static void walk_function(Graph *g, NodeIndex node)
{
    g->t->function = node;
    g->left = g->control = g->skipped = 0;
    walk_children(g, node, 0);
}

/* Follows an expression, whose value is used by `to`, or a statement. 0: its value is not used. */
static void walk(Graph *g, NodeIndex node, NodeIndex to)
{
    const Node *n = pass_node(g->t, node);
    switch (n->kind) {
    case NODE_LOCAL:
        add_edge(g, pass_node(g->t, n->target)->flags & FLAG_SHARED ? 0 : n->target, to, FACT_VARYING);
        break;
    case NODE_PARAMETER_VALUE: walk_parameter(g, node, to); break;
    case NODE_ASSIGN:
    case NODE_STEP: walk_assign(g, node, to); break;
    case NODE_PUSH:
    case NODE_BARRIER:
    case NODE_RANDOM:
    case NODE_ATOMIC: walk_effect(g, node, to); break;
    case NODE_QUERY: break; /* its argument is a name */
    case NODE_CALL:
    case NODE_SAMPLE:
    case NODE_BUILTIN: walk_call(g, node, to); break;
    case NODE_VARIABLE: walk_children(g, node, node); break;
    case NODE_EVALUATE: walk_children(g, node, 0); break;
    case NODE_IF:
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_DO:
    case NODE_SWITCH: walk_control(g, node); break;
    case NODE_BREAK:
    case NODE_CONTINUE: walk_leave(g, node); break;
    case NODE_RETURN: walk_return(g, node); break;
    case NODE_FUNCTION: walk_function(g, node); break;
    default: walk_children(g, node, to);
    }
    if ((n->kind == NODE_QUERY || n->kind == NODE_BUILTIN) && is_varying_call(g, node)) {
        varies(g, to);
    }
}

/* Propagates all facts along the edges. `list` has room for the nodes whose edges must be followed. */
static void propagate(Graph *g, NodeIndex *list)
{
    size_t count = 0;
    for (NodeIndex i = 1; i < g->t->tree->nodes.count; i++) {
        if (mark_of(g, i)->facts) {
            list[count++] = i;
        }
    }
    while (count) {
        const Mark *from = mark_of(g, list[--count]);
        for (uint32_t e = from->edge; e; e = g->edges.items[e - 1].next) {
            const Edge *edge = &g->edges.items[e - 1];
            unsigned added = from->facts & edge->facts & ~mark_of(g, edge->to)->facts;
            if (added) {
                mark_of(g, edge->to)->facts |= added;
                list[count++] = edge->to;
            }
        }
    }
}

/* barriers */

/* Returns whether a function is a kernel without groups. */
static bool has_no_groups(const Graph *g, NodeIndex function)
{
    const Node *n = pass_node(g->t, function);
    return (n->flags & (FLAG_KERNEL | FLAG_PARAM(PARAM_REDUCE))) && pass_node(g->t, n->child)->kind != NODE_GROUP;
}

static void check_site(Graph *g, const Site *site)
{
    const Token *t = node_token(g->t->tree, site->node);
    for (int i = 0; i < 3; i++) {
        NodeIndex why = site->why[i];
        if (why && (mark_of(g, why)->facts & FACT_VARYING)) {
            const Token *cause = node_token(g->t->tree, why);
            message_add(g->t->messages, t,
                        "all invocations of a group must reach the barrier, but the '%.*s' in line %d depends on the "
                        "invocation",
                        cause->length, cause->text, source_line(g->t->tree->source, cause->offset));
            return;
        }
    }
}

/* Checks the barriers, and the calls of functions with barriers. */
static void check_sites(Graph *g)
{
    for (size_t i = 0; i < g->sites.count; i++) {
        const Site *site = &g->sites.items[i];
        const Node *n = pass_node(g->t, site->node);
        const Token *t = node_token(g->t->tree, site->node);
        bool waits = n->kind == NODE_BARRIER || (mark_of(g, n->target)->facts & FACT_BARRIER);
        if (waits && has_no_groups(g, site->function)) {
            message_add(g->t->messages, t, "'%.*s' exists in group kernels only\nwrite kernel(64) void ...", t->length,
                        t->text);
        } else if (waits) {
            check_site(g, site);
        }
    }
}

bool check_barriers(Typing *t)
{
    size_t nodes = t->tree->nodes.count, i = 1;
    while (i < nodes && pass_node(t, (NodeIndex)i)->kind != NODE_BARRIER) {
        i++;
    }
    if (i == nodes) {
        return true;
    }
    Graph g = {.t = t, .marks = calloc(nodes, sizeof *g.marks)};
    NodeIndex *list = malloc(3 * nodes * sizeof *list); /* once for each fact, and once at the beginning */
    if (g.marks && list) {
        walk(&g, t->tree->root, 0);
        propagate(&g, list);
        check_sites(&g);
    }
    bool done = g.marks && list && !g.failed;
    free(list);
    free(g.marks);
    free(g.edges.items);
    free(g.sites.items);
    return done || error_set("out of host memory");
}
