/* Finds the statements of a kernel that an output needs, backwards and by variables: the statements that assign the output,
 * then the statements that assign what these read. A block counts as one statement. A missed dependency only costs time,
 * since every pass contains the whole body, and compilers drop what its outputs do not need. */
#include "kernel/emit/slice.h"

#include "base/array.h"
#include "base/error.h"
#include "kernel/pass/expression.h"

#include <stdlib.h>
#include <string.h>

enum { READ = 1, WRITTEN = 2, MOST_USES = 1 << 22 };

typedef struct Statement {
    NodeIndex node;
    double work;
    bool leaves; /* contains a return: all following statements depend on it */
} Statement;

typedef struct Shares {
    Typing t;
    NodeIndex params[MAX_PARAMS];
    struct {
        Statement *items;
        size_t count, capacity;
    } statements;
    size_t names;    /* number of variables and parameters that the kernel uses */
    uint32_t *name;  /* per node of the tree: 1 + the number of a variable or parameter; 0: it has none yet */
    double *calls;   /* per node of the tree: the work of a function; 0 if not known yet */
    uint8_t *use;    /* per statement and name: READ, WRITTEN */
    uint8_t *needed; /* per output and statement */
} Shares;

/* statements */

/* Returns the work of a part of the tree: the number of its nodes, including the functions that it calls. */
static double work_of(Shares *s, NodeIndex node)
{
    const Node *n = pass_node(&s->t, node);
    double work = 1;
    for (NodeIndex i = n->child; i; i = pass_node(&s->t, i)->next) {
        work += work_of(s, i);
    }
    if (n->kind == NODE_CALL && s->calls[n->target] <= 0) {
        s->calls[n->target] = work_of(s, n->target);
    }
    return work + (n->kind == NODE_CALL ? s->calls[n->target] : 0);
}

static bool leaves(const Shares *s, NodeIndex node)
{
    bool found = pass_node(&s->t, node)->kind == NODE_RETURN;
    for (NodeIndex i = pass_node(&s->t, node)->child; i && !found; i = pass_node(&s->t, i)->next) {
        found = leaves(s, i);
    }
    return found;
}

static void add_name(Shares *s, NodeIndex node)
{
    const Node *n = pass_node(&s->t, node);
    NodeIndex target = n->kind == NODE_VARIABLE || n->kind == NODE_PARAMETER ? node : n->target;
    bool names = target == node || n->kind == NODE_LOCAL || n->kind == NODE_PARAMETER_VALUE;
    if (names && !s->name[target]) {
        s->name[target] = (uint32_t)++s->names;
    }
    for (NodeIndex i = n->child; i; i = pass_node(&s->t, i)->next) {
        add_name(s, i);
    }
}

static bool find_statements(Shares *s, NodeIndex function)
{
    NodeIndex block = 0;
    int count = 0;
    add_name(s, function);
    for (NodeIndex i = pass_node(&s->t, function)->child; i; i = pass_node(&s->t, i)->next) {
        if (pass_node(&s->t, i)->kind == NODE_PARAMETER) {
            s->params[count++] = i;
        }
        block = i;
    }
    for (NodeIndex i = pass_node(&s->t, block)->child; i; i = pass_node(&s->t, i)->next) {
        if (!ARRAY_ROOM(&s->statements)) {
            return false;
        }
        s->statements.items[s->statements.count++] = (Statement){i, work_of(s, i), leaves(s, i)};
    }
    return true;
}

/* variables */

static void note_uses(Shares *s, NodeIndex node, uint8_t *use)
{
    const Node *n = pass_node(&s->t, node);
    const uint32_t changed = FLAG_PARAM(PARAM_OUTPUT) | FLAG_PARAM(PARAM_INOUT);
    bool assigns = n->kind == NODE_ASSIGN || n->kind == NODE_STEP || n->kind == NODE_PUSH;
    NodeIndex root = assigns ? expression_root(&s->t, n->child) : 0;
    if (n->kind == NODE_VARIABLE) {
        use[s->name[node] - 1] |= READ | WRITTEN;
    } else if (n->kind == NODE_LOCAL || n->kind == NODE_PARAMETER_VALUE) {
        use[s->name[n->target] - 1] |= READ;
    }
    for (NodeIndex i = n->child; i; i = pass_node(&s->t, i)->next) {
        NodeIndex argument = pass_node(&s->t, i)->flags & changed ? expression_root(&s->t, i) : 0;
        if (argument) {
            use[s->name[argument] - 1] |= WRITTEN;
        }
        note_uses(s, i, use);
    }
    if (root) {
        use[s->name[root] - 1] |= WRITTEN;
    }
}

/* what each output needs */

static bool is_output(const Function *f, int i)
{
    return param_kinds[f->params[i].kind].written && !param_kinds[f->params[i].kind].bound;
}

