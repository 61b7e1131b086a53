/* Writes the loop of a lane over its run: element by element, or in steps of whole texels. */
#include "primitive/engine/scanner_glsl.h"

#include "kernel/emit/glsl.h"

#include <stdio.h>

const char *scanner_accumulator(const ScannerWriter *w)
{
    return glsl_type(w->key->accumulator);
}

bool scanner_is_flat(const ScannerWriter *w, int k)
{
    return w->key->flat && w->key->input.chunk * glsl_words(w->key->types[k]) % 4 == 0;
}

void scanner_write_target(ScannerWriter *w, int k, int texel)
{
    if (w->area[k][0]) {
        strbuf_addf(w->out, "        %s[rill_bank(b%d + %d)]", w->area[k], k, texel);
    } else {
        strbuf_addf(w->out, "        rill_out%d[b%d + %d]", k, k, texel);
    }
}

/* elements; k: the element's index within a step, or -1 */

static const char *suffix(int k, char text[12])
{
    text[0] = '\0';
    if (k >= 0) {
        snprintf(text, 12, "_%d", k);
    }
    return text;
}

static const char *index_text(int k, char text[24])
{
    snprintf(text, 24, k <= 0 ? "t" : "(t + %d)", k);
    return text;
}

/* Writes the values of all sources as x0_K ... */
void scanner_write_values(ScannerWriter *w, int k)
{
    char end[12];
    suffix(k, end);
    for (int s = 0; s < w->in->source_count; s++) {
        strbuf_addf(w->out, "        %s x%d%s = ", glsl_type(w->in->sources[s].type), s, end);
        if (k < 0) {
            strbuf_addf(w->out, "rill_x%d(t)", s);
        } else {
            inputs_write_chunk_value(w->input, s, k);
        }
        strbuf_add(w->out, ";\n");
    }
}

/* Writes the arguments for the text's functions: "x0, p0, x1", for example. */
void scanner_write_element(ScannerWriter *w, const char *end)
{
    for (int s = 0; s < w->in->source_count; s++) {
        strbuf_addf(w->out, "%sx%d%s", s ? ", " : "", s, end);
        if (w->key->previous[s]) {
            strbuf_addf(w->out, ", p%d", s);
        }
    }
}

/* Writes v_K, the element as an accumulator, and n_K, the merge of all elements up to it. `first`: the index of an
 * element with no element before it. */
static void write_merge(ScannerWriter *w, int k, const char *first)
{
    char end[12], at[24];
    suffix(k, end);
    const char *type = scanner_accumulator(w);
    strbuf_addf(w->out, "        %s v%s = ", type, end);
    if (w->key->inner) {
        strbuf_addf(w->out, "x0%s", end);
    } else {
        strbuf_add(w->out, "rill_lift(");
        scanner_write_element(w, end);
        strbuf_addf(w->out, ", %s)", index_text(k, at));
    }
    if (w->key->identity || k > 0) {
        strbuf_addf(w->out, "; %s n%s = rill_merge(acc, v%s);\n", type, end, end);
    } else {
        strbuf_addf(w->out, "; %s n%s = v%s; if (t > %s) n%s = rill_merge(acc, v%s);\n", type, end, end, first, end,
                    end);
    }
}

static void write_advance(ScannerWriter *w, int k)
{
    char end[12];
    suffix(k, end);
    strbuf_addf(w->out, "        acc = n%s;", end);
    for (int s = 0; s < w->in->source_count; s++) {
        if (w->key->previous[s]) {
            strbuf_addf(w->out, " p%d = x%d%s;", s, s, end);
        }
    }
    strbuf_add(w->out, "\n");
}

/* Writes the stores of the texels that element k completes, from the results oOUTPUT_0 .. oOUTPUT_k. */
static void write_texels(ScannerWriter *w, int output, int k)
{
    const Type *type = w->key->types[output];
    int words = glsl_words(type);
    for (int texel = k * words / 4; texel < (k + 1) * words / 4; texel++) {
        scanner_write_target(w, output, texel);
        strbuf_add(w->out, " = uvec4(");
        for (int i = 4 * texel; i < 4 * texel + 4; i++) {
            char value[24];
            snprintf(value, sizeof value, "o%d_%d", output, i / words);
            strbuf_add(w->out, i % 4 ? ", " : "");
            glsl_encode(w->out, type, type, value, i % words);
        }
        strbuf_add(w->out, ");\n");
    }
}

static void write_dense(ScannerWriter *w, int k)
{
    char end[12], at[24];
    suffix(k, end);
    index_text(k, at);
    for (int o = 0; o < w->key->output_count; o++) {
        strbuf_addf(w->out, "        %s o%d%s = ", glsl_type(w->key->types[o]), o, end);
        if (w->key->inner) {
            strbuf_add(w->out, "acc;\n");
        } else {
            strbuf_addf(w->out, "rill_out_%d(", o);
            scanner_write_element(w, end);
            strbuf_addf(w->out, ", %s, acc, n%s, %s);\n", at, end, k > 0 ? "false" : "t == 0");
        }
        if (k >= 0 && scanner_is_flat(w, o)) {
            write_texels(w, o, k);
        } else {
            strbuf_addf(w->out, "        rill_put%d(rill_place(%s), o%d%s);\n", o, at, o, end);
        }
    }
}

