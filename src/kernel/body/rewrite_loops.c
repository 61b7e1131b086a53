/* Estimates the iterations of a body's loops for devices that stop long loops, and guards loops
 * against errors of compilers. */
#include "kernel/body/rewriter.h"

#include "base/array.h"
#include "base/decimal.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_REACH = 128 };

size_t rewrite_loops_statement_end(const Rewriter *rw, size_t i, size_t last)
{
    for (;;) {
        const Token *t = rewriter_token(rw, i);
        bool choice = token_is(t, "if"), is_do = token_is(t, "do");
        if (i >= last) {
            return last;
        }
        if (token_is(t, "{")) {
            return rewriter_close(rw, i, last);
        }
        if (is_do) { /* its condition follows the body, as a separate `while` */
            i = rewrite_loops_statement_end(rw, i + 1, last);
            continue;
        }
        if (!choice && !token_is(t, "for") && !token_is(t, "while") && !token_is(t, "switch")) {
            break;
        }
        i = rewriter_close(rw, i + 1, last);
        if (choice) {
            i = rewrite_loops_statement_end(rw, i, last);
            if (i >= last || !token_is(rewriter_token(rw, i), "else")) {
                return i;
            }
            i++;
        }
    }
    int depth = 0;
    for (; i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        depth += token_nesting(t);
        if (depth == 0 && token_is(t, ";")) {
            return i + 1;
        }
    }
    return last;
}

/* Returns the number that is the value of a constant of the module: "const int N = 16;". */
static const Token *constant_number(const Rewriter *rw, const Token *name)
{
    const Constant *c = name->kind == TOKEN_NAME ? module_constant(rw->module, name) : NULL;
    if (!c || rewriter_variable(rw, name)) {
        return name;
    }
    for (size_t i = c->first; i + 3 < c->last; i++) {
        const Token *t = rewriter_token(rw, i);
        bool ends = token_is(t + 3, ";") || token_is(t + 3, ",");
        if (token_equal(t, name) && token_is(t + 1, "=") && ends) {
            return t + 2;
        }
    }
    return name;
}

static bool number(const Rewriter *rw, size_t *i, double *value)
{
    bool minus = token_is(rewriter_token(rw, *i), "-");
    *i += minus;
    const Token *t = constant_number(rw, rewriter_token(rw, *i));
    if (t->kind != TOKEN_NUMBER) {
        return false;
    }
    size_t used;
    *value = decimal_read(t->text, (size_t)t->length, &used);
    if (t->length > 1 && t->text[0] == '0' && t->text[1] >= '0' && t->text[1] <= '7') {
        *value = (double)strtol(t->text, NULL, 8); /* octal, as in GLSL */
    }
    if (minus) {
        *value = -*value;
    }
    (*i)++;
    return true;
}

bool rewrite_loops_change(const Rewriter *rw, const Token *name, size_t first, size_t last)
{
    static const char *const marks[] = {"++", "--",  "=",   "+=", "-=", "*=", "/=",
                                        "%=", "<<=", ">>=", "&=", "|=", "^=", NULL},
                             *const steps[] = {"++", "--", NULL};
    for (size_t i = first; i < last; i++) {
        if (!token_equal(rewriter_token(rw, i), name)) {
            continue;
        }
        const Token *before = rewriter_token(rw, i - 1), *after = rewriter_token(rw, i + 1);
        if (token_any(after, marks) || token_any(before, steps)) {
            return true;
        }
        /* A function that it is passed to may change it. */
        if ((token_is(before, "(") || token_is(before, ",")) && (token_is(after, ")") || token_is(after, ","))) {
            return true;
        }
    }
    return false;
}

bool rewrite_loops_step(const Rewriter *rw, size_t i, size_t end, const Token *name, double *step)
{
    const Token *t = rewriter_token(rw, i);
    *step = 1;
    if (token_is(t, "++") || token_is(t, "--")) {
        *step = token_is(t, "++") ? 1 : -1;
        return token_equal(rewriter_token(rw, i + 1), name) && i + 2 == end;
    }
    if (!token_equal(t, name)) {
        return false;
    }
    t = rewriter_token(rw, i + 1);
    i += 2;
    if (token_is(t, "++") || token_is(t, "--")) {
        *step = token_is(t, "++") ? 1 : -1;
        return i == end;
    }
    bool down = token_is(t, "-=");
    if ((!down && !token_is(t, "+=")) || !number(rw, &i, step)) {
        return false;
    }
    *step = down ? -*step : *step;
    return i == end;
}

