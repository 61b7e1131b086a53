/* Indices of arrays, matrices and vectors of a function's own. Drivers whose registers are no values (Mesa to 23.1) read an index
 * that is a loop's variable when the element is loaded or stored, not where it stands: after the variable's step, where that was
 * computed early because something else asked for it. So indices go through rill_own(), which adds nothing, but makes a value of
 * its own of them: what Mesa's shared optimiser can't see through, what is a constant once the loop is unrolled, and what
 * code generators take away behind that. It costs nothing measurable, so that no device has to be asked.
 *
 * But compilers unroll a loop by the arrays that its variable itself is an index of, and arrays whose loops stay cost many times
 * those that became variables. Where nothing in a `for` changes the variable but the step, the index stays plain, and whatever
 * else mentions the variable goes through rill_own() instead, so that nothing but the loop's end asks for the step. */
#include "kernel/body/rewriter.h"

/* Where the pairs of brackets start that end in front of token i. */
static size_t brackets_start(const Rewriter *rw, size_t i)
{
    int depth = 0;
    while (i > 0 && (depth > 0 || token_is(rewriter_token(rw, i - 1), "]"))) {
        i--;
        depth += token_is(rewriter_token(rw, i), "]") - token_is(rewriter_token(rw, i), "[");
    }
    return i;
}

/* Whether the bracket at i holds the index of a value of the function's own, and not the length in a type. */
static bool is_own(const Rewriter *rw, size_t i)
{
    size_t start = brackets_start(rw, i);
    const Token *base = start > 0 ? rewriter_token(rw, start - 1) : NULL;
    if (!base || token_is(base, ")")) {
        return base != NULL;
    }
    if (base->kind != TOKEN_NAME || (start > 1 && token_is(base - 1, "."))) {
        return base->kind == TOKEN_NAME;
    }
    const Local *local = rewriter_local(rw, base);
    const Type *type;
    int matrix, used;
    return local ? !local->shared
                 : rewriter_variable(rw, base) || !module_type(rw->module, base, &type, &matrix, &used);
}

static bool is_constant(const Rewriter *rw, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        if (t->kind == TOKEN_NAME && (rewriter_variable(rw, t) || !module_constant(rw->module, t))) {
            return false;
        }
    }
    return true;
}

static bool is_counter(const Rewriter *rw, size_t first, size_t last)
{
    const Local *local = last == first + 1 ? rewriter_local(rw, rewriter_token(rw, first)) : NULL;
    return local && local->counter;
}

bool rewrite_index_write(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    size_t close = module_close(rw->module, i, last);
    bool plain = !close || is_constant(rw, i + 1, close - 1) || is_counter(rw, i + 1, close - 1) || !is_own(rw, i);
    const Token *bracket = rewriter_token(rw, i);
    if (!rewriter_put(rw, bracket, bracket->text, bracket->length) || plain) {
        return plain;
    }
    rewriter_add(rw, "rill_own(");
    bool done = rewriter_range(rw, i + 1, close - 1);
    rewriter_add(rw, ")");
    *next = close - 1;
    return done;
}

/* One past the next ';' of a loop's head. */
static size_t clause_end(const Rewriter *rw, size_t i, size_t close)
{
    while (i < close && !token_is(rewriter_token(rw, i), ";")) {
        i++;
    }
    return i < close ? i + 1 : close;
}

static bool compares(const Token *t)
{
    static const char *const marks[] = {"<", "<=", ">", ">=", "!=", NULL};
    return token_any(t, marks);
}

bool rewrite_index_counts(const Rewriter *rw, size_t open, size_t close, size_t end)
{
    const Type *type;
    int matrix, used, index;
    size_t i = open + 1;
    if (!module_type(rw->module, rewriter_token(rw, i), &type, &matrix, &used) || matrix || !type) {
        return false;
    }
    const Token *name = rewriter_token(rw, i + (size_t)used);
    size_t condition = clause_end(rw, i, close), step = clause_end(rw, condition, close);
    double by;
    if (name->kind != TOKEN_NAME || !token_is(name + 1, "=") || !rewrite_loops_step(rw, step, close - 1, name, &by) ||
        rewrite_loops_change(rw, name, condition, step) || rewrite_loops_change(rw, name, close, end)) {
        return false;
    }
    for (i = i + (size_t)used; i < condition; i++) {
        if (token_is(rewriter_token(rw, i), ",")) {
            return false; /* further variables, or a call */
        }
    }
    for (i = close; i + 2 < end; i++) {
        const Token *t = rewriter_token(rw, i);
        const Param *param = i > 0 && token_is(t, "[") ? rewriter_param(rw, t - 1, &index) : NULL;
        bool bound = param && param_kinds[param->kind].bound;
        if (token_is(t, "[") && !bound && token_equal(t + 1, name) && token_is(t + 2, "]")) {
            return true;
        }
    }
    return false;
}

bool rewrite_index_plain_counter(const Rewriter *rw, size_t i, const Local *counter)
{
    const Token *before = rewriter_token(rw, i - 1), *after = rewriter_token(rw, i + 1);
    if (counter->end == rw->head_end && i < rw->head_last) {
        size_t step = clause_end(rw, clause_end(rw, rw->head_first, rw->head_last), rw->head_last);
        return i >= step || (token_is(before, ";") && compares(after));
    }
    return token_is(before, "[") && token_is(after, "]");
}
