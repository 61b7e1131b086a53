#include "primitive/engine/scanner_glsl.h"

#include "gpu/program/program.h"
#include "kernel/emit/glsl.h"
#include "primitive/engine/engine.h"

#include <stdio.h>
#include <string.h>

/* layout */

static int take(int *words, int count)
{
    int at = *words;
    *words += count;
    return at;
}

static bool lay_out(const Inputs *in, const void *engine_key, void *engine_layout)
{
    const ScannerKey *key = engine_key;
    ScannerLayout *layout = engine_layout;
    const DeviceTraits *traits = device_traits(in->device);
    *layout = (ScannerLayout){.carry = NO_UNIT, .partial = NO_UNIT, .length_unit = NO_UNIT, .counts = NO_UNIT};
    layout->group = key->tree ? SCANNER_GROUP : traits->family == FAMILY_CPU ? 2 * traits->subgroup_size : 64;
    layout->count = take(&layout->words, 1);
    layout->units = take(&layout->words, 3);
    layout->rows = take(&layout->words, 3);
    layout->unit = take(&layout->words, 1);
    layout->run = take(&layout->words, 1);
    layout->total = take(&layout->words, 1);
    layout->divisor = take(&layout->words, 1);
    layout->length = take(&layout->words, 1);
    layout->dump = take(&layout->words, SCANNER_OUTPUTS);
    int blocks = key->store ? key->output_count : 1;
    if (key->counts) {
        layout->counts = blocks++;
    }
    if (!inputs_lay_out(in, &key->input, blocks, &layout->words, &layout->input)) {
        return false;
    }
    if (key->carry) {
        layout->carry = layout->input.textures++;
    }
    if (key->store && key->compact && !key->tree) {
        layout->partial = layout->input.textures++;
    }
    if (key->length) {
        layout->length_unit = layout->input.textures++;
    }
    return layout->input.textures <= DEVICE_MAX_TEXTURES ||
           error_set("%d streams at once need more bindings than this device has", in->count);
}

/* types and words */

static const char *start_value(const ScannerWriter *w, char text[TYPE_MAX_BYTES])
{
    if (w->key->identity) {
        return "rill_identity()";
    }
    StrBuf zero = STRBUF_EMPTY;
    glsl_zero(&zero, w->key->accumulator);
    snprintf(text, TYPE_MAX_BYTES, "%s", strbuf_text(&zero));
    strbuf_free(&zero);
    return text;
}

/* Writes A rill_NAME(int e), which loads accumulator e from a texture. */
static void write_loader(ScannerWriter *w, const char *name, int unit)
{
    const Type *type = w->key->accumulator;
    char names[TYPE_MAX_WORDS][16];
    const char *words[TYPE_MAX_WORDS];
    int count = glsl_words(type);
    if (unit == NO_UNIT) {
        return;
    }
    strbuf_addf(w->out, "layout(binding = %d) uniform usamplerBuffer rill_tex_%s;\n%s rill_%s(int e) {", unit, name,
                glsl_type(type), name);
    for (int k = 0; k < count; k++) {
        snprintf(names[k], sizeof names[k], "w%d", k);
        words[k] = names[k];
        strbuf_addf(w->out, " uint w%d = texelFetch(rill_tex_%s, e * %d + %d).x;", k, name, count, k);
    }
    strbuf_add(w->out, " return ");
    glsl_decode(w->out, type, type, words, NULL);
    strbuf_add(w->out, "; }\n");
}

/* Writes void rill_putK(int place, R value), which stores a result. */
static void write_put(ScannerWriter *w, int k, const Type *type, bool flat)
{
    int words = glsl_words(type);
    strbuf_addf(w->out, "layout(std430, binding = %d) writeonly buffer Rill_out%d { %s rill_out%d[]; };\n", k + 1, k,
                flat ? "uvec4" : "uint", k);
    strbuf_addf(w->out, "void rill_put%d(int place, %s value) {", k, glsl_type(type));
    for (int i = 0; i < words; i++) {
        char at[48];
        snprintf(at, sizeof at, "place * %d + %d", words, i);
        strbuf_addf(w->out, flat ? " rill_out%d[(%s) >> 2][(%s) & 3] = " : " rill_out%d[%s] = ", k, at, at);
        glsl_encode(w->out, type, type, "value", i);
        strbuf_add(w->out, ";");
    }
    strbuf_add(w->out, " }\n");
}

