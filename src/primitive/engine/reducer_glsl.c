#include "primitive/engine/reducer_glsl.h"

#include "base/round.h"
#include "gpu/program/profile.h"
#include "gpu/program/program.h"
#include "kernel/emit/glsl.h"
#include "primitive/engine/engine.h"

#include <stdio.h>

typedef struct Writer {
    const ReducerText *text;
    const Inputs *in;
    const ReducerKey *key;
    const ReducerLayout *layout;
    StrBuf *out;
    InputText *input;
    bool again; /* writes the second reduction of runs whose first result was lost */
} Writer;

int reducer_words(const Type *type)
{
    return glsl_words(type);
}

enum {
    PART_ELEMENTS = 16 * REDUCER_FLUSHED,
    TREE_GROUP = 256,
    /* A lane stages at least STAGED_BYTES at a time, but at most STAGED_ELEMENTS. */
    STAGED_BYTES = 64,
    STAGED_ELEMENTS = 32
};

static int take(ReducerLayout *layout, int words)
{
    int at = layout->words;
    layout->words += words;
    return at;
}

static bool lay_out(const Inputs *in, const void *engine_key, void *engine_layout)
{
    const ReducerKey *key = engine_key;
    ReducerLayout *layout = engine_layout;
    const DeviceTraits *traits = device_traits(in->device);
    *layout =
        (ReducerLayout){.group = traits->family == FAMILY_CPU ? (key->many ? 8 : 2) * traits->subgroup_size : 256};
    layout->count = take(layout, 1);
    layout->runs = take(layout, 3);
    layout->groups = key->input.columns ? take(layout, 3) : 0;
    layout->blocks = key->several ? take(layout, 1) : 0;
    layout->outputs = key->several ? take(layout, 1) : 0;
    layout->length = take(layout, 1);
    layout->total = take(layout, 2);
    layout->last = take(layout, 1);
    layout->out_base = take(layout, 1);
    layout->constants = take(layout, 2 * key->constants);
    return inputs_lay_out(in, &key->input, 1, &layout->words, &layout->input);
}

/* Returns the GLSL of element t: the value of the source, or of both sources. */
static const char *value_text(const Writer *w)
{
    return w->in->source_count == 2 ? "rill_pair(rill_x0(t), rill_x1(t))" : "rill_x0(t)";
}

static const char *first_call(const Writer *w)
{
    return w->key->first ? "rill_first(rill_value(t), t)" : "rill_value(t)";
}

static const char *step_call(const Writer *w)
{
    return w->key->first ? "rill_step(acc, rill_value(t), t)" : "rill_merge(acc, rill_value(t))";
}

/* Writes a step of sixteen floats. Elements outside the run are replaced by -0, which does not change a sum. */
static void write_special(Writer *w)
{
    for (int k = 0; k < w->key->input.chunk; k++) {
        if (k % 4 == 0) {
            inputs_write_chunk_loads(w->input, k, k + 4);
            strbuf_addf(w->out, "        %s h%d = rill_h(uvec4(", w->text->flush ? "uvec4" : "float", k / 4);
        }
        if (w->key->input.ragged) {
            strbuf_addf(w->out, "!rill_within(t + %d) ? 0x80000000u : ", k);
        }
        strbuf_add(w->out, "floatBitsToUint(");
        inputs_write_chunk_value(w->input, 0, k);
        strbuf_add(w->out, k % 4 == 3 ? ")));\n" : "), ");
    }
    strbuf_add(w->out, "        acc = rill_join(acc, h0, h1, h2, h3);\n");
}

