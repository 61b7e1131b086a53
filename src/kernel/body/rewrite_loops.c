/* How often a body's loops can run: devices that cut long loops need to know (devices: the loop limit). */
#include "kernel/body/rewriter.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

size_t rewrite_loops_statement_end(const Rewriter *rw, size_t i, size_t last)
{
    for (;;) {
        const Token *t = rewriter_token(rw, i);
        bool choice = token_is(t, "if");
        if (i >= last) {
            return last;
        }
        if (token_is(t, "{")) {
            size_t end = module_close(rw->module, i, last);
            return end ? end : last;
        }
        if (!choice && !token_is(t, "for") && !token_is(t, "while")) {
            break;
        }
        size_t after = module_close(rw->module, i + 1, last);
        i = after ? after : last;
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
        depth += token_is(t, "(") || token_is(t, "{") || token_is(t, "[");
        depth -= token_is(t, ")") || token_is(t, "}") || token_is(t, "]");
        if (depth == 0 && token_is(t, ";")) {
            return i + 1;
        }
    }
    return last;
}

/* The number that a constant of the module stands for: "const int N = 16;". */
static const Token *constant_number(const Rewriter *rw, const Token *name)
{
    int index;
    const Constant *c = name->kind == TOKEN_NAME ? module_constant(rw->module, name) : NULL;
    if (!c || rewriter_local(rw, name) || rewriter_param(rw, name, &index)) {
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
    char *end;
    *value = strtod(t->text, &end);
    if (t->length > 1 && t->text[0] == '0' && t->text[1] >= '0' && t->text[1] <= '7') {
        *value = (double)strtol(t->text, &end, 8); /* GLSL's octal */
    }
    if (minus) {
        *value = -*value;
    }
    (*i)++;
    return true;
}

bool rewrite_loops_change(const Rewriter *rw, const Token *name, size_t first, size_t last)
{
    static const char *const marks[] = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--"};
    for (size_t i = first; i < last; i++) {
        if (!token_equal(rewriter_token(rw, i), name)) {
            continue;
        }
        const Token *before = rewriter_token(rw, i - 1), *after = rewriter_token(rw, i + 1);
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
            if (token_is(after, marks[k]) || (k > 10 && token_is(before, marks[k]))) {
                return true;
            }
        }
        /* Handed to a function it may come back changed. */
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

/* Trips of "for (int i = A; i < B; i++)" with literal bounds; false when that can't be told. */
static bool for_trips(const Rewriter *rw, size_t open, size_t close, size_t body_end, double *trips)
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
    /* Past 2^31 an integer wraps; a float that is large against its step stands still. */
    double largest = fmax(fabs(from), fabs(to)) + fabs(step);
    bool whole = step == floor(step) && from == floor(from);
    if (largest >= 2147483648.0 ||
        (whole ? largest >= 16777216.0 && (!type || type->scalar != SCALAR_INT) : fabs(step) < largest * 1e-5)) {
        return false;
    }
    *trips = (to - from) / step * (whole ? 1.0 : 1.25) + 2;
    *trips = *trips > 0 ? *trips : 1;
    return true;
}

double rewrite_loops_factor(const Rewriter *rw)
{
    return rw->loop_count ? rw->loops[rw->loop_count - 1].trips : 1;
}

static bool insert(Rewriter *rw, size_t at, bool behind, const char *text)
{
    if (!ARRAY_ROOM(&rw->insertions)) {
        return false;
    }
    rw->insertions.items[rw->insertions.count++] = (Insertion){at, behind, text};
    return true;
}

void rewrite_loops_insert(Rewriter *rw, size_t i, bool behind)
{
    for (size_t k = 0; k < rw->insertions.count; k++) {
        if (rw->insertions.items[k].at == i && rw->insertions.items[k].behind == behind) {
            rewriter_add(rw, rw->insertions.items[k].text);
        }
    }
}

/* Whether "= i + 2" or "= 2 + i" follows the name i. */
static bool sum_follows(const Rewriter *rw, size_t i)
{
    if (i + 4 >= rw->module->tokens.count || !token_is(rewriter_token(rw, i + 1), "=")) {
        return false;
    }
    const Token *name = rewriter_token(rw, i), *sign = rewriter_token(rw, i + 3);
    return (token_is(sign, "+") || token_is(sign, "-")) &&
           (token_equal(rewriter_token(rw, i + 2), name) || token_equal(rewriter_token(rw, i + 4), name));
}

/* Whether the name at i steps there: "i++", "--i", "i += 2", "i = i + 2". */
static bool steps_at(const Rewriter *rw, size_t i)
{
    const Token *before = rewriter_token(rw, i - 1), *after = rewriter_token(rw, i + 1);
    return token_is(after, "++") || token_is(after, "--") || token_is(after, "+=") || token_is(after, "-=") ||
           token_is(before, "++") || token_is(before, "--") || sum_follows(rw, i);
}

/* Whether a variable in the tokens steps somewhere in the function. */
static bool names_counter(const Rewriter *rw, size_t first, size_t last)
{
    const Function *f = rw->self.function;
    for (size_t i = first; i < last; i++) {
        const Token *name = rewriter_token(rw, i);
        if (name->kind != TOKEN_NAME || !rewriter_local(rw, name)) {
            continue;
        }
        for (size_t k = f->body_first; k < f->body_last; k++) {
            if (token_equal(rewriter_token(rw, k), name) && steps_at(rw, k)) {
                return true;
            }
        }
    }
    return false;
}

bool rewrite_loops_exit(const Rewriter *rw, size_t i, size_t last)
{
    if (i >= rw->loop_end || !token_is(rewriter_token(rw, i), "if") || !token_is(rewriter_token(rw, i + 1), "(")) {
        return false;
    }
    size_t close = module_close(rw->module, i + 1, last);
    bool leaves = false;
    for (size_t k = close, end = close ? rewrite_loops_statement_end(rw, i, last) : 0; k < end && !leaves; k++) {
        const Token *t = rewriter_token(rw, k);
        leaves = token_is(t, "break") || token_is(t, "return");
    }
    return leaves && names_counter(rw, i + 2, close - 1);
}

/* Mesa (22.3) takes the constant in `if (i < min(n, 1)) break;` for where the loop ends, though that is where it does not, and drops the
 * rounds behind it. Where the condition is a value of its own, it does not look into it. */
bool rewrite_loops_exit_write(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    size_t close = module_close(rw->module, i + 1, last);
    const Token *t = rewriter_token(rw, i), *open = t + 1, *end = rewriter_token(rw, close - 1);
    bool done = rewriter_put(rw, t, t->text, t->length) && rewriter_put(rw, open, open->text, open->length);
    rewriter_add(rw, "rill_exit(");
    done = done && rewriter_range(rw, i + 2, close - 1);
    rewriter_add(rw, ")");
    *next = close;
    return done && rewriter_put(rw, end, end->text, end->length);
}

static bool always_true(const Rewriter *rw, size_t first, size_t last)
{
    const Token *t = rewriter_token(rw, first);
    return first == last ||
           (first + 1 == last && (token_is(t, "true") || (t->kind == TOKEN_NUMBER && !token_is(t, "0"))));
}

/* One past the condition's last token; *first is its first. */
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
        return close ? close - 1 : *first + 2;
    }
    at = rewrite_loops_statement_end(rw, at, last);
    *first = at;
    return rewrite_loops_statement_end(rw, at, last) - 1;
}

