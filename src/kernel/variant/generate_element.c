/* One element of a launch: it is loaded, the body is called, and what that gives is stored. */
#include "kernel/variant/generator.h"

#include "kernel/body/glsl.h"

#include <stdio.h>

static void write_position_arguments(Generator *g)
{
    for (int d = 0; d < g->key->rank; d++) {
        strbuf_addf(g->out, "%srill_d%d", d ? ", " : "", d);
    }
}

static bool has_variable(const Param *param)
{
    return !param_kinds[param->kind].bound && param->kind != PARAM_CONSTANT;
}

bool generate_stored(const Generator *g, int i)
{
    return g->layout->args[i].store != NO_UNIT && !param_kinds[g->f->params[i].kind].anywhere;
}

/* Whether main keeps the place of argument i's element as a_NAME, for its load and its store: containers are asked once. */
static bool keeps_place(const Generator *g, int i)
{
    const ArgKey *key = &g->key->args[i];
    const ParamKindInfo *kind = &param_kinds[g->f->params[i].kind];
    bool fetched = kind->read && !generator_flat_load(g, i);
    return kind->element && (key->path == PATH_MAPPED || key->paged) &&
           (fetched || (generate_stored(g, i) && !variant_flat_store(g->f, g->key, i)));
}

/* The argument before i, if any, whose place is kept and serves i too; else i. */
static int place_leader(const Generator *g, int i)
{
    int k = 0;
    while (k < i && !(g->key->args[i].place && g->key->args[k].place == g->key->args[i].place && keeps_place(g, k))) {
        k++;
    }
    return k;
}

/* Where element k of a step over pages stands: an expression. */
static void write_page_place(Generator *g, int i, int k)
{
    const char *name = g->f->params[i].name;
    if (g->key->args[i].path == PATH_MAPPED) {
        strbuf_addf(g->out, "g_%s < 0 ? -1 : ", name);
    }
    strbuf_addf(g->out, "g_%s + e_%s + %d", name, name, k);
}

static void write_place(Generator *g, int i, int k)
{
    const char *name = g->f->params[i].name;
    int leader = place_leader(g, i);
    strbuf_addf(g->out, "        int a_%s = ", name);
    if (g->key->args[i].paged) {
        write_page_place(g, i, k);
    } else if (leader < i) {
        const char *other = g->f->params[leader].name;
        strbuf_addf(g->out, "a_%s < 0 ? -1 : a_%s + int(%s) - int(%s)", other, other,
                    access_word(g->layout->args[i].base), access_word(g->layout->args[leader].base));
    } else {
        strbuf_addf(g->out, "adr_%s(", name);
        write_position_arguments(g);
        strbuf_add(g->out, ")");
    }
    strbuf_add(g->out, ";\n");
}

/* The value of argument i, that is read. */
static void write_value(Generator *g, int i, int k)
{
    const Param *param = &g->f->params[i];
    if (generator_flat_load(g, i)) {
        char texels[MAX_NAME + 8];
        snprintf(texels, sizeof texels, "f_%s", param->name);
        access_texel(g->out, texels, param->type, g->key->args[i].type, k);
    } else if (keeps_place(g, i)) {
        strbuf_addf(g->out, "fetch_%s(a_%s)", param->name, param->name);
    } else {
        bool blended = g->key->args[i].path == PATH_BLENDED;
        strbuf_addf(g->out, blended ? "blend_%s(" : "fetch_%s(adr_%s(", param->name, param->name);
        write_position_arguments(g);
        strbuf_add(g->out, blended ? ")" : "))");
    }
}

void generate_loads(Generator *g, int k)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const Param *param = &g->f->params[i];
        if (!has_variable(param)) {
            continue;
        }
        if (keeps_place(g, i)) {
            write_place(g, i, k);
        }
        strbuf_addf(g->out, "        %s v_%s = ", glsl_type(param->type), param->name);
        if (param_kinds[param->kind].read) {
            write_value(g, i, k);
        } else {
            glsl_zero(g->out, param->type);
        }
        strbuf_add(g->out, ";\n");
        if (generator_flat_load(g, i) && g->key->args[i].path == PATH_MAPPED) {
            AccessText text = {
                .param = param, .key = &g->key->args[i], .layout = &g->layout->args[i], .box = &g->layout->args[i]};
            strbuf_addf(g->out, "        if (g_%s < 0) { v_%s = ", param->name, param->name);
            access_fallback(g->out, &text);
            strbuf_add(g->out, "; }\n");
        }
    }
}

void generate_call(Generator *g)
{
    int count =
        g->f->param_count - g->f->given - (g->f->result != NULL); /* behind it stands what the function returns */
    if (g->f->result) {
        strbuf_addf(g->out, "        v_%s = %s(", g->f->params[count].name, g->text->body->entry);
    } else {
        strbuf_addf(g->out, "        %s(", g->text->body->entry);
    }
    bool comma = false;
    for (int i = 0; i < count; i++) {
        const Param *param = &g->f->params[i];
        if (param_kinds[param->kind].bound) {
            continue;
        }
        strbuf_addf(g->out, "%s%s_%s", comma ? ", " : "", param->kind == PARAM_CONSTANT ? "c" : "v", param->name);
        comma = true;
    }
    strbuf_add(g->out, ");\n");
}