/* Computes the iterations of "for (int i = A; i < B; i++)" with literal bounds, and the largest
 * absolute value of an int (0: too large). Returns false if they are unknown. */
static bool for_trips(const Rewriter *rw, size_t open, size_t close, size_t body_end, double *trips, int *reach)
{
    const Type *type = NULL;
    int matrix, used;
    size_t i = open + 1;
    if (module_type(rw->module, rewriter_token(rw, i), &type, &matrix, &used)) {
        i += (size_t)used;
    }
    const Token *name = rewriter_token(rw, i);
    double from, to, step;
    if (name->kind != TOKEN_NAME || !token_is(rewriter_token(rw, i + 1), "=")) {
        return false;
    }
    i += 2;
    if (!number(rw, &i, &from) || !token_is(rewriter_token(rw, i), ";")) {
        return false;
    }
    const Token *op = rewriter_token(rw, i + 2);
    if (!token_equal(rewriter_token(rw, i + 1), name)) {
        return false;
    }
    i += 3;
    if (!number(rw, &i, &to) || !token_is(rewriter_token(rw, i), ";")) {
        return false;
    }
    if (!rewrite_loops_step(rw, i + 1, close - 1, name, &step) || rewrite_loops_change(rw, name, close, body_end)) {
        return false;
    }
    bool up = token_is(op, "<") || token_is(op, "<="), down = token_is(op, ">") || token_is(op, ">=");
    if ((!up && !down) || (up ? step <= 0 : step >= 0)) {
        return false;
    }
    bool exact = type && !type->is_struct && type->components == 1 &&
                 (type->scalar == SCALAR_INT || type->scalar == SCALAR_FLOAT);
    if (!exact && (down || from < 0 || to < 0 || step < 0)) {
        return false; /* an unsigned variable never falls below 0 */
    }
    /* Above 2^31 an integer wraps around. A float that is large compared with its step does not change. */
    double largest = fmax(fabs(from), fabs(to)) + fabs(step);
    bool whole = step == floor(step) && from == floor(from);
    if (largest >= 2147483648.0 ||
        (whole ? largest >= 16777216.0 && (!type || type->scalar != SCALAR_INT) : fabs(step) < largest * 1e-5)) {
        return false;
    }
    *trips = (to - from) / step * (whole ? 1.0 : 1.25) + 2;
    *trips = *trips > 0 ? *trips : 1;
    bool near = type && type->scalar == SCALAR_INT && largest < MOST_REACH;
    *reach = near ? (int)fmax(1, fmax(fabs(from), fabs(to))) : 0;
    return true;
}

double rewrite_loops_factor(const Rewriter *rw)
{
    return rw->loop_count ? rw->loops[rw->loop_count - 1].trips : 1;
}

static bool insert_kept(Rewriter *rw, size_t at, bool after, const char *text, int kept)
{
    if (!ARRAY_ROOM(&rw->insertions)) {
        return false;
    }
    rw->insertions.items[rw->insertions.count++] = (Insertion){at, after, text, kept, false};
    return true;
}

static bool insert(Rewriter *rw, size_t at, bool after, const char *text)
{
    return insert_kept(rw, at, after, text, 0);
}

void rewrite_loops_insert(Rewriter *rw, size_t i, bool after)
{
    for (size_t k = 0; k < rw->insertions.count; k++) {
        Insertion *insertion = &rw->insertions.items[k];
        if (insertion->at == i && insertion->after == after && !insertion->written) {
            rewriter_add(rw, insertion->kept < 0 ? "))" : "");
            rewriter_add(rw, insertion->text);
            if (insertion->kept > 0) {
                rewrite_kept_assign(rw, insertion->kept);
            }
            insertion->written = true;
        }
    }
}