static void write_chunk_element(Writer *w, int k)
{
    bool pair = w->in->source_count == 2;
    strbuf_addf(w->out, "        { %s v = %s", pair ? "T" : glsl_type(w->in->sources[0].type),
                pair ? "rill_pair(" : "");
    inputs_write_chunk_value(w->input, 0, k);
    if (pair) {
        strbuf_add(w->out, ", ");
        inputs_write_chunk_value(w->input, 1, k);
    }
    char step[64];
    snprintf(step, sizeof step, w->key->first ? "rill_step(acc, v, t + %d)" : "rill_merge(acc, v)", k);
    strbuf_add(w->out, pair ? "); " : "; ");
    if (w->text->flush && w->key->first) {
        if (w->key->input.ragged) {
            strbuf_addf(w->out, "if (rill_within(t + %d)) ", k);
        }
    } else if (w->key->input.ragged) {
        strbuf_addf(w->out,
                    w->key->first ? "if (t + %d == start) acc = rill_first(v, t + %d); "
                                  : "if (t + %d == start) acc = v; ",
                    k, k);
        strbuf_addf(w->out, "else if (rill_within(t + %d)) ", k);
    } else if (k == 0) {
        strbuf_addf(w->out, "if (t == start) acc = %s; else ", w->key->first ? "rill_first(v, t)" : "v");
    }
    strbuf_addf(w->out, "acc = %s; }\n", step);
}

/* Returns whether elements are computed by loops, whose trips are limited: they are computed at most twice. */
static bool is_looping(const Writer *w)
{
    return w->in->trips > 0 || w->in->unbounded;
}

/* Writes the value of an element from which the range of a run is guessed: zero if its computation takes long. */
static void write_sample(Writer *w, const char *at)
{
    bool pair = w->in->source_count == 2;
    if (!is_looping(w)) {
        strbuf_addf(w->out, "rill_value(%s)", at);
        return;
    }
    strbuf_add(w->out, pair ? "rill_pair(" : "");
    glsl_zero(w->out, w->text->value);
    if (pair) {
        strbuf_add(w->out, ", ");
        glsl_zero(w->out, w->text->value);
        strbuf_add(w->out, ")");
    }
}

/* Returns whether the lanes of a group may exchange elements: the order of an exact sum does not matter, and elements
 * with the same index are in texels with the same index. */
static bool is_striped(const Writer *w)
{
    bool same = w->key->tree && w->key->first && w->text->flush && w->key->input.chunk && !w->key->input.ragged;
    int bytes = same ? w->key->input.args[0].type->bytes : 16;
    same = same && 16 % bytes == 0;
    for (int i = 0; i < w->in->streams; i++) {
        same = same && (w->key->input.texels >> i & 1) && w->key->input.args[i].type->bytes == bytes;
    }
    return same;
}

/* Writes the declarations for groups whose runs are complete. Adjacent lanes then read adjacent texels, not adjacent
 * runs: element i of a lane's run is element rill_stripe(i). */
static void write_stripes(Writer *w)
{
    int chunk = w->key->input.chunk, group = TREE_GROUP, each = 16 / w->key->input.args[0].type->bytes;
    const char *length = access_word(w->layout->length);
    w->input->hop = "hop";
    strbuf_addf(w->out,
                "    int each = int(%s), region = start - local * each;\n"
                "    bool full = each %% %d == 0 && int(%s) - region >= %d * each;\n    int hop = full ? %d : 1;\n",
                length, chunk, access_word(w->layout->input.block), group, group);
    strbuf_addf(
        w->out,
        "#define rill_stripe(i) (full ? region + ((i) - start) / %d * %d + ((i) - start) %% %d / %d * %d + local * %d "
        "+ ((i) - start) %% %d : (i))\n",
        chunk, chunk * group, chunk, each, each * group, each, each);
}

/* Returns the number of elements of a lane that are staged at a time. */
static int staged_elements(const Writer *w)
{
    int elements = w->key->input.chunk, widest = 1;
    for (int i = 0; i < w->in->streams; i++) {
        bool wider = w->key->input.args[i].type->bytes > widest && (w->key->input.texels >> i & 1);
        widest = wider ? w->key->input.args[i].type->bytes : widest;
    }
    while (2 * elements <= STAGED_ELEMENTS && elements * widest < STAGED_BYTES) {
        elements *= 2;
    }
    return elements;
}

/* Chooses the streams whose texels the lanes of a group exchange through shared memory, and writes its declarations.
 * Adjacent lanes load adjacent texels, and each lane reads those of its own run, in order. */