/* Finds the statements that an output needs. `wanted`: room for a mark per name. */
static void find_needed(Shares *s, int param, uint8_t *wanted, uint8_t *needed)
{
    uint32_t output = s->name[s->params[param]];
    for (size_t k = 0; k < s->names; k++) {
        wanted[k] = k + 1 == output;
    }
    for (size_t n = s->statements.count; n-- > 0;) {
        const uint8_t *use = s->use + n * s->names;
        needed[n] = s->statements.items[n].leaves;
        for (size_t k = 0; k < s->names && !needed[n]; k++) {
            needed[n] = wanted[k] && (use[k] & WRITTEN);
        }
        for (size_t k = 0; needed[n] && k < s->names; k++) {
            wanted[k] = wanted[k] || (use[k] & READ);
        }
    }
}

/* Returns the work that an output adds to a pass; NULL: an empty pass. */
static double added_work(const Shares *s, const uint8_t *pass, const uint8_t *needed)
{
    double work = 0;
    for (size_t n = 0; n < s->statements.count; n++) {
        work += needed[n] && !(pass && pass[n]) ? s->statements.items[n].work : 0;
    }
    return work;
}

/* Returns the remaining output that adds least work to a pass. Of equal ones it takes the longest, then the first. */
static int choose_next(const Shares *s, const uint8_t *left, int count, const uint8_t *pass)
{
    int best = 0;
    double least = 0, longest = 0;
    for (int k = 0; k < count; k++) {
        const uint8_t *needed = s->needed + left[k] * s->statements.count;
        double added = added_work(s, pass, needed), own = added_work(s, NULL, needed);
        if (k == 0 || added < least || (added <= least && own > longest)) {
            best = k;
            least = added;
            longest = own;
        }
    }
    return best;
}

/* Orders the outputs. A pass begins with the longest remaining output and adds the outputs with
 * least additional work. `pass`: room for a mark per statement. */
static void choose_order(const Shares *s, int count, int per_pass, uint8_t *pass, uint8_t order[MAX_PARAMS])
{
    uint8_t left[MAX_PARAMS], params[MAX_PARAMS];
    for (int k = 0; k < count; k++) {
        left[k] = (uint8_t)k;
        params[k] = order[k];
    }
    for (int done = 0; done < count; done++) {
        if (done % per_pass == 0) { /* as if everything were done: nothing is added, so the longest output is chosen */
            memset(pass, 1, s->statements.count);
        }
        int best = choose_next(s, left, count - done, pass);
        if (done % per_pass == 0) {
            memset(pass, 0, s->statements.count);
        }
        int taken = left[best];
        order[done] = params[taken];
        for (size_t n = 0; n < s->statements.count; n++) {
            pass[n] |= s->needed[(size_t)taken * s->statements.count + n];
        }
        for (int k = best; k < count - done - 1; k++) {
            left[k] = left[k + 1];
        }
    }
}

static bool order_outputs(Shares *s, int count, int per_pass, uint8_t order[MAX_PARAMS])
{
    size_t statements = s->statements.count, names = s->names;
    if (statements == 0 || names == 0 || statements > MOST_USES / names) {
        return true;
    }
    s->use = calloc(statements * names, 1);
    s->needed = calloc(statements * (size_t)count, 1);
    uint8_t *marks = calloc(statements + names, 1);
    bool room = s->use && s->needed && marks;
    for (size_t n = 0; room && n < statements; n++) {
        note_uses(s, s->statements.items[n].node, s->use + n * names);
    }
    for (int k = 0; room && k < count; k++) {
        find_needed(s, order[k], marks, s->needed + (size_t)k * statements);
    }
    if (room) {
        choose_order(s, count, per_pass, marks, order);
    }
    free(marks);
    return room || error_set("out of host memory");
}

bool slice_order(const Module *module, const Function *kernel, int per_pass, uint8_t order[MAX_PARAMS])
{
    int count = 0;
    for (int i = 0; i < kernel->param_count; i++) {
        if (is_output(kernel, i)) {
            order[count++] = (uint8_t)i;
        }
    }
    if (per_pass == 1 || per_pass >= count) {
        return true;
    }
    Tree *tree = module->tree;
    Shares s = {.t = {.tree = tree}};
    s.name = calloc(tree->nodes.count, sizeof *s.name);
    s.calls = calloc(tree->nodes.count, sizeof *s.calls);
    bool done = (s.name && s.calls ? true : error_set("out of host memory")) && find_statements(&s, kernel->node) &&
                order_outputs(&s, count, per_pass, order);
    free(s.name);
    free(s.calls);
    free(s.use);
    free(s.needed);
    free(s.statements.items);
    return done;
}