/* In `if (i < min(n, 1)) break;` Mesa (22.3) takes the constant for the end of the loop although it
 * is not, and drops the later iterations and exits that it considers unreachable. It does not
 * analyze a condition that is a separate value. */
static const char apart[] = "rill_exit((", apart_end[] = "))";

/* Returns whether a statement leaves the loop around it, or skips the statements after it in the loop. */
static bool leaves(const Rewriter *rw, size_t first, size_t last, bool breaks)
{
    for (size_t i = first; i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        if (token_is(t, "return") || token_is(t, "continue") || (breaks && token_is(t, "break"))) {
            return true;
        }
    }
    return false;
}

static bool leaves_loop(const Rewriter *rw, size_t i, size_t last)
{
    const Token *t = rewriter_token(rw, i);
    bool choice = token_is(t, "if");
    if (i >= rw->loop_end || (!choice && !token_is(t, "switch")) || !token_is(t + 1, "(")) {
        return false;
    }
    size_t close = module_close(rw->module, i + 1, last);
    size_t end = choice || !close ? rewrite_loops_statement_end(rw, i, last) : module_close(rw->module, close, last);
    return close && leaves(rw, close, end, choice);
}

bool rewrite_loops_exit(const Rewriter *rw, size_t i, size_t last)
{
    const Token *t = rewriter_token(rw, i);
    bool choice = token_is(t, "if"), either = choice || token_is(t, "switch");
    size_t close = either && token_is(t + 1, "(") ? module_close(rw->module, i + 1, last) : 0;
    return leaves_loop(rw, i, last) || (close && choice && rewrite_exact_computes(rw, i + 2, close - 1)) ||
           (close && !choice && rewrite_exact_on(rw) && rewrite_kept_computes(rw, i + 2, close - 1));
}

bool rewrite_loops_exit_write(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    size_t close = module_close(rw->module, i + 1, last);
    const Token *t = rewriter_token(rw, i), *open = t + 1, *end = rewriter_token(rw, close - 1);
    bool choice = token_is(t, "if");
    bool done = rewriter_put(rw, t, t->text, t->length) && rewriter_put(rw, open, open->text, open->length);
    rewriter_add(rw, !choice ? "rill_case(" : leaves_loop(rw, i, last) ? apart : "rill_truth((");
    Value want = choice ? brook_value_of(VALUE_BOOL, 1) : rewrite_kept_type(rw, i + 2, close - 1);
    bool kept = rewrite_kept_begin(rw, i + 2, close - 1, want);
    done = done && rewriter_range(rw, i + 2, close - 1);
    rewrite_kept_end(rw, kept);
    rewriter_add(rw, choice ? apart_end : ")");
    *next = close;
    return done && rewriter_put(rw, end, end->text, end->length);
}

static bool always_true(const Rewriter *rw, size_t first, size_t last)
{
    const Token *t = rewriter_token(rw, first);
    return first == last ||
           (first + 1 == last && (token_is(t, "true") || (t->kind == TOKEN_NUMBER && !token_is(t, "0"))));
}

/* Returns the token after the condition's last one. *first is its first token; it is larger than
 * the result if a `do` has no condition. */
static size_t condition_of(const Rewriter *rw, size_t i, size_t body, size_t last, size_t *first)
{
    if (token_is(rewriter_token(rw, i), "while")) {
        *first = i + 2;
        return body - 1;
    }
    size_t at = token_is(rewriter_token(rw, i), "for") ? i + 2 : rewrite_loops_statement_end(rw, body, last);
    if (token_is(rewriter_token(rw, i), "do")) {
        *first = at + 2; /* while ( */
        size_t close = at + 1 < last ? module_close(rw->module, at + 1, last) : 0;
        return close ? close - 1 : at;
    }
    at = rewrite_loops_statement_end(rw, at, last);
    *first = at;
    return rewrite_loops_statement_end(rw, at, last) - 1;
}

/* Returns whether the tokens are a comparison of a name with a number: "i < 8" or "8 > i". */
static bool compares_number(const Rewriter *rw, size_t i, size_t end)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "!=", NULL};
    double value;
    bool first = number(rw, &i, &value);
    if (!first && rewriter_token(rw, i++)->kind != TOKEN_NAME) {
        return false;
    }
    bool compared = token_any(rewriter_token(rw, i++), signs);
    bool second = first ? rewriter_token(rw, i++)->kind == TOKEN_NAME : number(rw, &i, &value);
    return compared && second && i == end;
}

