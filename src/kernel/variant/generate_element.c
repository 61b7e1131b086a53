/* Writes one element of a launch: it is loaded, the body is called, and its results are stored. */
#include "kernel/variant/generator.h"

#include "kernel/emit/glsl.h"

#include <stdio.h>

static bool has_variable(const Param *param)
{
    return !param_kinds[param->kind].bound && param->kind != PARAM_CONSTANT;
}

bool generate_stored(const Generator *g, int i)
{
    return g->layout->args[i].store != NO_UNIT && !param_kinds[g->f->params[i].kind].anywhere;
}

/* Returns whether main() keeps the address of argument i's element as a_NAME, for its load and its
 * store, so that it is computed once. */
static bool keeps_address(const Generator *g, int i)
{
    const ArgKey *key = &g->key->args[i];
    const ParamKindInfo *kind = &param_kinds[g->f->params[i].kind];
    bool fetched = kind->read && !generator_flat_load(g, i);
    return kind->element && (key->path == PATH_MAPPED || key->pages.kind) &&
           (fetched || (generate_stored(g, i) && !variant_flat_store(g->f, g->key, i)));
}

/* Returns the first argument whose address serves argument i, too; otherwise i. */
static int address_leader(const Generator *g, int i)
{
    int k = 0;
    while (k < i && !(g->key->args[i].container.place &&
                      g->key->args[k].container.place == g->key->args[i].container.place && keeps_address(g, k))) {
        k++;
    }
    return k;
}

static void write_place(Generator *g, int i, int k)
{
    int leader = address_leader(g, i);
    generator_addf(g, i, "        int a_$N = ");
    if (g->key->args[i].pages.kind) {
        bool mapped = g->key->args[i].path == PATH_MAPPED;
        generator_addf(g, i, mapped ? "g_$N < 0 ? -1 : g_$N + e_$N + %d;\n" : "g_$N + e_$N + %d;\n", k);
    } else if (leader < i) {
        generator_addf(g, leader, "a_$N < 0 ? -1 : a_$N + int(%s) - int($B);\n", access_word(g->layout->args[i].base));
    } else {
        generator_addf(g, i, "adr_$N($,{rill_d#$});\n");
    }
}

/* Writes the value of argument i, which is read. */
static void write_value(Generator *g, int i, int k)
{
    const Param *param = &g->f->params[i];
    if (generator_flat_load(g, i)) {
        char texels[MAX_NAME + 8];
        snprintf(texels, sizeof texels, "f_%s", param->name);
        access_texel(g->out, texels, param->type, g->key->args[i].type, k);
    } else if (keeps_address(g, i)) {
        generator_addf(g, i, "fetch_$N(a_$N)");
    } else {
        bool blended = g->key->args[i].path == PATH_BLENDED;
        generator_addf(g, i, blended ? "blend_$N($,{rill_d#$})" : "fetch_$N(adr_$N($,{rill_d#$}))");
    }
}

void generate_loads(Generator *g, int k)
{
    for (int i = 0; i < g->f->param_count; i++) {
        const Param *param = &g->f->params[i];
        if (!has_variable(param)) {
            continue;
        }
        if (keeps_address(g, i)) {
            write_place(g, i, k);
        }
        generator_addf(g, i, "        $T v_$N = ");
        if (param_kinds[param->kind].read) {
            write_value(g, i, k);
        } else {
            glsl_zero(g->out, param->type);
        }
        strbuf_add(g->out, ";\n");
        if (generator_flat_load(g, i) && g->key->args[i].path == PATH_MAPPED) {
            AccessText text = generator_access(g, i);
            generator_addf(g, i, "        if (g_$N < 0) { v_$N = ");
            access_fallback(g->out, &text);
            strbuf_add(g->out, "; }\n");
        }
    }
}

void generate_call(Generator *g)
{
    strbuf_add(g->out, g->key->random ? "        rill_begin_random();\n" : "");
    int count =
        g->f->param_count - g->f->given - (g->f->result != NULL); /* followed by the value that the function returns */
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
    int words = generator_step_bytes(g, i) / 4;
    for (int w = 0; w < words; w += words % 4 ? 1 : 4) {
        if (words % 4) {
            generator_addf(g, i, "        out_$N[%s + %d] = w_$N_%d;\n", at, w, w);
        } else {
            generator_addf(g, i, "        out_$N[%s + %d] = rill_texel(w_$N_%d, w_$N_%d, w_$N_%d, w_$N_%d);\n", at,
                           w / 4, w, w + 1, w + 2, w + 3);
        }
    }
}

/* Writes the store of one element to its own address. Packed elements share words with others, so
 * their stores are atomic. */
void generate_store(Generator *g, int i)
{
    const Param *param = &g->f->params[i];
    const Type *type = g->key->args[i].type;
    char value[MAX_NAME + 8];
    snprintf(value, sizeof value, "v_%s", param->name);
    bool mapped = path_mapped(g->key->args[i].path), pages = g->key->active == ACTIVE_PAGES;
    generator_addf(g, i, pages ? "        {" : "        if (rill_e < int($n)) {");
    if (keeps_address(g, i)) {
        generator_addf(g, i, mapped ? " if (a_$N >= 0) { int a = a_$N" : " int a = a_$N");
    } else {
        generator_addf(g, i, " int a = adr_$N($,{rill_d#$})");
        strbuf_add(g->out, mapped ? "; if (a >= 0) { a = a" : "");
    }
    generator_addf(g, i, param->kind == PARAM_INOUT ? " + int($S) - int($B);" : ";");
    if (type->bytes < 4) {
        int per_word = 4 / type->bytes;
        generator_addf(
            g, i, " uint s = uint(a %% %d) * %du; atomicAnd(out_$N[a / %d], ~(%uu << s)); atomicOr(out_$N[a / %d], (",
            per_word, type->bytes * 8, per_word, type->bytes == 1 ? 255u : 65535u, per_word);
        glsl_encode(g->out, type, param->type, value, 0);
        strbuf_add(g->out, ") << s);");
    }
    int count = type->bytes < 4 ? 0 : glsl_words(type), width = count % 4 ? 1 : 4; /* as in store_type() */
    for (int w = 0; w < count; w += width) {
        generator_addf(g, i, " out_$N[a * %d + %d] = %s", count / width, w / width, width > 1 ? "rill_texel(" : "");
        for (int k = w; k < w + width; k++) {
            strbuf_add(g->out, k > w ? ", " : "");
            glsl_encode(g->out, type, param->type, value, k);
        }
        strbuf_add(g->out, width > 1 ? ");" : ";");
    }
    strbuf_add(g->out, mapped ? " } }\n" : " }\n");
}

/* Writes element k of a step: its loads, the call, and its stores or the words of its stores. */
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