/* flat stores: words are collected over the elements, then stored together */

void generate_declare_words(Generator *g)
{
    for (int i = 0; i < g->f->param_count; i++) {
        if (!generate_stored(g, i) || !variant_flat_store(g->f, g->key, i)) {
            continue;
        }
        strbuf_add(g->out, "        uint");
        for (int w = 0; w < generator_step_bytes(g, i) / 4; w++) {
            strbuf_addf(g->out, "%s w_%s_%d", w ? "," : "", g->f->params[i].name, w);
        }
        strbuf_add(g->out, ";\n");
    }
}

void generate_words(Generator *g, int i, int k, const char *value)
{
    const Param *param = &g->f->params[i];
    const Type *type = g->key->args[i].type;
    int first = k * type->bytes;
    for (int w = 0; w < glsl_words(type); w++) {
        bool part = first % 4 != 0;
        strbuf_addf(g->out, "        w_%s_%d %s ", param->name, first / 4 + w, part ? "|=" : "=");
        strbuf_add(g->out, part ? "(" : "");
        glsl_encode(g->out, type, param->type, value, w);
        if (part) {
            strbuf_addf(g->out, ") << %d", first % 4 * 8);
        }
        strbuf_add(g->out, ";\n");
    }
}

void generate_store_words(Generator *g, int i, const char *at)
{
    const char *name = g->f->params[i].name;
    int words = generator_step_bytes(g, i) / 4;
    for (int w = 0; w < words; w += words % 4 ? 1 : 4) {
        if (words % 4) {
            strbuf_addf(g->out, "        out_%s[%s + %d] = w_%s_%d;\n", name, at, w, name, w);
        } else {
            strbuf_addf(g->out, "        out_%s[%s + %d] = rill_texel(w_%s_%d, w_%s_%d, w_%s_%d, w_%s_%d);\n", name, at,
                        w / 4, name, w, name, w + 1, name, w + 2, name, w + 3);
        }
    }
}

/* One element to its own place; packed ones share words with others, hence atomics. */
void generate_store(Generator *g, int i)
{
    const Param *param = &g->f->params[i];
    const Type *type = g->key->args[i].type;
    const char *name = param->name;
    char value[MAX_NAME + 8];
    snprintf(value, sizeof value, "v_%s", name);
    bool mapped = path_mapped(g->key->args[i].path), pages = g->key->active == ACTIVE_PAGES;
    if (pages) {
        strbuf_add(g->out, "        {");
    } else {
        strbuf_addf(g->out, "        if (rill_e < int(%s)) {", access_word(g->layout->count));
    }
    if (keeps_place(g, i)) {
        strbuf_addf(g->out, mapped ? " if (a_%s >= 0) { int a = a_%s" : " int a = a_%s", name, name);
    } else {
        strbuf_addf(g->out, " int a = adr_%s(", name);
        write_position_arguments(g);
        strbuf_add(g->out, mapped ? "); if (a >= 0) { a = a" : ")");
    }
    if (param->kind == PARAM_INOUT) {
        const ArgLayout *arg = &g->layout->args[i];
        strbuf_addf(g->out, " + int(%s) - int(%s)", access_word(arg->store_base), access_word(arg->base));
    }
    strbuf_add(g->out, ";");
    const char *end = mapped ? " } }\n" : " }\n";
    if (type->bytes < 4) {
        int per_word = 4 / type->bytes;
        strbuf_addf(g->out,
                    " uint s = uint(a %% %d) * %du; atomicAnd(out_%s[a / %d], ~(%uu << s)); atomicOr(out_%s[a / %d], (",
                    per_word, type->bytes * 8, name, per_word, type->bytes == 1 ? 255u : 65535u, name, per_word);
        glsl_encode(g->out, type, param->type, value, 0);
        strbuf_add(g->out, ") << s);");
        strbuf_add(g->out, end);
        return;
    }
    int count = glsl_words(type), width = count % 4 ? 1 : 4; /* as store_type() has it */
    for (int w = 0; w < count; w += width) {
        strbuf_addf(g->out, " out_%s[a * %d + %d] = %s", name, count / width, w / width,
                    width > 1 ? "rill_texel(" : "");
        for (int k = w; k < w + width; k++) {
            strbuf_add(g->out, k > w ? ", " : "");
            glsl_encode(g->out, type, param->type, value, k);
        }
        strbuf_add(g->out, width > 1 ? ");" : ";");
    }
    strbuf_add(g->out, end);
}

/* Element k of a step: its loads, the call, its stores, or the words of them. */
void generate_element(Generator *g, int k)
{
    generate_loads(g, k);
    generate_call(g);
    for (int i = 0; i < g->f->param_count; i++) {
        if (generate_stored(g, i) && variant_flat_store(g->f, g->key, i)) {
            char value[MAX_NAME + 8];
            snprintf(value, sizeof value, "v_%s", g->f->params[i].name);
            generate_words(g, i, k, value);
        } else if (generate_stored(g, i)) {
            generate_store(g, i);
        }
    }
}