/* Returns whether the tokens are "i < n" in the head of a `for` in which only the step changes i,
 * upwards, and nothing changes n. */
static bool rises(const Rewriter *rw, size_t i, size_t end, size_t close, size_t body_end)
{
    const Token *name = rewriter_token(rw, i), *sign = name + 1;
    size_t step = end;
    double by;
    if (!token_is(sign, "<") && !token_is(sign, "<=")) {
        return false;
    }
    for (size_t k = i; k < end; k++) {
        const Token *t = rewriter_token(rw, k);
        bool again = k > i && token_equal(t, name);
        if (t->kind == TOKEN_NAME && (again || rewrite_loops_change(rw, t, close, body_end))) {
            return false;
        }
    }
    while (step < close && !token_is(rewriter_token(rw, step), ";")) {
        step++;
    }
    return rewrite_loops_step(rw, step + 1, close - 1, name, &by) && by > 0;
}

static int nesting(const Token *t)
{
    return (token_is(t, "(") || token_is(t, "[")) - (token_is(t, ")") || token_is(t, "]"));
}

/* Returns whether a condition consists of terms joined by &&, and is not a declaration ("while (bool b = f())"). */
static bool is_conjunction(const Rewriter *rw, size_t first, size_t end)
{
    static const char *const weaker[] = {"||", "^^", "?", ",", "=", NULL};
    int depth = 0;
    for (size_t i = first; i < end; i++) {
        const Token *t = rewriter_token(rw, i);
        depth += nesting(t);
        if (depth == 0 && token_any(t, weaker)) {
            return false;
        }
    }
    return true;
}

static bool declares(const Rewriter *rw, size_t first)
{
    const Type *type;
    int matrix, used;
    return module_type(rw->module, rewriter_token(rw, first), &type, &matrix, &used) &&
           rewriter_token(rw, first + (size_t)used)->kind == TOKEN_NAME;
}

/* Returns whether the tokens may load from memory that invocations share: by an index, directly or in a function. */
static bool may_load(const Rewriter *rw, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        int index;
        const Token *t = rewriter_token(rw, i);
        const Param *param = t->kind == TOKEN_NAME ? rewriter_param(rw, t, &index) : NULL;
        bool calls = t->kind == TOKEN_NAME && token_is(t + 1, "(") && module_function(rw->module, t);
        if (calls || (param && param_kinds[param->kind].bound) || (rw->root->group_rank && token_is(t, "["))) {
            return true;
        }
    }
    return false;
}

/* Returns whether a condition stores what it loads: "(v = g[i]) < n", or possibly through a function's argument. */
static bool keeps_load(const Rewriter *rw, size_t first, size_t last)
{
    bool keeps = false;
    for (size_t i = first; i < last && !keeps; i++) {
        const Token *t = rewriter_token(rw, i);
        bool calls = t->kind == TOKEN_NAME && token_is(t + 1, "(") && module_function(rw->module, t);
        keeps = calls || (t->kind == TOKEN_NAME && rewrite_loops_change(rw, t, i, i + 1));
    }
    return keeps && may_load(rw, first, last);
}

/* Passes the condition of a loop through a function, except for terms from which compilers count
 * iterations correctly. A condition that stores what it loads gets an exit before it: see `watch`.
 * The condition of a `do` follows its body and is treated as a separate `while`. */
