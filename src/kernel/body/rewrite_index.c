/* Rewrites indices of private arrays, matrices and vectors. Drivers whose registers are not SSA
 * values (Mesa up to 23.1) read an index that is a loop counter when the element is loaded or
 * stored, not where the index is written. That may be after the counter's increment, if the
 * increment was computed early because something else needs it. Therefore indices are passed
 * through rill_own(), which adds nothing but makes a separate value: Mesa's shared optimizer cannot
 * see through it, it becomes a constant once the loop is unrolled, and code generators remove it
 * afterwards. The cost is not measurable, so no device is excluded.
 *
 * However, compilers unroll a loop because of the arrays that are indexed directly by its counter,
 * and arrays whose loops are not unrolled cost many times as much as arrays that became variables.
 * If only the step changes the counter of a `for`, the index stays plain, and every other use of
 * the counter is passed through rill_own(), so that only the end of the loop needs the incremented
 * value. */
#include "kernel/body/rewriter.h"

/* Returns the token at which the pairs of brackets before token i begin. */
static size_t brackets_start(const Rewriter *rw, size_t i)
{
    int depth = 0;
    while (i > 0 && (depth > 0 || token_is(rewriter_token(rw, i - 1), "]"))) {
        i--;
        depth += token_is(rewriter_token(rw, i), "]") - token_is(rewriter_token(rw, i), "[");
    }
    return i;
}

/* Returns whether the bracket at token i contains the index of a private value, and not the length in a type. */
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
    bool done = rewrite_kept_value(rw, i + 1, close - 1);
    rewriter_add(rw, ")");
    *next = close - 1;
    return done;
}

/* Returns the token after the next ';' of a loop's head. */
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
