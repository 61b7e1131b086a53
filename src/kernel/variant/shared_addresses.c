/* Shares address computations: if gathers of one statement access the same point of several
 * containers with the same translator, the address is computed once before the statement. Most
 * compilers find this by themselves, but some count every fetch from a table. */
#include "kernel/variant/generator.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 32 };

/* "g_NAME(ARGUMENTS)" in a statement. */
typedef struct Call {
    const char *text, *arguments, *end;
    int param, place; /* 1-based number of the shared address; 0: not shared */
} Call;

typedef struct Sharing {
    const Generator *g;
    StrBuf *out;
    bool *used;
    int addresses;
    Call calls[MOST_CALLS];
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
           key->place && !outside && !g->key->check && !type->is_struct && type->components == 1;
}

static bool any_shared(const Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        if (shareable(g, i) && g->key->args[i].place <= i && shareable(g, g->key->args[i].place - 1)) {
            return true;
        }
    }
    return false;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns whether the word from `at` to `end` is one of a list that ends in NULL. */
static bool is_word(const char *at, const char *end, const char *const *list)
{
    for (; *list; list++) {
        if ((size_t)(end - at) == strlen(*list) && memcmp(at, *list, (size_t)(end - at)) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether the gathers of a statement may be evaluated before the rest of it: it contains no
 * condition, no assignment before the first gather except the statement's own, and no calls of
 * functions that may change something. */
static bool plain(const char *text, const char *gather, const char *end)
{
    static const char *const words[] = {"if", "else", "for", "while", "do", "switch", "case", "default", NULL};
    int assignments = 0, depth = 0;
    for (const char *at = text; at < end; at++) {
        if (in_word(*at)) {
            const char *begin = at;
            while (at < end && in_word(*at)) {
                at++;
            }
            const char *after = at;
            while (after < end && isspace((unsigned char)*after)) {
                after++;
            }
            bool call = after < end && *after == '(';
            bool changes = begin[0] == 'u' && begin[1] == '_';
            if (is_word(begin, at, words) || (call && (changes || strncmp(begin, "atomic", 6) == 0))) {
                return false;
            }
            at--;
            continue;
        }
        bool twice = at + 1 < end && at[0] == at[1];
        bool shifts = at > text + 1 && strchr("<>", at[-1]) && at[-2] == at[-1]; /* "<<=" is an assignment */
        bool compares = at > text && strchr("=!<>", at[-1]) && !shifts, assigns = *at == '=' && !compares && !twice;
        depth += (*at == '(') - (*at == ')');
        assignments += assigns;
        if (strchr("?{}", *at) || (twice && strchr("+-&|", *at)) || assignments > 1 ||
            (assigns && (depth > 0 || at > gather))) {
            return false;
        }
    }
    return true;
}

/* Returns the position after the bracket that closes the one at `at`; NULL if there is none before `end`. */
static const char *closing(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        depth += *at == '(';
        depth -= *at == ')';
        if (depth == 0) {
            return at + 1;
        }
    }
    return NULL;
}

static int called_param(const Generator *g, const char *at, size_t length)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const char *name = g->f->params[i].name;
        if (strlen(name) == length && memcmp(name, at, length) == 0) {
            return shareable(g, i) ? i : -1;
        }
    }
    return -1;
}

static void find_calls(Sharing *s, const char *text, const char *end)
{
    s->count = 0;
    for (const char *at = text; at + 2 < end && s->count < MOST_CALLS; at++) {
        if ((at > text && in_word(at[-1])) || at[0] != 'g' || at[1] != '_') {
            continue;
        }
        const char *name = at + 2, *open = name;
        while (open < end && in_word(*open)) {
            open++;
        }
        int param = called_param(s->g, name, (size_t)(open - name));
        const char *close = param >= 0 && open < end && *open == '(' ? closing(open, end) : NULL;
        if (close) {
            s->calls[s->count++] = (Call){at, open + 1, close, param, 0};
            at = close - 1; /* a gather inside an index is not changed */
        }
    }
}

/* Returns whether the arguments are equal, except for "b_NAME(" of their gathers. */
static bool same_arguments(const Sharing *s, const Call *a, const Call *b)
{
    const char *x = a->arguments, *y = b->arguments;
    const char *const names[] = {s->g->f->params[a->param].name, s->g->f->params[b->param].name};
    while (x < a->end && y < b->end) {
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
    return x == a->end && y == b->end;
}

/* Writes a statement, after the shared addresses that it uses. */
static void write_statement(Sharing *s, const char *text, const char *end)
{
    find_calls(s, text, end);
    bool free_of_order = s->count > 1 && plain(text, s->calls[0].text, end);
    const char *at = text;
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    strbuf_add_bytes(s->out, text, (size_t)(at - text));
    for (int i = 0; free_of_order && i < s->count; i++) {
        Call *first = &s->calls[i];
        bool shared = false;
        for (int k = i + 1; k < s->count && !first->place; k++) {
            const ArgKey *args = s->g->key->args;
            if (args[first->param].place == args[s->calls[k].param].place && same_arguments(s, first, &s->calls[k])) {
                s->calls[k].place = s->addresses + 1;
                shared = true;
            }
        }
        if (shared) {
            first->place = ++s->addresses;
            const char *name = s->g->f->params[first->param].name;
            strbuf_addf(s->out, "int rill_s%d = sp_%s(%.*s; ", first->place, name, (int)(first->end - first->arguments),
                        first->arguments);
        }
    }
    for (int i = 0; i < s->count; i++) {
        const Call *call = &s->calls[i];
        if (call->place) {
            s->used[call->param] = true;
            strbuf_add_bytes(s->out, at, (size_t)(call->text - at));
            strbuf_addf(s->out, "sv_%s(rill_s%d)", s->g->f->params[call->param].name, call->place);
            at = call->end;
        }
    }
    strbuf_add_bytes(s->out, at, (size_t)(end - at));
}

bool shared_addresses(const Generator *g, StrBuf *out, bool used[MAX_PARAMS])
{
    const char *body = strbuf_text(&g->text->body->text), *start = body;
    Sharing s = {.g = g, .out = out, .used = used};
    int depth = 0;
    if (g->text->unchanged || !any_shared(g)) {
        return false;
    }
    for (const char *at = body; *at; at++) {
        depth += *at == '(';
        depth -= *at == ')';
        if (depth == 0 && *at == ';') {
            write_statement(&s, start, at + 1);
            start = at + 1;
        } else if (depth == 0 && (*at == '{' || *at == '}')) {
            const char *before = at;
            while (before > start && isspace((unsigned char)before[-1])) {
                before--;
            }
            if (*at == '}' || before == start || !strchr("=,({", before[-1])) { /* otherwise a list of values */
                strbuf_add_bytes(out, start, (size_t)(at + 1 - start));
                start = at + 1;
            }
        }
    }
    strbuf_add(out, start);
    return s.addresses > 0;
}