static void write_staging(Writer *w)
{
    int64_t room = (int64_t)device_limits(w->in->device)->shared_bytes -
                   (int64_t)round_up(type_array_bytes(w->key->accumulator), 16) * TREE_GROUP;
    bool stages = w->key->tree && w->key->first && !w->text->flush && w->key->input.chunk && !w->key->input.ragged;
    for (int i = 0; stages && i < w->in->streams; i++) {
        int texels = staged_elements(w) * w->key->input.args[i].type->bytes / 16;
        if ((w->key->input.texels >> i & 1) && (int64_t)texels * TREE_GROUP * 16 <= room) {
            room -= (int64_t)texels * TREE_GROUP * 16;
            /* Exchanges the indices of eight texels, so that eight lanes use all banks. */
            strbuf_add(w->out, w->input->staged ? "" : "int rill_bank(int i) { return i ^ (i >> 3 & 7); }\n");
            strbuf_addf(w->out, "shared uvec4 rill_w_%s[%d];\n", w->in->params[i].name, texels * TREE_GROUP);
            w->input->staged |= 1u << i;
        }
    }
}

/* Writes the loads of `base` to `base` + staged_elements - 1 of every run. */
static void write_staged_loads(Writer *w)
{
    strbuf_add(w->out, "        barrier();\n");
    for (int i = 0; i < w->in->streams; i++) {
        const char *name = w->in->params[i].name;
        int bytes = w->key->input.args[i].type->bytes, texels = staged_elements(w) * bytes / 16;
        if (!(w->input->staged >> i & 1)) {
            continue;
        }
        strbuf_addf(
            w->out,
            "        {\n        int first = int(uint(rill_at_%s(region)) * %du / 16u), texels = each * %d / 16, "
            "count = filled * %d / 16;\n",
            name, bytes, bytes, bytes);
        for (int k = 0; k < texels; k++) {
            strbuf_addf(
                w->out,
                "        int k%d = base * %d / 16 + (local + %d) %% %d, i%d = (local + %d) / %d * texels + k%d;\n"
                "        uvec4 w%d = k%d < texels && i%d < count ? ",
                k, bytes, k * TREE_GROUP, texels, k, k * TREE_GROUP, texels, k, k, k, k);
            char at[24];
            snprintf(at, sizeof at, "first + i%d", k);
            inputs_write_texel(w->input, i, at, 0);
            strbuf_add(w->out, " : uvec4(0u);\n");
        }
        for (int k = 0; k < texels; k++) {
            strbuf_addf(w->out, "        rill_w_%s[rill_bank(local + %d)] = w%d;\n", name, k * TREE_GROUP, k);
        }
        strbuf_add(w->out, "        }\n");
    }
    strbuf_add(w->out, "        barrier();\n");
}

/* Writes the begin of the loop over whole texels that are staged. All lanes of the group run it. */
static void write_staged_begin(Writer *w)
{
    int chunk = w->key->input.chunk, window = staged_elements(w);
    const char *length = access_word(w->layout->length);
    strbuf_addf(w->out,
                "    int each = int(%s), region = start - local * each, whole = start + (end - start) / %d * %d;\n"
                "    int filled = lane - local < int(%s) ? max(min(%d * each, int(%s) - region), 0) / %d * %d : 0;\n"
                "    for (int base = 0; base + %d <= each; base += %d) {\n",
                length, chunk, chunk, access_word(w->layout->count), TREE_GROUP, access_word(w->layout->input.block),
                chunk, chunk, chunk, window);
    write_staged_loads(w);
    strbuf_addf(w->out, "        int from = start + base - local * %d;\n", window);
    inputs_write_chunk_start(w->input, "t");
    strbuf_addf(w->out, "        for (int stop = min(whole, start + base + %d); t < stop;) {\n", window);
}

/* Writes the begin and the end of a part of a run of a sum that must be flushed. If the result of a part is lost, its
 * elements are added again. */
static void write_part_begin(Writer *w)
{
    strbuf_addf(w->out, "    { %s acc = rill_start(", glsl_type(w->text->accumulator));
    write_sample(w, "start");
    strbuf_add(w->out, ", ");
    write_sample(w, "(start + end - 1) / 2");
    strbuf_add(w->out, ", ");
    write_sample(w, "end - 1");
    strbuf_add(w->out, ");\n    int begin = t;\n");
}