static bool keep_head_apart(Rewriter *rw, size_t i, size_t last)
{
    size_t close = module_close(rw->module, i + 1, last), first;
    if (token_is(rewriter_token(rw, i), "do") || !close) {
        return true;
    }
    size_t end = condition_of(rw, i, close, close, &first), body_end = rewrite_loops_statement_end(rw, close, last);
    if (first > end || always_true(rw, first, end) || declares(rw, first)) {
        return true;
    }
    if (keeps_load(rw, first, end)) {
        int kept = rewrite_kept_number(rw, first, end, brook_value_of(VALUE_BOOL, 1));
        return insert_kept(rw, first, false, "(rill_never() ? false : rill_exit((", kept) &&
               insert_kept(rw, end, false, ")))", kept ? -1 : 0);
    }
    bool terms = is_conjunction(rw, first, end), is_for = token_is(rewriter_token(rw, i), "for");
    int depth = 0;
    for (size_t k = first; k <= end; k++) {
        depth += k < end ? nesting(rewriter_token(rw, k)) : 0;
        if (k < end && !(terms && depth == 0 && token_is(rewriter_token(rw, k), "&&"))) {
            continue;
        }
        bool counted = compares_number(rw, first, k) || (is_for && rises(rw, first, k, close, body_end));
        int kept = counted ? 0 : rewrite_kept_number(rw, first, k, brook_value_of(VALUE_BOOL, 1));
        if (!counted &&
            !(insert_kept(rw, first, false, apart, kept) && insert_kept(rw, k, false, apart_end, kept ? -1 : 0))) {
            return false;
        }
        first = k + 1;
    }
    return true;
}

/* Returns whether the tokens may change a variable, or a component or an element of it. */
static bool may_change(const Rewriter *rw, const Token *name, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const Token *after = rewriter_token(rw, i + 1);
        if (token_equal(rewriter_token(rw, i), name) && (token_is(after, "[") || token_is(after, "."))) {
            return true;
        }
    }
    return rewrite_loops_change(rw, name, first, last);
}

/* Returns whether a token is the name of a parameter, or occurs before token `i` in the function. */
static bool is_known(const Rewriter *rw, const Token *name, size_t i)
{
    int index;
    size_t k = rw->self.function->body_first;
    while (k < i && !token_equal(rewriter_token(rw, k), name)) {
        k++;
    }
    return k < i || rewriter_param(rw, name, &index);
}

/* Returns whether the condition of loop `i` keeps its value in the tokens from `from` to `to`, the rest of the loop. Other
 * invocations may change shared memory and streams with random access, and functions may change their arguments. A
 * condition with a constant of the text may switch the loop off. Undeclared names are left to the error that the
 * GLSL compiler reports. */
