/* Writes loops that read inputs by whole texels, along a run or down columns. */
#include "primitive/engine/inputs_private.h"

#include <stdio.h>

static void chunk_element(InputText *t, int i, int k)
{
    const char *name = t->in->params[i].name;
    if (inputs_is_texels(t, i)) {
        char texels[MAX_NAME + 8];
        snprintf(texels, sizeof texels, "f_%s", t->in->params[i].name);
        access_texel(t->out, texels, t->in->params[i].type, t->key->args[i].type, k);
    } else {
        strbuf_addf(t->out, "fetch_%s(rill_at_%s(t + %d))", name, name, t->key->columns ? k / t->key->columns : k);
    }
}

/* whole texels */

static int chunk_texels(const InputText *t, int i)
{
    return t->key->chunk * t->key->args[i].type->bytes / 16;
}

void inputs_write_chunk_start(InputText *t, const char *start)
{
    for (int i = 0; i < t->in->streams; i++) {
        if (inputs_is_texels(t, i)) {
            const char *name = t->in->params[i].name;
            bool staged = t->staged >> i & 1;
            strbuf_addf(t->out, "    int a_%s = int(uint(%s%s(%s%s)) * %du / 16u);\n", name, staged ? "" : "rill_at_",
                        staged ? "" : name, start, staged ? " - from" : "", t->key->args[i].type->bytes);
        }
    }
}

void inputs_write_chunk_skip(InputText *t, const char *run, const char *start)
{
    strbuf_addf(t->out, "    int skip = int(uint(%s * int(%s) + %s) %% %du);\n", run, access_word(t->layout->block),
                start, t->key->ragged);
}

void inputs_write_texel(InputText *t, int i, const char *at, int more)
{
    bool texture = t->layout->args[i].texture != NO_UNIT;
    strbuf_addf(t->out, texture ? "texelFetch(tex_%s, %s + %d)" : "in_%s[%s + %d]", t->in->params[i].name, at, more);
}

void inputs_write_chunk_loads(InputText *t, int k, int end)
{
    for (int i = 0; i < t->in->streams; i++) {
        const char *name = t->in->params[i].name;
        int bytes = t->key->args[i].type->bytes;
        char start[MAX_NAME + 32];
        snprintf(start, sizeof start, "a_%s", name);
        for (int at = (k * bytes + 15) / 16; inputs_is_texels(t, i) && at < (end * bytes + 15) / 16; at++) {
            if (t->hop) {
                snprintf(start, sizeof start, "a_%s + %d * %s", name, at, t->hop);
            }
            strbuf_addf(t->out, "        uvec4 f_%s_%d = ", name, at);
            if (t->staged >> i & 1) {
                strbuf_addf(t->out, "rill_w_%s[rill_bank(%s + %d)]", name, start, at);
            } else {
                inputs_write_texel(t, i, start, t->hop ? 0 : at);
            }
            strbuf_add(t->out, ";\n");
        }
    }
}

void inputs_write_chunk_value(InputText *t, int s, int k)
{
    inputs_write_call(t, s, k, chunk_element);
}

void inputs_write_chunk_step(InputText *t)
{
    for (int i = 0; i < t->in->streams; i++) {
        if (inputs_is_texels(t, i)) {
            strbuf_addf(t->out, "        a_%s += %d%s%s;\n", t->in->params[i].name, chunk_texels(t, i),
                        t->hop ? " * " : "", t->hop ? t->hop : "");
        }
    }
}

/* columns */

static int row_texels(const InputText *t, int i)
{
    return t->key->columns * t->key->args[i].type->bytes / 16;
}

void inputs_write_rows_start(InputText *t, const char *start)
{
    strbuf_add(t->out, "    int first = rill_o0;\n");
    for (int i = 0; i < t->in->streams; i++) {
        if (inputs_is_texels(t, i)) {
            const char *name = t->in->params[i].name;
            int bytes = t->key->args[i].type->bytes;
            strbuf_addf(
                t->out,
                "    int a_%s = int(uint(rill_at_%s(%s)) * %du / 16u), r_%s = (rill_at_%s(1) - rill_at_%s(0)) * "
                "%d / 16;\n",
                name, name, start, bytes, name, name, name, bytes);
        }
    }
}

static void write_texel_load(InputText *t, int i, int k)
{
    const char *name = t->in->params[i].name;
    int texels = row_texels(t, i);
    strbuf_addf(t->out,
                t->layout->args[i].texture != NO_UNIT
                    ? "        uvec4 f_%s_%d = texelFetch(tex_%s, a_%s + %d * r_%s + %d);\n"
                    : "        uvec4 f_%s_%d = in_%s[a_%s + %d * r_%s + %d];\n",
                name, k, name, name, k / texels, name, k % texels);
}

void inputs_write_rows_loads(InputText *t, int from, int rows)
{
    for (int i = 0; i < t->in->streams; i++) {
        int texels = inputs_is_texels(t, i) ? row_texels(t, i) : 0;
        for (int k = from * texels; k < (from + rows) * texels; k++) {
            write_texel_load(t, i, k);
        }
    }
}

void inputs_write_texel_loads(InputText *t, int c)
{
    for (int i = 0; i < t->in->streams; i++) {
        int bytes = t->key->args[i].type->bytes;
        if (inputs_is_texels(t, i) && c * bytes % 16 == 0) {
            write_texel_load(t, i, c * bytes / 16);
        }
    }
}

void inputs_write_column(InputText *t, int c)
{
    if (t->key->columns > 1) {
        strbuf_addf(t->out, "        rill_o0 = first + %d;\n", c);
    }
}

void inputs_write_row_value(InputText *t, int s, int k, int c)
{
    inputs_write_call(t, s, k * t->key->columns + c, chunk_element);
}

void inputs_write_rows_step(InputText *t, const char *rows)
{
    for (int i = 0; i < t->in->streams; i++) {
        if (inputs_is_texels(t, i)) {
            const char *name = t->in->params[i].name;
            strbuf_addf(t->out, "        a_%s += %s * r_%s;\n", name, rows, name);
        }
    }
}