static void write_part_end(Writer *w)
{
    strbuf_add(w->out, "    bool lost = rill_lost(acc);\n");
    if (!w->text->chunk && !is_looping(w)) { /* the second attempt knows the range of the elements */
        strbuf_addf(w->out,
                    "    if (lost) acc = rill_restart(acc);\n"
                    "    for (int i = max(lost ? begin : t, start), stop = min(t, end); i < stop; i++) acc = "
                    "rill_step(acc, %s, i);\n"
                    "    lost = rill_lost(acc);\n",
                    is_striped(w) ? "rill_value(rill_stripe(i))" : "rill_value(i)");
    }
    strbuf_addf(w->out,
                "    acc = rill_flush(acc);\n    if (lost) acc = rill_none();\n"
                "    for (int i = max(lost ? begin : t, start), stop = min(t, end); i < stop; i++) acc = "
                "rill_step_again(acc, %s, i);\n    total = rill_add(total, acc); }\n",
                is_striped(w) ? "rill_value(rill_stripe(i))" : "rill_value(i)");
}

/* Writes the loop over whole texels of a run. */
static void write_chunks(Writer *w)
{
    int chunk = w->key->input.chunk;
    if (w->key->input.ragged) {
        inputs_write_chunk_skip(w->input, "run", "start");
        inputs_write_chunk_start(w->input, "start - skip");
        strbuf_add(w->out, "    t -= skip;\n    while (t < end) {\n");
    } else if (w->key->once) {
        inputs_write_chunk_start(w->input, "start");
        strbuf_add(w->out, "    {\n");
    } else if (w->input->staged) {
        write_staged_begin(w);
    } else {
        if (is_striped(w)) {
            write_stripes(w);
        }
        char first[48] = "start";
        if (w->input->hop) {
            snprintf(first, sizeof first, "full ? region + %d * local : start", 16 / w->key->input.args[0].type->bytes);
        }
        inputs_write_chunk_start(w->input, first);
        strbuf_addf(w->out, "    int whole = start + (end - start) / %d * %d;\n    while (t < whole) {\n", chunk,
                    chunk);
    }
    bool nested = w->key->special && w->text->flush;
    if (nested) {
        write_part_begin(w);
        strbuf_addf(w->out,
                    "        for (int limit = min(t + %d, %s); t < limit;) {\n        int stop = min(t + %d, limit);\n"
                    "        while (t < stop) {\n",
                    PART_ELEMENTS, w->key->input.ragged ? "end" : "whole", REDUCER_FLUSHED);
    }
    if (w->key->special) {
        write_special(w);
    } else {
        inputs_write_chunk_loads(w->input, 0, chunk);
        for (int k = 0; k < chunk; k++) {
            write_chunk_element(w, k);
        }
    }
    inputs_write_chunk_step(w->input);
    strbuf_addf(w->out, "        t += %d;\n", chunk);
    if (nested) {
        strbuf_add(w->out, "        }\n        acc = rill_flush(acc);\n        }\n");
        write_part_end(w);
    }
    strbuf_add(w->out, w->input->staged ? "    }}\n" : "    }\n");
}

/* columns: an invocation reduces adjacent blocks, into acc0, acc1 ... */

/* Writes the statements for one row. `each` writes the statements for one column. */
static void write_row(Writer *w, void (*each)(Writer *w, int c))
{
    for (int c = 0; c < w->key->input.columns; c++) {
        inputs_write_texel_loads(w->input, c);
        inputs_write_column(w->input, c);
        each(w, c);
    }
    inputs_write_rows_step(w->input, "1");
}

static void write_first_value(Writer *w, int c)
{
    strbuf_addf(w->out, "        precise float h%d = ", c);
    inputs_write_row_value(w->input, 0, 0, c);
    strbuf_add(w->out, ";\n");
}

static void write_next_value(Writer *w, int c)
{
    strbuf_addf(w->out, "        h%d += ", c);
    inputs_write_row_value(w->input, 0, 0, c);
    strbuf_add(w->out, ";\n");
}

/* Writes a loop that adds some rows in float and then adds the float sums to the accumulators. Each row is a trip. */
static void write_wide_sums(Writer *w)
{
    strbuf_addf(w->out, "    while (t < end) {\n        int stop = min(t + %d, end);\n", w->key->input.chunk);
    write_row(w, write_first_value);
    strbuf_add(
        w->out,
        "        for (t++; t < stop; t++) {\n"); /* compilers would unroll a loop with a constant number of trips */
    write_row(w, write_next_value);
    strbuf_add(w->out, "        }\n");
    for (int c = 0; c < w->key->input.columns; c++) {
        strbuf_addf(w->out, "        acc%d += double(h%d);\n", c, c);
    }
    strbuf_add(w->out, "    }\n");
}

