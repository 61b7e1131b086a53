/* Interleaves four elements statement by statement, for long bodies of few scalars without
 * branches. One after the other, each element would be a chain of dependent operations, and a
 * processor looks ahead only a limited distance: 43 multiply-adds take a third longer. */
#include "kernel/variant/generator.h"

#include "kernel/emit/glsl.h"

#include <stdio.h>

enum {
    INTERLEAVED = 4,
    LEAST_STATEMENTS = 16,
    MOST_STATEMENTS = 256,
    MOST_NAMES = 5,                                                      /* more do not stay in registers */
    SHORT = 1u << HELPER_SEEN | 1u << HELPER_REMAIN | 1u << HELPER_TRUTH /* helpers of a few operations */
};

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
           !body->random && !body->unbounded && body->trips == 0 && plain_streams(g);
}

/* Returns whether the body has enough statements, and few variables. */
static bool is_long(const Generator *g)
{
    const Body *body = g->text->body;
    int names = body->locals, statements = -1;
    for (int i = 0; i < g->f->param_count; i++) {
        names += g->f->params[i].kind != PARAM_CONSTANT;
    }
    for (size_t i = 0; i < body->marks.count; i++) {
        statements += body->marks.items[i].end;
    }
    return names <= MOST_NAMES && statements >= LEAST_STATEMENTS && statements <= MOST_STATEMENTS &&
           !(body->helpers & ~(uint32_t)SHORT);
}

/* Writes the statement of element k between two marks. Local variables are called r0u_x instead of u_x. */
static void write_statement(const Generator *g, size_t from, size_t to, int k)
{
    const BodyMark *marks = g->text->body->marks.items;
    const char *text = strbuf_text(&g->text->body->text);
    for (size_t i = from; i < to; i++) {
        strbuf_addf(g->out, marks[i].end ? "" : "r%d", k);
        strbuf_add_bytes(g->out, text + marks[i].at, marks[i + 1].at - marks[i].at);
    }
}

/* Writes each statement for all elements. */
static void write_statements(const Generator *g)
{
    const Body *body = g->text->body;
    for (size_t from = 0, to = 1; to < body->marks.count; to++) {
        for (int k = 0; body->marks.items[to].end && k < INTERLEAVED; k++) {
            write_statement(g, from, to, k);
        }
        from = body->marks.items[to].end ? to : from;
    }
    strbuf_add(g->out, "\n");
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

static void write_four(Generator *g, int first)
{
    strbuf_add(g->out, "        {\n");
    write_values(g, first);
    write_statements(g);
    for (int i = 0; i < g->f->param_count; i++) {
        for (int k = 0; generate_stored(g, i) && k < INTERLEAVED; k++) {
            char value[MAX_NAME + 16];
            snprintf(value, sizeof value, "r%du_%s", k, g->f->params[i].name);
            generate_words(g, i, first + k, value);
        }
    }
    strbuf_add(g->out, "        }\n");
}

bool generate_interleaved(Generator *g)
{
    bool done = fits(g) && is_long(g);
    for (int first = 0; done && first < g->layout->elements; first += INTERLEAVED) {
        write_four(g, first);
    }
    return done;
}
