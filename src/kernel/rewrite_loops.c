/* How often a body's loops can run: devices that cut long loops need to know (devices: the loop limit). */
#include "kernel/rewriter.h"

#include <stdlib.h>

size_t loops_statement_end(const Rewriter *rw, size_t i, size_t last)
{
    const Token *t = rewriter_token(rw, i);
    if (i >= last) {
        return last;
    }
    if (token_is(t, "{")) {
        size_t end = module_close(rw->module, i, last);
        return end ? end : last;
    }
    if (token_is(t, "for") || token_is(t, "while") || token_is(t, "if")) {
        size_t after = module_close(rw->module, i + 1, last);
        size_t end = after ? loops_statement_end(rw, after, last) : last;
        if (token_is(t, "if") && end < last && token_is(rewriter_token(rw, end), "else")) {
            end = loops_statement_end(rw, end + 1, last);
        }
        return end;
    }
    int depth = 0;
    for (; i < last; i++) {
        t = rewriter_token(rw, i);
        depth += token_is(t, "(") || token_is(t, "{") || token_is(t, "[");
        depth -= token_is(t, ")") || token_is(t, "}") || token_is(t, "]");
        if (depth == 0 && token_is(t, ";")) {
            return i + 1;
        }
    }
    return last;
}

static bool number(const Rewriter *rw, size_t *i, double *value)
{
    bool minus = token_is(rewriter_token(rw, *i), "-");
    *i += minus;
    const Token *t = rewriter_token(rw, *i);
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

static bool assigned(const Rewriter *rw, const Token *name, size_t first, size_t last)
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

/* The step of "i++", "++i", "i += 2" and their falling forms. */
static bool loop_step(const Rewriter *rw, size_t i, size_t end, const Token *name, double *step)
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
    const Type *type;
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
    if (!loop_step(rw, i + 1, close - 1, name, &step) || assigned(rw, name, close, body_end)) {
        return false;
    }
    bool up = token_is(op, "<") || token_is(op, "<="), down = token_is(op, ">") || token_is(op, ">=");
    if ((!up && !down) || (up ? step <= 0 : step >= 0)) {
        return false;
    }
    *trips = (to - from) / step + 2;
    *trips = *trips > 0 ? *trips : 1;
    return true;
}

double loops_factor(const Rewriter *rw)
{
    return rw->loop_count ? rw->loops[rw->loop_count - 1].trips : 1;
}

bool loops_enter(Rewriter *rw, size_t i, size_t last)
{
    while (rw->loop_count > 0 && i >= rw->loops[rw->loop_count - 1].end) {
        rw->loop_count--;
    }
    const Token *t = rewriter_token(rw, i);
    bool is_for = token_is(t, "for");
    if (!is_for && !token_is(t, "while") && !token_is(t, "do")) {
        return true;
    }
    if (!is_for) {
        rw->self.unbounded = true;
        return true;
    }
    size_t close = module_close(rw->module, i + 1, last);
    if (!close) {
        return source_error(&rw->module->source, t->offset, "this 'for' is never closed");
    }
    size_t end = loops_statement_end(rw, close, last);
    double trips;
    if (!for_trips(rw, i + 1, close, end, &trips) || rw->loop_count == MAX_LOOPS) {
        rw->self.unbounded = true;
        return true;
    }
    double all = loops_factor(rw) * trips;
    rw->self.trips += all;
    rw->loops[rw->loop_count++] = (LoopRange){end, all};
    return true;
}