/* Writes a step of 4 or 16 rows, four rows at a time, so that few values are live at once. */
static void write_special_rows(Writer *w)
{
    int columns = w->key->input.columns;
    for (int k = 0; k < w->key->input.chunk; k += 4) {
        inputs_write_rows_loads(w->input, k, 4);
        for (int c = 0; c < columns; c++) {
            inputs_write_column(w->input, c);
            strbuf_addf(w->out, "        float h%d_%d = rill_h(uvec4(", c, k / 4);
            for (int j = 0; j < 4; j++) {
                strbuf_add(w->out, j ? ", floatBitsToUint(" : "floatBitsToUint(");
                inputs_write_row_value(w->input, 0, k + j, c);
                strbuf_add(w->out, ")");
            }
            strbuf_add(w->out, "));\n");
        }
    }
    for (int c = 0; c < columns; c++) {
        strbuf_addf(w->out,
                    w->key->input.chunk == 4 ? "        acc%d = acc%d + double(h%d_0);\n"
                                             : "        acc%d = rill_join(acc%d, h%d_0, h%d_1, h%d_2, h%d_3);\n",
                    c, c, c, c, c, c);
    }
}

static void write_column_element(Writer *w, int k, int c)
{
    bool pair = w->in->source_count == 2;
    strbuf_addf(w->out, "        { %s v = %s", pair ? "T" : glsl_type(w->in->sources[0].type),
                pair ? "rill_pair(" : "");
    for (int s = 0; s < w->in->source_count; s++) {
        strbuf_add(w->out, s ? ", " : "");
        inputs_write_row_value(w->input, s, k, c);
    }
    strbuf_add(w->out, pair ? "); " : "; ");
    const char *again = w->again ? "_again" : "";
    if (k == 0 && w->key->first) {
        strbuf_addf(w->out, "if (t == start) acc%d = rill_first%s(v, t); else ", c, again);
    } else if (k == 0) {
        strbuf_addf(w->out, "if (t == start) acc%d = v; else ", c);
    }
    if (w->key->first) {
        strbuf_addf(w->out, "acc%d = rill_step%s(acc%d, v, t + %d); }\n", c, again, c, k);
    } else {
        strbuf_addf(w->out, "acc%d = rill_merge(acc%d, v); }\n", c, c);
    }
}

static void write_only_element(Writer *w, int c)
{
    write_column_element(w, 0, c);
}

static void write_wide_rows(Writer *w)
{
    strbuf_add(w->out, "    for (; t < end; t++) {\n");
    write_row(w, write_only_element);
    strbuf_add(w->out, "    }\n");
}

/* Writes a loop over steps of `rows` rows, as long as whole steps remain. */
static void write_rows(Writer *w, int rows, bool special)
{
    strbuf_addf(w->out, "    for (int last = end - %d; t <= last; t += %d) {\n", rows, rows);
    if (special) {
        write_special_rows(w);
    } else {
        inputs_write_rows_loads(w->input, 0, rows);
    }
    for (int c = 0; c < w->key->input.columns && !special; c++) {
        inputs_write_column(w->input, c);
        for (int k = 0; k < rows; k++) {
            write_column_element(w, k, c);
        }
    }
    char step[16];
    snprintf(step, sizeof step, "%d", rows);
    inputs_write_rows_step(w->input, step);
    strbuf_add(w->out, "    }\n");
}

/* Writes a loop that reduces the rows again if the result of a column was lost. It is a separate loop, since branches
 * that are not taken may cost as much as branches that are. */
static void write_columns_again(Writer *w)
{
    int columns = w->key->input.columns;
    for (int c = 0; c < columns; c++) {
        strbuf_addf(w->out, c ? " || rill_lost(acc%d)" : "    if (rill_lost(acc%d)", c);
    }
    strbuf_add(w->out, ") {\n");
    inputs_write_rows_step(w->input, "(start - t)");
    strbuf_add(w->out, "        t = start;\n    }\n");
    w->again = true;
    if (columns == INPUT_WIDE_COLUMNS) {
        write_wide_rows(w);
    } else {
        write_rows(w, 1, false);
    }
    w->again = false;
}