static void write_outputs(ScannerWriter *w)
{
    if (!w->key->store) {
        write_put(w, 0, w->key->accumulator, false);
    }
    for (int k = 0; w->key->store && k < w->key->output_count; k++) {
        write_put(w, k, w->key->types[k], scanner_is_flat(w, k));
    }
    if (w->key->counts) {
        strbuf_addf(w->out, "layout(std430, binding = %d) writeonly buffer Rill_counts { uint rill_counts[]; };\n",
                    w->layout->counts + 1);
    }
    write_loader(w, "carry", w->layout->carry);
    write_loader(w, "partial", w->layout->partial);
    if (w->key->length) {
        strbuf_addf(w->out, "layout(binding = %d) uniform usamplerBuffer rill_tex_length;\n", w->layout->length_unit);
    }
}

/* main */

static void write_start(ScannerWriter *w)
{
    const ScannerLayout *layout = w->layout;
    strbuf_add(w->out, "void main()\n{\n    int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), "
                       "local = int(gl_LocalInvocationID.x);\n");
    strbuf_addf(w->out, w->key->tree ? "    int unit = group;\n" : "    int unit = group * %d + local; local = 0;\n",
                layout->group);
    strbuf_addf(w->out, "    int total = int(%s), n = int(%s);\n", access_word(layout->total),
                access_word(layout->input.block));
    if (w->key->length) {
        strbuf_addf(w->out,
                    "    total = int(min(uint(total), texelFetch(rill_tex_length, int(%s)).x));\n"
                    "    n = total > 0 ? min(n, (total - 1) / int(%s) + 1) : 0;\n",
                    access_word(layout->length), access_word(layout->divisor));
    }
    int by = w->key->across ? layout->rows : layout->units;
    strbuf_addf(w->out, "    bool counted = unit < int(%s);\n    int quotient = int(rill_div(uint(unit), %s, %s));\n",
                access_word(layout->count), access_word(by + 1), access_word(by + 2));
    strbuf_addf(w->out,
                w->key->across ? "    int u = quotient, row = unit - u * int(%s);\n    unit = row * int(%s) + u;\n"
                               : "    int row = quotient, u = unit - row * int(%s);\n",
                access_word(by), access_word(layout->units));
    strbuf_addf(
        w->out,
        "    int run = int(%s), from = u * int(%s), start = from + local * run;\n"
        "    bool inside = counted && start < n && start >= from;\n    int end = start + min(run, n - start);\n",
        access_word(layout->run), access_word(layout->unit));
    inputs_write_place(w->input, "row");
}

/* Writes the stores of the counters' final values. The total of the row is in `acc`. */
static void write_counts(ScannerWriter *w, const char *condition)
{
    if (!w->key->counts) {
        return;
    }
    strbuf_addf(w->out, "    if (%s) {\n", condition);
    for (int c = 0; c < w->key->counter_count; c++) {
        strbuf_addf(w->out, "        rill_counts[%d] = uint(rill_count_%d(acc, total)%s);\n", c, c,
                    w->key->ending ? " + 1" : "");
    }
    strbuf_add(w->out, "    }\n    if (unit == 0 && local == 0 && total == 0) {\n");
    for (int c = 0; c < w->key->counter_count; c++) {
        strbuf_addf(w->out, "        rill_counts[%d] = 0u;\n", c);
    }
    strbuf_add(w->out, "    }\n");
}

static void write_acc(ScannerWriter *w)
{
    char zero[TYPE_MAX_BYTES];
    strbuf_addf(w->out, "    %s acc = %s;\n", scanner_accumulator(w), start_value(w, zero));
}

/* Writes an inclusive scan of `acc` over the lanes of a group (Hillis and Steele 1986). Lanes with elements come
 * first. */
static void write_group_scan(ScannerWriter *w)
{
    strbuf_addf(w->out,
                "    rill_s[local] = acc;\n"
                "    for (int s = 1; s < %d; s *= 2) {\n        barrier();\n        bool more = inside && local >= s;\n"
                "        %s both = rill_s[local];\n        if (more) both = rill_merge(rill_s[local - s], both);\n"
                "        barrier();\n        rill_s[local] = both;\n    }\n    barrier();\n",
                SCANNER_GROUP, scanner_accumulator(w));
}

static void write_sums(ScannerWriter *w)
{
    write_acc(w);
    scanner_write_staged_loads(w);
    strbuf_add(w->out, "    if (inside) {\n");
    scanner_traverse(w, false);
    strbuf_add(w->out, "    }\n");
    if (!w->key->tree) {
        strbuf_add(w->out, "    if (inside) rill_put0(unit, acc);\n");
        write_counts(w, "inside && end == n");
        return;
    }
    write_group_scan(w);
    strbuf_addf(w->out,
                "    int lanes = min((n - from + run - 1) / run, %d);\n    bool last = inside && local == lanes - 1;\n"
                "    if (last) { acc = rill_s[local]; rill_put0(unit, acc); }\n",
                SCANNER_GROUP);
    write_counts(w, "last && end == n");
}