/* Writes a store without a branch. A kept element is stored at the counter's value within the lane's part. An element
 * that is not kept is stored there too and overwritten later; after the end of the part it is stored at an element of
 * the lane's own. Work groups store only kept elements. */
static void write_compact(ScannerWriter *w, int k)
{
    char end[12], at[24];
    suffix(k, end);
    index_text(k, at);
    for (int c = 0; c < w->key->counter_count; c++) {
        strbuf_addf(w->out, "        int m%d%s = rill_count_%d(n%s, %s + 1);\n", c, end, c, end, at);
    }
    for (int o = 0; o < w->key->output_count; o++) {
        int c = w->key->counter[o];
        if (w->key->tree) {
            strbuf_addf(w->out, "        if (m%d%s != c%d) rill_put%d(c%d, rill_out_%d(", c, end, c, o, c, o);
        } else {
            strbuf_addf(w->out, "        rill_put%d(c%d < e%d ? c%d : int(%s) + unit, rill_out_%d(", o, c, c, c,
                        access_word(w->layout->dump + o), o);
        }
        scanner_write_element(w, end);
        strbuf_addf(w->out, ", %s, acc, n%s));\n", at, end);
    }
    for (int c = 0; c < w->key->counter_count; c++) {
        strbuf_addf(w->out, "        c%d = m%d%s;\n", c, c, end);
    }
}

static void write_step(ScannerWriter *w, int k, bool store)
{
    scanner_write_values(w, k);
    write_merge(w, k, store ? "0" : "start");
    if (store && w->key->compact) {
        write_compact(w, k);
    } else if (store) {
        write_dense(w, k);
    }
    write_advance(w, k);
}

/* Writes a step of sixteen floats. */
static void write_special(ScannerWriter *w, bool store)
{
    for (int q = 0; q < 4; q++) {
        strbuf_addf(w->out, "        vec4 s%d = vec4(", q);
        for (int k = 0; k < 4; k++) {
            strbuf_add(w->out, k ? ", " : "");
            inputs_write_chunk_value(w->input, 0, 4 * q + k);
        }
        strbuf_add(w->out, ");\n");
    }
    strbuf_addf(w->out, "        acc = rill_%s16(acc, s0, s1, s2, s3);\n", store ? "scan" : "sum");
    for (int q = 0; store && q < 4; q++) {
        scanner_write_target(w, 0, q);
        strbuf_addf(w->out, " = floatBitsToUint(s%d);\n", q);
    }
}

/* Writes the loop over whole texels of a run. */
static void write_chunks(ScannerWriter *w, bool store)
{
    int chunk = w->key->input.chunk;
    inputs_write_chunk_start(w->input, "start");
    for (int o = 0; store && o < w->key->output_count; o++) {
        if (scanner_is_flat(w, o)) {
            int words = glsl_words(w->key->types[o]);
            strbuf_addf(w->out, "    int b%d = int(uint(%s) * %du / 4u);\n", o,
                        w->area[o][0] ? "start - from" : "rill_place(start)", words);
        }
    }
    strbuf_addf(w->out, "    int whole = start + (end - start) / %d * %d;\n    while (t < whole) {\n", chunk, chunk);
    inputs_write_chunk_loads(w->input, 0, chunk);
    if (w->key->special) {
        write_special(w, store);
    }
    for (int k = 0; k < chunk && !w->key->special; k++) {
        write_step(w, k, store);
    }
    inputs_write_chunk_step(w->input);
    for (int o = 0; store && o < w->key->output_count; o++) {
        if (scanner_is_flat(w, o)) {
            strbuf_addf(w->out, "        b%d += %d;\n", o, chunk * glsl_words(w->key->types[o]) / 4);
        }
    }
    strbuf_addf(w->out, "        t += %d;\n    }\n", chunk);
}

void scanner_write_previous(ScannerWriter *w, const char *at)
{
    for (int s = 0; s < w->in->source_count; s++) {
        if (w->key->previous[s]) {
            strbuf_addf(w->out, "    %s p%d = rill_x%d(max(%s - 1, 0));\n", glsl_type(w->in->sources[s].type), s, s,
                        at);
        }
    }
}

/* Writes the loop over a lane's run, which merges its elements into acc and stores results. */
void scanner_traverse(ScannerWriter *w, bool store)
{
    strbuf_add(w->out, "    int t = start;\n");
    scanner_write_previous(w, "start");
    if (w->key->input.chunk) {
        write_chunks(w, store);
    }
    strbuf_add(w->out, "    for (; t < end; t++) {\n");
    write_step(w, -1, store);
    strbuf_add(w->out, "    }\n");
}