/* Writes the stores of the columns' results or accumulators, which are adjacent. */
static void write_columns_store(Writer *w)
{
    const Type *type = w->key->last ? w->text->result : w->text->accumulator;
    const ReducerLayout *layout = w->layout;
    int words = glsl_words(type), columns = w->key->input.columns, count = columns * words;
    for (int c = 0; c < columns; c++) {
        strbuf_addf(w->out,
                    w->key->last ? "    %s value%d = rill_finish(acc%d, rill_elements);\n"
                                 : "    %s value%d = acc%d;\n",
                    glsl_type(type), c, c);
    }
    strbuf_addf(w->out, "    int place = int(%s) + (part * int(%s) * %d + run) * %d;\n", access_word(layout->out_base),
                access_word(layout->groups), columns, words);
    for (int k = 0; k < count; k++) {
        char name[24];
        snprintf(name, sizeof name, "value%d", k / words);
        if (w->key->vectors) {
            strbuf_addf(w->out, k % 4 ? ", " : "    rill_out[place / 4 + %d] = uvec4(", k / 4);
        } else {
            strbuf_addf(w->out, "    rill_out[place + %d] = ", k);
        }
        glsl_encode(w->out, type, type, name, k % words);
        strbuf_add(w->out, !w->key->vectors ? ";\n" : k % 4 == 3 ? ");\n" : "");
    }
}

static void write_columns(Writer *w)
{
    const ReducerLayout *layout = w->layout;
    const char *type = glsl_type(w->text->accumulator);
    int columns = w->key->input.columns, chunk = w->key->input.chunk;
    strbuf_addf(w->out,
                "    int part = int(rill_div(uint(lane), %s, %s)), run = (lane - part * int(%s)) * %d;\n"
                "    int start = part * int(%s), end = start + min(int(%s), int(%s) - start), t = start;\n",
                access_word(layout->groups + 1), access_word(layout->groups + 2), access_word(layout->groups), columns,
                access_word(layout->length), access_word(layout->length), access_word(layout->input.block));
    inputs_write_place(w->input, "run");
    inputs_write_rows_start(w->input, "start");
    for (int c = 0; c < columns; c++) {
        strbuf_addf(w->out, "    %s acc%d = ", type, c);
        glsl_zero(w->out, w->text->accumulator);
        strbuf_add(w->out, ";\n");
    }
    if (columns == INPUT_WIDE_COLUMNS) {
        (w->key->special ? write_wide_sums : write_wide_rows)(w);
    } else {
        if (chunk > 1) {
            write_rows(w, chunk, w->key->special);
        }
        write_rows(w, 1, false);
    }
    if (w->key->again) {
        write_columns_again(w);
    }
    write_columns_store(w);
}

/* Writes a run of a sum that must be flushed. */
static void write_flushed(Writer *w)
{
    const char *type = glsl_type(w->text->accumulator);
    strbuf_addf(w->out, "    %s total = rill_none();\n", type);
    if (w->key->special) {
        write_chunks(w);
    }
    write_part_begin(w);
    if (w->key->input.chunk && !w->key->special) {
        write_chunks(w);
    }
    strbuf_add(w->out, "    for (; t < end; t++) acc = rill_step(acc, rill_value(t), t);\n");
    write_part_end(w);
    strbuf_addf(w->out, "    %s acc = total;\n", type);
}

static void write_elements(Writer *w)
{
    if (w->text->flush && w->key->first) {
        write_flushed(w);
        return;
    }
    strbuf_addf(w->out, "    %s acc = ", glsl_type(w->text->accumulator));
    if (w->key->input.chunk) {
        glsl_zero(w->out, w->text->accumulator);
        strbuf_add(w->out, ";\n");
        write_chunks(w);
        if (w->key->input.ragged || w->key->once) {
            return; /* no elements remain after the whole texels */
        }
        strbuf_addf(w->out, "    if (t == start && t < end) { acc = %s; t++; }\n", first_call(w));
    } else {
        strbuf_addf(w->out, "%s;\n    t++;\n", first_call(w));
    }
    strbuf_addf(w->out, "    for (; t < end; t++) acc = %s;\n", step_call(w));
}

