/* Finds the statements of a body that an output needs, backwards and by names: the statements that
 * assign the output, then the statements that assign what these read. A block counts as one
 * statement. A missed dependency only costs time, since every pass contains the whole body, and
 * compilers drop what its outputs do not need. */
#include "kernel/body/slice.h"

#include "base/array.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { READ = 1, WRITTEN = 2, MOST_USES = 1 << 22 };

typedef struct Statement {
    size_t first, last; /* tokens: the first, and one past the last */
    double work;
    bool leaves; /* contains a return: all following statements depend on it */
} Statement;

typedef struct Shares {
    const Module *module;
    const Function *kernel;
    struct {
        Statement *items;
        size_t count, capacity;
    } statements;
    struct {
        size_t *items; /* the first token of each name */
        size_t count, capacity;
    } names;
    size_t *name;    /* per token of the body: the index of its name */
    uint8_t *use;    /* per statement and name: READ, WRITTEN */
    uint8_t *needed; /* per output and statement */
    double *calls;   /* per function of the module: its work; negative if not known yet */
} Shares;

static const Token *token_at(const Shares *s, size_t i)
{
    return &s->module->tokens.items[i];
}

/* statements */

/* Returns the token after the statement that begins at `i`. */
static size_t statement_end(const Shares *s, size_t i, size_t end)
{
    bool repeats = token_is(token_at(s, i), "do");
    while (i < end) {
        const Token *token = token_at(s, i);
        bool block = token_is(token, "{");
        if (block || token_is(token, "(") || token_is(token, "[")) {
            size_t close = module_close(s->module, i, end);
            i = close ? close : end;
        } else {
            i++;
        }
        bool last = block || token_is(token, ";");
        static const char *const more[] = {"else", ",", ";", NULL};
        if (last && !(i < end && (token_any(token_at(s, i), block ? more : (const char *const[]){"else", NULL}) ||
                                  (repeats && token_is(token_at(s, i), "while"))))) {
            return i;
        }
    }
    return end;
}

/* Returns the work of tokens: their number, including the functions that they call. */
static double work_of(Shares *s, size_t first, size_t last)
{
    double work = (double)(last - first);
    for (size_t i = first; i < last; i++) {
        const Function *f = module_function(s->module, token_at(s, i));
        if (!f || f == s->kernel) {
            continue;
        }
        double *known = &s->calls[f - s->module->functions.items];
        if (*known < 0) {
            *known = 0;
            *known = work_of(s, f->body_first, f->body_last);
        }
        work += *known;
    }
    return work;
}

static bool find_statements(Shares *s)
{
    size_t end = s->kernel->body_last;
    for (size_t i = s->kernel->body_first; i < end;) {
        if (!ARRAY_ROOM(&s->statements)) {
            return false;
        }
        Statement *statement = &s->statements.items[s->statements.count++];
        *statement = (Statement){.first = i, .last = statement_end(s, i, end)};
        statement->work = work_of(s, i, statement->last);
        for (; i < statement->last; i++) {
            statement->leaves = statement->leaves || token_is(token_at(s, i), "return");
        }
    }
    return true;
}

/* names */

static bool find_name(Shares *s, const Token *token, size_t *number)
{
    size_t k = 0;
    while (k < s->names.count && !token_equal(token_at(s, s->names.items[k]), token)) {
        k++;
    }
    *number = k;
    return k < s->names.count;
}

static bool find_names(Shares *s)
{
    size_t first = s->kernel->body_first;
    for (size_t i = first; i < s->kernel->body_last; i++) {
        if (token_at(s, i)->kind != TOKEN_NAME || find_name(s, token_at(s, i), &s->name[i - first])) {
            continue;
        }
        if (!ARRAY_ROOM(&s->names)) {
            return false;
        }
        s->names.items[s->names.count++] = i;
    }
    return true;
}