/* Writes statements that set acc to the sum before the lane's first element. */
static void write_before(ScannerWriter *w)
{
    if (w->key->carry) {
        strbuf_add(w->out, "    if (u > 0) acc = rill_carry(unit);\n");
    }
    if (!w->key->tree) {
        return;
    }
    strbuf_add(w->out, "    if (local > 0) ");
    if (w->key->identity) {
        strbuf_add(w->out, "acc = rill_merge(acc, rill_s[local - 1]);\n");
    } else {
        strbuf_add(w->out, "{ if (u > 0) acc = rill_merge(acc, rill_s[local - 1]); else acc = rill_s[local - 1]; }\n");
    }
}

/* Writes the declarations of each counter's value at the start and at the end of the lane's run. */
static void write_places(ScannerWriter *w)
{
    for (int c = 0; c < w->key->counter_count; c++) {
        strbuf_addf(w->out, "    int c%d = rill_count_%d(acc, start);\n", c, c);
        if (!w->key->tree) {
            strbuf_addf(w->out, "    int e%d = rill_count_%d(rill_merge(acc, rill_partial(unit)), end);\n", c, c);
        }
    }
}

static void write_ending(ScannerWriter *w)
{
    strbuf_add(w->out, "    if (end == n) {\n        t = n - 1;\n");
    scanner_write_previous(w, "t");
    scanner_write_values(w, -1);
    for (int o = 0; o < w->key->output_count; o++) {
        strbuf_addf(w->out, "        rill_put%d(c%d, rill_end_%d(", o, w->key->counter[o], o);
        scanner_write_element(w, "");
        strbuf_add(w->out, ", n, acc));\n");
    }
    strbuf_add(w->out, "    }\n");
}

static void write_stores(ScannerWriter *w)
{
    if (w->key->tree) {
        write_acc(w);
        scanner_write_staged_loads(w);
        strbuf_add(w->out, "    if (inside) {\n");
        scanner_traverse(w, false);
        strbuf_add(w->out, "    }\n");
        write_group_scan(w);
        strbuf_add(w->out, "    {\n");
    }
    write_acc(w);
    strbuf_add(w->out, "    if (inside) {\n");
    write_before(w);
    if (w->key->compact) {
        write_places(w);
    }
    scanner_traverse(w, true);
    if (w->key->compact && w->key->ending) {
        write_ending(w);
    }
    strbuf_add(w->out, "    }\n");
    scanner_write_staged_stores(w);
    write_counts(w, "inside && end == n");
    strbuf_add(w->out, w->key->tree ? "    }\n" : "");
}

/* Writes the header. The text uses the types of its outputs on inner levels too, where no source has these types. */
static void write_header(ScannerWriter *w)
{
    const Type *types[1 + SCANNER_OUTPUTS] = {w->key->accumulator};
    for (int k = 0; k < w->text->output_count; k++) {
        types[1 + k] = w->text->outputs[k].type;
    }
    inputs_write_header(w->input, w->layout->group, (w->layout->words + 3) / 4, types, 1 + w->text->output_count);
}

static void write_program(const void *text, const void *key, const void *layout, InputText *input)
{
    ScannerWriter writer = {text, input->in, key, layout, input->out, input, {""}}, *w = &writer;
    input->key = &w->key->input;
    input->layout = &w->layout->input;
    write_header(w);
    write_outputs(w);
    inputs_write_access(w->input);
    strbuf_add(w->out, w->text->functions);
    if (w->key->special) {
        strbuf_add(w->out, w->text->special);
    }
    if (w->key->tree) {
        strbuf_addf(w->out, "shared %s rill_s[%d];\n", scanner_accumulator(w), SCANNER_GROUP);
    }
    scanner_write_staging(w);
    write_start(w);
    if (w->key->store) {
        write_stores(w);
    } else {
        write_sums(w);
    }
    inputs_write_canary(w->input);
    strbuf_add(w->out, "}\n");
}

static const Engine engine = {ENGINE_CACHE, sizeof(ScannerLayout), lay_out, write_program};

Program *scanner_program(const ScannerText *text, const Inputs *in, const ScannerKey *key, const ScannerLayout **layout)
{
    const Type *types[1 + SCANNER_OUTPUTS] = {key->accumulator};
    memcpy(types + 1, key->types, sizeof key->types);
    const EngineKey wanted = {text->functions, key, offsetof(ScannerKey, input) + inputs_key_bytes(in), types,
                              1 + SCANNER_OUTPUTS};
    const EngineProgram *known = engine_program(&engine, text->name, text, in, &wanted);
    *layout = known ? known->layout : NULL;
    return known ? known->program : NULL;
}