static void write_run(Writer *w)
{
    const ReducerLayout *layout = w->layout;
    if (w->key->several) {
        strbuf_addf(w->out, "    const int start = 0;\n    int end = int(%s), t = 0;\n",
                    access_word(layout->input.block));
    } else if (w->key->once) {
        strbuf_addf(w->out, "    int run = lane, start = 0, end = int(%s), t = 0;\n", access_word(layout->input.block));
    } else {
        strbuf_addf(w->out,
                    "    int run = int(rill_div(uint(lane), %s, %s)), part = lane - run * int(%s);\n"
                    "    int start = part * int(%s), end = start + min(int(%s), int(%s) - start), t = "
                    "start;\n",
                    access_word(layout->runs + 1), access_word(layout->runs + 2), access_word(layout->runs),
                    access_word(layout->length), access_word(layout->length), access_word(layout->input.block));
    }
    strbuf_add(w->out, w->input->staged ? "    end = inside ? end : start;\n" : "");
    inputs_write_place(w->input, "run");
    write_elements(w);
    if (w->key->again && !w->text->flush) {
        strbuf_add(w->out, "    t = rill_lost(acc) ? start : end;\n    for (; t < end && (t == start || "
                           "!rill_stuck(acc)); t++) acc = t == start ? "
                           "rill_first_again(rill_value(t), t) : rill_step_again(acc, rill_value(t), t);\n");
    }
}

static void write_words(Writer *w, const Type *type)
{
    int words = glsl_words(type);
    for (int k = 0; k < words; k++) {
        strbuf_addf(w->out, " rill_out[int(%s) + place * %d + %d] = ", access_word(w->layout->out_base), words, k);
        glsl_encode(w->out, type, type, "value", k);
        strbuf_add(w->out, ";");
    }
}

/* Writes the store. The last level stores a result and other levels an accumulator; one program does both. */
static void write_store(Writer *w)
{
    if (w->key->last) {
        strbuf_addf(w->out, "    { %s value = rill_finish(acc, rill_elements);", glsl_type(w->text->result));
        write_words(w, w->text->result);
        strbuf_add(w->out, " }\n");
        return;
    }
    strbuf_addf(w->out, "    if (%s != 0u) { %s value = rill_finish(acc, rill_elements);", access_word(w->layout->last),
                glsl_type(w->text->result));
    write_words(w, w->text->result);
    strbuf_addf(w->out, " } else { %s value = acc;", glsl_type(w->text->accumulator));
    write_words(w, w->text->accumulator);
    strbuf_add(w->out, " }\n");
}

/* Writes a loop over consecutive blocks, so that an invocation reads a long contiguous range of memory. Processors
 * cannot prefetch many short ranges. */
static void write_blocks(Writer *w)
{
    const ReducerLayout *layout = w->layout;
    strbuf_addf(w->out,
                "    int first_run = lane * int(%s), last_run = min(first_run + int(%s), int(%s));\n"
                "    for (int run = first_run; run < last_run; run++) {\n    const int place = run;\n",
                access_word(layout->blocks), access_word(layout->blocks), access_word(layout->outputs));
    write_run(w);
    write_store(w);
    strbuf_add(w->out, "    }\n");
}