/* Returns whether the name at `i` is assigned, also through a component or an element. */
static bool is_assigned(const Shares *s, size_t i, const Statement *within)
{
    static const char *const assigns[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--", NULL};
    bool declared = i > within->first && (token_at(s, i - 1)->kind == TOKEN_NAME);
    bool stepped = i > within->first && (token_is(token_at(s, i - 1), "++") || token_is(token_at(s, i - 1), "--"));
    size_t next = i + 1;
    while (next < within->last && (token_is(token_at(s, next), ".") || token_is(token_at(s, next), "["))) {
        size_t close = token_is(token_at(s, next), "[") ? module_close(s->module, next, within->last) : next + 2;
        next = close ? close : within->last;
    }
    return declared || stepped || (next < within->last && token_any(token_at(s, next), assigns));
}

static bool has_outputs(const Function *f)
{
    bool any = false;
    for (int i = 0; i < f->param_count; i++) {
        any = any || f->params[i].output || param_kinds[f->params[i].kind].written;
    }
    return any;
}

static void note_uses(Shares *s, size_t number)
{
    const Statement *statement = &s->statements.items[number];
    uint8_t *use = s->use + number * s->names.count;
    size_t handed = statement->first; /* names before this token are passed to a function that may write them */
    for (size_t i = statement->first; i < statement->last; i++) {
        const Token *token = token_at(s, i);
        bool field = i > statement->first && token_is(token_at(s, i - 1), ".");
        if (token->kind != TOKEN_NAME || field) {
            continue;
        }
        const Function *f = module_function(s->module, token);
        if (f && has_outputs(f) && i + 1 < statement->last) {
            size_t close = module_close(s->module, i + 1, statement->last);
            handed = close > handed ? close : handed;
        }
        bool written = i < handed || is_assigned(s, i, statement);
        use[s->name[i - s->kernel->body_first]] |= (uint8_t)(READ | (written ? WRITTEN : 0));
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
    const char *output = s->kernel->params[param].name;
    for (size_t k = 0; k < s->names.count; k++) {
        wanted[k] = token_is(token_at(s, s->names.items[k]), output);
    }
    for (size_t n = s->statements.count; n-- > 0;) {
        const uint8_t *use = s->use + n * s->names.count;
        needed[n] = s->statements.items[n].leaves;
        for (size_t k = 0; k < s->names.count && !needed[n]; k++) {
            needed[n] = wanted[k] && (use[k] & WRITTEN);
        }
        for (size_t k = 0; needed[n] && k < s->names.count; k++) {
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
    size_t statements = s->statements.count, names = s->names.count;
    if (statements == 0 || names == 0 || statements > MOST_USES / names) {
        return true;
    }
    s->use = calloc(statements * names, 1);
    s->needed = calloc(statements * (size_t)count, 1);
    uint8_t *marks = calloc(statements + names, 1);
    bool room = s->use && s->needed && marks;
    for (size_t n = 0; room && n < statements; n++) {
        note_uses(s, n);
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
    Shares s = {.module = module, .kernel = kernel};
    int count = 0;
    for (int i = 0; i < kernel->param_count; i++) {
        if (is_output(kernel, i)) {
            order[count++] = (uint8_t)i;
        }
    }
    if (per_pass == 1 || per_pass >= count) {
        return true;
    }
    s.name = calloc(kernel->body_last - kernel->body_first + 1, sizeof *s.name);
    s.calls = malloc((module->functions.count + 1) * sizeof *s.calls);
    bool done = s.name && s.calls ? true : error_set("out of host memory");
    for (size_t i = 0; done && i < module->functions.count; i++) {
        s.calls[i] = -1;
    }
    done = done && find_statements(&s) && find_names(&s) && order_outputs(&s, count, per_pass, order);
    free(s.name);
    free(s.calls);
    free(s.use);
    free(s.needed);
    free(s.statements.items);
    free(s.names.items);
    return done;
}