/* What follows a loop without an end is unreachable, and so is the check that notices loops that are cut. */
static bool check_end(const Rewriter *rw, size_t i, size_t body, size_t last)
{
    size_t first, condition_end = condition_of(rw, i, body, last, &first);
    if (first > condition_end || !always_true(rw, first, condition_end)) {
        return true;
    }
    for (size_t k = body, end = rewrite_loops_statement_end(rw, body, last); k < end; k++) {
        const Token *t = rewriter_token(rw, k);
        if (token_is(t, "break") || token_is(t, "return")) {
            return true;
        }
    }
    const Token *t = rewriter_token(rw, i);
    return source_error(&rw->module->source, t->offset, "this loop never ends: it has no break and no return");
}

/* A loop of unknown length counts its trips: compilers remove loops without effect, endless ones too, and the kernel would
 * go on as if the loop had ended. And it has a way out before anything else, which nobody takes: see rill_never in prelude.c. */
static bool watch(Rewriter *rw, size_t i, size_t last)
{
    bool is_do = token_is(rewriter_token(rw, i), "do");
    size_t body = is_do ? i + 1 : module_close(rw->module, i + 1, last);
    rw->self.unbounded = true;
    if (!body || body >= last || token_is(rewriter_token(rw, body), ";")) {
        return true; /* the end of a do loop, or an error for the GLSL compiler */
    }
    if (!check_end(rw, i, body, last)) {
        return false;
    }
    if (token_is(rewriter_token(rw, body), "{")) {
        return insert(rw, body, true, " rill_trips += 1u; if (rill_never()) break;");
    }
    return insert(rw, body, false, " { rill_trips += 1u; if (rill_never()) break;") &&
           insert(rw, rewrite_loops_statement_end(rw, body, last), false, " }");
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
    if (!for_trips(rw, i + 1, close, end, &trips) || rw->loop_count == MAX_LOOPS) {
        return watch(rw, i, last);
    }
    double all = rewrite_loops_factor(rw) * trips;
    rw->self.trips += all;
    rw->loops[rw->loop_count++] = (LoopRange){end, all};
    return true;
}