static bool is_constant(const Rewriter *rw, size_t i, size_t first, size_t end, size_t from, size_t to)
{
    static const char *const changes[] = {
        "=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
    bool constant = rw->root->group_rank == 0 && end > first + 1; /* one token may not be a bool */
    bool reads = false;
    for (size_t k = first; k < end && constant; k++) {
        int index;
        const Token *t = rewriter_token(rw, k);
        if (token_any(t, changes)) {
            return false;
        }
        if (t->kind != TOKEN_NAME || token_is(t - 1, ".")) {
            continue;
        }
        bool called = token_is(t + 1, "(");
        const Param *param = rewriter_param(rw, t, &index);
        int root = param ? rw->self.bound[index] : -1; /* the launched kernel's parameter */
        reads = reads || !called;
        constant = called ? !module_function(rw->module, t)
                          : is_known(rw, t, i) && !may_change(rw, t, from, to) &&
                                !(root >= 0 && param_kinds[rw->root->params[root].kind].anywhere);
    }
    return constant && reads;
}

/* Checks that a loop can end. Code after an endless loop is unreachable, including the check that
 * notices stopped loops. */
static bool check_end(const Rewriter *rw, size_t i, size_t body, size_t last)
{
    size_t first, condition_end = condition_of(rw, i, body, last, &first);
    size_t end = rewrite_loops_statement_end(rw, body, last);
    bool always = always_true(rw, first, condition_end), is_for = token_is(rewriter_token(rw, i), "for");
    bool is_do = token_is(rewriter_token(rw, i), "do"); /* it ends after one iteration if the condition is false */
    if (first > condition_end || declares(rw, first) ||
        (!always && (is_do || !is_constant(rw, i, first, condition_end, is_for ? condition_end : body, end)))) {
        return true;
    }
    for (size_t k = body; k < end; k++) {
        const Token *t = rewriter_token(rw, k);
        if (token_is(t, "break") || token_is(t, "return")) {
            return true;
        }
    }
    const Token *t = rewriter_token(rw, i);
    return always ? source_error(&rw->module->source, t->offset, "this loop never ends: it has no break and no return")
                  : source_error(&rw->module->source, t->offset,
                                 "this loop never ends once it begins: nothing in it changes its condition, and it has "
                                 "no break and no return");
}

/* Returns whether one of the terms of a conjunction is "i < n" as in rises(). The loop ends, or compilers do not know
 * that it does not. (i <= n is always true for the largest n.) */
static bool any_rises(const Rewriter *rw, size_t first, size_t end, size_t close, size_t body_end)
{
    int depth = 0;
    for (size_t k = first; k <= end; k++) {
        depth += k < end ? nesting(rewriter_token(rw, k)) : 0;
        if (k < end && !(depth == 0 && token_is(rewriter_token(rw, k), "&&"))) {
            continue;
        }
        if (k > first && token_is(rewriter_token(rw, first + 1), "<") && rises(rw, first, k, close, body_end)) {
            return true;
        }
        first = k + 1;
    }
    return false;
}

/* Counts the iterations of a loop of unknown length. Without the counter compilers remove loops
 * without effect, even endless ones, and the kernel would continue as if the loop had ended. If a
 * compiler finds that a loop is endless, it removes all code after the loop, also the check for
 * stopped loops. Such a loop gets an exit that is never taken (rill_never in prelude.c). A loop that
 * loads needs an exit before its loads: its condition, or that exit. */
static bool watch(Rewriter *rw, size_t i, size_t last)
{
    bool is_do = token_is(rewriter_token(rw, i), "do");
    size_t body = is_do ? i + 1 : module_close(rw->module, i + 1, last);
    rw->self.unbounded = true;
    if (!body || body >= last || token_is(rewriter_token(rw, body), ";")) {
        return true; /* the end of a `do`, or an error that the GLSL compiler reports */
    }
    if (!check_end(rw, i, body, last)) {
        return false;
    }
    size_t end = rewrite_loops_statement_end(rw, body, last), first, head_end = condition_of(rw, i, body, last, &first);
    bool block = token_is(rewriter_token(rw, body), "{"), loads = may_load(rw, i, end > head_end ? end : head_end);
    bool is_for = token_is(rewriter_token(rw, i), "for"), leaves_first = is_for && first + 3 == head_end;
    bool left = is_for && is_conjunction(rw, first, head_end) && any_rises(rw, first, head_end, body, end);
    const char *text =
        left && (leaves_first || !loads) ? " rill_trips += 1u;" : " rill_trips += 1u; if (rill_never()) break;";
    return (block || insert(rw, body, false, " {")) && insert(rw, body, block, text) &&
           (block || insert(rw, end, false, " }"));
}

bool rewrite_loops_enter(Rewriter *rw, size_t i, size_t last)
{
    while (rw->loop_count > 0 && i >= rw->loops[rw->loop_count - 1].end) {
        rw->loop_count--;
    }
    const Token *t = rewriter_token(rw, i);
    bool is_for = token_is(t, "for");
    if (!is_for && !token_is(t, "while") && !token_is(t, "do")) {
        return true;
    }
    size_t statement_end = rewrite_loops_statement_end(rw, i, last);
    rw->loop_end = statement_end > rw->loop_end ? statement_end : rw->loop_end;
    if (!keep_head_apart(rw, i, last)) {
        return false;
    }
    if (!is_for) {
        return watch(rw, i, last);
    }
    size_t close = module_close(rw->module, i + 1, last);
    if (!close) {
        return source_error(&rw->module->source, t->offset, "this 'for' is never closed");
    }
    size_t end = rewrite_loops_statement_end(rw, close, last);
    rw->head_first = i;
    rw->head_last = close;
    rw->head_end = end;
    rw->head_counts = rewrite_index_counts(rw, i + 1, close, end);
    double trips;
    rw->head_reach = 0;
    if (!for_trips(rw, i + 1, close, end, &trips, &rw->head_reach) || rw->loop_count == MAX_LOOPS) {
        return watch(rw, i, last);
    }
    double all = rewrite_loops_factor(rw) * trips;
    rw->self.trips += all;
    rw->loops[rw->loop_count++] = (LoopRange){end, all};
    return true;
}
