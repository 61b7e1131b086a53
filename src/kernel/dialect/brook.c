#include "kernel/dialect/brook.h"
#include "kernel/dialect/brook_writer.h"

#include <stdlib.h>
#include <string.h>

/* A range of a module's tokens to convert: the body of a function, or (function is NULL) the
 * declaration of a constant. */
typedef struct Stretch {
    size_t first, last;
    const Function *function;
} Stretch;

static int compare(const void *a, const void *b)
{
    const Stretch *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Returns all ranges of a module, in order. */
static Stretch *stretches(const Module *m, size_t *count)
{
    Stretch *list = calloc(m->functions.count + m->constants.count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < m->functions.count; i++) {
        const Function *f = &m->functions.items[i];
        list[(*count)++] = (Stretch){f->body_first, f->body_last, f};
    }
    for (size_t i = 0; list && i < m->constants.count; i++) {
        const Constant *c = &m->constants.items[i];
        if (i == 0 || c->first != c[-1].first) {
            list[(*count)++] = (Stretch){c->first, c->last, NULL};
        }
    }
    if (list) {
        qsort(list, *count, sizeof *list, compare);
    } else {
        error_set("out of host memory");
    }
    return list;
}

static bool convert(BrookWriter *w, const Stretch *stretch)
{
    w->last = stretch->last;
    w->function = stretch->function;
    if (!stretch->function) {
        while (brook_next_is(w, "static") || brook_next_is(w, "const")) {
            if (!brook_put(w)) {
                return false;
            }
        }
        return brook_declaration(w) && brook_put_until(w, stretch->last);
    }
    w->depth = 1;
    for (int i = 0; i < stretch->function->param_count; i++) {
        const Param *param = &stretch->function->params[i];
        Token name = {.kind = TOKEN_NAME, .text = param->name, .length = (int)strlen(param->name)};
        if (!brook_declare(w, &name, brook_value_param(param))) {
            return false;
        }
    }
    size_t first = w->out.count;
    bool done = brook_statements(w) && brook_put_until(w, stretch->last) && brook_declare_temporaries(w, first);
    brook_leave(w);
    return done;
}

/* Writes all tokens anew. place[i] becomes the new index of token i, for tokens that begin or end something. */
static bool write(BrookWriter *w, size_t *place)
{
    size_t count, total = w->module->tokens.count;
    Stretch *list = stretches(w->module, &count);
    bool done = list != NULL;
    for (size_t k = 0, i = 0; done && i < total;) {
        bool here = k < count && i == list[k].first;
        place[i] = w->out.count;
        w->at = i;
        w->last = total;
        done = here ? convert(w, &list[k]) : brook_put(w);
        i = here ? list[k].last : i + 1;
        k += here;
    }
    place[total] = w->out.count;
    free(list);
    return done;
}

static void move(Module *m, const size_t *place)
{
    for (size_t i = 0; i < m->functions.count; i++) {
        Function *f = &m->functions.items[i];
        f->body_first = place[f->body_first];
        f->body_last = place[f->body_last];
        for (int k = 0; k < f->param_count; k++) {
            f->params[k].array_first = place[f->params[k].array_first];
            f->params[k].array_last = place[f->params[k].array_last];
        }
    }
    for (size_t i = 0; i < m->constants.count; i++) {
        m->constants.items[i].first = place[m->constants.items[i].first];
        m->constants.items[i].last = place[m->constants.items[i].last];
    }
}

bool brook_convert(Module *module)
{
    size_t *place = calloc(module->tokens.count + 1, sizeof *place);
    BrookWriter w = {.module = module};
    bool done = place ? write(&w, place) : error_set("out of host memory");
    if (done) {
        move(module, place);
        token_list_free(&module->tokens);
        module->tokens = w.out;
    } else {
        token_list_free(&w.out);
    }
    free(w.names.items);
    free(w.temporaries.items);
    free(place);
    return done;
}
