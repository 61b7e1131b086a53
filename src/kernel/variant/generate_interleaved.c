/* Interleaves four elements statement by statement, for long bodies of few scalars without
 * branches. One after the other, each element would be a chain of dependent operations, and a
 * processor looks ahead only a limited distance: 43 multiply-adds take a third longer. */
#include "kernel/variant/generator.h"

#include "kernel/emit/glsl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    INTERLEAVED = 4,
    LEAST_STATEMENTS = 16,
    MOST_STATEMENTS = 256,
    MOST_NAMES = 5 /* more do not stay in registers */
};

/* A part of the body's text. */
typedef struct Span {
    const char *at, *end;
} Span;

typedef struct Straight {
    const Generator *g;
    Span statements[MOST_STATEMENTS], names[MAX_PARAMS + MOST_NAMES]; /* names: of variables */
    int count, name_count, constants;
} Straight;

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_text(Span word, const char *text)
{
    size_t length = (size_t)(word.end - word.at);
    return strlen(text) == length && memcmp(word.at, text, length) == 0;
}

static bool is_any(Span word, const char *const *list)
{
    while (*list && !is_text(word, *list)) {
        list++;
    }
    return *list != NULL;
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/* Returns the word or number at `at`, or an empty span. */
static Span word_at(const char *at, const char *end)
{
    Span word = {at, at};
    while (word.end < end && in_word(*word.end)) {
        word.end++;
    }
    return word;
}

static bool add_name(Straight *s, Span name)
{
    bool room = s->name_count - s->constants < MOST_NAMES && name.end > name.at;
    if (room) {
        s->names[s->name_count++] = name;
    }
    return room;
}

static bool is_name(const Straight *s, Span word)
{
    for (int i = 0; i < s->name_count; i++) {
        size_t length = (size_t)(s->names[i].end - s->names[i].at);
        if (length == (size_t)(word.end - word.at) && memcmp(s->names[i].at, word.at, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds the names that a statement declares, if it is a declaration: "float u_x = ..., u_y". */
static bool add_declared(Straight *s, Span statement)
{
    static const char *const scalars[] = {"float", "int", "uint", NULL};
    static const char *const exact[] = {"precise", NULL};
    Span type = word_at(statement.at, statement.end);
    if (is_any(type, exact)) {
        type = word_at(skip_space(type.end, statement.end), statement.end);
    }
    const char *after = skip_space(type.end, statement.end);
    if (!in_word(*after)) {
        return true;
    }
    int depth = 0;
    bool good = is_any(type, scalars) && add_name(s, word_at(after, statement.end));
    for (const char *at = after; good && at < statement.end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at == ',' && depth == 0) {
            good = add_name(s, word_at(skip_space(at + 1, statement.end), statement.end));
        }
    }
    return good;
}

/* Returns whether the text contains neither jumps nor uses of the element's position. */
static bool is_straight(Span text)
{
    static const char *const words[] = {"if", "for", "while", "do", "switch", "return", NULL};
    static const char *const plain[] = {"rill_zero", "rill_naught", "rill_seen", "rill_rem", "rill_truth", NULL};
    for (const char *at = text.at; at < text.end; at++) {
        Span word = word_at(at, text.end);
        bool own = strncmp(at, "rill_", 5) == 0 && !is_any(word, plain);
        if (strchr("{}[]#", *at) || is_any(word, words) || own) {
            return false;
        }
        at = word.end > at ? word.end - 1 : at;
    }
    return true;
}

/* Returns the text between the braces of the kernel's function. */
static Span body_of(const Generator *g)
{
    char head[MAX_NAME + 32];
    snprintf(head, sizeof head, "void %s(", g->text->body->entry);
    const char *at = strstr(strbuf_text(&g->text->body->text), head), *open = at ? strchr(at, '{') : NULL;
    const char *close = open ? strchr(open, '}') : NULL;
    return close ? (Span){open + 1, close} : (Span){head, head};
}

static bool add_statements(Straight *s, Span body)
{
    const char *start = skip_space(body.at, body.end);
    for (const char *at = start; at < body.end; at++) {
        if (*at == ';') {
            Span statement = {start, at + 1};
            if (s->count == MOST_STATEMENTS || !add_declared(s, statement)) {
                return false;
            }
            s->statements[s->count++] = statement;
            start = skip_space(at + 1, body.end);
        }
    }
    return start == body.end && s->count >= LEAST_STATEMENTS;
}

/* Returns whether each element of every stream is one scalar and is contiguous with others, and no
 * constant is a matrix. */
static bool plain_streams(const Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const Param *param = &g->f->params[i];
        const ParamKindInfo *kind = &param_kinds[param->kind];
        bool one = kind->element && !kind->bound && !kind->anywhere && g->key->args[i].path == PATH_DENSE &&
                   !param->type->is_struct && param->type->components == 1 && param->type->scalar != SCALAR_DOUBLE;
        if (kind->stream ? !one : param->matrix > 0) {
            return false;
        }
    }
    return true;
}

static bool fits(const Generator *g)
{
    const Body *body = g->text->body;
    return g->text->traits->family == FAMILY_CPU && g->key->flat_loads && g->key->flat_stores && !g->key->active &&
           !g->key->check && g->layout->elements % INTERLEAVED == 0 && g->layout->strip == NO_SLOT &&
           !g->f->group_rank && !g->f->given && !g->f->result && !body->uses_at && !body->uses_position &&
           !body->unbounded && body->trips == 0 && plain_streams(g);
}

/* Writes a statement of element k. Local variables are called r0u_x instead of u_x. */
static void write_statement(const Straight *s, Span statement, int k)
{
    StrBuf *out = s->g->out;
    strbuf_add(out, "        ");
    for (const char *at = statement.at; at < statement.end;) {
        Span word = word_at(at, statement.end);
        if (word.end == word.at) {
            strbuf_add_bytes(out, at++, 1);
            continue;
        }
        strbuf_addf(out, is_name(s, word) && at[-1] != '.' ? "r%d" : "", k);
        strbuf_add_bytes(out, word.at, (size_t)(word.end - word.at));
        at = word.end;
    }
    strbuf_add(out, "\n");
}

/* Writes the parameters as variables. Constants, too: inside a function they are variables. */
static void write_values(const Generator *g, int first)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const Param *param = &g->f->params[i];
        char texels[MAX_NAME + 8];
        snprintf(texels, sizeof texels, "f_%s", param->name);
        for (int k = 0; k < INTERLEAVED; k++) {
            strbuf_addf(g->out, "        %s%s r%du_%s = ", g->text->body->exact ? "precise " : "",
                        glsl_type(param->type), k, param->name);
            if (param->kind == PARAM_CONSTANT) {
                strbuf_addf(g->out, "c_%s", param->name);
            } else if (param_kinds[param->kind].read) {
                access_texel(g->out, texels, param->type, g->key->args[i].type, first + k);
            } else {
                glsl_zero(g->out, param->type);
            }
            strbuf_add(g->out, ";\n");
        }
    }
}

static void write_four(const Straight *s, int first)
{
    Generator g = *s->g;
    strbuf_add(g.out, "        {\n");
    write_values(&g, first);
    for (int n = 0; n < s->count; n++) {
        for (int k = 0; k < INTERLEAVED; k++) {
            write_statement(s, s->statements[n], k);
        }
    }
    for (int i = 0; i < g.f->param_count; i++) {
        for (int k = 0; generate_stored(&g, i) && k < INTERLEAVED; k++) {
            char value[MAX_NAME + 16];
            snprintf(value, sizeof value, "r%du_%s", k, g.f->params[i].name);
            generate_words(&g, i, first + k, value);
        }
    }
    strbuf_add(g.out, "        }\n");
}

bool generate_interleaved(Generator *g)
{
    Straight s = {.g = g};
    char names[MAX_PARAMS][MAX_NAME + 8];
    if (!fits(g)) {
        return false;
    }
    for (int i = 0; i < g->f->param_count; i++) {
        int length = snprintf(names[i], sizeof names[i], "u_%s", g->f->params[i].name);
        s.constants += g->f->params[i].kind == PARAM_CONSTANT;
        if (!add_name(&s, (Span){names[i], names[i] + length})) {
            return false;
        }
    }
    Span body = body_of(g);
    if (!is_straight(body) || !add_statements(&s, body)) {
        return false;
    }
    for (int first = 0; first < g->layout->elements; first += INTERLEAVED) {
        write_four(&s, first);
    }
    return true;
}