static void write_main(Writer *w)
{
    const ReducerLayout *layout = w->layout;
    const char *type = glsl_type(w->text->accumulator);
    if (!w->key->tree) {
        strbuf_addf(
            w->out,
            "void main()\n{\n    int lane = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * %du + "
            "gl_LocalInvocationID.x);\n    if (lane < int(%s)) {\n",
            layout->group, access_word(layout->count));
        if (w->key->input.columns) {
            write_columns(w);
        } else if (w->key->several) {
            write_blocks(w);
        } else {
            write_run(w);
            strbuf_add(w->out, "    int place = lane;\n");
            write_store(w);
        }
        strbuf_add(w->out, "    }\n");
        return;
    }
    strbuf_addf(w->out,
                "shared %s rill_s[256];\nvoid main()\n{\n    int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * "
                "gl_NumWorkGroups.x), local = int(gl_LocalInvocationID.x);\n    int lane = group * 256 + local;\n",
                type);
    strbuf_addf(w->out, "    int runs = (int(%s) - 1) / int(%s) + 1;\n", access_word(layout->input.block),
                access_word(layout->length));
    strbuf_addf(w->out,
                "    int groups = int(%s) / 256, own = group %% groups;\n    int valid = min(runs - own * 256, 256);\n",
                access_word(layout->runs));
    strbuf_addf(w->out, "    bool inside = lane < int(%s) && local < valid;\n    %s{\n", access_word(layout->count),
                w->input->staged ? "" : "if (inside) ");
    write_run(w);
    strbuf_addf(w->out,
                "    %srill_s[local] = %s;\n    }\n"
                "    for (int s = 1; s < 256; s *= 2) {\n        barrier();\n"
                "        if ((local & (2 * s - 1)) == 0 && local + s < valid) rill_s[local] = "
                "%s(rill_s[local], rill_s[local + s]);\n    }\n"
                "    if (local == 0 && lane < int(",
                w->input->staged ? "if (inside) " : "", w->text->flush ? "rill_carried(acc)" : "acc",
                w->text->flush ? "rill_add" : "rill_merge");
    strbuf_addf(w->out, "%s)) {\n    %s acc = rill_s[0];\n    int place = group;\n", access_word(layout->count), type);
    write_store(w);
    strbuf_add(w->out, "    }\n");
}

static void write_program(const void *text, const void *key, const void *layout, InputText *input)
{
    Writer writer = {text, input->in, key, layout, input->out, input, false}, *w = &writer;
    input->key = &w->key->input;
    input->layout = &w->layout->input;
    const Type *const types[] = {w->text->accumulator, w->text->result};
    inputs_write_header(w->input, w->key->tree ? 256 : w->layout->group, (w->layout->words + 3) / 4, types, 2);
    strbuf_addf(w->out, "layout(std430, binding = 1) writeonly buffer Rill_out { %s rill_out[]; };\n",
                w->key->vectors ? "uvec4" : "uint");
    inputs_write_access(w->input);
    if (!w->in->operation) { /* would clash with names of a body */
        strbuf_addf(w->out, "#define T %s\n", glsl_type(w->text->value));
    }
    for (int k = 0; k < w->key->constants; k++) {
        int word = w->layout->constants + 2 * k;
        strbuf_addf(w->out, "#define RILL_CONSTANT%d packDouble2x32(uvec2(%s, %s))\n", k, access_word(word),
                    access_word(word + 1));
    }
    if (w->text->flush) {
        strbuf_addf(w->out, "#define RILL_FLUSHED %d\n", w->key->special ? REDUCER_FLUSHED : w->text->flush);
    }
    strbuf_add(w->out, w->text->functions);
    if (w->key->special) {
        strbuf_add(w->out, w->text->chunk);
    }
    strbuf_addf(w->out, "#define rill_elements (double(%s) + 4294967296.0lf * double(%s))\n",
                access_word(w->layout->total), access_word(w->layout->total + 1));
    strbuf_addf(w->out, "#define rill_value(t) %s\n", value_text(w));
    if (w->key->input.ragged) {
        strbuf_add(w->out, "#define rill_within(t) (uint((t) - start) < uint(end - start))\n");
    }
    write_staging(w);
    write_main(w);
    inputs_write_canary(w->input);
    strbuf_add(w->out, "}\n");
}

static const Engine engine = {ENGINE_CACHE, sizeof(ReducerLayout), lay_out, write_program};

Program *reducer_program(const ReducerText *text, const Inputs *in, ReducerKey *key, const ReducerLayout **layout)
{
    key->constants = (uint8_t)text->constant_count;
    key->accumulator = text->accumulator;
    key->result = text->result;
    const Type *types[] = {key->accumulator, key->result};
    const EngineKey wanted = {text->functions, key, offsetof(ReducerKey, input) + inputs_key_bytes(in), types, 2};
    const EngineProgram *known = engine_program(&engine, text->name, text, in, &wanted);
    *layout = known ? known->layout : NULL;
    return known ? known->program : NULL;
}
