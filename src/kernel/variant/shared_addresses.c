/* Shares address computations: if gathers of one statement access the same point of several
 * containers with the same translator, the address is computed once before the statement. Most
 * compilers find this by themselves, but some count every fetch from a table. */
#include "kernel/variant/generator.h"

#include <string.h>

enum { MOST_CALLS = 32 };

typedef struct Sharing {
    const Generator *g;
    StrBuf *out;
    bool *used;
    int addresses;
    const BodyGather *calls[MOST_CALLS]; /* of one statement */
    int place[MOST_CALLS];               /* 1-based number of the shared address; 0: not shared */
    int count;
} Sharing;

static bool shareable(const Generator *g, int i)
{
    const ArgKey *key = &g->key->args[i];
    const Type *type = g->f->params[i].type;
    bool outside = false;
    for (int d = 0; d < key->rank; d++) {
        outside = outside || access_boundary(key, d) == BOUNDARY_VALUE;
    }
    return i < g->f->param_count - g->f->given && g->f->params[i].kind == PARAM_GATHER && key->path == PATH_MAPPED &&
           key->container.place && !outside && !g->key->check && !type->is_struct && type->components == 1;
}

static bool any_shared(const Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        if (shareable(g, i) && g->key->args[i].container.place <= i &&
            shareable(g, g->key->args[i].container.place - 1)) {
            return true;
        }
    }
    return false;
}

/* Returns whether the arguments are equal, except for "b_NAME(" of their gathers. */
static bool same_arguments(const Sharing *s, const BodyGather *a, const BodyGather *b)
{
    const char *text = strbuf_text(&s->g->text->body->text);
    const char *x = text + a->arguments, *y = text + b->arguments;
    const char *const names[] = {s->g->f->params[a->param].name, s->g->f->params[b->param].name};
    while (x < text + a->end && y < text + b->end) {
        if (strncmp(x, " b_", 3) == 0 && strncmp(y, " b_", 3) == 0) {
            size_t m = strlen(names[0]), n = strlen(names[1]);
            bool own = strncmp(x + 3, names[0], m) == 0 && strncmp(y + 3, names[1], n) == 0;
            if (own && x[3 + m] == '(' && y[3 + n] == '(') {
                x += 3 + m;
                y += 3 + n;
                continue;
            }
        }
        if (*x++ != *y++) {
            return false;
        }
    }
    return x == text + a->end && y == text + b->end;
}

/* Declares the addresses that several gathers of the statement share. */
static void write_addresses(Sharing *s)
{
    const char *text = strbuf_text(&s->g->text->body->text);
    const ArgKey *args = s->g->key->args;
    for (int i = 0; i < s->count; i++) {
        const BodyGather *first = s->calls[i];
        bool shared = false;
        for (int k = i + 1; k < s->count && !s->place[i]; k++) {
            if (args[first->param].container.place == args[s->calls[k]->param].container.place &&
                same_arguments(s, first, s->calls[k])) {
                s->place[k] = s->addresses + 1;
                shared = true;
            }
        }
        if (shared) {
            s->place[i] = ++s->addresses;
            strbuf_addf(s->out, "int rill_s%d = sp_%s(%.*s; ", s->place[i], s->g->f->params[first->param].name,
                        (int)(first->end - first->arguments), text + first->arguments);
        }
    }
}

/* Writes the text from byte `at` on, up to the end of the last gather of a statement. Returns the byte after it. */
static size_t write_statement(Sharing *s, size_t at)
{
    const char *text = strbuf_text(&s->g->text->body->text);
    strbuf_add_bytes(s->out, text + at, s->calls[0]->statement - at);
    at = s->calls[0]->statement;
    write_addresses(s);
    for (int i = 0; i < s->count; i++) {
        const BodyGather *call = s->calls[i];
        if (s->place[i]) {
            s->used[call->param] = true;
            strbuf_add_bytes(s->out, text + at, call->at - at);
            strbuf_addf(s->out, "sv_%s(rill_s%d)", s->g->f->params[call->param].name, s->place[i]);
            at = call->end;
        }
    }
    return at;
}

bool shared_addresses(const Generator *g, StrBuf *out, bool used[MAX_PARAMS])
{
    const Body *body = g->text->body;
    Sharing s = {.g = g, .out = out, .used = used};
    size_t at = 0;
    if (!any_shared(g)) {
        return false;
    }
    for (size_t i = 0, next; i < body->gathers.count; i = next) {
        s.count = 0;
        memset(s.place, 0, sizeof s.place);
        for (next = i;
             next < body->gathers.count && body->gathers.items[next].statement == body->gathers.items[i].statement;
             next++) {
            if (s.count < MOST_CALLS && shareable(g, body->gathers.items[next].param)) {
                s.calls[s.count++] = &body->gathers.items[next];
            }
        }
        if (s.count > 1) {
            at = write_statement(&s, at);
        }
    }
    strbuf_add(out, strbuf_text(&body->text) + at);
    return s.addresses > 0;
}
